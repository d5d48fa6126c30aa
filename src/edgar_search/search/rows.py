"""Look-ups of stored rows: filters, an order with a unique last key, exact totals, walks."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria, Order, Window
from edgar_search.search.cursors import BEGINNING, CursorPosition
from edgar_search.search.pagination import Pagination, Start, next_page_body
from edgar_search.search.query.body import days_clauses
from edgar_search.search.query.matching import Clause
from edgar_search.search.snapshots import Snapshot, open_view

T = TypeVar("T")


class RowOrder(NamedTuple):
    """A field to sort by; rows without a value come last."""

    field: str
    order: Order


class RowSearch(Struct, frozen=True):
    """The rows of a kind that meet all `filters`, of filings of these days."""

    kind: Kind
    filters: tuple[Clause, ...]
    filings: FilingCriteria
    order: RowOrder
    window: Window


class RowHit(Struct, Generic[T]):
    """A row as it is stored; `sort` is what it is sorted by, in order."""

    source: T = field(name="_source")
    sort: list[Any] = []


class RowStep(NamedTuple):
    """Rows that follow a place; `begin` is that place."""

    total: int
    hits: list[RowHit[Any]]
    begin: CursorPosition
    more: bool

    @property
    def place(self) -> CursorPosition | None:
        """The place after all of them; None if nothing follows."""
        return self.after(len(self.hits)) if self.more else None

    def after(self, number: int) -> CursorPosition:
        """The place after the first `number` of them."""
        if not number:
            return self.begin
        last = self.hits[number - 1].sort
        return structs.replace(self.begin, after=last, rows=self.begin.rows + number)


def rows_body(search: RowSearch) -> Clause:
    """The rows that match, in an order in which no two are equal."""
    field_name, order = search.order
    first: Mapping[str, Any] = {field_name: {"order": order, "missing": "_last"}}
    filters = [*search.filters, *days_clauses(search.filings)]
    return {
        "query": {"bool": {"filter": filters}},
        "from": search.window.start,
        "size": search.window.size,
        "sort": [first, {"document_id": order}, {"number": "asc"}],
        "track_total_hits": True,
    }


async def next_row_step(
    engine: Engine, search: RowSearch, stored: type[T], place: CursorPosition, account: str
) -> RowStep:
    """The rows after a place, as many as the search's window has; one engine request."""
    size = search.window.size
    page = rows_body(structs.replace(search, window=Window(0, size + 1)))
    body = next_page_body(page, place.after, counted=place.totals is None)
    reply = await engine.search(search.kind, body, RowHit[stored], account=account)  # type: ignore[valid-type]
    total = reply.total if place.totals is None else sum(place.totals)
    begin = structs.replace(place, totals=(total, 0) if place.snapshot else None)
    return RowStep(total, reply.hits.hits[:size], begin, len(reply.hits.hits) > size)


async def next_row_page(
    pagination: Pagination,
    context: SearchContext,
    search: RowSearch,
    stored: type[T],
    start: Start,
    account: str,
) -> RowStep:
    """The rows after a position; raises SnapshotExpired and SnapshotsAtOnce."""
    kinds = (search.kind,) if start.snapshot else ()
    async with open_view(
        pagination.snapshots, context, search.filings, start.place, kinds, account
    ) as view:
        step = await next_row_step(view.context.engine, search, stored, view.place, account)
        view.after = step.place
    return step


class RowExportPage(NamedTuple):
    """A step of an export of rows."""

    step: RowStep


class RowExport:
    """A search for rows that is read to its end, in pages of the size of its window."""

    def __init__(
        self,
        pagination: Pagination,
        search: RowSearch,
        stored: type[Any],
        snapshot: Snapshot,
        account: str,
    ) -> None:
        self._snapshots = pagination.snapshots
        self._search = search
        self._stored = stored
        self._snapshot = snapshot
        self.account = account

    @classmethod
    async def begin(
        cls, pagination: Pagination, search: RowSearch, stored: type[Any], key: str, account: str
    ) -> "RowExport":
        """An export over a new snapshot, or over the one of this key.

        Raises SnapshotExpired and SnapshotsAtOnce; `close` it.
        """
        snapshots = pagination.snapshots
        if key:
            snapshot = await snapshots.resume(key, account)
        else:
            snapshot = await snapshots.open((search.kind,), account, [], search.filings)
        return cls(pagination, search, stored, snapshot, account)

    @property
    def beginning(self) -> CursorPosition:
        """The place before everything."""
        return structs.replace(BEGINNING, snapshot=self._snapshot.key)

    async def page(self, place: CursorPosition, *, with_snippets: bool = False) -> RowExportPage:
        """Read the page after a place; raises SnapshotExpired, and what a search raises."""
        await self.keep()
        engine = self._snapshot.engine
        step = await next_row_step(engine, self._search, self._stored, place, self.account)
        return RowExportPage(step)

    async def keep(self) -> None:
        """Let the snapshot be there for another while; raises SnapshotExpired."""
        self._snapshot = await self._snapshots.keep(self._snapshot)

    async def close(self) -> None:
        """Let go of the snapshot."""
        await self._snapshots.close(self._snapshot)
