"""The engine requests of pages, asked of several Elasticsearch that hold the same indices.

    python -m bench.engines [--rounds N] URL URL...

It says what settings of Elasticsearch, or another version of it, make of a search: restore one
snapshot into each, then name them all. The requests of the ten queries are recorded at the first,
with the prefix of the settings, and sent to all as they are, in turn. CPU is that of each
Elasticsearch, all its nodes.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import Sequence

import aiohttp
import msgspec

from bench.installation import engine_cpu
from bench.own_share import Recorder, Sent
from bench.peers.questions import TEN
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from evaluation.installed import installed

STEPS = ("documents", "passages")
# Until Java has compiled what searches run.
WARM_UP = 25
_AT_ONCE = 4
_HEADERS = {"Content-Type": "application/json"}


class Asked:
    """One Elasticsearch, and what it took for each step of each query, in milliseconds."""

    def __init__(self, settings: Settings, session: aiohttp.ClientSession) -> None:
        self.url, self._session = str(settings.es_url), session
        self.engine = Engine.from_settings(settings)
        self.times: dict[tuple[str, int], list[float]] = {}
        self.cpu = 0.0

    async def ask(self, query: str, sent: Sequence[Sent]) -> None:
        """Send the first request of a page and the last, and note how long each takes."""
        for step, (path, params, body) in enumerate((sent[0], sent[-1])):
            began = time.perf_counter()
            url = self.url + path
            async with self._session.post(url, params=params, data=body, headers=_HEADERS) as reply:
                assert reply.status == 200, await reply.text()
                await reply.read()
            taken = (time.perf_counter() - began) * 1000
            self.times.setdefault((query, step), []).append(taken)

    async def turn(self, pages: dict[str, list[Sent]], times: int) -> None:
        """Ask all pages so often, and add up the CPU."""
        before = await engine_cpu(self.engine)
        for _ in range(times):
            for query, sent in pages.items():
                await self.ask(query, sent)
        self.cpu += await engine_cpu(self.engine) - before


def ratios(first: Asked, other: Asked, step: int) -> float:
    """The geometric mean of how much longer the other one takes, query by query."""
    medians = [
        (statistics.median(first.times[key]), statistics.median(other.times[key]))
        for key in first.times
        if key[1] == step
    ]
    return statistics.geometric_mean(theirs / ours for ours, theirs in medians)


async def _measure(settings: Settings, urls: Sequence[str], rounds: int) -> None:
    of_each = [msgspec.structs.replace(settings, es_url=url) for url in urls]
    async with installed(of_each[0]) as here:
        recorder = Recorder(here.service.engine)
        pages = {query: await recorder.of(here, query) for query in TEN}
    async with aiohttp.ClientSession() as session:
        asked = [Asked(each, session) for each in of_each]
        for each in asked:
            await each.turn(pages, WARM_UP)
            each.times, each.cpu = {}, 0.0
        for number in range(rounds):
            for each in asked if number % 2 else asked[::-1]:
                await each.turn(pages, _AT_ONCE)
        _print(asked, rounds * _AT_ONCE * len(pages))
        for each in asked:
            await each.engine.close()


def _print(asked: Sequence[Asked], pages: int) -> None:
    print("ms of documents and of passages: " + ", ".join(each.url for each in asked))
    for query in TEN:
        found = [
            " ".join(f"{statistics.median(each.times[query, step]):6.1f}" for step in (0, 1))
            for each in asked
        ]
        print(f"{query:36} " + " | ".join(found))
    for each in asked:
        means = [f"{name} {ratios(asked[0], each, step):.2f}x" for step, name in enumerate(STEPS)]
        print(f"{each.url}: {', '.join(means)}; CPU of a page {each.cpu / pages * 1000:.1f} ms")


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("urls", nargs="+", metavar="URL")
    parser.add_argument("--rounds", type=int, default=14, help="each asks every query four times")
    options = parser.parse_args()
    asyncio.run(_measure(Settings.from_environ(os.environ), options.urls, options.rounds))


if __name__ == "__main__":
    main()
