"""How years in indices of their own change the order of hits: `python -m bench.years`.

It needs two installations of the same filings: the one of the settings, and one with years apart
under `--years PREFIX`. Totals must agree; scores need not.
"""

import argparse
import asyncio
import os
import random
import statistics
import time
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
_FORMS = ("{0}", "{0} {1}", "{0} OR {1}", '"{0} {1}"', "{0} NOT {1}", "{0} {1} {2}")


class Answer(NamedTuple):
    """What one installation says to one query; milliseconds."""

    total: int
    ids: list[str]
    took: float


async def main() -> None:
    """Ask both and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", required=True, metavar="PREFIX")
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=18)
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    settings = msgspec.structs.replace(settings, alerts=False, default_plan="unlimited")
    apart = msgspec.structs.replace(settings, prefix=options.years)
    queries = await _queries(settings, random.Random(options.seed), options.queries)
    for name, dated in (("without dates", False), ("with dates", True)):
        some = [query for query in queries if ("from_date" in query) == dated]
        _report(name, await _asked(settings, some), await _asked(apart, some))


def _report(name: str, one: list[Answer], other: list[Answer]) -> None:
    pairs = list(zip(one, other, strict=True))
    totals = sum(a.total != b.total for a, b in pairs)
    orders = [(a.ids, b.ids) for a, b in pairs if a.ids != b.ids]
    moved = statistics.fmean([_moved(a, b) for a, b in orders] or [0.0])
    same = statistics.fmean([len({*a} & {*b}) / len(a) for a, b in orders] or [1.0])
    first, second = (statistics.median(each.took for each in found) for found in (one, other))
    print(
        f"{name}: {len(pairs)} queries, totals differ in {totals}, the first {SHOWN} in"
        f" {len(orders)}; of those a hit moves {moved:.1f} places on average, and {same:.0%} are"
        f" the same; p50 {first:.0f} and {second:.0f} ms"
    )


def _moved(one: list[str], other: list[str]) -> float:
    """By how many places hits that both have stand apart."""
    both = [each for each in one if each in other]
    return statistics.fmean(abs(one.index(e) - other.index(e)) for e in both) if both else 0.0


async def _queries(settings: Settings, chance: random.Random, count: int) -> list[dict[str, str]]:
    """Words of passages put together; a third with dates of filing."""
    engine = Engine.from_settings(settings)
    body = {"size": WORDS, "query": {"match_all": {}}, "_source": ["text"], "sort": ["document_id"]}
    try:
        reply = await engine.search("passages", body, dict[str, Any])
    finally:
        await engine.close()
    text = " ".join(hit["_source"]["text"] for hit in reply.hits.hits)
    words = sorted({word.lower() for word in text.split() if word.isalpha() and len(word) > 3})
    queries = []
    for number in range(count):
        query = {"query": chance.choice(_FORMS).format(*chance.sample(words, 3))}
        if number % 3 == 0:
            first = chance.randint(1994, 2024)
            last = first + chance.randint(0, 4)
            query |= {"from_date": f"{first}-01-01", "to_date": f"{last}-12-31"}
        queries.append(query)
    return queries


async def _asked(settings: Settings, queries: list[dict[str, str]]) -> list[Answer]:
    engine = Engine.from_settings(settings)
    key, _ = await ApiKeys(engine).create("bench", "bench")
    await engine.close()
    answers = []
    async with LifespanManager(create_app(settings)) as manager:
        transport = httpx.ASGITransport(manager.app)
        headers = {"X-API-Key": key}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://bench", headers=headers, timeout=60
        ) as client:
            for query in queries:
                began = time.perf_counter()
                reply = await client.get("/v1/search", params={**query, "limit": str(SHOWN)})
                took = (time.perf_counter() - began) * 1000
                found = reply.raise_for_status().json()
                ids = [item["document_id"] for item in found["items"]]
                answers.append(Answer(found["total_count"], ids, took))
    return answers


if __name__ == "__main__":
    asyncio.run(main())
