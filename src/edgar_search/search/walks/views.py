"""What a walk goes over: what is there now, or a snapshot that its first page opened."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from msgspec import structs

from edgar_search.engine.index_names import Kind
from edgar_search.search.criteria import FilingCriteria
from edgar_search.search.entities import Directory, cik_lists
from edgar_search.search.filters import CikLists
from edgar_search.search.walks.place import BEGINNING, Place
from edgar_search.search.walks.snapshots import Snapshot, Snapshots


class View:
    """What one page of a walk is read from, and where the page begins.

    `after` is to be set to the place after it: None, or an error on the first page, closes the
    snapshot that the walk has.
    """

    def __init__(
        self, directory: Directory, ciks: CikLists, place: Place, snapshot: Snapshot | None
    ) -> None:
        self.directory = directory
        self.ciks = ciks
        self.place = place
        self.snapshot = snapshot
        self.after: Place | None = place if place.rows else None


@asynccontextmanager
async def view_of(
    snapshots: Snapshots,
    directory: Directory,
    criteria: FilingCriteria,
    place: Place | None,
    kinds: Sequence[Kind],
    account: str,
) -> AsyncIterator[View]:
    """What the page after a place is read from; None is the beginning.

    `kinds` are those that a snapshot is opened of at the beginning; none is a walk without one.
    Raises SnapshotExpired, SnapshotsAtOnce, and what `cik_lists` raises.
    """
    snapshot = None
    if place is not None and place.snapshot:
        snapshot = await snapshots.resume(place.snapshot, account)
        ciks = snapshot.ciks
    else:
        ciks = await cik_lists(directory, criteria)
    if place is None:
        place = BEGINNING
        if kinds:
            snapshot = await snapshots.open(kinds, account, ciks, criteria)
            place = structs.replace(place, snapshot=snapshot.key)
    if snapshot is not None:
        directory = directory._replace(engine=snapshot.engine)
    view = View(directory, ciks, place, snapshot)
    try:
        yield view
    finally:
        if snapshot is not None and view.after is None:
            await asyncio.shield(snapshots.close(snapshot))
