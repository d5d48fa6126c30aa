"""The time from a load to a webhook, a mail and a feed, and the costs of what sends them.

`python -m bench.deliveries` writes made-up filings at an even rate into an installation of its own,
beside `edgar-search alerts` and a service, each a process of its own. Each filing has a word for
which one account has an alert, by a webhook and by mail at once; one feed has all of them. For each
filing it takes the time from the beginning of its write to the request of the webhook, to the mail,
and to the answer to a feed reader that never stops asking. Then thousands of notifications of a few
accounts are made at once, which shows how many webhooks a second are sent.
"""

import argparse
import asyncio
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import msgspec
import psutil
from aiohttp import web
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from bench.alerts import prepared_submissions
from bench.event_latency import RATE, write_at_rate
from bench.installation import engine_running, installed
from bench.loading import environment
from bench.service import Process, ending, free_port, running_service
from edgar_search.alerts.mailboxes import MAILBOXES
from edgar_search.alerts.matcher import status
from edgar_search.alerts.notifications import AREA, Notice, Notifications
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.alerts.webhooks import Webhooks
from edgar_search.engine.engine import Engine
from edgar_search.events.log import EventLog
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings
from edgar_search.stored.events import ALERT, StoredEvent, alert_event_id
from edgar_search.stored.user_items import (
    StoredMailbox,
    StoredNotification,
    StoredUserItem,
    item_key,
)
from ingest.indices.indices import Indices
from tests.support.alerting import filing

FILINGS = 200
# Notifications that are made at once, and the accounts that they are of.
BURST, ACCOUNTS = 2_000, 50
WAIT_SECONDS, BURST_SECONDS = 90.0, 900.0
WORD = "moss"
_NUMBER = re.compile(r"/document/(\d{10}-\d\d-\d{6})-1")
_FIRST_DAY = date(2020, 1, 1)


class Arrivals:
    """The times at which filings first came on one way out, and the number of messages."""

    def __init__(self) -> None:
        self.first: dict[str, float] = {}
        self.messages = 0

    def note(self, text: str) -> None:
        """Note a message that came now."""
        self.messages += 1
        now = time.monotonic()
        for number in _NUMBER.findall(text):
            self.first.setdefault(number, now)


class MailHandler:
    """A handler of aiosmtpd, which takes every mail."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals = arrivals

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        part = message_from_bytes(envelope.content, policy=default).get_body(("plain",))
        assert part is not None
        self._arrivals.note(part.get_content())
        return "250 OK"


@contextmanager
def taking_mail(arrivals: Arrivals, port: int) -> Iterator[None]:
    """Take mail at a port, until this is left."""
    controller = Controller(MailHandler(arrivals), hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield
    finally:
        controller.stop()


class Costs:
    """The highest resident memory of a process and its CPU time, since they were last said."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._highest = 0
        self._cpu = 0.0

    async def watch(self) -> None:
        """Look at it again and again."""
        while True:
            self._highest = max(self._highest, self._process.memory_info().rss)
            await asyncio.sleep(0.1)

    def say(self) -> str:
        """Return both since the last call, in words."""
        highest, self._highest = self._highest, 0
        before, self._cpu = self._cpu, sum(self._process.cpu_times()[:2])
        return f"{highest / 1e6:.0f} MB, {self._cpu - before:.1f} s of CPU"


class Site:
    """An installation with accounts whose alerts go out."""

    def __init__(self, settings: Settings, engine: Engine, receiver: str) -> None:
        self._settings = settings
        self._engine = engine
        self._receiver = receiver

    async def add_account(self, name: str, query: str | None = None) -> str:
        """Add an account with a webhook, a confirmed address, and an alert; its webhook's id."""
        webhooks = Webhooks(self._engine, self._settings)
        made = await webhooks.add(name, "mine", f"{self._receiver}/{name}")
        content = StoredMailbox(f"{name}@mail.example", 7, "UTC", datetime.now(UTC))
        mailbox = StoredUserItem(name, MAILBOXES, "mailbox", datetime.now(UTC), content)
        key = item_key(name, MAILBOXES, "mailbox")
        await self._engine.create("user_items", key, mailbox, visible=False)
        if query is not None:
            fields: dict[str, Any] = {"name": query, "query": query, "mail": "at_once"}
            fields["webhooks"] = (made.stored.id,)
            await AlertTriggers(self._engine).add(name, fields)
        return made.stored.id

    async def notify_at_once(self, webhooks: Mapping[str, str], count: int) -> None:
        """Make this many notifications of accounts, in turn."""
        accounts, now = list(webhooks), datetime.now(UTC)
        notices = []
        for number in range(count):
            account = accounts[number % len(accounts)]
            content = StoredNotification(
                "bench", message="m" * 500, webhooks=(webhooks[account],), mail="at_once"
            )
            notices.append(Notice(account, secrets.token_hex(12), content))
        await Notifications(self._engine).notify(notices)
        events = [
            (
                alert_event_id(item_key(each.account, AREA, each.id)),
                StoredEvent(ALERT, now, account=each.account, notification_id=each.id),
            )
            for each in notices
        ]
        await EventLog(self._engine).append(events)


async def run(settings: Settings, folder: Path) -> None:
    """Measure, and print."""
    ways = {name: Arrivals() for name in ("webhook", "mail", "feed")}
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(installed(settings, baseline=False))
        await Indices(place.engine, settings).set_up()
        receiver = await _start_receiver(stack, ways["webhook"])
        stack.enter_context(taking_mail(ways["mail"], settings.smtp_port))
        site = Site(settings, place.engine, receiver)
        filings = await asyncio.to_thread(prepared_submissions, settings, _written(folder))
        for number in range(FILINGS):
            await site.add_account(f"bench-{number}", f"{WORD} {_word(number)}")
        burst = {
            name: await site.add_account(name) for name in map("burst-{}".format, range(ACCOUNTS))
        }
        service = running_service(settings)
        running = await asyncio.to_thread(service.__enter__)
        stack.push(service.__exit__)
        alerts = stack.enter_context(_running_alerts(settings))
        costs = Costs(alerts.pid)
        http = await stack.enter_async_context(HttpClient("bench", 30.0))
        reading = _follow_feed(http, running.url, await place.key(), ways["feed"])
        tasks = [asyncio.create_task(each) for each in (costs.watch(), reading)]
        await _delivers(place.engine)
        await asyncio.sleep(3)
        print(f"{FILINGS} accounts with an alert each; `edgar-search alerts`: {costs.say()}")
        began = await write_at_rate(settings, place.engine, filings)
        await _wait(lambda: all(len(way.first) == FILINGS for way in ways.values()), WAIT_SECONDS)
        for task in tasks:
            if task.done():
                await task  # It has failed.
        print(f"{FILINGS} filings at {RATE}/s, each in one webhook, one mail, and a feed:")
        for name, way in ways.items():
            print(f"  {name}: {_percentiles(way, began)}")
        print(f"  `edgar-search alerts`: {costs.say()}", flush=True)
        before, start = ways["webhook"].messages, time.monotonic()
        mails = ways["mail"].messages
        await site.notify_at_once(burst, BURST)
        await _wait(lambda: ways["webhook"].messages - before >= BURST, BURST_SECONDS)
        seconds = time.monotonic() - start
        sent = ways["webhook"].messages - before
        print(
            f"{BURST} notifications of {ACCOUNTS} accounts at once: {sent} webhooks in"
            f" {seconds:.0f} s, {sent / seconds:.0f}/s, beside {ways['mail'].messages - mails}"
            f" mails; `edgar-search alerts`: {costs.say()}"
        )
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _running_alerts(settings: Settings) -> Iterator[Process]:
    command = [sys.executable, "-m", "edgar_search.cli", "alerts"]
    process = subprocess.Popen(command, env=environment(settings))
    with ending(process):
        yield process


async def _delivers(engine: Engine) -> None:
    """Return once a process matches and delivers."""
    while (found := await status(engine)).holder is None or not (  # noqa: ASYNC110
        found.deliveries and found.deliveries.holder
    ):
        await asyncio.sleep(0.2)


async def _start_receiver(stack: AsyncExitStack, arrivals: Arrivals) -> str:
    async def answer(request: web.Request) -> web.Response:
        arrivals.note(await request.text())
        return web.Response(status=204)

    app = web.Application()
    app.router.add_post("/{account}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    return f"http://127.0.0.1:{port}"


def _written(folder: Path) -> list[Path]:
    """Write the filings, each of the day after the one before, so that a feed has it first."""
    paths = []
    for number in range(FILINGS):
        day = _FIRST_DAY + timedelta(days=number)
        text = f"{WORD} {_word(number)} and what else a filing says"
        for name, data in filing(_accession(number), text, filing_date=day).items():
            (folder / name).write_bytes(data)
            paths.append(folder / name)
    return paths


def _accession(number: int) -> str:
    return f"0009990651-26-{number:06d}"


def _word(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}") + "ite"


async def _follow_feed(http: HttpClient, url: str, key: str, arrivals: Arrivals) -> None:
    headers = {"X-API-Key": key}
    while True:
        reply = await http.get(f"{url}/search.atom?query={WORD}", headers)
        if reply.status == 200:
            arrivals.note(reply.body.decode())
            headers["If-None-Match"] = reply.headers["ETag"]
        else:
            assert reply.status == 304, reply
        await asyncio.sleep(0.05)


async def _wait(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until it holds, for some time at most."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.05)


def _percentiles(way: Arrivals, began: Mapping[str, float]) -> str:
    taken = sorted(first - began[number] for number, first in way.first.items())
    middle, late = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
    return f"{len(taken)} of {len(began)}, p50 {middle:.2f} s, p99 {late:.2f} s"


def main() -> None:
    """Measure, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    with engine_running("bench-deliveries-") as settings, tempfile.TemporaryDirectory() as home:
        own = msgspec.structs.replace(
            settings,
            home=Path(home),
            archive=False,
            alerts=False,
            pages="open",
            secrets_key="a-key-of-thirty-two-characters-or-more",
            webhooks_on_loopback=True,
            service_url="https://search.example",
            smtp_host="127.0.0.1",
            smtp_port=free_port(),
            smtp_tls="none",
            mail_from="alerts@search.example",
        )
        folder = Path(home) / "filings"
        folder.mkdir()
        asyncio.run(run(own, folder))


if __name__ == "__main__":
    main()
