"""The one door to Elasticsearch: its errors become ours, and partial results are refused."""

import copy
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec

from edgar_search.engine import bulk_lines
from edgar_search.engine.client import make_client
from edgar_search.engine.elasticsearch_py import AsyncElasticsearch
from edgar_search.engine.entries import Entries
from edgar_search.engine.freshness import FreshValues
from edgar_search.engine.index_names import KINDS, WHOLE, Kind, write_alias
from edgar_search.engine.limits import IndexLimits, Limits
from edgar_search.engine.mapping_versions import lowest_version
from edgar_search.engine.points import OpenedPoint, Point
from edgar_search.engine.replies import (
    BulkItem,
    Explanations,
    IndexSettings,
    MultiSearchReply,
    SearchOutcome,
    SearchReply,
    ServerTime,
    Stored,
    decode,
    whole,
)
from edgar_search.engine.requests import (
    BLOCKED,
    BUSY,
    NDJSON,
    Requests,
)
from edgar_search.engine.scored import is_scored
from edgar_search.engine.years import partitions_filed, partitions_of, years_of
from edgar_search.errors import BadRequest, EngineUnavailable
from edgar_search.settings import Settings

__all__ = ["BLOCKED", "BulkItem", "Engine", "Stored"]

H = TypeVar("H")
S = TypeVar("S")


class _Target(NamedTuple):
    """The indices that a search asks, what they allow, and with which parameters they are asked."""

    indices: str
    limits: Limits
    options: dict[str, str]


class Engine(Entries):
    """All that this project asks of Elasticsearch, for one installation (one prefix)."""

    def __init__(self, client: AsyncElasticsearch, settings: Settings) -> None:
        super().__init__(Requests(client, settings.es_timeout, settings.prefix), settings.prefix)
        # Elasticsearch gives up a little before the client does, so that its reply still arrives.
        self._search_timeout = f"{max(1, int(settings.es_timeout * 800))}ms"
        self._limits = IndexLimits(self._requests)
        # An operator who has finished an upgrade waits no longer than a value is fresh.
        self._versions: FreshValues[int] = FreshValues(
            partial(lowest_version, self._requests), len(KINDS)
        )
        self._points: Mapping[Kind, Point] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> "Engine":
        """An engine with a client of its own; `close` it."""
        return cls(make_client(settings), settings)

    async def close(self) -> None:
        """Close the connections."""
        await self._requests.close()

    def at(self, points: Mapping[Kind, Point]) -> "Engine":
        """The same engine, which searches these kinds as they were at a point in time.

        Its searches raise SnapshotExpired where the point is gone. `close` neither of the two
        before both are done with.
        """
        engine = copy.copy(self)
        engine._points = points
        return engine

    async def open_point(self, kind: Kind, seconds: int, account: str, query: Any) -> Point:
        """A point in time of the partitions of `kind` that a search for `query` asks.

        It is there for so many seconds more after each search at it; as `search`, on an account's
        shard copies.
        """
        target = await self._target(kind, query)
        params = {**target.limits.of_point(account), "keep_alive": f"{seconds}s"} | target.options
        data = await self._requests.send("POST", f"/{target.indices}/_pit", params=params)
        return Point(decode(data, OpenedPoint).id, seconds)

    async def close_point(self, point: Point) -> None:
        """Let Elasticsearch forget a point in time; nothing happens where it is gone."""
        await self._requests.send("DELETE", "/_pit", body={"id": point.id}, missing=b"{}")

    async def search(
        self,
        kind: Kind,
        body: dict[str, Any],
        hit: type[H],
        *,
        account: str = "",
        named_scores: bool = False,
        filed: Collection[str] | None = None,
        apart: bool = False,
        without: str = "",
    ) -> SearchReply[H]:
        """One search over the partitions of `kind` in which the dates of filing may match.

        `account` keeps an account's searches on the same shard copies, so that pages agree.
        `named_scores` gives the score of each query that has a name, and not the name alone.
        `filed` are the dates of filing of all that can match, where they are known. Scores of
        several shards are comparable; where they are so only within a partition they are `apart`.
        `without` is the path of what the reply leaves out.
        Raises EngineUnavailable where Elasticsearch is away, overloaded, too slow, or answers in
        part only.
        """
        limits = await self._limits.of(self._alias(kind))
        if body.get("from", 0) + body.get("size", 0) > limits.window:
            # EDGAR_SEARCH_MAX_WINDOW is above what these indices allow.
            raise BadRequest(f"offset: offset + limit goes up to {limits.window}")
        params = {"include_named_queries_score": "true"} if named_scores else {}
        if without:
            params["filter_path"] = f"-{without}"
        scored = named_scores or is_scored(body)
        data = await self._searched(kind, body, account, filed, params, scored, apart)
        return whole(decode(data, SearchReply[hit]))  # type: ignore[valid-type]

    async def _searched(
        self,
        kind: Kind,
        body: dict[str, Any],
        account: str,
        filed: Collection[str] | None,
        params: dict[str, str],
        scored: bool,
        apart: bool,
    ) -> bytes:
        """The reply of one search over what is open as a point in time, or what can match."""
        point = self._points.get(kind)
        # A point in time has its partitions.
        narrowed = (None, None) if point else (body.get("query"), filed)
        target = await self._target(kind, *narrowed)
        options = target.limits.options(
            account if point is None else None, scored=scored, apart=apart
        )
        return await self._requests.send(
            "POST",
            f"/{target.indices}/_search" if point is None else "/_search",
            body={"timeout": self._search_timeout, **body, **({} if point is None else point.body)},
            params=options | target.options | params,
            of_snapshot=point is not None,
        )

    async def _target(
        self, kind: Kind, query: Any, filed: Collection[str] | None = None
    ) -> _Target:
        """What a search for `query` asks; all partitions, if nothing says which can match."""
        alias = self._alias(kind)
        limits = await self._limits.of(alias)
        if limits.partitions.keys() <= {WHOLE}:
            return _Target(alias, limits, {})
        known = list(limits.partitions)
        if filed is None:
            partitions = partitions_of(years_of(query), known)
        else:
            partitions = partitions_filed(filed, known)
        # A search of no index at all would have no aggregations in its reply.
        if partitions is None or limits.partitions.keys().isdisjoint(partitions):
            return _Target(alias, limits, {})
        aliases = (write_alias(self._prefix, kind, each) for each in partitions)
        # A year that can match and has no filing yet has no index.
        return _Target(",".join(aliases), limits.within(partitions), {"ignore_unavailable": "true"})

    async def search_many(
        self,
        kind: Kind,
        bodies: Sequence[dict[str, Any]],
        hit: type[H],
        *,
        filed: Sequence[Collection[str]] | None = None,
        apart: bool = False,
    ) -> list[SearchReply[H]]:
        """Several searches in one request; their replies in order.

        `filed` are the dates of each; else, and in what it raises, as `search`.
        """
        if not bodies:
            return []
        lines = []
        for number, body in enumerate(bodies):
            dates = None if filed is None else filed[number]
            target = await self._target(kind, body.get("query"), dates)
            options = target.limits.options("", scored=is_scored(body), apart=apart)
            lines.append(bulk_lines.line({"index": target.indices, **options, **target.options}))
            lines.append(bulk_lines.line({"timeout": self._search_timeout, **body}))
        replies: list[msgspec.Raw] = []
        # A node that dies on the way fails single searches of a request that succeeds.
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
        return [whole(decode(bytes(reply), typed)) for reply in replies]

    async def aggregate(
        self,
        kind: Kind,
        body: dict[str, Any],
        reply: type[S],
        *,
        filed: Collection[str] | None = None,
    ) -> S:
        """The aggregations of one search; as `search`."""
        found = await self.search(kind, body, msgspec.Raw, filed=filed)
        return decode(bytes(found.aggregations), reply)

    async def explained(self, kind: Kind, query: dict[str, Any]) -> list[str]:
        """What the query becomes in each shard of `kind`, as Elasticsearch writes it for people.

        Raises as any request.
        """
        path = f"/{self._alias(kind)}/_validate/query"
        params = {"rewrite": "true", "all_shards": "true"}
        data = await self._requests.send("POST", path, body={"query": query}, params=params)
        return [each.explanation for each in decode(data, Explanations).explanations]

    async def now(self, kind: Kind, field: str) -> datetime:
        """What time it is by Elasticsearch's clock; `field` is a date of this kind. As `search`."""
        # The bound of a range comes back as what `now` was there; it needs no right but to read.
        ranges = {"date_range": {"field": field, "ranges": [{"to": "now"}]}}
        query: dict[str, Any] = {"match_none": {}}
        body = {"size": 0, "query": query, "aggs": {"past": ranges}}
        past = (await self.aggregate(kind, body, ServerTime)).past
        return datetime.fromtimestamp(past.buckets[0].to / 1_000, UTC)

    async def mapping_version(self, kind: Kind) -> int:
        """The version of its template that all entries of a kind have the fields of."""
        return await self._versions.value(self._alias(kind))

    async def index_id(self, kind: Kind) -> str:
        """The id of the one index behind a kind that is never partitioned; no two have the same."""
        data = await self._requests.send("GET", f"/{self._alias(kind)}/_settings/index.uuid")
        (index,) = decode(data, IndexSettings).values()
        return index["settings"]["index"]["uuid"]

    async def refresh(self, kind: Kind) -> None:
        """Make everything written so far visible to searches; not to those at a point in time."""
        if kind in self._points:
            return
        await self._requests.send("POST", f"/{self._alias(kind)}/_refresh")

    async def ping(self) -> None:
        """EngineUnavailable unless Elasticsearch answers and the documents can be searched."""
        path = f"/{self._alias('documents')}/_search"
        params = {"allow_partial_search_results": "false"}
        await self._requests.send(
            "POST", path, body={"size": 0, "terminate_after": 1}, params=params
        )
