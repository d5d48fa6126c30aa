"""Snapshots: unchanging views of the stored entries, limited in number and in time.

Elasticsearch's point-in-time ids stay here; a cursor contains the random key of an entry. A request
that opens a snapshot first makes its entry and then counts, so that the limits are never exceeded.
Some snapshots are reserved for accounts without any. When all others are in use, idle snapshots are
closed, beginning with the account that has most.
"""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Bucket, Metric, decode
from edgar_search.engine.targets import Point
from edgar_search.errors import (
    Conflict,
    EdgarSearchError,
    SnapshotExpired,
    SnapshotsAtOnce,
)
from edgar_search.metrics.meters import SNAPSHOTS_CLOSED
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria
from edgar_search.search.cursors import BEGINNING, CursorPosition
from edgar_search.search.entities import cik_lists
from edgar_search.search.filters import days_clauses
from edgar_search.search.query.body import CikLists
from edgar_search.search.query.matching import Clause
from edgar_search.stored.installation import StoredSnapshot

_log = logging.getLogger(__name__)

# How long a snapshot lives after each page: long enough for a person who reads on. Until then
# Elasticsearch keeps old segments.
LIFETIME = 300
# The entry is rewritten at most this often, and its expiry allows for it.
_WRITTEN_SECONDS = 60
# Elasticsearch keeps its part for longer, so that the entry decides.
_POINT_SECONDS = LIFETIME + 2 * _WRITTEN_SECONDS
# The longest life, however often it is used: merged files must be deleted eventually.
MAX_AGE = 86_400
MAX_OF_ACCOUNT, MAX_IN_ALL = 10, 100
# Snapshots reserved for accounts without any, so that ten accounts cannot take all.
KEPT = 20
# A snapshot that was not read for this time is idle, and is closed if its slot is needed.
IDLE_SECONDS = 60
_KEY_BYTES = 16
# How many expired snapshots are removed whenever one is opened.
_REMOVED_AT_ONCE = 100


def open_snapshots_body(account: str, now: datetime) -> Clause:
    """Build the request that counts open snapshots, of all accounts and of this one."""
    first = {"first": {"min": {"field": "expires_at"}}}
    return {
        "query": {"range": {"expires_at": {"gt": _moment(now)}}},
        "size": 0,
        "track_total_hits": True,
        "aggs": {**first, "own": {"filter": {"term": {"account": account}}, "aggs": first}},
    }


def listed_snapshots_body(now: datetime, size: int) -> Clause:
    """Build the request for up to `size` open snapshots, as stored, the first to expire first."""
    return {
        "query": {"range": {"expires_at": {"gt": _moment(now)}}},
        "size": size,
        "sort": [{"expires_at": "asc"}],
        "track_total_hits": False,
        "seq_no_primary_term": True,
    }


def idle_snapshots_body(now: datetime, idle_until: datetime) -> Clause:
    """Build the request that counts open snapshots, and those that expire by `idle_until`."""
    return {
        "query": {"range": {"expires_at": {"gt": _moment(now)}}},
        "size": 0,
        "track_total_hits": True,
        "aggs": {"idle": {"filter": {"range": {"expires_at": {"lte": _moment(idle_until)}}}}},
    }


def expired_snapshots_body(now: datetime, size: int) -> Clause:
    """Build the request for up to `size` expired snapshots, as stored."""
    return {
        "query": {"range": {"expires_at": {"lte": _moment(now)}}},
        "size": size,
        "sort": ["_doc"],
        "track_total_hits": False,
        "_source": False,
        "seq_no_primary_term": True,
    }


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


class Snapshot(NamedTuple):
    """An open view; `engine` searches in it, and `ciks` are its criteria's entities."""

    key: str
    engine: Engine
    ciks: CikLists
    stored: Stored[StoredSnapshot]


class _Own(Struct):
    count: int = field(name="doc_count")
    first: Metric


class _Open(Struct):
    first: Metric
    own: _Own


class _Found(NamedTuple):
    """Open snapshots: their number, the first expiry, and the number of an account."""

    total: int
    first: Metric
    own: _Own


class _States(Struct):
    idle: Bucket


class Snapshots:
    """The snapshots of an installation, as one account opens and resumes them."""

    def __init__(self, engine: Engine, account: str = "") -> None:
        self._engine = engine
        self._account = account

    def for_account(self, account: str) -> "Snapshots":
        """Return the same snapshots, but opened and resumed for an account."""
        return Snapshots(self._engine, account)

    async def open(
        self, kinds: Sequence[Kind], ciks: CikLists, criteria: FilingCriteria
    ) -> Snapshot:
        """Open a view of these kinds as they are now, for the years that the criteria cover.

        Raises SnapshotsAtOnce if the account, or all accounts together, have too many open.
        """
        now = datetime.now(UTC)
        # Refuse early if the account has reached its maximum: writing and refreshing are expensive.
        _require_less(await self._open(now), MAX_OF_ACCOUNT, now)
        await self._remove_expired(now)
        entry = StoredSnapshot(self._account, now, _end(now), {}, [list(cik) for cik in ciks])
        key = secrets.token_urlsafe(_KEY_BYTES)
        # Visible to searches, so that concurrent openers count each other's.
        stored = await self._engine.create("snapshots", key, entry)
        opening: asyncio.Task[Mapping[Kind, Point]] | None = None
        try:
            await self._require_room(now)
            opening = asyncio.create_task(self._points(kinds, criteria))
            points = await asyncio.shield(opening)
            entry = structs.replace(
                entry, points={kind: point.id for kind, point in points.items()}
            )
            stored = await self._engine.replace("snapshots", stored, entry, visible=False)
        except BaseException:
            await asyncio.shield(self._undo(stored, opening))
            raise
        return self._snapshot(stored, points)

    async def resume(self, key: str) -> Snapshot:
        """Return the snapshot with this key and extend its life; raises SnapshotExpired."""
        stored = await self._engine.get("snapshots", key, StoredSnapshot)
        now = datetime.now(UTC)
        entry = None if stored is None else stored.source
        if stored is None or entry is None or entry.account != self._account or not entry.points:
            raise SnapshotExpired
        if entry.expires_at <= now or now - entry.opened_at > timedelta(seconds=MAX_AGE):
            raise SnapshotExpired
        stored = await self._prolong(stored, entry, now)
        points: dict[Kind, Point] = {
            kind: Point(entry.points[kind], _POINT_SECONDS)  # type: ignore[misc]
            for kind in entry.points
        }
        return self._snapshot(stored, points)

    async def keep(self, snapshot: Snapshot) -> Snapshot:
        """Extend the life of a snapshot that is read without a pause, and return it."""
        entry = snapshot.stored.source
        assert entry is not None
        return snapshot._replace(
            stored=await self._prolong(snapshot.stored, entry, datetime.now(UTC))
        )

    async def _prolong(
        self, stored: Stored[StoredSnapshot], entry: StoredSnapshot, now: datetime
    ) -> Stored[StoredSnapshot]:
        """Rewrite the entry with a later expiry if it expires too soon."""
        if entry.expires_at - now >= timedelta(seconds=LIFETIME):
            return stored
        entry = structs.replace(entry, expires_at=_end(now))
        with suppress(Conflict):
            return await self._engine.replace("snapshots", stored, entry, visible=False)
        # Another page of the same result has extended it, or closed it.
        newer = await self._engine.get("snapshots", stored.id, StoredSnapshot)
        if newer is None or newer.source is None:
            raise SnapshotExpired
        return newer

    async def close(self, snapshot: Snapshot) -> None:
        """Close a view; if that fails, it disappears when it expires."""
        await self._close_points(snapshot.stored)
        try:
            await self._engine.delete_many("snapshots", [snapshot.stored])
        except EdgarSearchError as error:
            _log.warning("a snapshot was left to expire: %s", error)

    async def _require_room(self, now: datetime) -> None:
        open_snapshots = await self._open(now)
        _require_less(open_snapshots, MAX_OF_ACCOUNT + 1, now)
        bound = MAX_IN_ALL if open_snapshots.own.count == 1 else MAX_IN_ALL - KEPT
        over = open_snapshots.total - bound
        if over > 0 and await self._close_idle(over, now) < over:
            raise SnapshotsAtOnce(
                f"all accounts together may have {bound}", _wait(open_snapshots.first, now)
            )

    async def _open(self, now: datetime) -> "_Found":
        """Count the open snapshots: of all accounts, and of this one."""
        body = open_snapshots_body(self._account, now)
        reply = await self._engine.search("snapshots", body, Struct)
        aggregations = decode(bytes(reply.aggregations), _Open)
        return _Found(reply.total, aggregations.first, aggregations.own)

    async def _close_idle(self, wanted: int, now: datetime) -> int:
        """Close up to `wanted` idle snapshots; return the number closed."""
        body = listed_snapshots_body(now, 2 * MAX_IN_ALL)
        snapshots = (await self._engine.search("snapshots", body, Stored[StoredSnapshot])).hits.hits
        closed = 0
        for stored in to_close(snapshots, wanted, _idle_until(now)):
            try:
                await self._engine.delete("snapshots", stored)
            except Conflict:
                continue  # It was just used or closed.
            await self._close_points(stored)
            closed += 1
            SNAPSHOTS_CLOSED.inc()
        return closed

    async def _points(
        self, kinds: Sequence[Kind], criteria: FilingCriteria
    ) -> Mapping[Kind, Point]:
        """Open a point in time for each kind, with everything written so far."""
        # They are refreshed separately: otherwise the view could contain a document without its
        # passages.
        await asyncio.gather(*(self._engine.refresh(kind) for kind in kinds))
        query = {"bool": {"filter": days_clauses(criteria)}}
        engine = self._engine.for_account(self._account)
        opened = await asyncio.gather(
            *(engine.open_point(kind, _POINT_SECONDS, query) for kind in kinds),
            return_exceptions=True,
        )
        points = {
            kind: point
            for kind, point in zip(kinds, opened, strict=True)
            if not isinstance(point, BaseException)
        }
        for point in opened:
            if isinstance(point, BaseException):
                await self._let_go(points.values())
                raise point
        return points

    async def _undo(
        self, stored: Stored[StoredSnapshot], opening: asyncio.Task[Mapping[Kind, Point]] | None
    ) -> None:
        """Undo the opening; if that fails, the entry disappears when it expires."""
        with suppress(EdgarSearchError):
            if opening is not None:
                await self._let_go((await opening).values())
        with suppress(EdgarSearchError):
            await self._engine.delete_many("snapshots", [stored])

    async def _close_points(self, stored: Stored[StoredSnapshot]) -> None:
        """Close the points in time of an entry."""
        assert stored.source is not None
        ids = stored.source.points.values()
        await self._let_go(Point(point_id, _POINT_SECONDS) for point_id in ids)

    async def _let_go(self, points: Iterable[Point]) -> None:
        for point in points:
            try:
                await self._engine.close_point(point)
            except EdgarSearchError as error:
                _log.warning("a snapshot was left to expire: %s", error)

    def _snapshot(self, stored: Stored[StoredSnapshot], points: Mapping[Kind, Point]) -> Snapshot:
        assert stored.source is not None
        engine = self._engine.for_account(stored.source.account).at(points)
        return Snapshot(stored.id, engine, stored.source.cik_lists, stored)

    async def _remove_expired(self, now: datetime) -> None:
        """Remove a limited number of expired entries."""
        body = expired_snapshots_body(now, _REMOVED_AT_ONCE)
        expired = (await self._engine.search("snapshots", body, Stored[StoredSnapshot])).hits.hits
        await self._engine.delete_many("snapshots", expired)


async def snapshots_by_state(engine: Engine) -> dict[str, float]:
    """Return the numbers of idle and of active open snapshots."""
    now = datetime.now(UTC)
    reply = await engine.search("snapshots", idle_snapshots_body(now, _idle_until(now)), Struct)
    idle = decode(bytes(reply.aggregations), _States).idle.count
    return {"idle": idle, "in_use": reply.total - idle}


def to_close(
    found: Sequence[Stored[StoredSnapshot]], wanted: int, idle_until: datetime
) -> list[Stored[StoredSnapshot]]:
    """Choose up to `wanted` snapshots to close that have not been used since `idle_until`.

    Each is the least recently used one of the account that has most open by then.
    """
    open_by_account: Counter[str] = Counter()
    idle: dict[str, list[tuple[datetime, Stored[StoredSnapshot]]]] = {}
    for stored in found:
        entry = stored.source
        assert entry is not None
        open_by_account[entry.account] += 1
        if entry.expires_at <= idle_until:
            idle.setdefault(entry.account, []).append((entry.expires_at, stored))
    for snapshot in idle.values():
        snapshot.sort(key=itemgetter(0), reverse=True)
    chosen: list[Stored[StoredSnapshot]] = []
    while len(chosen) < wanted and idle:
        account = min(idle, key=lambda account: (-open_by_account[account], idle[account][-1][0]))
        chosen.append(idle[account].pop()[1])
        open_by_account[account] -= 1
        if not idle[account]:
            del idle[account]
    return chosen


def _require_less(found: _Found, most: int, now: datetime) -> None:
    """Raise SnapshotsAtOnce if the account has `most` snapshots or more."""
    if found.own.count >= most:
        raise SnapshotsAtOnce(f"an account may have {MAX_OF_ACCOUNT}", _wait(found.own.first, now))


def _idle_until(now: datetime) -> datetime:
    """Return the latest expiry of snapshots that nobody has used for `IDLE_SECONDS`."""
    # A use rewrites the entry, unless it was written within this many seconds.
    return _end(now) - timedelta(seconds=IDLE_SECONDS + _WRITTEN_SECONDS)


def _end(now: datetime) -> datetime:
    return now + timedelta(seconds=LIFETIME + _WRITTEN_SECONDS)


def _wait(first: Metric, now: datetime) -> int:
    """Return the whole seconds until the first expiry, at least one."""
    end = now if first.value is None else datetime.fromtimestamp(first.value / 1_000, UTC)
    return max(1, int((end - now).total_seconds()))


class SnapshotView:
    """The engine to read one page from, and the position where the page begins.

    Set `after` to the position after the page: None, or an error on the first page, closes the
    result's snapshot.
    """

    def __init__(
        self,
        context: SearchContext,
        ciks: CikLists,
        place: CursorPosition,
        snapshot: Snapshot | None,
    ) -> None:
        self.context = context
        self.ciks = ciks
        self.place = place
        self.snapshot = snapshot
        self.after: CursorPosition | None = place if place.rows else None


@asynccontextmanager
async def open_view(
    snapshots: Snapshots,
    context: SearchContext,
    criteria: FilingCriteria,
    place: CursorPosition | None,
    kinds: Sequence[Kind],
) -> AsyncIterator[SnapshotView]:
    """Open the view for the page after a position; None is the beginning.

    `kinds` are the kinds to include in a snapshot at the beginning; without kinds none is opened.
    Raises SnapshotExpired, SnapshotsAtOnce, and the errors of `cik_lists`.
    """
    snapshot = None
    if place is not None and place.snapshot:
        snapshot = await snapshots.resume(place.snapshot)
        ciks = snapshot.ciks
    else:
        ciks = await cik_lists(context, criteria)
    if place is None:
        place = BEGINNING
        if kinds:
            snapshot = await snapshots.open(kinds, ciks, criteria)
            place = structs.replace(place, snapshot=snapshot.key)
    if snapshot is not None:
        context = context._replace(engine=snapshot.engine)
    view = SnapshotView(context, ciks, place, snapshot)
    try:
        yield view
    finally:
        if snapshot is not None and view.after is None:
            await asyncio.shield(snapshots.close(snapshot))
