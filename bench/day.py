"""A month and a day of EDGAR from a stand-in of its site: `python -m bench.day MADE --month 2000`.

The first submissions of FOLDER are the month: daily archives of EDGAR's Feed, which `edgar-ingest
fetch` loads. The others are published at the times of day at which EDGAR accepted them, so that
most come in the hour after the markets close, at any speed. `edgar-ingest follow` fetches and loads
them while clients ask the service. It prints how long a filing took from the feed until it could be
searched.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, date, datetime, timedelta
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
from ingest.fetching.daily_archives import LEAST_OF_BACKFILLS
from ingest.indices.indices import Indices
from ingest.loading.ledger import read_entries
from ingest.sources.paths import Sources
from ingest.sources.source import Source, read
from tests.support.daily_archives import pack, put_archives
from tests.support.edgar_site import EdgarSite

# EDGAR takes filings from 6 in the morning until 10 at night.
OPENS, CLOSES = 6 * 3600, 22 * 3600
# The days of the month that have an archive.
_FIRST_DAY = date(2024, 1, 1)
WEEKDAYS = [day for day in (_FIRST_DAY + timedelta(days=n) for n in range(31)) if day.weekday() < 5]
GENERATED, _READ = 100, 100
# A filing that is not searchable so long after the last one was published never will be.
PATIENCE = 300.0
_ASKED_AT_ONCE = 200
# Missing filings that are printed.
_NAMED = 20
_CONTACT = "edgar-search bench admin@example.com"
_ACCEPTED = re.compile(rb"<ACCEPTANCE-DATETIME>\d{8}(\d\d)(\d\d)(\d\d)")
_FILING_DATE = re.compile(rb"(FILED AS OF DATE:\s*|<ACCEPTANCE-DATETIME>)\d{8}")


class Published(NamedTuple):
    """A submission, and the second after the day's opening at which it appears."""

    second: float
    content: bytes


class Plan(NamedTuple):
    """The number of submissions of the month, and of the day: None are all others.

    A day takes a `speed`th of a real one. `clients` ask meanwhile, each pausing for `pause` seconds
    after an answer; `interval` seconds are between looks at the feed.
    """

    month: int = 0
    day: int | None = None
    speed: float = 48.0
    clients: int = 4
    pause: float = 1.0
    interval: float = 15.0


class Month(NamedTuple):
    """The load of the archives: filings and megabytes, seconds and requests to EDGAR."""

    loaded: int
    days: int
    megabytes: float
    seconds: float
    requests: int

    def __str__(self) -> str:
        return (
            f"{self.loaded:,} filings, {self.megabytes:,.0f} MB in archives of"
            f" {self.days} days: {self.seconds:.0f} s by {self.requests} requests"
        )


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
        missing = ", ".join([f"{len(self.missing)} missing", *self.missing[:_NAMED]])
        return (
            f"{len(self.lags):,} filings in {self.seconds:.0f} s, {missing}:"
            f" p50 / p99 / most seconds from the feed until searchable {lags};"
            f" {len(self.answers):,} answers meanwhile, p50 / p99 {answers} ms"
        )


async def main() -> None:
    """Load the month, live through the day, and print."""
    plan = Plan()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--month", type=int, default=plan.month, help="submissions in archives")
    parser.add_argument("--day", type=int, help="submissions of the day, else all others")
    parser.add_argument("--speed", type=float, default=plan.speed, help="days in a day")
    parser.add_argument("--clients", type=int, default=plan.clients, help="who ask meanwhile")
    parser.add_argument("--pause", type=float, default=plan.pause, help="of a client, in seconds")
    parser.add_argument(
        "--interval", type=float, default=plan.interval, help="between looks at the feed"
    )
    options = vars(parser.parse_args())
    sources, plan = list(Sources([options.pop("folder")])), Plan(**options)
    with engine_running("bench-day-") as settings, tempfile.TemporaryDirectory() as home:
        own = msgspec.structs.replace(settings, home=Path(home))
        month, day = await month_and_day(own, sources, plan)
    if month:
        print(f"a month of archives: {month}")
    print(f"a day of {(CLOSES - OPENS) / plan.speed / 60:.0f} minutes: {day}")
    print(f"processors: {os.cpu_count()}, load at the end: {os.getloadavg()[0]:.1f}")


async def month_and_day(
    settings: Settings, sources: Sequence[Source], plan: Plan
) -> tuple[Month | None, Day]:
    """Load the month and live through the day in an installation of their own, which is removed.

    Raises CalledProcessError if `edgar-ingest fetch` fails, RuntimeError if `follow` ends.
    """
    own = msgspec.structs.replace(
        settings,
        archive=False,
        contact=_CONTACT,
        default_plan=UNLIMITED.name,
        follow_interval=plan.interval,
    )
    month = None
    async with installed(own, baseline=False) as installation:
        await Indices(installation.engine, own).set_up()
        if plan.month:
            month = await fetch_month(installation, sources[: plan.month])
        end = None if plan.day is None else plan.month + plan.day
        submissions = day_of(read(source) for source in sources[plan.month : end])
        return month, await live(installation, submissions, plan, _queries(sources))


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


def _queries(sources: Sequence[Source]) -> list[str]:
    texts = [text for source in sources[:_READ] for text in documents_of(source)]
    return generate(texts, Random(SEED), GENERATED)


async def fetch_month(installation: Installation, sources: Sequence[Source]) -> Month:
    """Load submissions as archives of the month from a stand-in of EDGAR's site.

    Raises CalledProcessError if `edgar-ingest fetch` fails.
    """
    site = EdgarSite()
    days = WEEKDAYS[: max(1, len(sources) // LEAST_OF_BACKFILLS)]
    put_archives(site, await asyncio.to_thread(_archives, site, sources, days))
    megabytes = sum(map(len, site.files.values())) / 1e6
    with site.serving():
        own = msgspec.structs.replace(installation.settings, edgar_url=site.url)
        command = [sys.executable, "-m", "ingest.cli", "fetch", "--feed"]
        command += ["--from", str(WEEKDAYS[0]), "--to", str(WEEKDAYS[-1])]
        began = time.monotonic()
        done = await asyncio.to_thread(
            subprocess.run, command, env=environment(own), check=True, stdout=subprocess.PIPE
        )
    seconds = time.monotonic() - began
    loaded = json.loads(done.stdout.splitlines()[-1])["loaded"]
    return Month(loaded, len(days), megabytes, seconds, len(site.log))


def _archives(
    site: EdgarSite, sources: Sequence[Source], days: Sequence[date]
) -> dict[date, bytes]:
    """Return each day's archive; its submissions are listed, but not published one by one."""

    def listed(day: date, some: Iterable[Source]) -> Iterator[tuple[str, bytes]]:
        for source in some:
            content = _FILING_DATE.sub(rb"\g<1>" + f"{day:%Y%m%d}".encode(), read(source), 2)
            filed = site.add(content)
            site.filed[filed.number] = filed._replace(content=b"")
            yield filed.number, content

    return {day: pack(listed(day, sources[number :: len(days)])) for number, day in enumerate(days)}


async def live(
    installation: Installation,
    submissions: Sequence[Published],
    plan: Plan,
    queries: Sequence[str],
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
                _ask(
                    client,
                    await installation.key(f"bench-{n}"),
                    queries[n:],
                    plan.pause,
                    over,
                    answers,
                )
            )
            for n in range(plan.clients)
        ]
        published = await _publish(site, submissions, plan.speed)
        lags = await _await_all(installation.engine, published)
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


async def _await_all(engine: Engine, published: dict[str, datetime]) -> dict[str, float]:
    """Return the seconds that each filing took until it could be searched, if it can."""
    until, lags = time.monotonic() + PATIENCE, dict[str, float]()
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
    pause: float,
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
        await asyncio.sleep(pause)
        at += 1


if __name__ == "__main__":
    asyncio.run(main())
