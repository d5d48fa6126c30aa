"""A day of EDGAR from a stand-in of its site, at any speed: `python -m bench.day --speed 48`.

The submissions of FOLDER are published at the times of day at which EDGAR accepted them, so that
most come in the hour after the markets close. `edgar-ingest follow` fetches and loads them while
clients ask the service. It prints how long a filing took from the feed until it could be searched.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx
import msgspec

from bench.corpus import CORPUS, documents_of
from bench.installation import Installation, engine_running, installed
from bench.loading import environment
from bench.made.growth import cut
from bench.peers.questions import SEED, generate
from bench.service import ending, running_service
from edgar_search.access.accounts import UNLIMITED
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.ledger import read_entries
from ingest.sources.paths import Sources
from ingest.sources.source import read
from tests.support.edgar_site import EdgarSite

# EDGAR takes filings from 6 in the morning until 10 at night.
OPENS, CLOSES = 6 * 3600, 22 * 3600
SPEED, CLIENTS, INTERVAL = 48.0, 4, 15.0
GENERATED, _READ = 100, 100
# A filing that is not searchable so long after the last one was published never will be.
PATIENCE = 300.0
_ASKED_AT_ONCE = 200
_CONTACT = "edgar-search bench admin@example.com"
_ACCEPTED = re.compile(rb"<ACCEPTANCE-DATETIME>\d{8}(\d\d)(\d\d)(\d\d)")


class Published(NamedTuple):
    """A submission, and the second after the day's opening at which it appears."""

    second: float
    content: bytes


class Day(NamedTuple):
    """The seconds from the feed to the index of each filing, and of answers meanwhile.

    `missing` are filings that were not searchable in time.
    """

    lags: list[float]
    missing: list[str]
    answers: list[float]
    seconds: float

    def __str__(self) -> str:
        lags = " / ".join(f"{cut(self.lags, part):.1f}" for part in (0.5, 0.99, 1.0))
        answers = " / ".join(f"{cut(self.answers, part) * 1000:.0f}" for part in (0.5, 0.99))
        return (
            f"{len(self.lags):,} filings in {self.seconds:.0f} s, {len(self.missing)} missing:"
            f" p50 / p99 / most seconds from the feed until searchable {lags};"
            f" {len(self.answers):,} answers meanwhile, p50 / p99 {answers} ms"
        )


async def main() -> None:
    """Live through the day, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--speed", type=float, default=SPEED, help="days in a day")
    parser.add_argument("--clients", type=int, default=CLIENTS, help="who ask meanwhile")
    parser.add_argument(
        "--interval", type=float, default=INTERVAL, help="between looks at the feed"
    )
    options = parser.parse_args()
    submissions = day_of(read(source) for source in Sources([options.folder]))
    queries = _queries(options.folder)
    with engine_running("bench-day-") as settings, tempfile.TemporaryDirectory() as home:
        own = msgspec.structs.replace(
            settings,
            home=Path(home),
            archive=False,
            contact=_CONTACT,
            default_plan=UNLIMITED.name,
            follow_interval=options.interval,
        )
        async with installed(own, baseline=False) as installation:
            await Indices(installation.engine, own).set_up()
            day = await live(installation, submissions, options.speed, queries, options.clients)
    print(f"a day of {(CLOSES - OPENS) / options.speed / 60:.0f} minutes: {day}")
    print(f"processors: {os.cpu_count()}, load at the end: {os.getloadavg()[0]:.1f}")


def day_of(contents: Iterable[bytes]) -> list[Published]:
    """Return submissions in the order of the times of day at which they were accepted.

    Those without a time are spread over the day.
    """
    chance = Random(SEED)
    found = []
    for content in contents:
        if b"<SEC-HEADER>" not in content:
            continue
        accepted = _ACCEPTED.search(content)
        hour, minute, second = map(int, accepted.groups()) if accepted else (0, 0, 0)
        at = hour * 3600 + minute * 60 + second
        if not OPENS <= at < CLOSES:
            at = chance.randrange(OPENS, CLOSES)
        found.append(Published(at - OPENS, content))
    return sorted(found)


def _queries(folder: Path) -> list[str]:
    sources = list(Sources([folder]))[:_READ]
    texts = [text for source in sources for text in documents_of(source)]
    return generate(texts, Random(SEED), GENERATED)


async def live(
    installation: Installation,
    submissions: Sequence[Published],
    speed: float,
    queries: Sequence[str],
    clients: int,
    patience: float = PATIENCE,
) -> Day:
    """Publish the submissions, follow them, and ask meanwhile."""
    async with AsyncExitStack() as stack:
        site = stack.enter_context(EdgarSite().serving())
        own = msgspec.structs.replace(installation.settings, edgar_url=site.url)
        service = stack.enter_context(running_service(own))
        client = httpx.AsyncClient(base_url=service.url, timeout=120)
        await stack.enter_async_context(client)
        stack.enter_context(_following(own))
        over, began = asyncio.Event(), time.monotonic()
        answers: list[float] = []
        asking = [
            asyncio.create_task(
                _ask(client, await installation.key(f"bench-{n}"), queries[n:], over, answers)
            )
            for n in range(clients)
        ]
        published = await _publish(site, submissions, speed)
        lags = await _await_all(installation.engine, published, patience)
        seconds = time.monotonic() - began
        over.set()
        await asyncio.gather(*asking)
    missing = [number for number in published if number not in lags]
    return Day(list(lags.values()), missing, answers, seconds)


@contextmanager
def _following(settings: Settings) -> Iterator[None]:
    """Follow EDGAR meanwhile, by a process."""
    command = [sys.executable, "-m", "ingest.cli", "follow"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment(settings), stdout=quiet, stderr=quiet)
    with ending(process):
        yield
        if process.poll() is not None:
            raise RuntimeError(f"`follow` ended with status {process.returncode}")


async def _publish(
    site: EdgarSite, submissions: Sequence[Published], speed: float
) -> dict[str, datetime]:
    began, published = time.monotonic(), dict[str, datetime]()
    for each in submissions:
        await asyncio.sleep(max(0.0, began + each.second / speed - time.monotonic()))
        number = site.add(each.content).number
        site.feed.insert(0, number)
        published[number] = datetime.now(UTC)
    return published


async def _await_all(
    engine: Engine, published: dict[str, datetime], patience: float
) -> dict[str, float]:
    """Return the seconds that each filing took until it could be searched, if it can."""
    until, lags = time.monotonic() + patience, dict[str, float]()
    while len(lags) < len(published) and time.monotonic() < until:
        left = [number for number in published if number not in lags]
        for start in range(0, len(left), _ASKED_AT_ONCE):
            entries = await read_entries(engine, left[start : start + _ASKED_AT_ONCE])
            for number, entry in entries.items():
                if entry.searchable_at is not None:
                    lags[number] = (entry.searchable_at - published[number]).total_seconds()
        await asyncio.sleep(0.5)
    return lags


async def _ask(
    client: httpx.AsyncClient,
    key: str,
    queries: Sequence[str],
    over: asyncio.Event,
    answers: list[float],
) -> None:
    at = 0
    while not over.is_set():
        began = time.monotonic()
        asked = {"query": queries[at % len(queries)]}
        reply = await client.get("/v1/search", params=asked, headers={"X-API-Key": key})
        reply.raise_for_status()
        answers.append(time.monotonic() - began)
        at += 1


if __name__ == "__main__":
    asyncio.run(main())
