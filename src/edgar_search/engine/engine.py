"""The one door to Elasticsearch; it translates errors and refuses partial results."""

import copy
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from edgar_search.engine import bulk_lines
from edgar_search.engine.client import ADMINISTRATION_TIMEOUT, make_client
from edgar_search.engine.elasticsearch_py import AsyncElasticsearch
from edgar_search.engine.freshness import FreshValues
from edgar_search.engine.index_names import (
    KINDS,
    WHOLE,
    IndexName,
    Kind,
    MissingAlias,
    index_name,
    missing_aliases,
    parse_index_name,
    read_alias,
    write_alias,
)
from edgar_search.engine.replies import (
    BulkFlag,
    BulkItem,
    Explanations,
    IndexSettings,
    IndexStats,
    MultiGetReply,
    MultiSearchReply,
    Placed,
    SearchOutcome,
    SearchReply,
    ServerTime,
    Stored,
    bulk_items_in,
    decode,
    require_complete,
    stored_after_write,
)
from edgar_search.engine.requests import (
    BLOCKED,
    BUSY,
    INDEX_MISSING,
    NDJSON,
    Requests,
    missing_index_error,
)
from edgar_search.engine.targets import (
    IndexLimits,
    OpenedPoint,
    Point,
    SearchLimits,
    is_scored,
    lowest_version,
    partitions_of,
    partitions_of_dates,
    years_of,
)
from edgar_search.errors import BadRequest, Conflict, EngineUnavailable
from edgar_search.settings import Settings

# A busy master is slow to reply, and must do so before the client gives up.
_MASTER_TIMEOUT = f"{int(ADMINISTRATION_TIMEOUT * 0.9)}s"
_MASTER_PARTS = frozenset(
    "_aliases _component_template _index_template _mapping _settings _snapshot".split()
)


__all__ = ["BLOCKED", "BulkItem", "Engine", "Stored"]

# Entries deleted by one request.
_DELETED_AT_ONCE = 1_000

H = TypeVar("H")
S = TypeVar("S")


class _Target(NamedTuple):
    """The indices to search, their limits, and the request parameters."""

    indices: str
    limits: SearchLimits
    options: dict[str, str]


class LogEnd(NamedTuple):
    """The end of a log: its index, the index's unique id, and a sequence number.

    Every write up to that number is on every copy, and no other write will get a lower number.
    """

    name: str
    id: str
    seq_no: int


class Engine:
    """All requests to Elasticsearch of one installation (one prefix).

    Its methods are in this order: searches, points in time, entries by id, bulk requests, indices
    and their aliases.
    """

    def __init__(self, client: AsyncElasticsearch, settings: Settings) -> None:
        self._prefix = settings.prefix
        self._aliases = {kind: read_alias(settings.prefix, kind) for kind in KINDS}
        self._requests = Requests(client, settings.es_timeout, settings.prefix)
        # Elasticsearch gives up slightly before the client does, so that its reply still arrives.
        self._search_timeout = f"{max(1, int(settings.es_timeout * 800))}ms"
        self._limits = IndexLimits(self._requests)
        # After an upgrade, the new version counts as soon as this value is read again.
        self._versions: FreshValues[int] = FreshValues(
            partial(lowest_version, self._requests), len(KINDS)
        )
        self._points: Mapping[Kind, Point] = {}
        self._account = ""

    @classmethod
    def from_settings(cls, settings: Settings) -> "Engine":
        """Make an engine with its own client, which `close` closes."""
        return cls(make_client(settings), settings)

    async def close(self) -> None:
        """Close the connections."""
        await self._requests.close()

    async def ping(self) -> None:
        """Raise EngineUnavailable unless Elasticsearch answers and can search."""
        path = f"/{self._aliases['documents']}/_search"
        params = {"allow_partial_search_results": "false"}
        await self._requests.send(
            "POST", path, body={"size": 0, "terminate_after": 1}, params=params
        )

    async def search(
        self,
        kind: Kind,
        body: dict[str, Any],
        hit: type[H],
        *,
        named_scores: bool = False,
        filed: Collection[str] | None = None,
        per_partition: bool = False,
        without: str = "",
    ) -> SearchReply[H]:
        """Search the partitions of `kind` whose filing dates may match.

        With `named_scores`, a hit has the score of each named query, not only its name. `filed`
        lists the filing dates of all possible matches, if they are known. Scores are comparable
        between shards, or only within a partition if `per_partition` is true. `without` is the path
        of a field that the reply omits. Raises EngineUnavailable if Elasticsearch is away,
        overloaded or too slow, or if its reply is partial.
        """
        limits = await self._limits.of(self._aliases[kind])
        if body.get("from", 0) + body.get("size", 0) > limits.window:
            # EDGAR_SEARCH_MAX_WINDOW is above the limit of these indices.
            raise BadRequest(f"`offset` plus `limit` must be at most {limits.window}")
        params = {"include_named_queries_score": "true"} if named_scores else {}
        if without:
            params["filter_path"] = f"-{without}"
        scored = named_scores or is_scored(body)
        point = self._points.get(kind)
        # A point in time already has its partitions.
        narrowed = (None, None) if point else (body.get("query"), filed)
        target = await self._target(kind, *narrowed)
        options = target.limits.options(
            self._account if point is None else None, scored=scored, per_partition=per_partition
        )
        data = await self._requests.send(
            "POST",
            f"/{target.indices}/_search" if point is None else "/_search",
            body={"timeout": self._search_timeout, **body, **({} if point is None else point.body)},
            params=options | target.options | params,
            of_snapshot=point is not None,
        )
        return require_complete(decode(data, SearchReply[hit]))  # type: ignore[valid-type]

    async def search_many(
        self,
        kind: Kind,
        bodies: Sequence[dict[str, Any]],
        hit: type[H],
        *,
        filed: Sequence[Collection[str]] | None = None,
        per_partition: bool = False,
    ) -> list[SearchReply[H]]:
        """Run several searches in one request; return their replies in order.

        `filed` lists the filing dates of each. The other parameters and errors are as for `search`.
        """
        if not bodies:
            return []
        lines = []
        for number, body in enumerate(bodies):
            dates = None if filed is None else filed[number]
            target = await self._target(kind, body.get("query"), dates)
            options = target.limits.options(
                self._account, scored=is_scored(body), per_partition=per_partition
            )
            lines.append(bulk_lines.line({"index": target.indices, **options, **target.options}))
            lines.append(bulk_lines.line({"timeout": self._search_timeout, **body}))
        replies: list[msgspec.Raw] = []
        # If a node dies, single searches of a successful request may fail.
        for last in (not self._requests.fails_over, True):
            data = await self._requests.send(
                "POST", "/_msearch", body=b"".join(lines), headers=NDJSON
            )
            replies = decode(data, MultiSearchReply).responses
            if not any(decode(bytes(reply), SearchOutcome).error for reply in replies):
                break
            if last:
                raise EngineUnavailable(BUSY)
        typed: Any = SearchReply[hit]  # type: ignore[valid-type]
        return [require_complete(decode(bytes(reply), typed)) for reply in replies]

    async def aggregate(
        self,
        kind: Kind,
        body: dict[str, Any],
        reply: type[S],
        *,
        filed: Collection[str] | None = None,
    ) -> S:
        """Return the aggregations of one search; parameters and errors as for `search`."""
        result = await self.search(kind, body, msgspec.Raw, filed=filed)
        return decode(bytes(result.aggregations), reply)

    async def rewrite_query(self, kind: Kind, query: dict[str, Any]) -> list[str]:
        """Return the query as each shard of `kind` rewrites it, in Elasticsearch's readable form.

        Raises the errors of any request.
        """
        path = f"/{self._aliases[kind]}/_validate/query"
        params = {"rewrite": "true", "all_shards": "true"}
        data = await self._requests.send("POST", path, body={"query": query}, params=params)
        return [explanation.explanation for explanation in decode(data, Explanations).explanations]

    async def now(self, kind: Kind, field: str) -> datetime:
        """Return the time on Elasticsearch's clock; `field` is any date field of the kind."""
        # The reply repeats the bound of the range, which was `now` there; this needs only read
        # rights.
        ranges = {"date_range": {"field": field, "ranges": [{"to": "now"}]}}
        query: dict[str, Any] = {"match_none": {}}
        body = {"size": 0, "query": query, "aggs": {"past": ranges}}
        past = (await self.aggregate(kind, body, ServerTime)).past
        return datetime.fromtimestamp(past.buckets[0].to / 1_000, UTC)

    async def mapping_version(self, kind: Kind) -> int:
        """Return the lowest template version among the indices of a kind."""
        return await self._versions.value(self._aliases[kind])

    def for_account(self, account: str) -> "Engine":
        """Return an engine that searches the account's own shard copies, so that pages agree.

        Both share their connections: close them when both are done.
        """
        engine = copy.copy(self)
        engine._account = account
        return engine

    def at(self, points: Mapping[Kind, Point]) -> "Engine":
        """Return an engine that searches these kinds as they were at a point in time.

        Its searches raise SnapshotExpired if the point is gone. Both share their connections: close
        either when both are done.
        """
        engine = copy.copy(self)
        engine._points = points
        return engine

    async def open_point(self, kind: Kind, seconds: int, query: Any) -> Point:
        """Open a point in time over the partitions of `kind` that a search for `query` would use.

        It lasts for `seconds` after each search, on the shard copies of this engine's account.
        Raises as `search`.
        """
        target = await self._target(kind, query)
        params = {
            **target.limits.of_point(self._account),
            "keep_alive": f"{seconds}s",
        } | target.options
        data = await self._requests.send("POST", f"/{target.indices}/_pit", params=params)
        return Point(decode(data, OpenedPoint).id, seconds)

    async def close_point(self, point: Point) -> None:
        """Close a point in time; does nothing if it is gone."""
        await self._requests.send("DELETE", "/_pit", body={"id": point.id}, missing=b"{}")

    async def refresh(self, kind: Kind) -> None:
        """Make all writes so far visible to searches, except at points in time."""
        if kind in self._points:
            return
        await self._requests.send("POST", f"/{self._aliases[kind]}/_refresh")

    async def get(self, kind: Kind, key: str, source: type[S]) -> Stored[S] | None:
        """Read a document by its id, in real time, or return None.

        Only for kinds that are never partitioned.
        """
        path = f"/{self._aliases[kind]}/_doc/{quote(key, safe='')}"
        data = await self._requests.send("GET", path, missing=b'{"_id":""}')
        stored = decode(data, Stored[source])  # type: ignore[valid-type]
        return stored if stored.found else None

    async def multi_get(
        self, kind: Kind, keys: Sequence[str], source: type[S], *, with_source: bool = True
    ) -> list[Stored[S]]:
        """Read documents by their ids, in order and in real time.

        Raises EngineUnavailable if one of them cannot be read.
        """
        if not keys:
            return []
        data = await self._requests.send(
            "POST",
            f"/{self._aliases[kind]}/_mget",
            body={"ids": list(keys)},
            params={} if with_source else {"_source": "false"},
        )
        documents = decode(data, MultiGetReply[source]).docs  # type: ignore[valid-type]
        # A missing index or shard gets a 200 too, and must not pass for "not found".
        failed = [document.error.type for document in documents if document.error]
        if failed:
            raise missing_index_error() if INDEX_MISSING in failed else EngineUnavailable(BUSY)
        return documents

    async def create(self, kind: Kind, key: str, document: S, *, visible: bool = True) -> Stored[S]:
        """Store a new document and return it as stored; raises Conflict if the id is taken.

        With `visible`, searches see it at once; reads by id always do.
        """
        path = f"/{self._aliases[kind]}/_create/{quote(key, safe='')}"
        params = {"refresh": _flag(visible), "require_alias": "true"}
        # POST, because after a lost connection the client repeats a PUT, and would find its own
        # document.
        data = await self._requests.send("POST", path, body=document, params=params)
        return stored_after_write(data, document)

    async def replace(
        self, kind: Kind, stored: Stored[Any], document: S, *, visible: bool = True
    ) -> Stored[S]:
        """Replace `stored` by `document` and return it as stored.

        Raises Conflict if another process has changed it meanwhile.
        """
        path = f"/{self._aliases[kind]}/_doc/{quote(stored.id, safe='')}"
        params = {
            "refresh": _flag(visible),
            "require_alias": "true",
            "if_seq_no": str(stored.seq_no),
            "if_primary_term": str(stored.primary_term),
        }
        data = await self._requests.send("POST", path, body=document, params=params)
        return stored_after_write(data, document)

    async def put(self, kind: Kind, key: str, document: S, *, visible: bool = True) -> Stored[S]:
        """Store a document, replacing any older one, and return it as stored."""
        path = f"/{self._aliases[kind]}/_doc/{quote(key, safe='')}"
        params = {"refresh": _flag(visible), "require_alias": "true"}
        return stored_after_write(
            await self._requests.send("PUT", path, body=document, params=params), document
        )

    async def delete(self, kind: Kind, stored: Stored[Any]) -> None:
        """Delete the document read as `stored`; raises Conflict if it was changed meanwhile."""
        # Not by DELETE, which the client repeats after a lost connection and would find done.
        if await self._write_guarded([bulk_lines.guarded_delete(self._aliases[kind], stored)]):
            raise Conflict("a concurrent write came first")

    async def create_many(self, kind: Kind, documents: Sequence[tuple[str, Struct]]) -> int:
        """Store new documents under ids that are not taken; return how many were stored.

        Raises EngineUnavailable if one of them could not be written.
        """
        alias = self._aliases[kind]
        lines = [bulk_lines.create(alias, key, document) for key, document in documents]
        items = await self.bulk_items(b"".join(lines)) if lines else []
        if any(item.error is not None and not item.conflict for item in items):
            raise EngineUnavailable(BUSY)
        return sum(item.error is None for item in items)

    async def replace_many(
        self, kind: Kind, changes: Sequence[tuple[Stored[Any], Struct]]
    ) -> set[str]:
        """Replace stored documents, and make the new ones visible to searches.

        Returns the ids of documents that were changed meanwhile and so left as they are.
        """
        lines = [
            bulk_lines.guarded_index(self._aliases[kind], stored, document)
            for stored, document in changes
        ]
        return await self._write_guarded(lines) if lines else set()

    async def delete_many(self, kind: Kind, documents: Sequence[Stored[Any]]) -> int:
        """Delete documents as read; return how many were changed meanwhile and so kept."""
        lines = [bulk_lines.guarded_delete(self._aliases[kind], stored) for stored in documents]
        return len(await self._write_guarded(lines)) if lines else 0

    async def delete_where(self, kind: Kind, query: dict[str, Any]) -> int:
        """Delete all matching entries written so far, in all partitions; return their number.

        Entries that are changed meanwhile are searched for and deleted again.
        """
        read = self._aliases[kind]
        body = {
            "query": query,
            "size": _DELETED_AT_ONCE,
            "sort": ["_doc"],
            "track_total_hits": False,
            "_source": False,
            "seq_no_primary_term": True,
        }
        await self._requests.send("POST", f"/{read}/_refresh")
        deleted = 0
        while True:
            data = await self._requests.send("POST", f"/{read}/_search", body=body)
            hits = require_complete(decode(data, SearchReply[Placed])).hits.hits
            if not hits:
                return deleted
            lines = []
            for hit in hits:
                partition = parse_index_name(self._prefix, hit.index).partition
                alias = write_alias(self._prefix, kind, partition)
                lines.append(bulk_lines.guarded_delete(alias, hit))
            deleted += len(hits) - len(await self._write_guarded(lines))

    async def bulk(self, body: bytes) -> list[tuple[int, BulkItem]]:
        """Send NDJSON operations; return the positions and replies of the ones that failed.

        Raises OperationTooLarge if Elasticsearch could never take this much at once.
        """
        data = await self._bulk(body)
        if not decode(data, BulkFlag).errors:
            return []
        items = bulk_items_in(data)
        return [(place, item) for place, item in enumerate(items) if item.error is not None]

    async def bulk_items(self, body: bytes, *, visible: bool = False) -> list[BulkItem]:
        """Send NDJSON operations and return the reply to each, in order. Raises as `bulk`."""
        return bulk_items_in(await self._bulk(body, visible=visible))

    async def create_index(self, name: str, body: dict[str, Any]) -> None:
        """Create an index and wait for its shards; does nothing if it exists."""
        params = {"wait_for_active_shards": "1", "master_timeout": _MASTER_TIMEOUT}
        await self._requests.send(
            "PUT",
            f"/{name}",
            body=body,
            params=params,
            taken=True,
            seconds=ADMINISTRATION_TIMEOUT,
        )

    async def ensure_partition(
        self, kind: Kind, partition: str, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Create a partition of a kind, with its aliases, unless it exists.

        `settings` are added to the ones of its template. An existing index gets missing aliases
        back; raises EngineRefuses if several indices could be the right one.
        """
        alias = write_alias(self._prefix, kind, partition)
        if await self.administer("GET", f"/_alias/{alias}") is not None:
            return
        # Otherwise a new index would be made beside a later version, whose data would be lost.
        if await self.mend_aliases(f"{alias}.v*"):
            return
        name = index_name(self._prefix, IndexName(kind, partition, 1))
        # A kind without partitions is written through its read alias.
        body: dict[str, Any] = {"aliases": {alias: {}, self._aliases[kind]: {}}}
        await self.create_index(name, {**body, "settings": dict(settings or {})})

    async def missing_aliases(self, names: str) -> list[MissingAlias]:
        """Find missing aliases of the indices with these names; raises as `index_names`."""
        reply = await self.administer("GET", f"/{names}/_alias") or {}
        return missing_aliases(
            self._prefix, {name: index["aliases"] for name, index in reply.items()}
        )

    async def mend_aliases(self, names: str) -> list[MissingAlias]:
        """Restore missing aliases of the indices with these names, and return them."""
        missing = await self.missing_aliases(names)
        if missing:
            await self.administer("POST", "/_aliases", {"actions": [m.action for m in missing]})
        return missing

    async def index_id(self, kind: Kind) -> str:
        """Return the unique id of the index behind a kind without partitions."""
        data = await self._requests.send("GET", f"/{self._aliases[kind]}/_settings/index.uuid")
        (index,) = decode(data, IndexSettings).values()
        return index["settings"]["index"]["uuid"]

    async def log_end(self, kind: Kind) -> LogEnd:
        """Return the end of the writes to the one-shard index behind a kind.

        Raises EngineUnavailable while the shard has no primary.
        """
        path = f"/{self._aliases[kind]}/_stats/indexing"
        parts = "indices.*.uuid,indices.*.shards.*.routing.primary,indices.*.shards.*.seq_no"
        params = {"level": "shards", "filter_path": parts}
        data = await self._requests.send("GET", path, params=params)
        for name, index in decode(data, IndexStats).indices.items():
            for shard in index.shards.get("0", []):
                if shard.routing.primary and shard.seq_no is not None:
                    return LogEnd(name, index.uuid, shard.seq_no.global_checkpoint)
        raise EngineUnavailable(BUSY)

    async def administer(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request about templates, aliases or indices; return the reply, None if absent."""
        seconds = None if method == "GET" else ADMINISTRATION_TIMEOUT
        if method != "GET" and _is_for_master(path):
            path += f"{'&' if '?' in path else '?'}master_timeout={_MASTER_TIMEOUT}"
        data = await self._requests.send(method, path, body=body, missing=b"null", seconds=seconds)
        return decode(data, object)

    async def _target(
        self, kind: Kind, query: Any, filed: Collection[str] | None = None
    ) -> _Target:
        """Choose the indices to search: all partitions unless the query or `filed` narrows them."""
        alias = self._aliases[kind]
        limits = await self._limits.of(alias)
        if limits.partitions.keys() <= {WHOLE}:
            return _Target(alias, limits, {})
        known = list(limits.partitions)
        if filed is None:
            partitions = partitions_of(years_of(query), known)
        else:
            partitions = partitions_of_dates(filed, known)
        # The reply to a search of no index would lack the aggregations.
        if partitions is None or limits.partitions.keys().isdisjoint(partitions):
            return _Target(alias, limits, {})
        aliases = (write_alias(self._prefix, kind, partition) for partition in partitions)
        # A year that may match may not have an index yet.
        return _Target(",".join(aliases), limits.within(partitions), {"ignore_unavailable": "true"})

    async def _bulk(self, body: bytes, *, visible: bool = False) -> bytes:
        params = {"require_alias": "true", "refresh": _flag(visible)}
        return await self._requests.send("POST", "/_bulk", body=body, params=params, headers=NDJSON)

    async def _write_guarded(self, lines: Sequence[bytes]) -> set[str]:
        """Send guarded operations.

        Returns the ids of documents that a concurrent write changed first.
        """
        items = await self.bulk_items(b"".join(lines), visible=True)
        failed = [item for item in items if item.error is not None]
        if not all(item.conflict for item in failed):
            raise EngineUnavailable(BUSY)
        return {item.id for item in failed}


def _is_for_master(path: str) -> bool:
    """True if the master handles changes at this path: a whole index, or a listed path."""
    parts = path.partition("?")[0].strip("/").split("/")
    return not _MASTER_PARTS.isdisjoint(parts) or not parts[-1].startswith("_") and len(parts) == 1


def _flag(value: bool) -> str:
    return "true" if value else "false"
