"""No stream loses, repeats or reorders an event while all around it is killed.

Each point loads made-up filings by two loaders at once, while two matchers and a service run. A
loader, a matcher, the service or the engine is killed in it. Listeners follow `/v1/stream`, and one
user's notifications, over every cut, and cut some themselves: all continue after the last id that
they have. In the end each has what the log has for it, once and in order. `EDGAR_SEARCH_TEST_SEED`
repeats a run.
"""

import asyncio
import json
import os
import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import msgspec
import pytest

from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER, LocalIssuer
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.events.log import Event, EventLog
from edgar_search.settings import Settings
from edgar_search.stored.events import ALERT, FILING_EVENTS
from ingest.indices.indices import Indices
from tests.conftest import remove_everything
from tests.faults.alert_processes import Fault, KilledService, Site, site, strike
from tests.faults.striking import Strike
from tests.support.alerting import filing
from tests.support.engines import installation, own_engine
from tests.support.listening import Told
from tests.support.waiting import until

pytestmark = pytest.mark.anyio
POINTS, FILINGS = 50, 200
SAMPLE, SAMPLE_FILINGS = 3, 20
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "0")) or random.randrange(2**32)
USER = "listener"
# Every so many filings have the word that a stream and a trigger ask for.
ASKED = 10
LAG_SECONDS = 120.0
LOAD_REQUESTS = 30
LOADER_STRIKES: tuple[Strike, ...] = ("kill before", "kill after")
MATCHER_STRIKES: tuple[Strike, ...] = ("kill before", "kill after", "stop before", "stop after")


class Follower:
    """A client of one stream that continues after every cut, until it is told to end."""

    def __init__(
        self, url: str, headers: dict[str, str], begun: int, chosen: random.Random
    ) -> None:
        self._url = url
        self._headers = headers
        self._last = str(begun)
        self._chosen = chosen
        self.told: list[Told] = []
        self.cuts = 0

    async def run_forever(self) -> None:
        """Read on; nothing but another status than those of an outage ends it."""
        async with httpx.AsyncClient(timeout=30) as http:
            while True:
                with suppress(httpx.HTTPError):
                    await self._read(http)
                self.cuts += 1
                await asyncio.sleep(0.2)

    async def _read(self, http: httpx.AsyncClient) -> None:
        left = self._chosen.randrange(20, 400)
        headers = {**self._headers, "Last-Event-ID": self._last}
        async with http.stream("GET", self._url, headers=headers) as answer:
            assert answer.status_code in (200, 429, 503), await answer.aread()
            if answer.status_code != 200:
                return
            fields: dict[str, str] = {}
            async for line in answer.aiter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                self._last = fields.get("id", self._last)
                if fields.get("event", "end") != "end":
                    data = json.loads(fields["data"])
                    self.told.append(Told(int(fields["id"]), fields["event"], data))
                    left -= 1
                fields = {}
                if not left:
                    return


@asynccontextmanager
async def following(followers: Sequence[Follower]) -> AsyncIterator[None]:
    """Run them beside what is done; one that fails is raised at the end."""
    running = [asyncio.create_task(follower.run_forever()) for follower in followers]
    try:
        yield
    finally:
        for each in running:
            each.cancel()
        for ended in await asyncio.gather(*running, return_exceptions=True):
            if not isinstance(ended, asyncio.CancelledError):
                raise ended or AssertionError("a follower ended")


@pytest.fixture
def engine() -> Iterator[Settings]:
    """Settings of an engine that is this test's."""
    with own_engine("768m", prefix="test-streams-") as settings:
        yield settings


def written(folder: Path, point: int, filings: int) -> list[Path]:
    """Return the files of a point."""
    paths = []
    for number in range(point * filings, (point + 1) * filings):
        words = "basalt" if number % ASKED == 0 else "granite"
        for name, data in filing(f"0009990631-26-{number:06d}", f"{words} and moss").items():
            (folder / name).write_bytes(data)
            paths.append(folder / name)
    return paths


def fault(point: int, engine_is_ours: bool) -> Fault | None:
    """Return the fault of this point; None kills the service."""
    chosen = random.Random(f"{SEED} {point}")
    if engine_is_ours and point % 10 == 9:
        return Fault("loader", "kill engine", chosen.randrange(1, LOAD_REQUESTS))
    match point % 3:
        case 0:
            return None
        case 1:
            return Fault(
                "loader", chosen.choice(LOADER_STRIKES), chosen.randrange(1, LOAD_REQUESTS)
            )
        case _:
            return Fault("matcher", chosen.choice(MATCHER_STRIKES), chosen.randrange(14))


async def load_with_fault(
    place: Site, service: KilledService, files: list[Path], hit: Fault | None, own: Settings | None
) -> bool:
    """Load these files with this fault; say whether it came."""
    if hit is not None:
        return await strike(place, files, hit, own)

    async def kill() -> None:
        # A load takes a second until it writes.
        await asyncio.sleep(1 + place.random.random())
        await service.kill()
        await service.start()

    await asyncio.gather(place.load(files), place.load(list(reversed(files))), kill())
    await place.settle()
    return True


async def run(
    engine_settings: Settings, folder: Path, points: int, filings: int, own: Settings | None = None
) -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    chosen = random.Random(SEED)
    settings = msgspec.structs.replace(
        engine_settings, local_issuer=True, plans="pro=-/-/-/9", default_plan="pro"
    )
    async with site(settings, chosen) as place:
        await Indices(place.engine, settings).set_up()
        log = EventLog(place.engine)
        begun = await log.mark()
        account = account_id(ISSUER, USER)
        await AlertTriggers(place.engine).add(account, {"name": "x", "query": "basalt"})
        key, _ = await ApiKeys(place.engine).create("test", USER)
        bearer = LocalIssuer(settings.absolute_home).token(USER)
        service = KilledService(settings)
        await service.start()
        stream = f"{service.url}/v1/stream"
        own_stream = f"{service.url}/auth/notifications/stream"
        everything, again, of_query, own_alerts = followers = [
            Follower(stream, {"X-API-Key": key}, begun, chosen),
            Follower(stream, {"X-API-Key": key}, begun, chosen),
            Follower(f"{stream}?query=basalt", {"X-API-Key": key}, begun, chosen),
            Follower(own_stream, {"Authorization": f"Bearer {bearer}"}, begun, chosen),
        ]
        came = 0
        try:
            async with following(followers):
                numbers: list[str] = []
                for point in range(points):
                    files = written(folder, point, filings)
                    numbers += [path.stem for path in files]
                    hit = fault(point, own is not None)
                    began = time.monotonic()
                    came += await load_with_fault(place, service, files, hit, own)
                    seconds = time.monotonic() - began
                    print(f"{point}\t{hit or 'service'}\t{seconds:.1f} s", flush=True)
                asked = {number for number in numbers if int(number[-6:]) % ASKED == 0}

                async def heard() -> bool:
                    wanted = (len(numbers), len(numbers), len(asked), len(asked))
                    return [len(follower.told) for follower in followers] >= [*wanted]

                with suppress(AssertionError):  # What is missing is said below.
                    await until(heard, LAG_SECONDS)
        finally:
            await service.kill()
        loaded = await all_events(log, begun, FILING_EVENTS)
        assert sorted(event.content.accession_number for event in loaded) == numbers
        positions = [event.position for event in loaded]
        for each in (everything, again):
            assert [told.id for told in each.told] == positions
        matched = [event.position for event in loaded if event.content.accession_number in asked]
        assert [told.id for told in of_query.told] == matched
        notified = await all_events(log, begun, (ALERT,))
        assert len(notified) == len(asked)
        assert [told.id for told in own_alerts.told] == [event.position for event in notified]
        cuts = [follower.cuts for follower in followers]
        print(f"{len(numbers)} events, {points} points, {came} faults came, cuts {cuts}")
    assert came >= points * 2 // 3


async def all_events(log: EventLog, after: int, kinds: Sequence[str]) -> list[Event]:
    """Return every event of these kinds after a position."""
    found: list[Event] = []
    more = True
    while more:
        page = await log.page(after, kinds=kinds)
        found += page.events
        after, more = page.position, page.more
    return found


async def test_streams_tell_each_event_once_and_in_order_over_a_sample_of_kills(
    engine_settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "filings"
    folder.mkdir()
    settings = installation(engine_settings, "streams", tmp_path)
    try:
        await run(settings, folder, SAMPLE, SAMPLE_FILINGS)
    finally:
        await remove_everything(settings)


@pytest.mark.long
async def test_streams_tell_each_of_ten_thousand_events_once_and_in_order_over_kills(
    engine: Settings, tmp_path: Path
) -> None:
    await run(engine, tmp_path, POINTS, FILINGS, engine)
