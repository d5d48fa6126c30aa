"""Every delivery arrives, under one id, while all around it is killed.

Each point loads made-up filings by two loaders at once, while two processes match and deliver. The
process that delivers or matches is killed, or stopped past its lease and continued; or a loader,
the service, the receiver or the engine is killed. Four users have webhooks, one of them mail too;
one webhook is switched off by its user, another one by its receiver. In the end the receiver has
each event of the others at least once, always under the same id and with the same body, and the
mail server has each event in a mail. `EDGAR_SEARCH_TEST_SEED` repeats a run.
"""

import asyncio
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from bench.service import free_port
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER, LocalIssuer
from edgar_search.alerts.mailboxes import MAILBOXES, digest_receiver
from edgar_search.alerts.notifications import notification_id
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.alerts.webhooks import Webhooks, delivery_id
from edgar_search.settings import Settings
from edgar_search.stored.user_items import StoredMailbox, StoredUserItem, item_key
from ingest.indices.indices import Indices
from tests.conftest import remove_everything
from tests.faults.alert_processes import Fault, KilledService, Site, site, strike
from tests.faults.striking import Strike
from tests.support.alerting import Watcher, count, filing
from tests.support.engines import installation, own_engine
from tests.support.mail_server import MailServer, taking_mail, text_of
from tests.support.receiver import Receiver, receiving
from tests.support.waiting import until

pytestmark = pytest.mark.anyio
POINTS, FILINGS, MAILED_ONE_IN = 40, 250, 50
SAMPLE, SAMPLE_FILINGS, SAMPLE_MAILED = 3, 20, 10
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "0")) or random.randrange(2**32)
KEY = "a-key-of-thirty-two-characters-or-more"
SERVICE_URL = "https://search.example"
ADDRESS = "reader@mail.example"
# A user each, whose trigger has it.
WORDS = ("basalt", "granite", "gneiss", "schist")
MAILED = "olivine"
REQUESTS = 40
# A delivery that has failed three times is tried again after five minutes.
LAST_SECONDS = 400.0
STRIKES: tuple[Strike, ...] = ("kill before", "kill after", "stop before", "stop after")


class KilledReceiver:
    """A receiver on one port, that is killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._running = ExitStack()
        self.now: Receiver

    def start(self) -> None:
        """Start it."""
        self.now = self._running.enter_context(receiving(self._folder, self._port))

    def kill(self) -> None:
        """End it without a chance to say so."""
        self._running.close()


class Reader:
    """A user with a trigger, whose notifications go to webhooks."""

    def __init__(self, site_: Site, word: str) -> None:
        self.word = word
        self.account = account_id(ISSUER, word)
        self._engine = site_.engine
        self._webhooks = Webhooks(site_.engine, site_.settings)
        self.paths: dict[str, str] = {}
        self.trigger = ""

    async def watch(self, receiver: Receiver, *paths: str) -> None:
        """Add a webhook for each of these paths of a receiver, and the trigger."""
        for path in paths:
            made = await self._webhooks.add(self.account, path, receiver.base + path)
            self.paths[path] = made.stored.id
        fields = {"name": "x", "query": self.word, "webhooks": tuple(self.paths.values())}
        self.trigger = (await AlertTriggers(self._engine).add(self.account, fields)).id

    async def watch_by_mail(self) -> None:
        """Add a trigger whose notifications are mailed to the confirmed address."""
        content = StoredMailbox(ADDRESS, 7, "UTC", datetime.now(UTC))
        item = StoredUserItem(self.account, MAILBOXES, "mailbox", datetime.now(UTC), content)
        key = item_key(self.account, MAILBOXES, "mailbox")
        await self._engine.create("user_items", key, item)
        fields: dict[str, Any] = {"name": MAILED, "query": MAILED, "mail": "at_once"}
        await AlertTriggers(self._engine).add(self.account, fields)

    async def enabled(self, path: str) -> bool:
        """Return True if the webhook of a path gets deliveries."""
        stored = await self._webhooks.read(self.account, self.paths[path])
        assert stored is not None
        return stored.enabled

    def ids(self, path: str, numbers: Sequence[str]) -> set[str]:
        """Return the ids under which these filings go to a path."""
        notices = [notification_id(self.trigger, f"{number}-1") for number in numbers]
        return {delivery_id(notice, self.paths[path]) for notice in notices}


@pytest.fixture
def engine() -> Iterator[Settings]:
    """Settings of an engine that is this test's."""
    with own_engine("768m", prefix="test-deliveries-") as settings:
        yield settings


@pytest.fixture
def server() -> Iterator[MailServer]:
    with taking_mail() as running:
        yield running


def written(folder: Path, point: int, filings: int, mailed_one_in: int) -> list[Path]:
    """Return the files of a point."""
    paths = []
    for number in range(point * filings, (point + 1) * filings):
        words = WORDS[number % len(WORDS)]
        if number % mailed_one_in == 0:
            words += f" and {MAILED}"
        for name, data in filing(f"0009990641-26-{number:06d}", words).items():
            (folder / name).write_bytes(data)
            paths.append(folder / name)
    return paths


def fault(point: int, engine_is_ours: bool) -> Fault | str:
    """Return the fault of this point, or the word for what is killed beside them."""
    chosen = random.Random(f"{SEED} {point}")
    requests = chosen.randrange(1, REQUESTS)
    if engine_is_ours and point % 10 == 9:
        return Fault("deliverer", "kill engine", requests)
    match point % 6:
        case 0 | 3:
            return Fault("deliverer", STRIKES[point // 3 % 4], requests)
        case 1:
            return "receiver"
        case 2:
            return Fault("matcher", chosen.choice(STRIKES), requests // 2)
        case 4:
            return "service"
        case _:
            return Fault("loader", chosen.choice(STRIKES[:2]), requests // 2)


async def load_with_fault(
    place: Site,
    killed: dict[str, KilledService | KilledReceiver],
    files: list[Path],
    hit: Fault | str,
    own: Settings | None,
) -> bool:
    """Load these files with this fault; say whether it came."""
    if isinstance(hit, Fault):
        return await strike(place, files, hit, own)

    async def kill() -> None:
        # A load takes a second until it writes.
        await asyncio.sleep(1.5 + place.random.random())
        ended = killed[hit]
        if isinstance(ended, KilledService):
            await ended.kill()
            await ended.start()
        else:
            ended.kill()
            await asyncio.sleep(1 + 2 * place.random.random())
            ended.start()

    await asyncio.gather(place.load(files), place.load(list(reversed(files))), kill())
    await place.settle()
    return True


async def settle_deliveries(place: Site) -> None:
    """Revive, and wait until no delivery waits, now or for a later try."""
    ends = time.monotonic() + LAST_SECONDS
    while await count(place.engine, "deliveries", state="waiting") or await unread(place):
        assert time.monotonic() < ends, "deliveries still wait"
        for matcher in place.matchers:
            await matcher.revive()
        await asyncio.sleep(0.2)


async def unread(place: Site) -> bool:
    deliveries = (await place.status()).deliveries
    assert deliveries is not None
    return deliveries.oldest is not None


async def switch_off(service: KilledService, settings: Settings, reader: Reader, path: str) -> None:
    """Switch a webhook off as its user does, by the service."""
    bearer = LocalIssuer(settings.absolute_home).token(reader.word)
    headers = {"Authorization": f"Bearer {bearer}"}
    body = {"id": reader.paths[path], "enabled": False}
    async with httpx.AsyncClient(timeout=30, headers=headers, base_url=service.url) as http:

        async def answered() -> bool:
            try:
                return (await http.post("/auth/webhooks/update", json=body)).status_code == 200
            except httpx.HTTPError:
                return False  # It is still starting.

        await until(answered, 60.0)


def assert_each_arrived(
    receiver: Receiver, reader: Reader, path: str, numbers: Sequence[str]
) -> int:
    """Check that the events of these filings arrived, and nothing else; return the repetitions."""
    bodies = defaultdict(set)
    requests = receiver.received(path)
    for request in requests:
        bodies[request.id].add(request.body)
    assert bodies.keys() == reader.ids(path, numbers)
    assert {len(each) for each in bodies.values()} <= {1}
    return len(requests) - len(bodies)


def assert_each_mailed(server: MailServer, numbers: Sequence[str]) -> int:
    """Check that these filings are in mails, each under one id; return the number of mails."""
    mails = server.to(ADDRESS)
    for number in numbers:
        link = f"{SERVICE_URL}/document/{number}-1"
        ids = {mail["Message-ID"] for mail in mails if link in text_of(mail).split()}
        assert len(ids) == 1, (number, ids)
    return len(mails)


async def run(
    engine_settings: Settings,
    folder: Path,
    server: MailServer,
    points: int,
    filings: int,
    mailed_one_in: int,
    own: Settings | None = None,
) -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    settings = msgspec.structs.replace(
        engine_settings,
        local_issuer=True,
        secrets_key=KEY,
        webhooks_on_loopback=True,
        service_url=SERVICE_URL,
        smtp_host="127.0.0.1",
        smtp_port=server.port,
        smtp_tls="none",
        mail_from="alerts@search.example",
    )
    LocalIssuer(settings.absolute_home)
    receiver, service = KilledReceiver(folder), KilledService(settings)
    receiver.start()
    await service.start()
    try:
        async with site(settings, random.Random(SEED)) as place:
            await Indices(place.engine, settings).set_up()
            readers = [Reader(place, word) for word in WORDS]
            first, gone, off, last = readers
            await first.watch(receiver.now, "/ok/first")
            await first.watch_by_mail()
            await gone.watch(receiver.now, "/ok/gone", "/410/gone")
            await off.watch(receiver.now, "/ok/off", "/ok/switched")
            await last.watch(receiver.now, "/ok/last")
            killed: dict[str, KilledService | KilledReceiver] = {
                "receiver": receiver,
                "service": service,
            }
            came, numbers, before = 0, list[str](), list[int]()
            for point in range(points):
                files = written(folder, point, filings, mailed_one_in)
                numbers += [path.stem for path in files]
                hit = fault(point, own is not None)
                began = time.monotonic()
                came += await load_with_fault(place, killed, files, hit, own)
                print(f"{point}\t{hit}\t{time.monotonic() - began:.1f} s", flush=True)
                if point == 0:
                    await until(lambda: _disabled(gone, "/410/gone"), 60.0)
                    await switch_off(service, settings, off, "/ok/switched")
                    # One may have been under way.
                    await asyncio.sleep(1)
                    before = disabled_received(receiver.now)
            for matcher in place.matchers:
                # A new process has no pause before its first mail.
                await matcher.revive()
                await matcher.end()
                await matcher.start()
            await settle_deliveries(place)
            mailed = [each for each in numbers if int(each[-6:]) % mailed_one_in == 0]
            again = 0
            for path, reader in zip(("first", "gone", "off", "last"), readers, strict=True):
                own_numbers = [
                    each for each in numbers if WORDS[int(each[-6:]) % len(WORDS)] == reader.word
                ]
                again += assert_each_arrived(receiver.now, reader, f"/ok/{path}", own_numbers)
            mails = assert_each_mailed(server, mailed)
            to_mail = {"webhook": digest_receiver(first.account), "state": "delivered"}
            assert await count(place.engine, "deliveries", **to_mail) == len(mailed)
            assert disabled_received(receiver.now) == before
            assert before[0] >= 1
            assert not await off.enabled("/ok/switched")
            told = [each.message for each in await Watcher(place.engine, gone.account).notified()]
            assert "the webhook /410/gone was disabled: its receiver answered 410 Gone" in told
    finally:
        receiver.kill()
        await service.kill()
    print(
        f"{len(numbers)} events to webhooks, {len(mailed)} in {mails} mails, {points} points,"
        f" {came} faults came, {again} deliveries came again"
    )
    assert came >= points * 2 // 3


async def _disabled(reader: Reader, path: str) -> bool:
    return not await reader.enabled(path)


def disabled_received(receiver: Receiver) -> list[int]:
    """Return how many requests the webhooks have got that end as disabled."""
    return [len(receiver.received(path)) for path in ("/410/gone", "/ok/switched")]


async def test_each_event_is_delivered_under_one_id_over_a_sample_of_kills(
    engine_settings: Settings, tmp_path: Path, server: MailServer
) -> None:
    settings = installation(engine_settings, "deliveries", tmp_path)
    try:
        await run(settings, tmp_path, server, SAMPLE, SAMPLE_FILINGS, SAMPLE_MAILED)
    finally:
        await remove_everything(settings)


@pytest.mark.long
async def test_each_of_ten_thousand_events_is_delivered_under_one_id_over_kills(
    engine: Settings, tmp_path: Path, server: MailServer
) -> None:
    await run(engine, tmp_path, server, POINTS, FILINGS, MAILED_ONE_IN, engine)
