"""The most expensive query that is allowed: `python -m bench.dearest [--seconds N] [--seed N]`.

It looks for it in the index that the settings name, which it only reads, by random search: queries
at random, then small changes to the most expensive ones so far. What a query costs is the CPU time
that Elasticsearch takes for it, hits and snippets together, so nothing else should be asked
meanwhile.
"""

import argparse
import asyncio
import os
import time
from collections.abc import AsyncIterator
from random import Random
from typing import NamedTuple

from bench.dear_queries import DearQuery, change, make_query
from bench.installation import engine_cpu
from edgar_search.api.search import search_params
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineUnavailable
from edgar_search.search.context import SearchContext
from edgar_search.search.search import search_documents
from edgar_search.settings import Settings

LIMIT = 100  # the longest page, which has the most snippets
# So much of the time goes to queries at random, the rest to changes of the most expensive ones.
AT_RANDOM = 0.35
KEPT = 8
# The most expensive are measured again, since a first time may be one of reading from a disk.
AGAIN, REPEATS = 3, 3


class Measured(NamedTuple):
    """Seconds that a query took: of Elasticsearch's processors, and of the client's clock."""

    cpu: float
    wall: float
    query: DearQuery


async def dearest(settings: Settings, seconds: float, seed: int) -> Measured:
    """Return the most expensive query found in this many seconds, at its cheapest repetition."""
    engine = Engine.from_settings(settings)
    try:
        found = [each async for each in _look_for_dearest(engine, seconds, Random(seed))]
        best = sorted(found, reverse=True)[:AGAIN]
        again = [await _measure(engine, each.query) for each in best]
    finally:
        await engine.close()
    print(f"{len(found)} queries tried with seed {seed}")
    for each in sorted(again, reverse=True):
        print(f"  CPU {each.cpu:.2f} s, wall {each.wall:.2f} s: {each.query.written()}")
    return max(again)


async def _look_for_dearest(
    engine: Engine, seconds: float, random: Random
) -> AsyncIterator[Measured]:
    began = time.monotonic()
    best: list[Measured] = []
    before = await engine_cpu(engine)
    while (taken := time.monotonic() - began) < seconds:
        if taken < AT_RANDOM * seconds or not best or random.random() < 0.1:
            query = make_query(random)
        else:
            query = change(random.choice(best).query, random)
        wall = await _time_page(engine, query)
        after = await engine_cpu(engine)
        measured = Measured(after - before, wall, query)
        before = after
        best = sorted([*best, measured], reverse=True)[:KEPT]
        yield measured


async def _measure(engine: Engine, query: DearQuery) -> Measured:
    """Return the cheapest of some times, since other work of the engine only adds to it."""
    times = []
    for _ in range(REPEATS):
        before = await engine_cpu(engine)
        wall = await _time_page(engine, query)
        times.append(Measured(await engine_cpu(engine) - before, wall, query))
    return min(times)


async def _time_page(engine: Engine, query: DearQuery) -> float:
    """Return the seconds after which the whole page is there."""
    search = search_params({"query": [query.written()], "limit": [str(LIMIT)]}, LIMIT)
    context = SearchContext.from_settings(engine, Settings())
    began = time.perf_counter()
    try:
        await search_documents(context, search)
    except EngineUnavailable as error:
        print(f"  given up ({error}): {query.written()}")
    return time.perf_counter() - began


def main() -> None:
    """Look for it, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long to look")
    parser.add_argument("--seed", type=int, default=Random().randrange(2**32))
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    asyncio.run(dearest(settings, options.seconds, options.seed))


if __name__ == "__main__":
    main()
