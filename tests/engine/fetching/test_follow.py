"""`edgar-ingest follow` as a process, against an imitation of EDGAR and a real Elasticsearch."""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.indices.indices import Indices
from ingest.loading.ledger import read_entries
from tests.support.edgar_site import EdgarSite
from tests.support.fetching import Command
from tests.support.loading import stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990197", "MARBLE")
TODAY = datetime.now(UTC).date()
# From being fetched to being searchable, on a machine that does other things as well.
SECONDS = 10
Publish = Callable[..., str]


@pytest.fixture(autouse=True)
async def indices(engine: Engine, settings: Settings) -> None:
    await Indices(engine, settings).set_up()


@pytest.fixture
def site() -> Iterator[EdgarSite]:
    with EdgarSite().serving() as site:
        yield site


@pytest.fixture
def publish(site: EdgarSite, new_number: Callable[[], str]) -> Publish:
    def published(in_feed: bool = True) -> str:
        documents = (MadeUpDocument("Moss.\n"),)
        made_up = MadeUp(new_number(), (MARBLE,), documents, filing_date=TODAY)
        site.add(txt(made_up))
        if in_feed:
            site.feed.insert(0, made_up.accession_number)
        return made_up.accession_number

    return published


def follow(settings: Settings, site: EdgarSite, *options: str) -> Command:
    with_site = msgspec.structs.replace(settings, edgar_url=site.url)
    return Command(with_site, "follow", "--workers", "1", *options)


async def entry_of(engine: Engine, number: str) -> LedgerEntry:
    """Return the entry of a submission once it is searchable."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        entry = (await read_entries(engine, [number])).get(number)
        if entry is not None and entry.searchable_at is not None:
            return entry
        await asyncio.sleep(0.1)
    raise AssertionError(f"{number} is not searchable after a minute")


async def test_new_filings_are_searchable_seconds_after_they_were_fetched(
    engine: Engine, settings: Settings, site: EdgarSite, publish: Publish
) -> None:
    first = [publish() for _ in range(30)]
    command = follow(settings, site)
    try:
        entries = [await entry_of(engine, number) for number in first]
        later = publish()
        entries.append(await entry_of(engine, later))
    except BaseException:
        command.kill()
        raise
    command.process.send_signal(signal.SIGTERM)
    status, summary = await asyncio.to_thread(command.ended)
    lags = [e.searchable_at - e.fetched_at for e in entries if e.searchable_at and e.fetched_at]
    print(f"{max(lags).total_seconds():.1f} s at most; {summary['slowest']} s by its own account")
    assert max(lags) < timedelta(seconds=SECONDS)
    assert (status, summary["loaded"], summary["pending"]) == (0, 31, [])
    assert summary["slowest"] < SECONDS
    assert len(await stored(engine, "documents", later)) == 1


async def test_one_round_takes_the_feed_and_the_indices_and_tells_what_is_pending(
    engine: Engine, settings: Settings, site: EdgarSite, publish: Publish
) -> None:
    shown, missed, late = publish(), publish(in_feed=False), publish()
    site.absent = {late}
    status, summary = await asyncio.to_thread(follow(settings, site, "--once").ended)
    assert (status, summary["loaded"], summary["pending"]) == (3, 2, [late])
    assert [(await entry_of(engine, n)).status for n in (shown, missed)] == ["loaded"] * 2
    site.absent = set()
    site.feed.clear()
    status, summary = await asyncio.to_thread(follow(settings, site, "--once").ended)
    assert (status, summary["loaded"], summary["pending"]) == (0, 1, [])
