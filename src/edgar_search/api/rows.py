"""Operations that list stored rows: their common parameters, pages and answers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.cursor import CURSOR, SNAPSHOT
from edgar_search.api.operation import Page, WalkedAnswer, WalkedOperation
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.filters import FROM_DATE, TO_DATE
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.parameters.row_filters import filters_of
from edgar_search.edgar.identifiers import ACCESSION_NUMBER
from edgar_search.engine.replies import SortedHit
from edgar_search.ownership.clauses import one_of
from edgar_search.ownership.row_filters import ROWS, row_clauses
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.pagination import Start, Step
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import (
    AskedValue,
    RowOrder,
    RowSearch,
    nearest_names,
    next_row_page,
    unknown_values,
)
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.nearest import RowWarning, unknown_in_rows
from edgar_search.stored.ownership import RowFilters, RowsName

MAX_ROWS = 1_000


def sort_parameter(description: str, orders: Iterable[str]) -> Parameter:
    """Declare the order of rows, one of `orders`; by default the newest filings come first."""
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
# Parameters that every endpoint of rows has, besides its filters and its `sort`.
OF_ROWS = (ACCNUM, FROM_DATE, TO_DATE, LIMIT, CURSOR, SNAPSHOT)
ABOUT_PAGES = frozenset({"limit", "cursor", "snapshot"})


class Entity(Struct):
    """A company or person; `cik` is null if the form has none."""

    cik: str | None
    name: str


class RowPlace(Struct):
    """The position of a row in the filed document, in bytes; null if it is uncertain."""

    document_id: str
    start: int | None
    end: int | None


class Counted(Struct):
    """A page of a result; `total_count` counts all of it."""

    total_count: int

    @property
    def result_count(self) -> int:
        """The number of results, as the history shows it."""
        return self.total_count


class AskedRows(Struct, frozen=True):
    """A search for rows, with warnings about its parameters.

    A warning names a value of `known` that no row has, and for a name of `names` that no row has,
    the closest names that rows have.
    """

    search: RowSearch
    warnings: Sequence[RowWarning] = ()
    known: Sequence[AskedValue] = ()
    names: Sequence[AskedValue] = ()


R = TypeVar("R", bound=WalkedAnswer)


class Rows(Struct, Generic[R], frozen=True):
    """An operation that lists stored rows: its endpoint, and how its items are built.

    Rows with `filters` are found by them, in one of the `orders`, by a `search` of that type; for
    other rows, `read` makes the search from the parameters. `known` and `names` map parameters to
    the fields of rows that have their values and words. `reply` builds an answer with more than
    items.
    """

    endpoint: Endpoint
    stored: type[Struct]
    item_type: type[Struct]
    item: Callable[[Any], Struct]
    filters: RowsName | None = None
    orders: Mapping[str, RowOrder] = MappingProxyType({})
    search: type[RowSearch] = RowSearch
    read: Callable[[Parameters, TickerTable], RowSearch] | None = None
    known: Mapping[str, str] = MappingProxyType({})
    names: Mapping[str, str] = MappingProxyType({})
    reply: Callable[[Step[SortedHit[Any]], list[str]], R] | None = None

    @property
    def name(self) -> str:
        """The name of these rows, for `what` in an export."""
        return self.endpoint.path.rpartition("/")[2]

    @property
    def operation(self) -> WalkedOperation[AskedRows, R]:
        """The walked operation for these rows."""
        return WalkedOperation(self.endpoint, self.ask, self.find)

    async def ask(self, context: Context, raw: Raw) -> AskedRows:
        """Read the search for rows; raises BadRequest."""
        parameters = Parameters(raw, self.endpoint.declared)
        table = await context.search.tickers.table()
        if self.read is not None:
            asked = AskedRows(self.read(parameters, table))
        else:
            assert self.filters is not None
            filters = filters_of(parameters, self.filters)
            search = self._search(
                (*of_filings(parameters), *row_clauses(self.filters, filters, table)),
                rows_days(parameters),
                parameters.choice("sort"),
                rows_window(parameters),
            )
            asked = AskedRows(search, unknown_tickers(filters.ticker, table))
        names = [
            AskedValue(name, field, text)
            for name, field in self.names.items()
            if (text := parameters.text(name))
        ]
        return structs.replace(asked, known=self._known_values(parameters), names=names)

    async def find(
        self, context: Context, params: AskedRows, start: Start | None = None
    ) -> Page[R]:
        """Find a page of rows; raises SnapshotExpired and SnapshotsAtOnce."""
        search = params.search
        step = await next_row_page(
            context.pagination,
            context.search,
            search,
            self.stored,
            start or Start(),
        )
        unknown = await unknown_values(context.engine, search, params.known, step.total)
        if not step.total:
            unknown += await nearest_names(context.engine, search, params.names)
        warnings = list(map(str, (*params.warnings, *unknown, *step.warnings)))
        if self.reply is not None:
            return Page(self.reply(step, warnings), step.place)
        items = [self.item(hit.source) for hit in step.hits]
        return Page(self.endpoint.answer(step.total, items, warnings), step.place)

    async def first(self, context: Context, filters: RowFilters, order: str, window: Window) -> R:
        """Find the first rows that pass these filters, in one of the orders."""
        assert self.filters is not None
        clauses = row_clauses(self.filters, filters, await context.search.tickers.table())
        params = AskedRows(self._search(clauses, FilingCriteria(), order, window))
        return (await self.find(context, params)).answer

    async def of_filing(self, context: Context, accession_number: str) -> R:
        """Find the first rows of a filing, in its own order."""
        assert self.filters is not None
        clauses = tuple(one_of("accession_number", [accession_number]))
        order, window = RowOrder("number", "asc"), Window(0, MAX_ROWS)
        search = self.search(ROWS[self.filters].kind, clauses, FilingCriteria(), order, window)
        return (await self.find(context, AskedRows(search))).answer

    def _search(
        self, clauses: Sequence[Clause], days: FilingCriteria, order: str, window: Window
    ) -> RowSearch:
        assert self.filters is not None
        kind = ROWS[self.filters].kind
        return self.search(kind, tuple(clauses), days, self.orders[order], window)

    def _known_values(self, parameters: Parameters) -> list[AskedValue]:
        """Return the values of parameters that are looked for in stored rows."""
        found = []
        for name, field in self.known.items():
            if self.endpoint.declared[name].kind == "list":
                values = parameters.values(name)
            else:
                value = parameters.value(name)
                values = () if value is None else (value,)
            found += [AskedValue(name, field, value) for value in values]
        return found


def rows_window(parameters: Parameters) -> Window:
    """Return the window of the first page, with `limit` rows."""
    return Window(0, parameters.integer("limit") if "limit" in parameters else MAX_ROWS)


def rows_days(parameters: Parameters) -> FilingCriteria:
    """Filter by filing date, without bounds if no dates are given."""
    first_day, last_day = parameters.days()
    return FilingCriteria(from_date=first_day, to_date=last_day)


def of_filings(parameters: Parameters) -> list[Clause]:
    """Filter by accession number, or return no clause if none is given."""
    return one_of("accession_number", parameters.values("accnum"))


def unknown_tickers(tickers: tuple[str, ...], table: TickerTable) -> list[RowWarning]:
    """Warn about each ticker that no company currently has."""
    return [unknown_in_rows("ticker", ticker) for ticker in tickers if not table.ciks(ticker)]
