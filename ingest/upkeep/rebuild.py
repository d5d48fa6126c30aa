"""An index made anew beside the one in use, filled from it, and put into its place.

Everything that a load stores can be copied: the text of a document, which its index does not keep,
is its passages, joined. What is written meanwhile has higher sequence numbers and is copied after;
versions go along, so that nothing older ever overwrites. Only for the last difference the old index
takes no writes; loads wait that long.
"""

from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

from edgar_search.engine import bulk_lines
from edgar_search.engine.aliases import NEXT
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import (
    PARTITIONED,
    IndexName,
    Kind,
    index_name,
    read_alias,
    write_alias,
)
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from ingest.indices.indices import IndexState, Indices, list_indices
from ingest.loading.bulk import BulkWriter
from ingest.loading.patience import Patience
from ingest.reading.operations import deletion

_PAGE = 500
_KEEP_ALIVE = "5m"
# When a round copies no more than this, the rest is for the switch.
_SMALL_ROUND = 1_000
# What makes an entry of a kind unique, in an order in which two indices can be walked side by side.
_KEYS: dict[str, tuple[str, ...]] = {
    "filings": ("accession_number",),
    "documents": ("document_id",),
    "passages": ("document_id", "number"),
}


class RebuildResult(NamedTuple):
    """The old and the new index and their numbers of entries."""

    old: str
    new: str
    old_entries: int
    new_entries: int


class _IndexPair(NamedTuple):
    kind: Kind
    partition: str
    old: str
    new: str


class Rebuild:
    """Rebuilds one partition of one kind."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._prefix = settings.prefix
        self._patience = Patience(settings.load_patience)
        self._writer = BulkWriter(engine, self._patience)

    async def rebuild(self, kind: Kind, partition: str) -> RebuildResult:
        """Make the next version of an index and fill it; begun before, it is gone on with."""
        await self._patience(Indices(self._engine, self._settings).set_up)
        states = await self._states(kind, partition)
        (current,) = [state for state in states if state.current]
        waiting = [state for state in states if state.version > current.version]
        version = waiting[-1].version if waiting else current.version + 1
        new = index_name(self._prefix, IndexName(kind, partition, version))
        await self._patience(
            self._engine.create_index, new, {"aliases": {self._next(kind, partition): {}}}
        )
        pair = _IndexPair(kind, partition, current.name, new)
        while await self._copy_new(pair) > _SMALL_ROUND:
            pass
        return await self._counted(pair)

    async def switch(self, kind: Kind, partition: str) -> RebuildResult:
        """Copy what is left while the old index takes no writes, compare, and move the aliases.

        Raises SettingsError where nothing waits to be switched to, or where the two are not equal;
        then everything is as before.
        """
        pair = await self._waiting(kind, partition)
        await self._block(pair.old, True)
        try:
            await self._copy_new(pair)
            rebuilt = await self._counted(pair)
            if rebuilt.new_entries > rebuilt.old_entries and kind in _KEYS:
                await self._delete_surplus(pair)
                rebuilt = await self._counted(pair)
            if rebuilt.new_entries != rebuilt.old_entries:
                raise SettingsError(
                    f"{pair.new} has {rebuilt.new_entries} entries, {pair.old}"
                    f" {rebuilt.old_entries}; nothing was switched, rebuild it again"
                )
            await self._end_progress(pair)
            await self._move_aliases(pair)
        except BaseException:
            await self._block(pair.old, False)
            raise
        return rebuilt

    async def _states(self, kind: str, partition: str) -> list[IndexState]:
        states = await list_indices(self._engine, self._prefix)
        found = [s for s in states if (s.kind, s.partition) == (kind, partition)]
        if not any(state.current for state in found):
            raise SettingsError(f"{self._prefix}{kind}.{partition} is no index that is in use")
        return sorted(found, key=lambda state: state.version)

    async def _waiting(self, kind: Kind, partition: str) -> _IndexPair:
        states = await self._states(kind, partition)
        (current,) = [state for state in states if state.current]
        newer = [state for state in states if state.version > current.version]
        if not newer:
            raise SettingsError(
                f"{current.name} has nothing newer beside it; run `indices rebuild` first"
            )
        return _IndexPair(kind, partition, current.name, newer[-1].name)

    def _next(self, kind: Kind, partition: str) -> str:
        return f"{write_alias(self._prefix, kind, partition)}.{NEXT}"

    async def _copy_new(self, pair: _IndexPair) -> int:
        """Copy what was written since the last round; the number of entries."""
        copied = 0
        meta = await self._meta(pair.new)
        done: dict[str, int] = dict(meta.get("copied", {}))
        for name in (pair.old, read_alias(self._prefix, "passages")):
            await self._ask("POST", f"/{name}/_refresh")
        for shard in range(await self._shards(pair.old)):
            after = done.get(str(shard), -1)
            async for page in self._changed(pair.old, shard, after):
                await self._writer.write_all([line async for line in self._lines(pair, page)])
                copied += len(page)
                done[str(shard)] = max(done.get(str(shard), -1), *(hit["_seq_no"] for hit in page))
        body = {"_meta": {**meta, "copied": done}}
        await self._ask("PUT", f"/{pair.new}/_mapping", body)
        return copied

    async def _changed(self, index: str, shard: int, after: int) -> AsyncIterator[list[Any]]:
        """Entries of a shard above a sequence number, as of now, in pages."""
        newer = {"range": {"_seq_no": {"gt": after}}}
        path = f"/{index}/_pit?keep_alive={_KEEP_ALIVE}&preference=_shards:{shard}"
        pit = (await self._ask("POST", path))["id"]
        body: dict[str, Any] = {
            "query": newer,
            "size": _PAGE,
            "sort": ["_shard_doc"],
            "version": True,
            "seq_no_primary_term": True,
            "track_total_hits": False,
        }
        try:
            while True:
                body["pit"] = {"id": pit, "keep_alive": _KEEP_ALIVE}
                reply = await self._ask("POST", "/_search", body)
                hits = reply["hits"]["hits"]
                if not hits:
                    return
                yield hits
                body["search_after"] = hits[-1]["sort"]
        finally:
            await self._ask("DELETE", "/_pit", {"id": pit})

    async def _lines(self, pair: _IndexPair, page: list[Any]) -> AsyncIterator[bytes]:
        target = self._next(pair.kind, pair.partition)
        for hit in page:
            source = hit["_source"]
            if pair.kind == "documents":
                source = {**source, "text": await self._text(hit["_id"], source["passages"])}
            yield bulk_lines.index(target, hit["_id"], source, hit["_version"])

    async def _text(self, document_id: str, passages: int) -> str:
        """A document's text: its passages, joined; SettingsError where they are not all there."""
        body: dict[str, Any] = {
            "query": {"term": {"document_id": document_id}},
            "size": _PAGE,
            "sort": ["number"],
            "_source": ["text"],
            "track_total_hits": False,
        }
        path = f"/{read_alias(self._prefix, 'passages')}/_search"
        pieces: list[str] = []
        while True:
            reply = await self._ask("POST", path, body)
            hits = reply["hits"]["hits"]
            pieces += (hit["_source"]["text"] for hit in hits)
            if len(hits) < _PAGE:
                break
            body["search_after"] = hits[-1]["sort"]
        if len(pieces) != passages:
            # A load is at it, or has been killed there.
            raise SettingsError(
                f"{document_id} has {len(pieces)} passages instead of {passages}; finish the loads"
                " (`edgar-ingest check --deep` names it), then rebuild again"
            )
        return "".join(pieces)

    async def _delete_surplus(self, pair: _IndexPair) -> None:
        """Delete from the copy what was deleted from the old index since it was copied."""
        there = self._keys(pair.old, pair.kind)
        theirs = await anext(there, None)
        surplus: list[tuple[str, int]] = []
        async for key, identity, version in self._keys(pair.new, pair.kind):
            while theirs is not None and theirs[0] < key:
                theirs = await anext(there, None)
            if theirs is None or theirs[0] != key:
                surplus.append((identity, version))
        await self._writer.write_all(self._deletions(pair, surplus))

    def _deletions(self, pair: _IndexPair, surplus: list[tuple[str, int]]) -> Iterator[bytes]:
        for identity, version in surplus:
            partition = f"{pair.partition}.{NEXT}"
            yield deletion(pair.kind, self._prefix, partition, identity, version)

    async def _keys(self, index: str, kind: Kind) -> AsyncIterator[tuple[list[Any], str, int]]:
        """Sort keys, ids and versions of all entries, in order."""
        await self._ask("POST", f"/{index}/_refresh")
        body: dict[str, Any] = {
            "size": 10_000,
            "sort": list(_KEYS[kind]),
            "_source": False,
            "version": True,
            "track_total_hits": False,
        }
        while True:
            path = f"/{index}/_search"
            reply = await self._ask("POST", path, body)
            hits = reply["hits"]["hits"]
            for hit in hits:
                yield hit["sort"], hit["_id"], hit["_version"]
            if not hits:
                return
            body["search_after"] = hits[-1]["sort"]

    async def _counted(self, pair: _IndexPair) -> RebuildResult:
        counts = []
        for name in (pair.old, pair.new):
            await self._ask("POST", f"/{name}/_refresh")
            counts.append((await self._ask("POST", f"/{name}/_count"))["count"])
        return RebuildResult(pair.old, pair.new, *counts)

    async def _move_aliases(self, pair: _IndexPair) -> None:
        """All in one request, so that no search sees both or none."""
        ours = {
            write_alias(self._prefix, pair.kind, pair.partition),
            read_alias(self._prefix, pair.kind),
        }
        actions: list[dict[str, Any]] = [
            {"remove": {"index": pair.new, "alias": self._next(pair.kind, pair.partition)}}
        ]
        for alias in sorted(ours):
            actions.append({"add": {"index": pair.new, "alias": alias}})
            actions.append({"remove": {"index": pair.old, "alias": alias}})
        await self._ask("POST", "/_aliases", {"actions": actions})

    async def _block(self, index: str, blocked: bool) -> None:
        body = {"index.blocks.write": True if blocked else None}
        await self._ask("PUT", f"/{index}/_settings", body)

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request, waited for; all of them may be repeated."""
        return await self._patience(self._engine.administer, method, path, body)

    async def _meta(self, index: str) -> dict[str, Any]:
        reply = await self._ask("GET", f"/{index}/_mapping")
        return dict(reply[index]["mappings"].get("_meta", {}))

    async def _end_progress(self, pair: _IndexPair) -> None:
        meta = await self._meta(pair.new)
        meta.pop("copied", None)
        if pair.kind in PARTITIONED:
            # A copy has no more than what was loaded; of other kinds all is made of what is kept.
            meta["version"] = (await self._meta(pair.old)).get("version", 0)
        await self._ask("PUT", f"/{pair.new}/_mapping", {"_meta": meta})

    async def _shards(self, index: str) -> int:
        reply = await self._ask("GET", f"/{index}/_settings/index.number_of_shards")
        return int(reply[index]["settings"]["index"]["number_of_shards"])


async def prune(engine: Engine, prefix: str) -> list[str]:
    """Delete the indices that were switched away from; their names."""
    states = await list_indices(engine, prefix)
    versions: dict[tuple[str, str], int] = {}
    for state in states:
        if state.current:
            versions[state.kind, state.partition] = state.version
    old = [s for s in states if s.version < versions.get((s.kind, s.partition), 0)]
    for state in old:
        await engine.administer("DELETE", f"/{state.name}")
    return [state.name for state in old]
