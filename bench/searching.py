"""Searches with snippets through the service, beside what they are held against."""

import asyncio
import itertools
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any

import aiohttp
import msgspec

from bench.installation import BASELINE, Installation
from bench.service import RunningService
from edgar_search.api.lookup import lookup_params
from edgar_search.api.search import search_params
from edgar_search.engine.index_names import read_alias
from edgar_search.search.filings import filings_body
from edgar_search.search.query.body import HIT_FIELDS, page_body, score_query
from edgar_search.search.snippets.passages import Meant, leaves_body

# The queries that the design of the search was measured with.
QUERIES = (
    "company",
    "impairment",
    "goodwill AND impairment AND charge",
    "goodwill OR derivative",
    '"material weakness"',
    '"fair value"',
    '"of the company"',
    "impair*",
    "hed*ing",
    '("interest rate" AND swap*) NOT libor',
)
LOOKUP = {"form_type": "10-K,10-Q,8-K,4,13F-HR,13F-HR/A,SC 13D/A"}
CLIENTS = 16
WARM_UP = 3

Call = Callable[[], Awaitable[None]]


class _Http:
    """One client's connections to the service and to Elasticsearch."""

    def __init__(
        self, session: aiohttp.ClientSession, here: Installation, service: RunningService, key: str
    ) -> None:
        self._session = session
        self._here = here
        self._service = service
        self._headers = {"X-API-Key": key}

    async def service(self, path: str, **params: str) -> bytes:
        """Return a request to the service."""
        url = self._service.url + path
        async with self._session.get(url, params=params, headers=self._headers) as reply:
            assert reply.status == 200, await reply.text()
            return await reply.read()

    async def engine(self, index: str, body: dict[str, Any]) -> bytes:
        """Return a search sent to Elasticsearch directly."""
        url = f"{self._here.settings.es_url}/{index}/_search"
        # As the service asks: an answer that is compressed costs Elasticsearch more.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        data = msgspec.json.encode(body)
        async with self._session.post(url, data=data, headers=headers) as reply:
            assert reply.status == 200, await reply.text()
            return await reply.read()

    def alias(self, kind: Any) -> str:
        """Return the alias that the service reads."""
        return read_alias(self._here.settings.prefix, kind)


async def measure_searches(
    here: Installation, service: RunningService, key: str, rounds: int
) -> None:
    """Print times and ratios of the ten queries, of one client and of many, and of lookups."""
    connector = aiohttp.TCPConnector(limit=CLIENTS)
    async with aiohttp.ClientSession(connector=connector) as session:
        http = _Http(session, here, service, key)
        await _against_default(http, rounds)
        await _against_engine(http, rounds)
        await _pages(http, rounds)
        await _overviews(http, rounds)
        await _many_clients(http, rounds)


async def _against_default(http: _Http, rounds: int) -> None:
    print("query: service / default index with the unified highlighter, ms (p50, 20 hits)")
    ratios = []
    for query in QUERIES:
        ours, theirs = await _take_turns(
            rounds, partial(_search, http, query), partial(_default, http, query)
        )
        ratios.append(ours / theirs)
        print(f"  {query}: {ours * 1000:.1f} / {theirs * 1000:.1f} = {ours / theirs:.3f}x")
    print(f"  geometric mean: {statistics.geometric_mean(ratios):.3f}x")


async def _against_engine(http: _Http, rounds: int) -> None:
    ratios, extra = [], []
    for query in QUERIES:
        ours, theirs = await _take_turns(
            rounds, partial(_search, http, query), partial(_two_requests, http, query)
        )
        ratios.append(ours / theirs)
        extra.append(ours - theirs)
    print(
        f"service against its two engine requests: {statistics.geometric_mean(ratios):.3f}x,"
        f" {statistics.median(extra) * 1000:+.2f} ms"
    )
    ours, theirs = await _take_turns(
        rounds, lambda: _finish(http.service("/v1/lookup", **LOOKUP)), lambda: _filings(http)
    )
    print(
        f"lookup of up to 1,000 filings against the engine: {ours / theirs:.3f}x,"
        f" {ours * 1000:.1f} ms"
    )


async def _pages(http: _Http, rounds: int) -> None:
    base = None
    for limit, offset in ((20, 0), (100, 0), (20, 1000), (100, 1000)):
        page = {"limit": str(limit), "offset": str(offset)}
        times = [await _median(rounds, partial(_search, http, query, **page)) for query in QUERIES]
        mean = statistics.geometric_mean(times)
        base = base or mean
        print(f"limit {limit}, offset {offset}: {mean * 1000:.1f} ms, {mean / base:.2f}x")


async def _overviews(http: _Http, rounds: int) -> None:
    """Facets and hits by filing, each beside the search; no request is like one before."""
    days = (date(2100, 1, 1) + timedelta(number) for number in itertools.count())

    async def asked(path: str, query: str, **more: str) -> None:
        # Else Elasticsearch would answer what counts only out of its cache.
        await http.service(path, query=query, to_date=next(days).isoformat(), **more)

    search = partial(asked, "/v1/search")
    for name, call in (
        ("facets", partial(asked, "/v1/facets")),
        ("hits by filing", partial(asked, "/v1/search", group_by="filing")),
    ):
        ratios = []
        for query in QUERIES:
            ours, theirs = await _take_turns(rounds, partial(call, query), partial(search, query))
            ratios.append(ours / theirs)
        mean = statistics.geometric_mean(ratios)
        print(f"{name} against the search: {mean:.3f}x, at most {max(ratios):.3f}x")


async def _many_clients(http: _Http, rounds: int) -> None:
    ours, times = await _throughput(rounds, partial(_search, http))
    theirs, _ = await _throughput(rounds, partial(_two_requests, http))
    cuts = statistics.quantiles(times, n=100)
    print(
        f"{CLIENTS} clients: {ours:.0f} searches/s, {ours / theirs:.3f}x of the engine's requests;"
        f" p50 {cuts[49] * 1000:.1f} ms, p99 {cuts[98] * 1000:.1f} ms, {cuts[98] / cuts[49]:.2f}x"
    )


async def _throughput(
    rounds: int, call: Callable[[str], Awaitable[None]]
) -> tuple[float, list[float]]:
    """Return searches a second, and the time of each."""
    queries = iter(list(QUERIES) * rounds * 2)
    times: list[float] = []

    async def client() -> None:
        for query in queries:
            began = time.perf_counter()
            await call(query)
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return len(times) / (time.perf_counter() - began), times


async def _search(http: _Http, query: str, **page: str) -> None:
    await http.service("/v1/search", query=query, **page)


async def _default(http: _Http, query: str) -> None:
    await http.engine(
        BASELINE,
        {
            "query": {
                "query_string": {"query": query, "fields": ["text"], "default_operator": "AND"}
            },
            "size": 20,
            "track_total_hits": True,
            "_source": {"excludes": ["text"]},
            "highlight": {
                "encoder": "html",
                "pre_tags": ["<mark>"],
                "post_tags": ["</mark>"],
                "fields": {"text": {"fragment_size": 300, "number_of_fragments": 1}},
            },
        },
    )


async def _two_requests(http: _Http, query: str) -> None:
    search = search_params({"query": [query]}, 100_000)
    body = page_body(score_query(search, (), ()).query, search, HIT_FIELDS)
    reply = await http.engine(http.alias("documents"), body)
    hits = msgspec.json.decode(reply)["hits"]["hits"]
    ids = [hit["fields"]["document_id"][0] for hit in hits]
    if ids and (tree := search.criteria.query) is not None:
        body = leaves_body(tree, Meant.all_of(tree, ids))
        await http.engine(http.alias("passages"), body)


async def _filings(http: _Http) -> None:
    params = lookup_params({name: [value] for name, value in LOOKUP.items()})
    await http.engine(http.alias("filings"), filings_body(params, ()))


async def _finish(reply: Awaitable[bytes]) -> None:
    await reply


async def _take_turns(rounds: int, ours: Call, theirs: Call) -> tuple[float, float]:
    """Return the medians of both, taken in turn so that noise of the machine meets both."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds + WARM_UP):
        for call, kept in zip((ours, theirs), times, strict=True):
            seconds = await _time(call)
            if number >= WARM_UP:
                kept.append(seconds)
    return statistics.median(times[0]), statistics.median(times[1])


async def _median(rounds: int, call: Call) -> float:
    times: Sequence[float] = [await _time(call) for _ in range(rounds + WARM_UP)]
    return statistics.median(times[WARM_UP:])


async def _time(call: Call) -> float:
    began = time.perf_counter()
    await call()
    return time.perf_counter() - began
