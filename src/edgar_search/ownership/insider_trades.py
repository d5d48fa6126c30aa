"""Insider trades and holdings: criteria, and the search for rows that they make."""

from datetime import date
from decimal import Decimal

from msgspec import Struct

from edgar_search.ownership.clauses import all_words, between, is_flag, one_of
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowOrder, RowSearch

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


class TradeCriteria(Struct, frozen=True):
    """Filters of trades or, without `trades`, of holdings; an empty value asks nothing.

    `ticker_ciks` are the companies that have the `tickers` now.
    """

    trades: bool = True
    issuer_ciks: tuple[str, ...] = ()
    tickers: tuple[str, ...] = ()
    ticker_ciks: tuple[str, ...] = ()
    owner_ciks: tuple[str, ...] = ()
    owner: str = ""
    roles: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    acquired: str = ""
    derivative: bool | None = None
    plan_10b5_1: bool | None = None
    first_trade: date | None = None
    last_trade: date | None = None
    least_value: Decimal | None = None
    most_value: Decimal | None = None
    numbers: tuple[str, ...] = ()


def trade_search(
    criteria: TradeCriteria, filings: FilingCriteria, order: RowOrder, window: Window
) -> RowSearch:
    """The search for the rows that meet all criteria, of filings of these days."""
    filters = (
        {"term": {"trade": criteria.trades}},
        *one_of("accession_number", criteria.numbers),
        *one_of("issuer_cik", criteria.issuer_ciks),
        *_of_tickers(criteria),
        *one_of("owner_ciks", criteria.owner_ciks),
        *all_words("owner_names", criteria.owner),
        *one_of("roles", criteria.roles),
        *one_of("code", criteria.codes),
        *one_of("acquired", [criteria.acquired] if criteria.acquired else []),
        *is_flag("derivative", criteria.derivative),
        *is_flag("plan_10b5_1", criteria.plan_10b5_1),
        *between("trade_date", criteria.first_trade, criteria.last_trade),
        *between("value", criteria.least_value, criteria.most_value),
    )
    return RowSearch("insider_trades", filters, filings, order, window)


def _of_tickers(criteria: TradeCriteria) -> list[Clause]:
    """The clause that the issuer has a ticker now, or had it on the form."""
    if not criteria.tickers:
        return []
    either = [
        *one_of("issuer_cik", criteria.ticker_ciks),
        *one_of("ticker", criteria.tickers),
    ]
    return [{"bool": {"should": either}}]
