"""Accounts with alert triggers, filings that arrive, and what the accounts are reported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import msgspec
import pytest

from edgar_search.alerts import deliverer, matcher
from edgar_search.alerts.deliverer import Deliverer
from edgar_search.alerts.matcher import Alerts, Counts
from edgar_search.alerts.notifications import Notifications
from edgar_search.alerts.triggers import AlertTrigger, AlertTriggers
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.events.log import EventLog
from edgar_search.search.language import EXACT, WordForms
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.stored.events import StoredEvent
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.ownership import RowFilters
from edgar_search.web.auth.notifications import Notification, notification
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

PAGE = 200
# Settings of an installation that sends to this machine.
SENDING = {
    "secrets_key": "a-key-of-thirty-two-characters-or-more",
    "webhooks_on_loopback": True,
    "service_url": "https://search.example",
}


class Told(NamedTuple):
    """A trigger and the document that a notification of it is about."""

    trigger: str
    document: str | None


class Watcher:
    """One account."""

    def __init__(self, engine: Engine, account: str) -> None:
        self.account = account
        self.triggers = AlertTriggers(engine)
        self.notifications = Notifications(engine)

    async def watch(
        self, query: str | None = None, word_forms: WordForms = EXACT, **filters: Any
    ) -> AlertTrigger:
        """Return a new trigger of this query and these filters."""
        chosen = msgspec.convert(filters, DocumentFilters)
        fields = {"name": "x", "query": query, "word_forms": word_forms, "filters": chosen}
        return await self.triggers.add(self.account, fields)

    async def watch_rows(self, rows: str, **filters: Any) -> AlertTrigger:
        """Return a new trigger of such rows by these filters."""
        chosen = msgspec.convert(filters, RowFilters)
        fields = {"name": "x", "rows": rows, "row_filters": chosen}
        return await self.triggers.add(self.account, fields)

    async def change(self, trigger: AlertTrigger, **fields: Any) -> AlertTrigger:
        """Return the trigger with these fields changed."""
        return await self.triggers.update(self.account, trigger.id, fields)

    async def notified(self) -> list[Notification]:
        """Return all notifications, newest first."""
        found: list[Notification] = []
        while True:
            page = await self.notifications.page(self.account, PAGE, len(found))
            found += map(notification, page.items)
            if len(found) >= page.total:
                return found

    async def told(self) -> list[Told]:
        """Return the subjects of all notifications, sorted.

        One that is there twice is twice in it.
        """
        return sorted(
            Told(each.alert_trigger_id, each.document.document_id if each.document else None)
            for each in await self.notified()
        )


def alerts(engine: Engine, settings: Settings) -> Alerts:
    """Return a matcher of its own."""
    return Alerts(engine, settings, Tickers(engine))


@asynccontextmanager
async def delivering(engine: Engine, settings: Settings) -> AsyncIterator[None]:
    """Yield a deliverer, until this is left."""
    work = asyncio.create_task(Deliverer(engine, settings, "test").run_forever())
    try:
        yield
    finally:
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let matchers and deliverers check every 0.05 seconds, with a lease of one."""
    for module in (matcher, deliverer):
        monkeypatch.setattr(module, "INTERVAL", 0.05)
        monkeypatch.setattr(module, "LEASE_SECONDS", 1.0)


async def match(engine: Engine, settings: Settings) -> Counts:
    """Match everything that waits."""
    return await alerts(engine, settings).once()


def filing(number: str, *texts: str, **more: Any) -> dict[str, bytes]:
    """One filing with these documents, as a file."""
    entity = MadeUpEntity(more.pop("cik", "0009990601"), "ALERT CORP", sic="3281")
    documents = tuple(MadeUpDocument(f"{text}\n", "EX-99", "a.txt") for text in texts)
    made_up = MadeUp(number, (entity,), documents, more.pop("form_type", "8-K"), **more)
    return {f"{number}.txt": txt(made_up)}


async def count(engine: Engine, kind: Kind, **terms: str) -> int:
    """Return the number of entries of a kind with these values."""
    await engine.refresh(kind)
    query = {"bool": {"filter": [{"term": {name: value}} for name, value in terms.items()]}}
    body = {"query": query, "size": 0, "track_total_hits": True}
    return (await engine.search(kind, body, msgspec.Raw)).total


async def events_of(engine: Engine, number: str) -> list[StoredEvent]:
    """Return the events of a filing, in order."""
    page = await EventLog(engine).page(0, 10_000)
    return [event.content for event in page.events if event.content.accession_number == number]
