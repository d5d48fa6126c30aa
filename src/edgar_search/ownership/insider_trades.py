"""Insider trades and holdings: their orders, and the clauses of their filters."""

from collections.abc import Sequence

from edgar_search.ownership.clauses import all_words, between, is_flag, one_of
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowOrder
from edgar_search.stored.user_items import RowFilters

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "latest_trade": RowOrder("trade_date", "desc"),
    "earliest_trade": RowOrder("trade_date", "asc"),
    "largest": RowOrder("value", "desc"),
}
HOLDING_ORDERS = {name: ORDERS[name] for name in ("newest", "oldest")} | {
    "largest": RowOrder("shares_after", "desc")
}


def insider_clauses(
    filters: RowFilters, ticker_ciks: Sequence[str], *, trades: bool
) -> tuple[Clause, ...]:
    """The clauses that all filters are met, of trades or of holdings.

    `ticker_ciks` are the companies that have the tickers now.
    """
    return (
        {"term": {"trade": trades}},
        *one_of("issuer_cik", filters.issuer_cik),
        *_of_tickers(filters.ticker, ticker_ciks),
        *one_of("owner_ciks", filters.owner_cik),
        *all_words("owner_names", filters.owner),
        *one_of("roles", filters.role),
        *one_of("code", filters.code),
        *one_of("acquired", [filters.acquired] if filters.acquired else []),
        *is_flag("derivative", filters.derivative),
        *is_flag("plan_10b5_1", filters.plan_10b5_1),
        *between("trade_date", filters.trade_from, filters.trade_to),
        *between("value", filters.min_value, filters.max_value),
    )


def _of_tickers(tickers: Sequence[str], ciks: Sequence[str]) -> list[Clause]:
    """The clause that the issuer has a ticker now, or had it on the form."""
    if not tickers:
        return []
    return [{"bool": {"should": [*one_of("issuer_cik", ciks), *one_of("ticker", tickers)]}}]
