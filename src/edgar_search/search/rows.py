"""Lookups of stored rows: filters, an order with a unique last key, exact totals, pagination."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import SortedHit, SourceHit
from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import FilingCriteria, Order, Window
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.filters import days_clauses
from edgar_search.search.pagination import (
    Export,
    ExportPage,
    Pagination,
    Start,
    Step,
    next_step,
)
from edgar_search.search.query.matching import Clause
from edgar_search.search.snapshots import open_view
from edgar_search.search.warnings.known_values import MAX_ASKED
from edgar_search.search.warnings.nearest import RowWarning, nearest_name, shorten, unknown_in_rows

T = TypeVar("T")
# The length of a CUSIP; a shorter value is a prefix.
WHOLE_CUSIP = 9
# How many rows with similar names are read to suggest the closest one.
_NEAR = 20


class RowOrder(NamedTuple):
    """A field to sort by; rows without a value come last."""

    field: str
    order: Order


class RowSearch(Struct, frozen=True):
    """A search for the rows of a kind that meet all `filters`, from filings of these days.

    Ties in `order` are broken by `ties`, in the same direction.
    """

    kind: Kind
    filters: tuple[Clause, ...]
    filings: FilingCriteria
    order: RowOrder
    window: Window
    ties: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds to read."""
        return (self.kind,)

    @property
    def known_by(self) -> Kind:
        """The kind whose entries define which values are known."""
        return self.kind

    async def step(
        self, engine: Engine, stored: type[Any], place: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find the rows after a position, as many as the window has; one engine request."""
        return await next_step(
            engine,
            self.kind,
            lambda window: rows_body(structs.replace(self, window=window)),
            self.window.size,
            SortedHit[stored],  # type: ignore[valid-type]
            place,
        )


def rows_body(search: RowSearch) -> Clause:
    """Build the request for matching rows, in a total order."""
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


class AskedValue(NamedTuple):
    """A parameter's value, and the field that holds it."""

    parameter: str
    field: str
    value: str


async def unknown_values(
    engine: Engine, search: RowSearch, asked: Sequence[AskedValue], total: int
) -> list[RowWarning]:
    """Warn about each value that no row has, whatever the other filters.

    Makes one engine request, or none if rows were found and each parameter has a single value.
    """
    if total and len({value.parameter for value in asked}) == len(asked):
        return []
    asked = asked[:MAX_ASKED]
    if not asked:
        return []
    counts = await count_matches(engine, search.known_by, [_has(value) for value in asked])
    missing = [value for value, count in zip(asked, counts, strict=True) if not count]
    return [unknown_in_rows(value.parameter, value.value) for value in missing]


async def nearest_names(
    engine: Engine, search: RowSearch, asked: Sequence[AskedValue]
) -> list[RowWarning]:
    """Warn about each name that no row has, with the closest name that one has.

    Makes one request for each.
    """
    warnings = []
    for value in asked[:MAX_ASKED]:
        words = {"query": value.value, "operator": "and"}
        if (await count_matches(engine, search.known_by, [{"match": {value.field: words}}]))[0]:
            continue
        body = {
            "query": {"match": {value.field: {**words, "fuzziness": "AUTO"}}},
            "size": _NEAR,
            "_source": [value.field],
            "track_total_hits": False,
        }
        hits = (await engine.search(search.known_by, body, SourceHit[dict[str, Any]])).hits.hits
        name_lists = [hit.source.get(value.field) or [] for hit in hits]
        names = [name for one in name_lists for name in (one if isinstance(one, list) else [one])]
        nearest = nearest_name(value.value, names)
        warnings.append(unknown_in_rows(value.parameter, shorten(value.value), nearest))
    return warnings


def _has(asked: AskedValue) -> Clause:
    is_beginning = asked.parameter == "cusip" and len(asked.value) < WHOLE_CUSIP
    return {"prefix" if is_beginning else "term": {asked.field: asked.value}}


async def next_row_page(
    pagination: Pagination,
    context: SearchContext,
    search: RowSearch,
    stored: type[T],
    start: Start,
) -> Step[SortedHit[T]]:
    """Return the rows after a position; raises SnapshotExpired and SnapshotsAtOnce."""
    kinds = search.kinds if start.snapshot else ()
    async with open_view(pagination.snapshots, context, search.filings, start.place, kinds) as view:
        step = await search.step(view.context.engine, stored, view.place)
        view.after = step.place
    return step


async def begin_row_export(
    pagination: Pagination, search: RowSearch, stored: type[T], key: str
) -> Export[SortedHit[T]]:
    """Begin an export of rows from a new snapshot, or from the one with this key.

    Its pages are as large as the search's window. Raises SnapshotExpired and SnapshotsAtOnce; the
    caller closes it.
    """
    snapshots = pagination.snapshots
    if key:
        snapshot = await snapshots.resume(key)
    else:
        snapshot = await snapshots.open(search.kinds, [], search.filings)

    async def read(place: CursorPosition) -> ExportPage[SortedHit[T]]:
        return ExportPage(await search.step(snapshot.engine, stored, place))

    return Export(snapshots, snapshot, read)
