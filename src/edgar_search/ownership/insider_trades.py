"""Insider trades and holdings: their orders, and the clauses of their filters."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
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


class QuarterOfTrades(NamedTuple):
    """Purchases and sales on the market in a quarter: their numbers, and their values in dollars.

    `first_day` is that of the quarter.
    """

    first_day: date
    purchases: int
    bought: Decimal
    sales: int
    sold: Decimal


class _Sum(Struct):
    value: float


class _Side(Struct):
    count: int = field(name="doc_count")
    value: _Sum


class _Bucket(Struct):
    key: int
    bought: _Side
    sold: _Side


class _Buckets(Struct):
    buckets: list[_Bucket]


class _ByQuarter(Struct):
    quarters: _Buckets


def quarters_body(clauses: Sequence[Clause], last: date) -> Clause:
    """Purchases and sales (codes P and S) by quarter, traded on a day or before."""

    def side(code: str) -> Clause:
        return {
            "filter": {"term": {"code": code}},
            "aggs": {"value": {"sum": {"field": "value"}}},
        }

    return {
        "query": {
            "bool": {
                "filter": [
                    *clauses,
                    {"term": {"trade": True}},
                    {"terms": {"code": ["P", "S"]}},
                    {"range": {"trade_date": {"lte": str(last)}}},
                ]
            }
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "quarters": {
                "date_histogram": {
                    "field": "trade_date",
                    "calendar_interval": "quarter",
                    "min_doc_count": 1,
                },
                "aggs": {"bought": side("P"), "sold": side("S")},
            }
        },
    }


async def trades_by_quarter(
    engine: Engine, clauses: Sequence[Clause], last: date
) -> list[QuarterOfTrades]:
    """Read purchases and sales of each quarter that has any, traded on a day or before."""
    body = quarters_body(clauses, last)
    found = await engine.aggregate("insider_trades", body, _ByQuarter)
    return [
        QuarterOfTrades(
            date(1970, 1, 1) + timedelta(milliseconds=each.key),
            each.bought.count,
            Decimal(f"{each.bought.value.value:.12g}"),
            each.sold.count,
            Decimal(f"{each.sold.value.value:.12g}"),
        )
        for each in found.quarters.buckets
    ]
