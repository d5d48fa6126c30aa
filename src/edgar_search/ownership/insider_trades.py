"""Insider trades and holdings: orders, filters, amended rows, and sums of trades by quarter."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SortedHit
from edgar_search.ownership.clauses import all_words, is_flag, one_of
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import Step
from edgar_search.search.query.matching import Clause, between
from edgar_search.search.rows import RowOrder, RowSearch
from edgar_search.stored.ownership import RowFilters, StoredInsiderTrade, is_debt

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
    """Match trades, or holdings, that pass all filters.

    `ticker_ciks` are the companies that have the tickers now.
    """
    return (
        {"term": {"trade": trades}},
        *one_of("issuer_cik", filters.issuer_cik),
        *_tickers_clause(filters.ticker, ticker_ciks),
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


def _tickers_clause(tickers: Sequence[str], ciks: Sequence[str]) -> list[Clause]:
    """Match an issuer that has a ticker now, or had it on the form."""
    if not tickers:
        return []
    return [{"bool": {"should": [*one_of("issuer_cik", ciks), *one_of("ticker", tickers)]}}]


class AmendedTrade(NamedTuple):
    """A row, and the accession number of the form that amends it, if one is stored."""

    row: StoredInsiderTrade
    amended_by: str | None


class InsiderSearch(RowSearch, frozen=True):
    """A search for rows of Forms 3, 4 and 5, which adds the forms that amend them."""

    async def step(
        self, engine: Engine, stored: type[Any], position: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find a window of rows after a position, with two or three engine requests."""
        step = await RowSearch.step(self, engine, stored, position)
        amended = await _amendments_of(engine, [hit.source for hit in step.hits])
        hits: list[SortedHit[Any]] = [
            SortedHit(AmendedTrade(hit.source, amended.get(_key(hit.source))), hit.sort)
            for hit in step.hits
        ]
        return step._replace(hits=hits)


class _Traded(Struct):
    """The fields of a row by which it is recognised in another form."""

    accession_number: str
    number: int
    form_type: str
    filing_date: date
    derivative: bool
    issuer_cik: str | None = None
    owner_ciks: list[str] = []
    trade_date: date | None = None
    security: str | None = None
    code: str | None = None
    shares: Decimal | None = None
    price: Decimal | None = None
    value: Decimal | None = None
    shares_after: Decimal | None = None
    direct: bool | None = None
    amends: date | None = None


_Row: TypeAlias = "_Traded | StoredInsiderTrade"
_R = TypeVar("_R", _Traded, StoredInsiderTrade)
_RowKey: TypeAlias = tuple[str, int]
_AMENDMENTS = {"terms": {"form_type": ["3/A", "4/A", "5/A"]}}
# Rows that are read to find amended rows and rows of joint owners: more than a company's market
# trades in twenty quarters. If there are more, the newest count.
_MOST_ROWS = 10_000
# Whole rows that are listed at most, including all amendments of the company.
_MOST_LISTED = 1_000
# An amendment may give the day on which the form was signed, or was accepted in the evening.
_DAYS_APART = timedelta(days=5)
# A form has at most ten owners: if a transaction has more, they file another form beside it.
_MOST_OWNERS = 10


def _key(row: _Row) -> _RowKey:
    return row.accession_number, row.number


async def _amendments_of(engine: Engine, rows: Sequence[_Row]) -> dict[_RowKey, str]:
    """Find the forms that amend these rows, by row."""
    issuers = sorted({row.issuer_cik for row in rows if row.issuer_cik})
    owners = sorted({cik for row in rows for cik in row.owner_ciks})
    if not issuers or not owners:
        return {}
    of_forms: list[Clause] = [_AMENDMENTS, *one_of("issuer_cik", issuers)]
    amending = await _read(engine, [*of_forms, *one_of("owner_ciks", owners)], _Traded)
    if not amending:
        return {}
    # All rows of both forms: to tell which row is meant takes all rows of a form.
    forms = sorted({row.accession_number for row in rows})
    others = await _read(engine, one_of("accession_number", forms), _Traded)
    every = {_key(row): row for row in (*others, *amending)}
    return amended_rows(list(every.values()))


async def _read(
    engine: Engine, clauses: Sequence[Clause], stored: type[_R], most: int = _MOST_ROWS
) -> list[_R]:
    body = {
        "query": {"bool": {"filter": list(clauses)}},
        "size": most,
        "sort": [
            {"trade_date": {"order": "desc", "missing": "_last"}},
            {"document_id": "asc"},
            {"number": "asc"},
        ],
        "_source": list(stored.__struct_fields__),
        "track_total_hits": False,
    }
    reply = await engine.search("insider_trades", body, SortedHit[stored])  # type: ignore[valid-type]
    return [hit.source for hit in reply.hits.hits]


def amended_rows(rows: Sequence[_Row]) -> dict[_RowKey, str]:
    """Return the rows that a later form's row replaces, with the accession number of that form.

    A form that amends another may repeat all its rows, or only those that change; so a row is
    amended by the one row that is most like it: with the same security, and at least two of day,
    code and number of shares the same.
    """
    forms: defaultdict[str, list[_Row]] = defaultdict(list)
    by_issuer: defaultdict[str | None, list[_Row]] = defaultdict(list)
    for row in rows:
        forms[row.accession_number].append(row)
        by_issuer[row.issuer_cik].append(row)
    amended: dict[_RowKey, str] = {}
    amending = [form_rows for form_rows in forms.values() if form_rows[0].form_type.endswith("/A")]
    for form in sorted(
        amending, key=lambda form_rows: (form_rows[0].filing_date, form_rows[0].accession_number)
    ):
        first = form[0]
        owners = set(first.owner_ciks)
        candidates = [
            row
            for row in by_issuer[first.issuer_cik]
            if not owners.isdisjoint(row.owner_ciks)
            and _may_amend(first, row)
            and _key(row) not in amended
        ]
        for row in form:
            likeness, index = max(
                ((_likeness(row, form_rows), -at) for at, form_rows in enumerate(candidates)),
                default=(0, 0),
            )
            if likeness:
                amended[_key(candidates.pop(-index))] = row.accession_number
    return amended


def _may_amend(form: _Row, row: _Row) -> bool:
    """Return True if a row is on the form that this one amends, or on an amendment before."""
    if form.amends is None or row.accession_number == form.accession_number:
        return False
    if (row.filing_date, row.accession_number) >= (form.filing_date, form.accession_number):
        return False
    return abs(row.filing_date - form.amends) <= _DAYS_APART or row.amends == form.amends


def _likeness(row: _Row, other: _Row) -> int:
    """Return how similar two rows are; 0 if one cannot replace the other."""
    if row.derivative != other.derivative or _name(row.security) != _name(other.security):
        return 0
    same = [
        row.trade_date == other.trade_date,
        row.code == other.code,
        row.shares is not None and row.shares == other.shares,
    ]
    if sum(same) < 2:
        return 0
    return 2 * sum(same) + (row.direct == other.direct) + (row.price == other.price)


def _name(security: str | None) -> str:
    return " ".join((security or "").lower().split())


def counted_trades(rows: Sequence[_R]) -> list[_R]:
    """Return the rows that count in a sum: no amended ones, and one for joint owners.

    If more than ten owners hold the same securities, they file several forms with the same rows; so
    do owners who hold them through each other, and then both hold as much afterwards.
    """
    amended = amended_rows(rows)
    unamended = [row for row in rows if _key(row) not in amended]
    alike: defaultdict[tuple[object, ...], list[_R]] = defaultdict(list)
    for row in unamended:
        alike[
            (row.issuer_cik, row.trade_date, row.code, row.derivative, _name(row.security))
            + (row.shares, row.price, row.shares_after)
        ].append(row)
    return [row for group in alike.values() for row in _keep_one_form_if_joint(group)]


def _keep_one_form_if_joint(rows: list[_R]) -> list[_R]:
    by_form: defaultdict[str, list[_R]] = defaultdict(list)
    for row in rows:
        by_form[row.accession_number].append(row)
    is_joint = rows[0].shares_after is not None and (
        any(len(row.owner_ciks) >= _MOST_OWNERS for row in rows)
        or any(row.direct is False for row in rows)
    )
    return max(by_form.values(), key=len) if is_joint else rows


async def market_trades(
    engine: Engine, cik: str, codes: Sequence[str], first: date, last: date
) -> list[StoredInsiderTrade]:
    """Read a company's trades on these days that count, latest first.

    With `codes` only trades of shares. If there are more than can be read, none is returned, since
    some would be missing. Makes one engine request.
    """
    of_codes = one_of("code", codes)
    on_days: Clause = {"bool": {"filter": [*of_codes, *between("trade_date", first, last)]}}
    clauses: list[Clause] = [
        {"term": {"trade": True}},
        *one_of("issuer_cik", [cik]),
        {"bool": {"should": [on_days, _AMENDMENTS]}},
    ]
    rows = await _read(engine, clauses, StoredInsiderTrade, _MOST_LISTED)
    if len(rows) >= _MOST_LISTED:
        return []
    return [
        row
        for row in counted_trades(rows)
        if row.trade_date is not None
        and first <= row.trade_date <= last
        and (not codes or (row.code in codes and not _is_apart(row)))
    ]


class QuarterOfTrades(NamedTuple):
    """Market purchases and sales of shares in a quarter: their numbers and amounts in dollars.

    `first_day` is the quarter's, `apart` the number of trades in derivatives and debt, which no sum
    includes.
    """

    first_day: date
    purchases: int
    bought: Decimal
    sales: int
    sold: Decimal
    apart: int = 0


async def trades_by_quarter(
    engine: Engine, clauses: Sequence[Clause], last: date
) -> list[QuarterOfTrades]:
    """Sum purchases and sales for each quarter that has any, traded no later than `last`."""
    rows = await _read(
        engine,
        [
            *clauses,
            {"term": {"trade": True}},
            {"bool": {"should": [{"terms": {"code": ["P", "S"]}}, _AMENDMENTS]}},
            {"range": {"trade_date": {"lte": str(last)}}},
        ],
        _Traded,
    )
    return sum_by_quarter(rows)


def sum_by_quarter(rows: Sequence[_R]) -> list[QuarterOfTrades]:
    """Sum the rows that count by the quarter of the trade, oldest first."""
    quarters: defaultdict[date, list[_R]] = defaultdict(list)
    for row in counted_trades(rows):
        if row.trade_date is not None and row.code in ("P", "S"):
            day = row.trade_date
            quarters[day.replace(month=day.month - (day.month - 1) % 3, day=1)].append(row)
    sums = []
    for first_day, traded in sorted(quarters.items()):
        shares = [row for row in traded if not _is_apart(row)]
        bought = [row for row in shares if row.code == "P"]
        sold = [row for row in shares if row.code == "S"]
        sums.append(
            QuarterOfTrades(
                first_day,
                len(bought),
                sum((row.value or Decimal(0) for row in bought), Decimal(0)),
                len(sold),
                sum((row.value or Decimal(0) for row in sold), Decimal(0)),
                len(traded) - len(shares),
            )
        )
    return sums


def _is_apart(row: _Row) -> bool:
    return row.derivative or is_debt(row.security or "")
