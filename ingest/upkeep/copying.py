"""Copies of an index into its next version; a stopped copy can be continued.

Every write to a shard gets a sequence number above all earlier ones. So the entries written since
the last check are the ones above the last number, and a copy's position is one number per shard.
Versions are copied too, so that an older entry never overwrites a newer one.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, NamedTuple

from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind, read_alias, write_alias
from edgar_search.errors import SettingsError
from edgar_search.events.log import EventLog, copied_entry
from edgar_search.settings.values import ROW_KINDS
from edgar_search.stored.events import LogState
from ingest.loading.bulk import BODY_BYTES, BulkWriter
from ingest.loading.retry import Retry

_PAGE = 500
# Sequence numbers in one slice. Few of them may be left if much was replaced, so slices widen.
_NARROW, _WIDE = 1_000, 64_000
# Slices that are copied in parallel; after each round of them the position is recorded.
SLICES = 4
# The fields that identify an entry of a kind, by which two indices are read in the same order.
KEYS: dict[str, tuple[str, ...]] = {
    "filings": ("accession_number",),
    "documents": ("document_id",),
    "passages": ("document_id", "number"),
    "sections": ("document_id", "item"),
    **dict.fromkeys(ROW_KINDS, ("document_id", "number")),
    "financials": ("document_id",),
}

Progress = Callable[[dict[str, int]], Coroutine[Any, Any, object]]


class IndexPair(NamedTuple):
    """An index and its replacement; `target` is the alias for writing to the replacement."""

    kind: Kind
    partition: str
    old: str
    new: str
    target: str


class Copier:
    """Copies entries from one index to another."""

    def __init__(self, engine: Engine, prefix: str, retry: Retry) -> None:
        self._engine = engine
        self._prefix = prefix
        self._retry = retry
        self._writer = BulkWriter(engine, retry)
        # The state of the event log, if that is copied, and the id of the new index.
        self._log: LogState | None = None
        self._new_id = ""

    async def copy(self, pair: IndexPair, copied: dict[str, int], progress: Progress) -> int:
        """Copy the entries written since `copied`; return their number.

        After each round `progress` is called with the new `copied`.
        """
        await self.ask("POST", f"/{read_alias(self._prefix, 'passages')}/_refresh")
        if pair.kind == "events":
            await self._read_log(pair)
        done, entries = dict(copied), 0
        for shard, top in (await self.tops(pair.old)).items():
            width = _NARROW // 10 if pair.kind == "documents" else _NARROW
            while (after := done.get(shard, -1)) < top:
                bounds = [after + width * number for number in range(SLICES + 1)]
                slices = zip(bounds, bounds[1:], strict=False)
                counts = await asyncio.gather(
                    *(self._copy_slice(pair, shard, low, min(high, top)) for low, high in slices)
                )
                done[shard] = min(bounds[-1], top)
                await progress(dict(done))
                entries += sum(counts)
                if sum(counts) * 2 < width * SLICES:
                    width = min(width * 2, _WIDE)
        return entries

    async def _read_log(self, pair: IndexPair) -> None:
        self._log = await EventLog(self._engine).state()
        reply = await self.ask("GET", f"/{pair.new}/_settings/index.uuid")
        self._new_id = str(reply[pair.new]["settings"]["index"]["uuid"])

    async def count_left(self, pair: IndexPair, copied: dict[str, int]) -> int:
        """Count the entries written since `copied`."""
        number = 0
        for shard in (await self.tops(pair.old)).keys():
            body = {"query": _above(copied.get(shard, -1))}
            path = f"/{pair.old}/_count?preference=_shards:{shard}"
            number += (await self.ask("POST", path, body))["count"]
        return number

    async def tops(self, index: str) -> dict[str, int]:
        """Return the highest sequence number of an entry in each shard; -1 for an empty shard."""
        await self.ask("POST", f"/{index}/_refresh")
        reply = await self.ask("GET", f"/{index}/_settings/index.number_of_shards")
        shards = int(reply[index]["settings"]["index"]["number_of_shards"])
        tops = {}
        for shard in map(str, range(shards)):
            body = {"size": 1, "sort": [{"_seq_no": "desc"}], **_WITHOUT_SOURCE}
            hits = await self._hits(index, shard, body)
            tops[shard] = hits[0]["_seq_no"] if hits else -1
        return tops

    async def ids_above(self, index: str, taken: dict[str, int]) -> AsyncIterator[list[str]]:
        """Yield the ids of entries written since `taken`, in pages."""
        for shard, top in (await self.tops(index)).items():
            low = taken.get(shard, -1)
            async for page in self._pages(index, shard, low, top, **_WITHOUT_SOURCE):
                yield [hit["_id"] for hit in page]

    async def counts(self, *names: str) -> list[int]:
        """Count the entries of these indices."""
        counts = []
        for name in names:
            await self.ask("POST", f"/{name}/_refresh")
            counts.append((await self.ask("POST", f"/{name}/_count"))["count"])
        return counts

    async def delete_surplus(self, pair: IndexPair) -> None:
        """Delete from the copy the entries that were deleted from the old index since."""
        there = self._keys(pair.old, pair.kind)
        theirs = await anext(there, None)
        surplus: list[tuple[str, int]] = []
        async for key, identity, version in self._keys(pair.new, pair.kind):
            while theirs is not None and theirs[0] < key:
                theirs = await anext(there, None)
            if theirs is None or theirs[0] != key:
                surplus.append((identity, version))
        await self.delete(pair, surplus)

    async def delete(self, pair: IndexPair, entries: list[tuple[str, int]]) -> None:
        """Delete entries, by id and version, from the new index."""
        await self._writer.write_all(
            bulk_lines.delete(pair.target, identity, version) for identity, version in entries
        )

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that may be repeated, and wait for Elasticsearch."""
        return await self._retry(self._engine.administer, method, path, body)

    async def _copy_slice(self, pair: IndexPair, shard: str, low: int, high: int) -> int:
        copied = 0
        async for page in self._pages(pair.old, shard, low, high):
            lines, size = [], 0
            for hit in page:
                line = await self._line(pair, hit)
                lines.append(line)
                size += len(line)
                if size > BODY_BYTES:
                    await self._writer.write_all(lines)
                    lines, size = [], 0
            await self._writer.write_all(lines)
            copied += len(page)
        return copied

    async def _pages(
        self, index: str, shard: str, low: int, high: int, **options: Any
    ) -> AsyncIterator[list[Any]]:
        """Yield entries of a shard with sequence numbers above `low` and up to `high`, in pages."""
        while low < high:
            body = {"query": _above(low, high), "size": _PAGE, "sort": ["_seq_no"], **options}
            hits = await self._hits(index, shard, body)
            if not hits:
                return
            yield hits
            low = hits[-1]["_seq_no"]

    async def _hits(self, index: str, shard: str, body: dict[str, Any]) -> list[Any]:
        path = f"/{index}/_search?preference=_shards:{shard}&allow_partial_search_results=false"
        usual = {"version": True, "seq_no_primary_term": True, "track_total_hits": False}
        reply = await self.ask("POST", path, {**usual, **body})
        return list(reply["hits"]["hits"])

    async def _line(self, pair: IndexPair, hit: Any) -> bytes:
        source = hit["_source"]
        if pair.kind == "documents":
            source = {**source, "text": await self._text(hit["_id"], source["passages"])}
        elif self._log is not None:
            source = copied_entry(source, hit["_seq_no"], self._log, self._new_id, time.time())
        return bulk_lines.index(pair.target, hit["_id"], source, hit["_version"])

    async def _text(self, document_id: str, passages: int) -> str:
        """Join a document's passages to its text; SettingsError if some are missing."""
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
            reply = await self.ask("POST", path, body)
            hits = reply["hits"]["hits"]
            pieces += (hit["_source"]["text"] for hit in hits)
            if len(hits) < _PAGE:
                break
            body["search_after"] = hits[-1]["sort"]
        if len(pieces) != passages:
            # A load is writing the document, or was killed while it did.
            raise SettingsError(
                f"{document_id} has {len(pieces)} passages instead of {passages}; finish the loads"
                " (`edgar-ingest check --deep` names it), then rebuild again"
            )
        return "".join(pieces)

    async def _keys(self, index: str, kind: Kind) -> AsyncIterator[tuple[list[Any], str, int]]:
        """Yield sort keys, ids and versions of all entries, in order."""
        await self.ask("POST", f"/{index}/_refresh")
        body: dict[str, Any] = {
            "size": 10_000,
            "sort": list(KEYS[kind]),
            "_source": False,
            "version": True,
            "track_total_hits": False,
        }
        while True:
            reply = await self.ask("POST", f"/{index}/_search", body)
            hits = reply["hits"]["hits"]
            for hit in hits:
                yield hit["sort"], hit["_id"], hit["_version"]
            if not hits:
                return
            body["search_after"] = hits[-1]["sort"]


_WITHOUT_SOURCE: dict[str, Any] = {"_source": False}


def _above(low: int, high: int | None = None) -> dict[str, Any]:
    bounds = {"gt": low} if high is None else {"gt": low, "lte": high}
    return {"range": {"_seq_no": bounds}}


def alias_moves(prefix: str, pair: IndexPair) -> list[dict[str, Any]]:
    """Return the alias actions that replace a pair's old index by the new one."""
    ours = {write_alias(prefix, pair.kind, pair.partition), read_alias(prefix, pair.kind)}
    moves: list[dict[str, Any]] = [{"remove": {"index": pair.new, "alias": pair.target}}]
    for alias in sorted(ours):
        moves.append({"add": {"index": pair.new, "alias": alias}})
        moves.append({"remove": {"index": pair.old, "alias": alias}})
    return moves
