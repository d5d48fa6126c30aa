"""Walks by cursor and exports, over made-up documents: their times, and the worker's memory."""

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from pathlib import Path

import aiohttp
import msgspec
import psutil

from bench.deep import QUERY, make_documents
from bench.installation import Installation, engine_running, installed
from bench.service import RunningService, running_service
from edgar_search.settings import Settings
from ingest.indices.indices import Indices

# Beyond 100,000, so that there is a page at that depth.
DOCUMENTS = 101_000
_LIMIT = 20
_MANY = 100
# Of exports with snippets, which take longer.
_WITH_SNIPPETS_FROM = "2022-05-01"
EXPORTS = (
    ("without snippets", "format=jsonl"),
    ("without snippets, csv", "format=csv"),
    ("filings", "what=filings"),
    ("with snippets", f"format=jsonl&snippet=true&from_date={_WITH_SNIPPETS_FROM}"),
    ("without snippets, parquet", "format=parquet"),
)


class Memory(threading.Thread):
    """The highest memory of a process until it is stopped, in bytes: all, and its own alone."""

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self._process = process
        self._stopped = threading.Event()
        self.idle_rss, self.idle_uss = self.rss, self.uss = _memory(process)

    def run(self) -> None:
        while not self._stopped.wait(0.02):
            rss, uss = _memory(self._process)
            self.rss, self.uss = max(self.rss, rss), max(self.uss, uss)

    def stop(self) -> str:
        """Stop, and return the growth since the beginning, in words."""
        self._stopped.set()
        self.join()
        more = (self.rss - self.idle_rss) / 1e6, (self.uss - self.idle_uss) / 1e6
        return f"{more[0]:.1f} MB RSS and {more[1]:.1f} MB USS above idle"


def _memory(process: psutil.Process) -> tuple[int, int]:
    found = process.memory_full_info()
    return found.rss, found.uss


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--rounds", type=int, default=9, help="repetitions of each page")
    options = parser.parse_args()
    with engine_running("bench-walks-") as settings, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(settings, options, Path(folder)))


async def _measure(settings: Settings, options: argparse.Namespace, folder: Path) -> None:
    own = msgspec.structs.replace(settings, home=folder / "home", alerts=False)
    async with installed(own, baseline=False) as here:
        await Indices(here.engine, own).set_up()
        await make_documents(here, options.documents)
        await measure_walks(here, options.documents, options.rounds)


async def measure_walks(here: Installation, documents: int, rounds: int) -> None:
    """Print the times of pages by cursor and of exports, each with the worker's memory."""
    key = await here.key()
    with running_service(here.settings) as service:
        async with aiohttp.ClientSession(
            service.url,
            headers={"X-API-Key": key, "Accept-Encoding": "identity"},
            timeout=aiohttp.ClientTimeout(600),
        ) as session:
            for snapshot in ("false", "true"):
                await _pages(session, documents, rounds, snapshot)
            for name, parameters in EXPORTS:
                await _export(session, service, name, parameters)


async def _pages(
    session: aiohttp.ClientSession, documents: int, rounds: int, snapshot: str
) -> None:
    """The first page beside one near the end, asked for in turn."""
    begin = {"query": QUERY, "cursor": "*", "limit": str(_LIMIT), "snapshot": snapshot}
    _, first = await _page(session, begin)
    deep, depth = first, _LIMIT
    while depth < documents - 2 * _MANY:
        _, deep = await _page(session, {"cursor": deep, "limit": str(_MANY)})
        depth += _MANY
    times: dict[str, list[float]] = {first: [], deep: []}
    for _ in range(rounds):
        for cursor, taken in times.items():
            taken.append((await _page(session, {"cursor": cursor, "limit": str(_LIMIT)}))[0])
    shallow, below = (statistics.median(taken) * 1_000 for taken in times.values())
    print(
        f"page of {_LIMIT} by cursor, snapshot={snapshot}: the second {shallow:.1f} ms,"
        f" at {depth:,} {below:.1f} ms: {below / shallow:.2f}x"
    )


async def _page(session: aiohttp.ClientSession, parameters: dict[str, str]) -> tuple[float, str]:
    """Return the time of a page, and the cursor after it."""
    began = time.perf_counter()
    async with session.get("/v1/search", params=parameters) as reply:
        assert reply.status == 200, await reply.text()
        cursor: str = (await reply.json())["next_cursor"]
    return time.perf_counter() - began, cursor


async def _export(
    session: aiohttp.ClientSession, service: RunningService, name: str, parameters: str
) -> None:
    memory = Memory(service.process)
    memory.start()
    began, size, first = time.perf_counter(), 0, 0.0
    async with session.get(f"/v1/export?query={QUERY}&{parameters}") as reply:
        assert reply.status == 200, await reply.text()
        rows = int(reply.headers["X-Total-Count"])
        async for data in reply.content.iter_any():
            first = first or time.perf_counter() - began
            size += len(data)
    taken = time.perf_counter() - began
    print(
        f"export of {rows:,} documents {name}: {rows / taken:,.0f} a second,"
        f" {size / 1e6:.1f} MB, first byte after {first * 1_000:.0f} ms; {memory.stop()}"
    )


if __name__ == "__main__":
    main()
