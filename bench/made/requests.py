"""Requests to Elasticsearch that grow with a corpus: `python -m bench.made.requests one=A ten=B`.

A and B are prefixes of installations with filings, such as those that `bench.made.growth --keep`
leaves. The service answers in this process, over each installation in turns, and each of its
requests is noted under the functions that made it, with the time that Elasticsearch says it took.
"""

import argparse
import asyncio
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NamedTuple

import aiohttp
import msgspec

from bench.corpus import CORPUS, documents_of
from bench.installation import engine_running
from bench.markdown import table
from bench.peers.questions import SEED, TEN, generate
from bench.traced import SOURCE, served
from edgar_search.engine.requests import Requests
from edgar_search.settings import Settings
from ingest.sources.paths import Sources

ROUNDS, GENERATED = 3, 20
_READ = 100
_CALLERS = 2
_TOOK = re.compile(rb'"took":(\d+)')
# Milliseconds on the mean page below which a request is left out.
_LEAST = 0.5


class Note(NamedTuple):
    """A request: the functions that made it, the nearest first, and its milliseconds."""

    callers: str
    milliseconds: int


async def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("installations", nargs="+", metavar="NAME=PREFIX")
    parser.add_argument("--path", default="/search", help="which takes a query")
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="whose words are asked for")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    prefixes = dict(each.split("=", 1) for each in options.installations)
    sources = list(Sources([options.corpus]))
    Random(SEED).shuffle(sources)
    texts = [text for source in islice(sources, _READ) for text in documents_of(source)]
    queries = [*TEN, *generate(texts, Random(SEED), GENERATED)]
    with engine_running("") as settings:
        async with AsyncExitStack() as stack:
            clients = {
                name: await _client(stack, settings, prefix) for name, prefix in prefixes.items()
            }
            taken = await _asked(clients, options, queries)
    print(requests_table(taken, len(queries)))


async def _client(stack: AsyncExitStack, settings: Settings, prefix: str) -> aiohttp.ClientSession:
    own = msgspec.structs.replace(
        settings, prefix=prefix, archive=False, alerts=False, pages="open", pages_rate=1_000_000
    )
    client = aiohttp.ClientSession(await stack.enter_async_context(served(own)))
    return await stack.enter_async_context(client)


async def _asked(
    clients: Mapping[str, aiohttp.ClientSession],
    options: argparse.Namespace,
    queries: Sequence[str],
) -> dict[str, dict[str, list[float]]]:
    """Return the milliseconds of each kind of request by query, medians of the rounds."""
    found: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    with noted() as notes:
        for turn in range(options.rounds + 1):
            for query in queries:
                for name, client in clients.items():
                    notes.clear()
                    async with client.get(options.path, params={"query": query}) as reply:
                        await reply.read()
                        reply.raise_for_status()
                    sums: dict[str, int] = defaultdict(int)
                    for note in notes:
                        sums[note.callers] += note.milliseconds
                    if turn:  # the first warms
                        for callers, milliseconds in sums.items():
                            found[name, callers, query].append(milliseconds)
    taken: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in clients}
    for (name, callers, _), each in found.items():
        taken[name][callers].append(statistics.median(each))
    return taken


@contextmanager
def noted() -> Iterator[list[Note]]:
    """Yield the requests of this process to Elasticsearch, from now on."""
    notes: list[Note] = []
    send = Requests.send

    async def noting(self: Requests, method: str, path: str, **more: Any) -> bytes:
        callers = _callers(sys._getframe(1))
        data = await send(self, method, path, **more)
        if took := _TOOK.search(bytes(data[:200])):
            notes.append(Note(callers, int(took[1])))
        return data

    Requests.send = noting  # type: ignore[method-assign]
    try:
        yield notes
    finally:
        Requests.send = send  # type: ignore[method-assign]


def _callers(frame: FrameType | None) -> str:
    names: list[str] = []
    while frame is not None and len(names) < _CALLERS:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(SOURCE) and path.parent.name != "engine":
            names.append(f"{path.stem}.{frame.f_code.co_name}")
        frame = frame.f_back
    return " of ".join(names) or "tasks of their own"


def requests_table(taken: Mapping[str, Mapping[str, Sequence[float]]], queries: int) -> str:
    """Return the milliseconds of each kind of request on the mean page, the longest first."""
    names = list(taken)
    kinds = {kind for by_kind in taken.values() for kind in by_kind}
    means = {kind: [sum(taken[name].get(kind, ())) / queries for name in names] for kind in kinds}
    rows = [
        [kind, *(f"{mean:.1f}" for mean in each), f"{each[-1] / each[0]:.2f}x" if each[0] else ""]
        for kind, each in sorted(means.items(), key=lambda row: -row[1][-1])
        if max(each) >= _LEAST
    ]
    return table(["Elasticsearch's ms on the mean page", *names, "ratio"], rows)


if __name__ == "__main__":
    asyncio.run(main())
