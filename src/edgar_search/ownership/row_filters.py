"""Rows by the name of their endpoint: their kind, their filters, and the filters' clauses."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from edgar_search.engine.index_names import Kind
from edgar_search.ownership.clauses import all_words, of_cusips, one_of
from edgar_search.ownership.holdings import holding_clauses
from edgar_search.ownership.insider_trades import insider_clauses
from edgar_search.search.query.matching import Clause
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.ownership import (
    RowFilters,
    RowsName,
    StoredHolding,
    StoredInsiderTrade,
    StoredPlannedSale,
    StoredRow,
    StoredStake,
)

_INSIDERS = ("issuer_cik", "ticker", "owner_cik", "owner", "role", "derivative", "plan_10b5_1")


class RowsOfName(NamedTuple):
    """The kind of some rows, their stored form, their filters, and a builder of clauses.

    `words` name them on pages. `clauses` gets the filters, and the companies that have the tickers
    now.
    """

    kind: Kind
    stored: type[StoredRow]
    words: str
    filters: tuple[str, ...]
    clauses: Callable[[RowFilters, Sequence[str]], tuple[Clause, ...]]


ROWS: Mapping[RowsName, RowsOfName] = {
    "insider_trades": RowsOfName(
        "insider_trades",
        StoredInsiderTrade,
        "insider trades",
        (*_INSIDERS, "code", "acquired", "trade_from", "trade_to", "min_value", "max_value"),
        lambda filters, ciks: insider_clauses(filters, ciks, trades=True),
    ),
    "insider_holdings": RowsOfName(
        "insider_trades",
        StoredInsiderTrade,
        "holdings of insiders",
        _INSIDERS,
        lambda filters, ciks: insider_clauses(filters, ciks, trades=False),
    ),
    "holdings": RowsOfName(
        "holdings",
        StoredHolding,
        "holdings of managers",
        ("manager_cik", "manager", "issuer", "cusip", "quarter", "put_call", "min_value"),
        lambda filters, _: holding_clauses(filters),
    ),
    "stakes": RowsOfName(
        "stakes",
        StoredStake,
        "stakes",
        ("issuer_cik", "cusip", "person_cik", "person"),
        lambda filters, _: (
            *one_of("issuer_cik", filters.issuer_cik),
            *of_cusips("cusips", filters.cusip),
            *one_of("person_ciks", filters.person_cik),
            *all_words("person_names", filters.person),
        ),
    ),
    "planned_sales": RowsOfName(
        "planned_sales",
        StoredPlannedSale,
        "planned sales",
        ("issuer_cik", "seller"),
        lambda filters, _: (
            *one_of("issuer_cik", filters.issuer_cik),
            *all_words("seller", filters.seller),
        ),
    ),
}


def row_clauses(rows: RowsName, filters: RowFilters, table: TickerTable) -> tuple[Clause, ...]:
    """Build the clauses that match rows which pass all filters."""
    ciks = [cik for ticker in filters.ticker for cik in table.ciks(ticker)]
    return ROWS[rows].clauses(filters, ciks)


def given_filters(filters: RowFilters) -> list[str]:
    """Return the names of the filters that are set."""
    nothing = RowFilters()
    return [
        name for name, value in structs.asdict(filters).items() if value != getattr(nothing, name)
    ]
