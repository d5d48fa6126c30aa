"""The effect of years in indices of their own on the order of hits: `python -m bench.years`.

It needs two installations of the same filings: the one of the settings, and one with years apart
under `--years PREFIX`. Totals must agree; scores need not.
"""

import argparse
import asyncio
import itertools
import os
import random
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import msgspec
from asgi_lifespan import LifespanManager

from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

SHOWN = 20
WORDS = 400
WARMING = 50
KINDS = ("without dates", "dates of one year", "dates of several years")
_FORMS = ("{0}", "{0} {1}", "{0} OR {1}", '"{0} {1}"', "{0} NOT {1}", "{0} {1} {2}")


class Answer(NamedTuple):
    """An installation's answer to one query; milliseconds."""

    total: int
    ids: list[str]
    took: float


async def main() -> None:
    """Ask both, one after the other, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", required=True, metavar="PREFIX")
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--only", choices=KINDS, help="queries of this kind alone")
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    settings = msgspec.structs.replace(settings, alerts=False, default_plan="unlimited")
    apart = msgspec.structs.replace(settings, prefix=options.years)
    chance = random.Random(options.seed)
    queries = await _queries(settings, chance, options.queries, options.only)
    async with _client(settings) as one, _client(apart) as other:
        for query in queries[:WARMING]:
            await asyncio.gather(_answer(one, query), _answer(other, query))
        pairs = [await _pair(one, other, query, chance) for query in queries]
    for name in KINDS:
        found = [pair for pair, query in zip(pairs, queries, strict=True) if _kind(query) == name]
        if found:
            _report(name, found)


def _kind(query: dict[str, str]) -> str:
    if "from_date" not in query:
        return KINDS[0]
    return KINDS[1] if query["from_date"][:4] == query["to_date"][:4] else KINDS[2]


async def _pair(
    one: httpx.AsyncClient, other: httpx.AsyncClient, query: dict[str, str], chance: random.Random
) -> tuple[Answer, Answer]:
    """Return the answers of both, asked right after each other, so that the machine is the same."""
    if chance.random() < 0.5:
        first = await _answer(one, query)
        return first, await _answer(other, query)
    second = await _answer(other, query)
    return await _answer(one, query), second


def _report(name: str, pairs: list[tuple[Answer, Answer]]) -> None:
    totals = sum(a.total != b.total for a, b in pairs)
    orders = [(a.ids, b.ids) for a, b in pairs if a.ids != b.ids]
    moved = statistics.fmean([_distance(a, b) for a, b in orders] or [0.0])
    same = statistics.fmean([len({*a} & {*b}) / len(a) for a, b in orders] or [1.0])
    first, second = (statistics.median(pair[side].took for pair in pairs) for side in (0, 1))
    paired = statistics.median(b.took / a.took for a, b in pairs)
    print(
        f"{name}: {len(pairs)} queries, totals differ in {totals}, the first {SHOWN} in"
        f" {len(orders)}; of those a hit moves {moved:.1f} places on average, and {same:.0%} are"
        f" the same; p50 {first:.0f} and {second:.0f} ms, {second / first:.2f} times as long;"
        f" the median of the pairs {paired:.2f} times"
    )


def _distance(one: list[str], other: list[str]) -> float:
    """Return the distances in rank of hits that both have."""
    both = [each for each in one if each in other]
    return statistics.fmean(abs(one.index(e) - other.index(e)) for e in both) if both else 0.0


async def _queries(
    settings: Settings, chance: random.Random, count: int, only: str | None
) -> list[dict[str, str]]:
    """Return words of passages put together; a sixth with dates of one year, a sixth of several.

    Or of one kind only: what asks all years takes the processor's caches from what asks one.
    """
    engine = Engine.from_settings(settings)
    body = {"size": WORDS, "query": {"match_all": {}}, "_source": ["text"], "sort": ["document_id"]}
    try:
        reply = await engine.search("passages", body, dict[str, Any])
    finally:
        await engine.close()
    text = " ".join(hit["_source"]["text"] for hit in reply.hits.hits)
    words = sorted({word.lower() for word in text.split() if word.isalpha() and len(word) > 3})
    queries: list[dict[str, str]] = []
    for number in itertools.count():
        if len(queries) == count:
            break
        query = {"query": chance.choice(_FORMS).format(*chance.sample(words, 3))}
        if number % 3 == 0:
            first = chance.randint(1994, 2024)
            last = first + (chance.randint(1, 4) if number % 2 else 0)
            query |= {"from_date": f"{first}-01-01", "to_date": f"{last}-12-31"}
        if only in (None, _kind(query)):
            queries.append(query)
    return queries


@asynccontextmanager
async def _client(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Yield the service over an installation, in this process."""
    engine = Engine.from_settings(settings)
    key, _ = await ApiKeys(engine).create("bench", "bench")
    await engine.close()
    async with LifespanManager(create_app(settings)) as manager:
        transport = httpx.ASGITransport(manager.app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://bench", headers={"X-API-Key": key}, timeout=60
        ) as client:
            yield client


async def _answer(client: httpx.AsyncClient, query: dict[str, str]) -> Answer:
    began = time.perf_counter()
    reply = await client.get("/v1/search", params={**query, "limit": str(SHOWN)})
    took = (time.perf_counter() - began) * 1000
    found = reply.raise_for_status().json()
    return Answer(found["total_count"], [item["document_id"] for item in found["items"]], took)


if __name__ == "__main__":
    asyncio.run(main())
