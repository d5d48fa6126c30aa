"""Look-ups of stored rows: filters, an order with a unique last key, exact totals, walks."""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria, Order, Window
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import (
    Export,
    ExportPage,
    Pagination,
    Start,
    Step,
    next_step,
)
from edgar_search.search.query.body import days_clauses
from edgar_search.search.query.matching import Clause
from edgar_search.search.snapshots import open_view

T = TypeVar("T")


class RowOrder(NamedTuple):
    """A field to sort by; rows without a value come last."""

    field: str
    order: Order


class RowSearch(Struct, frozen=True):
    """The rows of a kind that meet all `filters`, of filings of these days.

    Rows that are equal in `order` are in the order of `ties`, in the same direction.
    """

    kind: Kind
    filters: tuple[Clause, ...]
    filings: FilingCriteria
    order: RowOrder
    window: Window
    ties: tuple[str, ...] = ()


class RowHit(Struct, Generic[T]):
    """A row as it is stored; `sort` is what it is sorted by, in order."""

    source: T = field(name="_source")
    sort: list[Any] = []


def rows_body(search: RowSearch) -> Clause:
    """The rows that match, in an order in which no two are equal."""
    field_name, order = search.order
    first: Mapping[str, Any] = {field_name: {"order": order, "missing": "_last"}}
    filters = [*search.filters, *days_clauses(search.filings)]
    return {
        "query": {"bool": {"filter": filters}},
        "from": search.window.start,
        "size": search.window.size,
        "sort": [
            first,
            *({name: order} for name in search.ties),
            {"document_id": order},
            {"number": "asc"},
        ],
        "track_total_hits": True,
    }


async def next_rows(
    engine: Engine, search: RowSearch, stored: type[T], place: CursorPosition, account: str
) -> Step[RowHit[T]]:
    """The rows after a place, as many as the search's window has; one engine request."""
    return await next_step(
        engine,
        search.kind,
        lambda window: rows_body(structs.replace(search, window=window)),
        search.window.size,
        RowHit[stored],  # type: ignore[valid-type]
        place,
        account,
    )


async def next_row_page(
    pagination: Pagination,
    context: SearchContext,
    search: RowSearch,
    stored: type[T],
    start: Start,
    account: str,
) -> Step[RowHit[T]]:
    """The rows after a position; raises SnapshotExpired and SnapshotsAtOnce."""
    kinds = (search.kind,) if start.snapshot else ()
    async with open_view(
        pagination.snapshots, context, search.filings, start.place, kinds, account
    ) as view:
        step = await next_rows(view.context.engine, search, stored, view.place, account)
        view.after = step.place
    return step


async def begin_row_export(
    pagination: Pagination, search: RowSearch, stored: type[T], key: str, account: str
) -> Export[RowHit[T]]:
    """An export of rows over a new snapshot, or over the one of this key.

    Its pages have the size of the search's window. Raises SnapshotExpired and SnapshotsAtOnce;
    `close` it.
    """
    snapshots = pagination.snapshots
    if key:
        snapshot = await snapshots.resume(key, account)
    else:
        snapshot = await snapshots.open((search.kind,), account, [], search.filings)

    async def read(place: CursorPosition) -> ExportPage[RowHit[T]]:
        return ExportPage(await next_rows(snapshot.engine, search, stored, place, account))

    return Export(snapshots, snapshot, read)
