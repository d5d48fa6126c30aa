"""Endpoints whose items are stored rows: their common parameters, pages and answers."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.cursor import CURSOR, SNAPSHOT, walk_of
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.filters import FROM_DATE, TO_DATE
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.parameters.row_filters import filters_of
from edgar_search.edgar.identifiers import ACCESSION_NUMBER
from edgar_search.ownership.clauses import one_of
from edgar_search.ownership.row_filters import ROWS, row_clauses
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import Start, Step
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import (
    AskedValue,
    RowHit,
    RowOrder,
    RowSearch,
    nearest_names,
    next_row_page,
    unknown_values,
)
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.user_items import RowsName
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v1.answers import page_response

MAX_ROWS = 1_000


def sort_parameter(description: str, orders: Iterable[str]) -> Parameter:
    """The order of the rows, one of `orders`; the newest filings come first by default."""
    return Parameter("sort", "choice", description, default="newest", choices=tuple(orders))


LIMIT = Parameter(
    "limit", "integer", "rows in the answer at most", least=1, most=MAX_ROWS, default=100
)
ACCNUM = Parameter(
    "accnum",
    "list",
    "rows of these filings",
    type=types.ACCESSION_NUMBER,
    of="accession numbers",
    pattern=ACCESSION_NUMBER,
)
# What every endpoint of rows has beside its own filters and its `sort`.
OF_ROWS = (ACCNUM, FROM_DATE, TO_DATE, LIMIT, CURSOR, SNAPSHOT)
ABOUT_PAGES = frozenset({"limit", "cursor", "snapshot"})


class Entity(Struct):
    """A company or person; `cik` is null if the form has none."""

    cik: str | None
    name: str


class RowPlace(Struct):
    """The place of a row in a document as filed, in bytes; null if that is not certain."""

    document_id: str
    start: int | None
    end: int | None


class RowsReply(Struct):
    """The rows of a page; `next_cursor` is there on a walk by cursor, null at its end."""

    total_count: int
    items: list[Any]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


class AskedRows(NamedTuple):
    """The search for rows that a request asks for, and warnings about its values.

    `item` makes the items of an export, if they depend on the request.
    """

    search: RowSearch
    warnings: list[str]
    item: Callable[[Any], Struct] | None = None


class Rows(NamedTuple):
    """An endpoint of rows: the reader of its parameters, and its item made of a stored row."""

    endpoint: Endpoint
    read: Callable[[Parameters, TickerTable], AskedRows]
    stored: type[Struct]
    item_type: type[Struct]
    item: Callable[[Any], Struct]
    # The fields of stored rows that have the values of parameters, of which unknown ones are named.
    known: Mapping[str, str] = MappingProxyType({})
    # The fields of rows that have words of parameters, of which the nearest names are named.
    names: Mapping[str, str] = MappingProxyType({})
    # Makes the answer of a step, with its warnings, if that has more than rows.
    reply: Callable[[Step[RowHit[Any]], list[str]], Any] | None = None

    @property
    def name(self) -> str:
        """The name of its rows, which `what` of an export has."""
        return self.endpoint.path.rpartition("/")[2]


def rows_window(parameters: Parameters) -> Window:
    """The first page of as many rows as `limit` says."""
    return Window(0, parameters.integer("limit") if "limit" in parameters else MAX_ROWS)


def rows_days(parameters: Parameters) -> FilingCriteria:
    """The days of the filings whose rows are asked for."""
    first_day, last_day = parameters.days()
    return FilingCriteria(first_day=first_day, last_day=last_day)


def of_filings(parameters: Parameters) -> list[Clause]:
    """The clause that a row is of one of the filings that are asked for; none means all."""
    return one_of("accession_number", parameters.values("accnum"))


def asked_rows(
    parameters: Parameters, table: TickerTable, name: RowsName, orders: Mapping[str, RowOrder]
) -> AskedRows:
    """The search for rows by all their filters; BadRequest names what is wrong."""
    filters = filters_of(parameters, name)
    search = RowSearch(
        ROWS[name].kind,
        (*of_filings(parameters), *row_clauses(name, filters, table)),
        rows_days(parameters),
        orders[parameters.choice("sort")],
        rows_window(parameters),
    )
    return AskedRows(search, unknown_tickers(filters.ticker, table))


def unknown_tickers(tickers: tuple[str, ...], table: TickerTable) -> list[str]:
    """A line for each ticker that no company has now."""
    return [f"unknown ticker: {ticker}" for ticker in tickers if not table.ciks(ticker)]


def _asked_values(rows: Rows, parameters: Parameters) -> list[AskedValue]:
    """The values of parameters that rows may be known to have."""
    found = []
    for name, field in rows.known.items():
        if rows.endpoint.declared[name].kind == "list":
            values = parameters.values(name)
        else:
            value = parameters.value(name)
            values = () if value is None else (value,)
        found += [AskedValue(name, field, value) for value in values]
    return found


async def answer_rows(request: Request, call: V1Call, rows: Rows) -> Response:
    """A page of rows; on a walk by cursor with the cursor to the next one."""
    walk = await walk_of(context_of(request, call), call.raw, rows.endpoint)
    state = service(request)
    question = call.raw if walk is None else walk.question
    start = Start() if walk is None else walk.start

    async def found() -> tuple[Step[RowHit[Any]], list[str]]:
        table = await state.context.tickers.table()
        parameters = Parameters(question, rows.endpoint.declared)
        asked = rows.read(parameters, table)
        step = await next_row_page(
            state.pagination, state.context, asked.search, rows.stored, start, call.account
        )
        values = _asked_values(rows, parameters)
        unknown = await unknown_values(state.context.engine, asked.search, values, step.total)
        if not step.total:
            words = [
                AskedValue(name, field, text)
                for name, field in rows.names.items()
                if (text := parameters.text(name))
            ]
            unknown += await nearest_names(state.context.engine, asked.search, words)
        return step, [*asked.warnings, *unknown, *step.warnings]

    step, warnings = await found()
    call.result_count = step.total
    reply: Any
    if rows.reply is None:
        reply = RowsReply(step.total, [rows.item(hit.source) for hit in step.hits], warnings)
    else:
        reply = rows.reply(step, warnings)
    if walk is None:
        return json_response(reply)
    place: CursorPosition | None = step.place
    return await page_response(context_of(request, call), rows.endpoint, walk, reply, place)
