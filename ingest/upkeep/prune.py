"""Versions of indices that nothing needs any more, deleted."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.stored.rebuild import StoredRebuild
from ingest.indices.indices import IndexState, list_indices
from ingest.indices.rebuilds import all_records


class Pruned(NamedTuple):
    """What was deleted, and the versions before those in use, which were kept.

    Each by kind, partition and version.
    """

    deleted: list[IndexState]
    kept: list[IndexState]


async def prune(
    engine: Engine, prefix: str, kind: Kind | None = None, *, previous: bool = False
) -> Pruned:
    """Delete the versions that no alias names, of one kind or of all.

    None goes that is being filled or where no version is in use. Of each partition the version
    before the one in use stays, for `indices back`, unless the `previous` ones are to go too.
    """
    records = [record.source for record in await all_records(engine)]
    chosen = choose(await list_indices(engine, prefix), records, kind, previous=previous)
    for state in chosen.deleted:
        await engine.administer("DELETE", f"/{state.name}")
    return chosen


def choose(
    states: Sequence[IndexState],
    records: Iterable[StoredRebuild],
    kind: Kind | None = None,
    *,
    previous: bool = False,
) -> Pruned:
    """What `prune` deletes and keeps of these indices, in their order."""
    under_way: set[str] = set()
    left: set[str] = set()
    for record in records:
        if record.stage == "switched":
            left.add(record.old)
        else:
            under_way |= {record.old, record.new}
    in_use = {(state.kind, state.partition): state.version for state in states if state.current}
    unused = [
        state
        for state in states
        if not state.named
        and state.name not in under_way
        and (state.kind, state.partition) in in_use
        and kind in (None, state.kind)
    ]
    before: dict[tuple[str, str], IndexState] = {}
    # The one that a switch came from, last, where that is known: others may have been given up.
    for state in sorted(unused, key=lambda state: (state.name in left, state.version)):
        place = state.kind, state.partition
        if state.version < in_use[place]:
            before[place] = state
    kept = [] if previous else [state for state in unused if state in before.values()]
    return Pruned([state for state in unused if state not in kept], kept)
