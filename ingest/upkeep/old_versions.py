"""Old versions of indices: rolling back to one, and deleting the rest.

Filings loaded since the switch are deleted from the old version and marked as not loaded in the
ledger, so that the next `load --archive` loads them again. Only filings can be loaded again.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind, next_alias
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from edgar_search.stored.installation import LedgerEntry, StoredRebuild
from ingest.indices.indices import IndexState, list_indices, version_in_use
from ingest.indices.rebuild_records import (
    RebuildRecord,
    all_records,
    describe_write_blocks,
    this_process,
)
from ingest.loading.ledger import Entry, Ledger
from ingest.loading.ledger_entries import incomplete_entry
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.upkeep.copying import Copier, IndexPair, alias_moves
from ingest.upkeep.delete import submission_query

_NUMBER = len("0001234567-24-000001")
_PAGE = 10_000
# Submissions in one query, a term each.
_AT_ONCE = 200


class RolledBack(NamedTuple):
    """The index in use again, the one no longer in use, and the number of submissions to load."""

    in_use: str
    left: str
    submissions: int


class Rollback:
    """Undoes the last switch of one partition of one kind; continues one that was begun."""

    def __init__(self, engine: Engine, settings: Settings, owner: Owner) -> None:
        self._engine = engine
        self._prefix = settings.prefix
        self._retry = Retry(
            settings.load_patience, describe_blocks=partial(describe_write_blocks, engine)
        )
        self._copier = Copier(engine, settings.prefix, self._retry)
        self._ledger = Ledger(engine, settings.prefix, self._retry, owner)

    async def roll_back(self, kind: Kind, partition: str) -> RolledBack:
        """Put the previous version into use again; mark submissions since then as not loaded.

        Loads wait meanwhile. Raises SettingsError if there is no switch to undo, and for kinds that
        cannot be loaded again from the archive.
        """
        record = RebuildRecord(self._engine, kind, partition)
        pair = await self._pair_to_undo(record, kind, partition)
        await self._hold(record, pair)
        number = 0
        if (await version_in_use(self._engine, self._prefix, kind, partition)).name == pair.old:
            await self._copier.ask("PUT", f"/{pair.new}/_settings", {"index.blocks.write": None})
            # Bulk requests need an alias, and the old version has none.
            action = {"add": {"index": pair.new, "alias": pair.target}}
            await self._copier.ask("POST", "/_aliases", {"actions": [action]})
            number = await self._delete_newer(pair, record)
            await self._copier.ask(
                "POST", "/_aliases", {"actions": alias_moves(self._prefix, pair)}
            )
        await self._retry(record.remove)
        return RolledBack(pair.new, pair.old, number)

    async def _pair_to_undo(self, record: RebuildRecord, kind: Kind, partition: str) -> IndexPair:
        """Return the pair whose `new` is the index to put into use again."""
        if kind not in PARTITIONED:
            raise SettingsError(
                f"{kind}: entries since the switch are nowhere else; only switches of"
                f" {', '.join(PARTITIONED)} can be undone"
            )
        rebuild = await self._retry(record.read)
        if rebuild is None or rebuild.stage not in ("switched", "going back"):
            raise SettingsError(f"{record.name}: there is no switch to undo")
        names = {s.name for s in await list_indices(self._engine, self._prefix)}
        if rebuild.old not in names:
            raise SettingsError(f"{record.name}: {rebuild.old} was pruned; rebuild it instead")
        target = next_alias(self._prefix, kind, partition)
        return IndexPair(kind, partition, rebuild.new, rebuild.old, target)

    async def _hold(self, record: RebuildRecord, pair: IndexPair) -> None:
        await self._retry(
            record.change,
            stage="going back",
            holder=this_process(),
            blocked_at=datetime.now(UTC),
        )
        await self._copier.ask("PUT", f"/{pair.old}/_settings", {"index.blocks.write": True})

    async def _delete_newer(self, pair: IndexPair, record: RebuildRecord) -> int:
        """Delete changed submissions from the old version; return their number."""
        assert record.value is not None
        changed: set[str] = set()
        async for ids in self._copier.ids_above(pair.old, record.value.taken):
            changed |= {identity[:_NUMBER] for identity in ids}
        for some in chunks(sorted(changed), _AT_ONCE):
            async for hits in self._below(pair.new, pair.kind, some):
                await self._copier.delete(pair, hits)
            await self._mark_unloaded(some)
        # The older version still contains the entries that were deleted since the switch.
        now, before = await self._copier.counts(pair.old, pair.new)
        if before + await self._count_of(pair, changed) != now:
            await self._copier.delete_surplus(pair)
        return len(changed)

    async def _below(
        self, index: str, kind: Kind, numbers: Sequence[str]
    ) -> AsyncIterator[list[tuple[str, int]]]:
        """Yield ids and versions of all entries of these submissions, in pages."""
        query = {"bool": {"should": [submission_query(kind, number) for number in numbers]}}
        body = {"query": query, "size": _PAGE, "_source": False, "version": True}
        while True:
            await self._copier.ask("POST", f"/{index}/_refresh")
            reply = await self._copier.ask("POST", f"/{index}/_search", body)
            hits = [(hit["_id"], hit["_version"]) for hit in reply["hits"]["hits"]]
            if not hits:
                return
            yield hits

    async def _count_of(self, pair: IndexPair, numbers: set[str]) -> int:
        """Count the entries of these submissions in the version in use."""
        count = 0
        for some in chunks(sorted(numbers), _AT_ONCE):
            query = {"bool": {"should": [submission_query(pair.kind, number) for number in some]}}
            reply = await self._copier.ask("POST", f"/{pair.old}/_count", {"query": query})
            count += reply["count"]
        return count

    async def _mark_unloaded(self, numbers: Sequence[str]) -> None:
        """Mark these submissions as not loaded in the ledger."""

        def change(entry: Entry) -> LedgerEntry | None:
            return entry.source and incomplete_entry(entry.source)

        await self._ledger.change(await self._ledger.read(numbers), change)


class Pruned(NamedTuple):
    """The deleted versions, and the kept ones before those in use, in the order of `choose`."""

    deleted: list[IndexState]
    kept: list[IndexState]


async def prune(
    engine: Engine, prefix: str, kind: Kind | None = None, *, previous: bool = False
) -> Pruned:
    """Delete the versions that no alias names, of one kind or of all.

    A version that is being filled stays, and so do all versions of a partition without one in use.
    The version before the one in use stays too, for `indices back`, unless `previous` is set.
    """
    records = [record.source for record in await all_records(engine)]
    chosen = choose_versions(await list_indices(engine, prefix), records, kind, previous=previous)
    for state in chosen.deleted:
        await engine.administer("DELETE", f"/{state.name}")
    return chosen


def choose_versions(
    states: Sequence[IndexState],
    records: Iterable[StoredRebuild],
    kind: Kind | None = None,
    *,
    previous: bool = False,
) -> Pruned:
    """Choose which of these indices `prune` deletes and keeps, in their order."""
    under_way: set[str] = set()
    kept_names: set[str] = set()
    for record in records:
        if record.stage == "switched":
            kept_names.add(record.old)
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
    # The one before a recorded switch comes last, if there is one: others may be abandoned copies.
    for state in sorted(unused, key=lambda state: (state.name in kept_names, state.version)):
        place = state.kind, state.partition
        if state.version < in_use[place]:
            before[place] = state
    kept = [] if previous else [state for state in unused if state in before.values()]
    return Pruned([state for state in unused if state not in kept], kept)
