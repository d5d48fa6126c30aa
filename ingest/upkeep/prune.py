"""Versions of indices that nothing needs any more, deleted."""

from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from ingest.indices.indices import IndexState, list_indices
from ingest.indices.rebuilds import all_records


class Pruned(NamedTuple):
    """What was deleted, and the versions before those in use, which were kept."""

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
    under_way = {
        name
        for record in records
        if record.stage != "switched"
        for name in (record.old, record.new)
    }
    left = {record.old for record in records if record.stage == "switched"}
    states = await list_indices(engine, prefix)
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
    deleted = [state for state in unused if state not in kept]
    for state in deleted:
        await engine.administer("DELETE", f"/{state.name}")
    return Pruned(deleted, kept)
