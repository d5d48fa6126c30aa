"""What is stored under ids: read in real time, written with compare-and-set, and in bulk."""

from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import quote

from msgspec import Struct

from edgar_search.engine import bulk_lines
from edgar_search.engine.administration import Administration
from edgar_search.engine.index_names import Kind, parse_index_name, write_alias
from edgar_search.engine.replies import (
    BulkFlag,
    BulkItem,
    MultiGetReply,
    Placed,
    SearchReply,
    Stored,
    bulk_items_in,
    decode,
    whole,
    written,
)
from edgar_search.engine.requests import BUSY, INDEX_MISSING, NDJSON, not_set_up
from edgar_search.errors import Conflict, EngineUnavailable

S = TypeVar("S")

# Entries that one request deletes.
_DELETED_AT_ONCE = 1_000


class Entries(Administration):
    """The entries of one installation's indices, by their ids."""

    async def get(self, kind: Kind, key: str, source: type[S]) -> Stored[S] | None:
        """The stored document of this id, in real time; None where there is none.

        Only for kinds that are never partitioned.
        """
        path = f"/{self._alias(kind)}/_doc/{quote(key, safe='')}"
        data = await self._requests.send("GET", path, missing=b'{"_id":""}')
        stored = decode(data, Stored[source])  # type: ignore[valid-type]
        return stored if stored.found else None

    async def multi_get(
        self, kind: Kind, keys: Sequence[str], source: type[S], *, with_source: bool = True
    ) -> list[Stored[S]]:
        """The stored documents of these ids, in their order and in real time.

        Raises EngineUnavailable where one of them cannot be read.
        """
        if not keys:
            return []
        data = await self._requests.send(
            "POST",
            f"/{self._alias(kind)}/_mget",
            body={"ids": list(keys)},
            params={} if with_source else {"_source": "false"},
        )
        documents = decode(data, MultiGetReply[source]).docs  # type: ignore[valid-type]
        # The reply to a missing index or shard is a 200 too; it must not pass for "not found".
        failed = [document.error.type for document in documents if document.error]
        if failed:
            raise not_set_up() if INDEX_MISSING in failed else EngineUnavailable(BUSY)
        return documents

    async def create(self, kind: Kind, key: str, document: S, *, visible: bool = True) -> Stored[S]:
        """Store a new document, returned as it stands; Conflict where the id is taken.

        `visible` makes it so to searches at once; reads by id see it in any case.
        """
        path = f"/{self._alias(kind)}/_create/{quote(key, safe='')}"
        params = {"refresh": _flag(visible), "require_alias": "true"}
        # POST: the client sends a PUT again after a lost connection, and would then meet its own.
        data = await self._requests.send("POST", path, body=document, params=params)
        return written(data, document)

    async def replace(
        self, kind: Kind, stored: Stored[Any], document: S, *, visible: bool = True
    ) -> Stored[S]:
        """Store `document` in the place of `stored`; Conflict where that was changed meanwhile.

        Returns it as it stands.
        """
        path = f"/{self._alias(kind)}/_doc/{quote(stored.id, safe='')}"
        params = {
            "refresh": _flag(visible),
            "require_alias": "true",
            "if_seq_no": str(stored.seq_no),
            "if_primary_term": str(stored.primary_term),
        }
        data = await self._requests.send("POST", path, body=document, params=params)
        return written(data, document)

    async def put(self, kind: Kind, key: str, document: S, *, visible: bool = True) -> Stored[S]:
        """Store a document, new or in the place of the one there is; returned as it stands."""
        path = f"/{self._alias(kind)}/_doc/{quote(key, safe='')}"
        params = {"refresh": _flag(visible), "require_alias": "true"}
        return written(
            await self._requests.send("PUT", path, body=document, params=params), document
        )

    async def delete(self, kind: Kind, stored: Stored[Any]) -> None:
        """Delete what was read as `stored`; Conflict where that was changed meanwhile."""
        # Not by DELETE, which the client sends again after a lost connection, to find it gone.
        if await self._write_guarded([bulk_lines.guarded_delete(self._alias(kind), stored)]):
            raise Conflict("a concurrent write came first")

    async def create_many(self, kind: Kind, documents: Sequence[tuple[str, Struct]]) -> int:
        """Store documents under ids; those whose id is taken are left out. The number of new ones.

        Raises EngineUnavailable where one of them could not be written.
        """
        alias = self._alias(kind)
        lines = [bulk_lines.create(alias, key, document) for key, document in documents]
        items = await self.bulk_items(b"".join(lines)) if lines else []
        if any(item.error is not None and not item.conflict for item in items):
            raise EngineUnavailable(BUSY)
        return sum(item.error is None for item in items)

    async def delete_many(self, kind: Kind, found: Sequence[Stored[Any]]) -> int:
        """Delete what was read; the number of those left alone, for they were changed meanwhile."""
        lines = [bulk_lines.guarded_delete(self._alias(kind), stored) for stored in found]
        return len(await self._write_guarded(lines)) if lines else 0

    async def replace_many(
        self, kind: Kind, changes: Sequence[tuple[Stored[Any], Struct]]
    ) -> set[str]:
        """Replace each stored document by another, and make that visible to searches.

        Those that were changed meanwhile are left as they are; their ids are returned.
        """
        lines = [
            bulk_lines.guarded_index(self._alias(kind), stored, document)
            for stored, document in changes
        ]
        return await self._write_guarded(lines) if lines else set()

    async def delete_where(self, kind: Kind, query: dict[str, Any]) -> int:
        """Delete every entry that matches and was written until now, of all partitions; how many.

        Entries that are changed meanwhile are found and deleted again.
        """
        alias = self._alias(kind)
        body = {
            "query": query,
            "size": _DELETED_AT_ONCE,
            "sort": ["_doc"],
            "track_total_hits": False,
            "_source": False,
            "seq_no_primary_term": True,
        }
        await self._requests.send("POST", f"/{alias}/_refresh")
        deleted = 0
        while True:
            data = await self._requests.send("POST", f"/{alias}/_search", body=body)
            found = whole(decode(data, SearchReply[Placed])).hits.hits
            if not found:
                return deleted
            lines = [
                bulk_lines.guarded_delete(self._write_alias(kind, each.index), each)
                for each in found
            ]
            deleted += len(found) - len(await self._write_guarded(lines))

    def _write_alias(self, kind: Kind, index: str) -> str:
        return write_alias(self._prefix, kind, parse_index_name(self._prefix, index).partition)

    async def bulk(self, body: bytes) -> list[tuple[int, BulkItem]]:
        """Send NDJSON operations; the places and replies of those that failed.

        Raises OperationTooLarge for more at once than Elasticsearch can ever take.
        """
        data = await self._bulk(body)
        if not decode(data, BulkFlag).errors:
            return []
        items = bulk_items_in(data)
        return [(place, item) for place, item in enumerate(items) if item.error is not None]

    async def bulk_items(self, body: bytes, *, visible: bool = False) -> list[BulkItem]:
        """Send NDJSON operations; the reply to each, in their order. Raises as `bulk`."""
        return bulk_items_in(await self._bulk(body, visible=visible))

    async def _bulk(self, body: bytes, *, visible: bool = False) -> bytes:
        params = {"require_alias": "true", "refresh": _flag(visible)}
        return await self._requests.send("POST", "/_bulk", body=body, params=params, headers=NDJSON)

    async def _write_guarded(self, lines: Sequence[bytes]) -> set[str]:
        """Send the operations; the ids of those that a concurrent write came before."""
        items = await self.bulk_items(b"".join(lines), visible=True)
        failed = [item for item in items if item.error is not None]
        if not all(item.conflict for item in failed):
            raise EngineUnavailable(BUSY)
        return {item.id for item in failed}


def _flag(value: bool) -> str:
    return "true" if value else "false"
