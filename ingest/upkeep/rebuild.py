"""Rebuilds of an index: a new one beside the one in use, filled from it, then replacing it.

Everything that a load stores can be copied: the text of a document, which its index does not keep,
is joined from its passages. The old index takes no writes only while the last entries are copied;
loads wait that long. The index `rebuilds` records the progress, so a rebuild can be stopped any
time.
"""

import time
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import IndexName, Kind, index_name, next_alias
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from edgar_search.stored.installation import StoredRebuild
from ingest.indices.indices import (
    IndexState,
    Indices,
    own_settings,
    version_in_use,
    versions_of,
)
from ingest.indices.rebuild_records import RebuildRecord, describe_write_blocks, this_process
from ingest.loading.retry import Retry
from ingest.upkeep.copying import KEYS, Copier, IndexPair, alias_moves
from ingest.upkeep.search_rules import RuleDifference, rule_differences

# After a round that copied no more than this, the rest is left to the switch.
_SMALL_ROUND = 1_000
# Seconds that loads may wait for a switch, by default.
WITHIN = 30.0
# Rounds of a switch before it gives up on loads that write as fast as it copies.
_MOST_ROUNDS = 10
# The differences in answers that a switch may make.
Accepted = Literal["nothing", "ranking", "anything"]


class RebuildResult(NamedTuple):
    """The old and the new index, their numbers of entries, and how their rules differ.

    `differences` are the ones that a switch accepted; None before a switch, and after one that had
    already moved the aliases. `seconds` is the time of the copying, or of a switch without writes.
    """

    old: str
    new: str
    old_entries: int
    new_entries: int
    differences: tuple[RuleDifference, ...] | None = None
    seconds: float = 0.0


class Rebuild:
    """Rebuilds one partition of one kind."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._prefix = settings.prefix
        self._retry = Retry(
            settings.load_patience, describe_blocks=partial(describe_write_blocks, engine)
        )
        self._copier = Copier(engine, settings.prefix, self._retry)
        self._ask = self._copier.ask

    async def rebuild(self, kind: Kind, partition: str) -> RebuildResult:
        """Create the next version of an index and fill it, continuing any unfinished copy.

        Raises SettingsError if a switch is under way, or if there is no such index.
        """
        if kind == "rebuilds":
            raise SettingsError("rebuilds: the index of the records of rebuilds cannot be rebuilt")
        await self._retry(Indices(self._engine, self._settings).set_up)
        record = RebuildRecord(self._engine, kind, partition)
        pair = await self._begun_pair(record, kind, partition) or await self._begin(
            record, kind, partition
        )
        began = time.monotonic()
        while await self._copy(pair, record) > _SMALL_ROUND:
            pass
        return (await self._count(pair))._replace(seconds=time.monotonic() - began)

    async def count_left(self, kind: Kind, partition: str, begun: StoredRebuild) -> int | None:
        """Count the entries that a copy not yet in use lacks; None if it was deleted."""
        if await self._id_of(begun.new) != begun.new_id or await self._id_of(begun.old) is None:
            return None
        return await self._copier.count_left(self._pair(kind, partition, begun), begun.copied)

    async def switch(
        self, kind: Kind, partition: str, within: float = WITHIN, *, accepted: Accepted = "nothing"
    ) -> RebuildResult:
        """Copy the rest, at the end without writes to the old index, and move the aliases.

        Raises SettingsError if there is no copy to switch to, if another process is switching, if
        the rest cannot be copied `within` this many seconds, if the two are not equal, or if their
        answers differ more than is `accepted`; then everything is as before.
        """
        record = RebuildRecord(self._engine, kind, partition)
        pair = await self._copied_pair(record, kind, partition)
        if record.value is not None and record.value.stage == "switching":
            raise SettingsError(
                f"{record.name}: {record.value.holder} is switching it; `edgar-ingest indices"
                f" resume {record.name}` takes it over, `abandon` lifts its block"
            )
        await self._approach(pair, record, within)
        return await self._finish_switch(pair, record, accepted)

    async def resume(
        self, kind: Kind, partition: str, *, accepted: Accepted = "nothing"
    ) -> RebuildResult:
        """Take over a switch that was stopped, and finish it; raises as `switch` does."""
        record = RebuildRecord(self._engine, kind, partition)
        await self._retry(record.read)
        if record.value is None or record.value.stage != "switching":
            raise SettingsError(f"{record.name}: there is no stopped switch")
        if (await self._current(kind, partition)).name == record.value.new:
            # The switch was killed after the aliases had moved.
            await record.change(stage="switched", holder=None, blocked_at=None)
            return await self._count(self._pair(kind, partition, record.value))
        pair = self._pair(kind, partition, record.value)
        return await self._finish_switch(pair, record, accepted)

    async def abandon(self, kind: Kind, partition: str) -> str:
        """Abandon a rebuild: remove the block and delete the copy; return the copy's name."""
        record = RebuildRecord(self._engine, kind, partition)
        rebuild = await self._retry(record.read)
        if rebuild is None or rebuild.stage not in ("copying", "switching"):
            raise SettingsError(f"{record.name}: it is not being rebuilt")
        if (await self._current(kind, partition)).name == rebuild.new:
            raise SettingsError(
                f"{record.name}: {rebuild.new} is in use already; `edgar-ingest indices resume"
                f" {record.name}` ends the switch, `edgar-ingest indices back` undoes it"
            )
        await self.block(rebuild.old, False)
        await self._ask("DELETE", f"/{rebuild.new}")
        await record.remove()
        return rebuild.new

    async def block(self, index: str, blocked: bool) -> None:
        """Block writes to an index, or allow them again."""
        body = {"index.blocks.write": True if blocked else None}
        await self._ask("PUT", f"/{index}/_settings", body)

    async def _begun_pair(
        self, record: RebuildRecord, kind: Kind, partition: str
    ) -> IndexPair | None:
        """Return the pair of a rebuild that can be continued, if there is one."""
        begun = await self._retry(record.read)
        if begun is None or begun.stage == "switched":
            return None
        if begun.stage != "copying":
            raise SettingsError(
                f"{record.name}: {begun.holder} is {begun.stage}; `edgar-ingest indices status`"
                " lists the possible steps"
            )
        same = await self._id_of(begun.new) == begun.new_id
        in_use = (await self._current(kind, partition)).name == begun.old
        return self._pair(kind, partition, begun) if same and in_use else None

    async def _begin(self, record: RebuildRecord, kind: Kind, partition: str) -> IndexPair:
        states = await versions_of(self._engine, self._prefix, kind, partition)
        current = next(state for state in states if state.current)
        new = index_name(self._prefix, IndexName(kind, partition, states[-1].version + 1))
        target = next_alias(self._prefix, kind, partition)
        pair = IndexPair(kind, partition, current.name, new, target)
        # A copy that cannot be continued is deleted: one alias must not write to two indices.
        for name in await self._ask("GET", f"/_alias/{pair.target}") or {}:
            await self._ask("DELETE", f"/{name}")
        own = own_settings(self._settings, kind, partition)
        body = {"aliases": {pair.target: {}}, "settings": own}
        await self._retry(self._engine.create_index, new, body)
        new_id = await self._id_of(new)
        await record.write(StoredRebuild("copying", current.name, new, new_id or ""))
        return pair

    async def _copy(self, pair: IndexPair, record: RebuildRecord) -> int:
        assert record.value is not None

        async def progress(copied: dict[str, int]) -> None:
            await self._retry(record.change, copied=copied)

        return await self._copier.copy(pair, record.value.copied, progress)

    async def _approach(self, pair: IndexPair, record: RebuildRecord, within: float) -> None:
        """Copy until little is left, while loads continue; raises as `switch` does."""
        assert record.value is not None
        for _ in range(_MOST_ROUNDS):
            began = time.monotonic()
            copied = await self._copy(pair, record)
            rate = copied / max(0.001, time.monotonic() - began)
            left = await self._copier.count_left(pair, record.value.copied)
            seconds = left / max(1.0, rate)
            if left <= _SMALL_ROUND or seconds < within / 2:
                break
        else:
            raise SettingsError(
                f"{record.name}: {left} entries are left, about {seconds:.0f} s of copying, and"
                f" loads may wait {within:g} s (--within): stop the loads, or allow more;"
                " nothing was switched"
            )
        old, new = await self._copier.counts(pair.old, pair.new)
        if new > old and pair.kind in KEYS:
            await self._copier.delete_surplus(pair)

    async def _finish_switch(
        self, pair: IndexPair, record: RebuildRecord, accepted: Accepted
    ) -> RebuildResult:
        await self._retry(
            record.change,
            stage="switching",
            holder=this_process(),
            blocked_at=datetime.now(UTC),
        )
        began = time.monotonic()
        await self.block(pair.old, True)
        try:
            await self._copy(pair, record)
            rebuilt = await self._require_equal(pair)
            # Only now do both contain the same entries, and no write changes them.
            differences = await self._require_accepted(pair, accepted)
            taken = await self._copier.tops(pair.new)
            await self._retry(record.change, taken=taken)
            await self._set_version(pair)
            # All aliases in one request, so that no search sees both indices or none.
            moves = {"actions": alias_moves(self._prefix, pair)}
            await self._ask("POST", "/_aliases", moves)
            seconds = time.monotonic() - began
        except BaseException:
            await self.block(pair.old, False)
            await record.change(stage="copying", holder=None, blocked_at=None)
            raise
        await self._retry(record.change, stage="switched", holder=None, blocked_at=None)
        return rebuilt._replace(differences=differences, seconds=seconds)

    async def _require_accepted(
        self, pair: IndexPair, accepted: Accepted
    ) -> tuple[RuleDifference, ...]:
        """Compare the rules by which the two are searched, and return the differences.

        Raises SettingsError if the differences are not accepted.
        """
        old, old_settings = await self._rules_of(pair.old)
        new, new_settings = await self._rules_of(pair.new)
        differences = tuple(rule_differences(old, new, old_settings, new_settings))
        finds = any(difference.effect == "finds" for difference in differences)
        if differences and accepted != "anything" and (finds or accepted != "ranking"):
            option = "--may-differ" if finds else "--may-rank-differently"
            raise SettingsError(
                f"{pair.new} answers otherwise than {pair.old}: {'; '.join(map(str, differences))};"
                " nothing was switched."
                f" If it was rebuilt for that, `edgar-ingest indices switch"
                f" {pair.kind}.{pair.partition} {option}` switches all the same; if not,"
                f" `edgar-ingest indices abandon {pair.kind}.{pair.partition}` deletes it"
            )
        return differences

    async def _rules_of(self, index: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the mapping of an index and its settings."""
        mappings = await self._ask("GET", f"/{index}/_mapping")
        settings = await self._ask("GET", f"/{index}/_settings")
        return mappings[index]["mappings"], settings[index]["settings"]["index"]

    async def _require_equal(self, pair: IndexPair) -> RebuildResult:
        rebuilt = await self._count(pair)
        if rebuilt.new_entries > rebuilt.old_entries and pair.kind in KEYS:
            await self._copier.delete_surplus(pair)
            rebuilt = await self._count(pair)
        if rebuilt.new_entries != rebuilt.old_entries:
            raise SettingsError(
                f"{pair.new} has {rebuilt.new_entries} entries, {pair.old}"
                f" {rebuilt.old_entries}; nothing was switched, rebuild it again"
            )
        return rebuilt

    async def _current(self, kind: str, partition: str) -> IndexState:
        return await version_in_use(self._engine, self._prefix, kind, partition)

    async def _copied_pair(self, record: RebuildRecord, kind: Kind, partition: str) -> IndexPair:
        current = await self._current(kind, partition)
        rebuild = await self._retry(record.read)
        if rebuild is None or rebuild.stage not in ("copying", "switching"):
            raise SettingsError(
                f"{current.name} has no copy to switch to; run `indices rebuild` first"
            )
        return self._pair(kind, partition, rebuild)

    def _pair(self, kind: Kind, partition: str, rebuild: StoredRebuild) -> IndexPair:
        target = next_alias(self._prefix, kind, partition)
        return IndexPair(kind, partition, rebuild.old, rebuild.new, target)

    async def _count(self, pair: IndexPair) -> RebuildResult:
        old, new = await self._copier.counts(pair.old, pair.new)
        return RebuildResult(pair.old, pair.new, old, new)

    async def _set_version(self, pair: IndexPair) -> None:
        """Set the template version that the entries of the new index have."""
        if pair.kind not in PARTITIONED:
            return  # Its entries are copied whole, so they have all fields of the template.
        # A copy contains only loaded entries.
        version = (await self._meta(pair.old)).get("version", 0)
        meta = {**await self._meta(pair.new), "version": version}
        await self._ask("PUT", f"/{pair.new}/_mapping", {"_meta": meta})

    async def _meta(self, index: str) -> dict[str, Any]:
        reply = await self._ask("GET", f"/{index}/_mapping")
        return dict(reply[index]["mappings"].get("_meta", {}))

    async def _id_of(self, index: str) -> str | None:
        reply = await self._ask("GET", f"/{index}/_settings/index.uuid?ignore_unavailable=true")
        return str(reply[index]["settings"]["index"]["uuid"]) if reply else None
