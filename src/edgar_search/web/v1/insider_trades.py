"""GET /v1/insider_trades and /v1/insider_holdings: rows of Forms 3, 4 and 5."""

from datetime import date
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.edgar import codes
from edgar_search.errors import BadRequest
from edgar_search.ownership.insider_trades import (
    HOLDING_ORDERS,
    ORDERS,
    TradeCriteria,
    trade_search,
)
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.ownership import Footnote, Owner, StoredInsiderTrade, UnderlyingSecurity
from edgar_search.web.calls import V1Call
from edgar_search.web.parameters import types
from edgar_search.web.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.v1.cursor import WALK_RULES
from edgar_search.web.v1.rows import (
    ISSUER_CIK,
    OF_ROWS,
    YES_OR_NO,
    AskedRows,
    RowPlace,
    Rows,
    accession_numbers,
    amount_parameter,
    answer_rows,
    cik_parameter,
    name_parameter,
    name_words,
    optional_amount,
    optional_flag,
    rows_days,
    rows_window,
    sort_parameter,
    unknown_tickers,
)

ROLES = ("director", "officer", "ten_percent_owner", "other")


class Issuer(Struct):
    """The company that issued the security, with its trading symbol on the form."""

    cik: str | None
    name: str
    ticker: str | None


class TradeOwner(Struct):
    """A reporting owner: director, officer, owner of ten percent, or other."""

    cik: str | None
    name: str
    roles: list[str]
    title: str | None


class Underlying(Struct):
    """The security that a derivative is on."""

    security: str | None
    shares: Decimal | None
    exercise_price: Decimal | None
    exercisable: date | None
    expires: date | None


class TradeFootnote(Struct):
    """A footnote to a field of the row."""

    field: str
    text: str


class InsiderRow(Struct):
    """A transaction, or a holding that a form reports without one.

    Amounts have the digits as filed; null is what the form does not have. `value` is shares times
    price, or the total value as filed. `amends` is the day on which the amended form was filed.
    `not_read` names what has a value that could not be read.
    """

    accnum: str
    form_type: str
    filing_date: date
    issuer: Issuer
    owners: list[TradeOwner]
    trade_date: date | None
    security: str | None
    derivative: bool
    code: str | None
    code_text: str | None
    acquired: str | None
    shares: Decimal | None
    price: Decimal | None
    value: Decimal | None
    shares_after: Decimal | None
    value_after: Decimal | None
    direct: bool | None
    nature: str | None
    underlying: Underlying | None
    plan_10b5_1: bool | None
    footnotes: list[TradeFootnote]
    amends: date | None
    place: RowPlace
    not_read: list[str]


class InsiderRowsReply(Struct):
    """Rows of a page; `next_cursor` is there on a walk by cursor, null at its end."""

    total_count: int
    items: list[InsiderRow]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


_FILTERS = (
    ISSUER_CIK,
    Parameter(
        "ticker",
        "list",
        "the issuer has one of them now, or had it on the form",
        type=types.CAPITALS,
        of="tickers, in any case",
    ),
    cik_parameter("owner_cik", "a reporting owner"),
    name_parameter(
        "owner", "the names of the reporting owners have all these words, in any order and any case"
    ),
    Parameter(
        "role",
        "list",
        "a reporting owner is one of them",
        of="roles",
        choices=ROLES,
    ),
    Parameter(
        "derivative",
        "choice",
        "`true`: derivative securities only, which Table II has; `false`: others only",
        choices=YES_OR_NO,
    ),
    Parameter(
        "plan_10b5_1",
        "choice",
        "`true`: the form says that there is a plan under Rule 10b5-1(c); `false`: it says that"
        " there is none. Forms before April 2023 say nothing",
        choices=YES_OR_NO,
    ),
)
_OF_TRADES = (
    Parameter(
        "code",
        "list",
        "transaction codes such as `S`, an open market or private sale",
        of="codes",
        choices=tuple(codes.TRANSACTION_CODES),
    ),
    Parameter(
        "acquired",
        "choice",
        "`A`: acquired, `D`: disposed of",
        choices=("A", "D"),
    ),
    Parameter("trade_from", "date", "traded on that day or later"),
    Parameter("trade_to", "date", "traded on that day or earlier"),
    amount_parameter("min_value", "a value of that many dollars or more"),
    amount_parameter("max_value", "a value of that many dollars or less"),
)
TRADES = Endpoint(
    "/v1/insider_trades",
    "finds transactions that insiders report on Forms 4 and 5",
    (
        API_KEY,
        *_FILTERS,
        *_OF_TRADES,
        sort_parameter(
            "by filing date, by the date of the trade, or by value; rows without a value come last",
            ORDERS,
        ),
        *OF_ROWS,
    ),
    credential="key",
    answer=InsiderRowsReply,
    rules=WALK_RULES,
)
HOLDINGS = Endpoint(
    "/v1/insider_holdings",
    "finds holdings that insiders report without a transaction",
    (
        API_KEY,
        *_FILTERS,
        sort_parameter("by filing date, or by the number of shares owned", HOLDING_ORDERS),
        *OF_ROWS,
    ),
    credential="key",
    answer=InsiderRowsReply,
    rules=WALK_RULES,
)


def _filters(parameters: Parameters, table: TickerTable) -> TradeCriteria:
    tickers = parameters.values("ticker")
    return TradeCriteria(
        issuer_ciks=parameters.values("issuer_cik"),
        tickers=tickers,
        ticker_ciks=tuple(cik for ticker in tickers for cik in table.ciks(ticker)),
        owner_ciks=parameters.values("owner_cik"),
        owner=name_words(parameters, "owner"),
        roles=parameters.choices("role"),
        derivative=optional_flag(parameters, "derivative"),
        plan_10b5_1=optional_flag(parameters, "plan_10b5_1"),
        numbers=accession_numbers(parameters),
    )


def read_trades(parameters: Parameters, table: TickerTable) -> AskedRows:
    """The search of `/v1/insider_trades`; BadRequest names what is wrong."""
    first, last = parameters.days("trade_from", "trade_to")
    least, most = (optional_amount(parameters, name) for name in ("min_value", "max_value"))
    if least is not None and most is not None and least > most:
        raise BadRequest(f"`min_value` is {least}, which is more than `max_value`, {most}")
    criteria = structs.replace(
        _filters(parameters, table),
        codes=parameters.choices("code"),
        acquired=parameters.choice("acquired") if parameters.text("acquired") else "",
        first_trade=first,
        last_trade=last,
        least_value=least,
        most_value=most,
    )
    order = ORDERS[parameters.choice("sort")]
    search = trade_search(criteria, rows_days(parameters), order, rows_window(parameters))
    return AskedRows(search, unknown_tickers(criteria.tickers, table))


def read_holdings(parameters: Parameters, table: TickerTable) -> AskedRows:
    """The search of `/v1/insider_holdings`; BadRequest names what is wrong."""
    criteria = structs.replace(_filters(parameters, table), trades=False)
    order = HOLDING_ORDERS[parameters.choice("sort")]
    search = trade_search(criteria, rows_days(parameters), order, rows_window(parameters))
    return AskedRows(search, unknown_tickers(criteria.tickers, table))


def insider_row(stored: StoredInsiderTrade) -> InsiderRow:
    """The item of a stored row."""
    return InsiderRow(
        accnum=stored.accession_number,
        form_type=stored.form_type,
        filing_date=stored.filing_date,
        issuer=Issuer(stored.issuer_cik, stored.issuer_name, stored.ticker),
        owners=list(map(_owner, stored.owners)),
        trade_date=stored.trade_date,
        security=stored.security,
        derivative=stored.derivative,
        code=stored.code,
        code_text=codes.TRANSACTION_CODES.get(stored.code or ""),
        acquired=stored.acquired,
        shares=stored.shares,
        price=stored.price,
        value=stored.value,
        shares_after=stored.shares_after,
        value_after=stored.value_after,
        direct=stored.direct,
        nature=stored.nature,
        underlying=None if stored.underlying is None else _underlying(stored.underlying),
        plan_10b5_1=stored.plan_10b5_1,
        footnotes=list(map(_footnote, stored.footnotes)),
        amends=stored.amends,
        place=RowPlace(stored.document_id, stored.start, stored.end),
        not_read=stored.not_read,
    )


def _underlying(stored: UnderlyingSecurity) -> Underlying:
    return Underlying(
        stored.security, stored.shares, stored.exercise_price, stored.exercisable, stored.expires
    )


def _owner(owner: Owner) -> TradeOwner:
    return TradeOwner(owner.cik, owner.name, list(owner.roles), owner.title)


def _footnote(note: Footnote) -> TradeFootnote:
    return TradeFootnote(note.field, note.text)


_KNOWN = {"issuer_cik": "issuer_cik", "owner_cik": "owner_ciks"}
TRADE_ROWS = Rows(TRADES, read_trades, StoredInsiderTrade, InsiderRow, insider_row, _KNOWN)
HOLDING_ROWS = Rows(HOLDINGS, read_holdings, StoredInsiderTrade, InsiderRow, insider_row, _KNOWN)


async def insider_trades(request: Request, call: V1Call) -> Response:
    """GET /v1/insider_trades"""
    return await answer_rows(request, call, TRADE_ROWS)


async def insider_holdings(request: Request, call: V1Call) -> Response:
    """GET /v1/insider_holdings"""
    return await answer_rows(request, call, HOLDING_ROWS)
