"""The days that `follow` looks at and remembers, with a fetcher that only writes down."""

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import cast

import pytest

from edgar_search.engine.engine import Stored
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry, Status
from ingest.fetching import follow as module
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import Entry, Fetcher, FetchSummary
from ingest.fetching.follow import Follower, StateFile
from ingest.fetching.reconcile import Reconciler, ReconcileSummary
from ingest.sources.paths import EVERYTHING, FilingFilter
from tests.support.edgar_site import EdgarSite
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
TODAY = date(2021, 1, 8)
MARBLE, GRAVEL = MadeUpEntity("0009990195", "MARBLE"), MadeUpEntity("0009990196", "GRAVEL")


class WrittenDown:
    """A fetcher for which EDGAR has everything but what is `absent`."""

    def __init__(self) -> None:
        self.ledger = self
        self.runs: list[list[str]] = []
        self.absent: set[str] = set()
        self.statuses: dict[str, Status] = {}
        self.errors: list[Exception] = []

    async def set_up(self) -> None:
        pass

    async def read(self, keys: Iterable[str]) -> list[Stored[LedgerEntry]]:
        now = datetime.now(UTC)
        return [
            Stored(key, True, LedgerEntry(status=self.statuses[key], source="x", seen_at=now), 1, 1)
            for key in keys
            if key in self.statuses
        ]

    async def run(self, entries: AsyncIterable[Entry]) -> FetchSummary:
        numbers = [entry.accession_number async for entry in entries]
        if self.errors:
            raise self.errors.pop(0)
        self.runs.append(numbers)
        summary = FetchSummary()
        summary.listed = len(numbers)
        summary.pending = [number for number in numbers if number in self.absent]
        for number in numbers:
            if number not in self.absent:
                self.statuses[number] = "loaded"
        return summary


@pytest.fixture
def site() -> Iterator[EdgarSite]:
    with EdgarSite().serving() as site:
        yield site


@pytest.fixture
def fetcher() -> WrittenDown:
    return WrittenDown()


Make = Callable[..., Follower]


@pytest.fixture
async def follower(site: EdgarSite, fetcher: WrittenDown, tmp_path: Path) -> AsyncIterator[Make]:
    settings = Settings(home=tmp_path, edgar_url=site.url, contact="a mail@example.org")
    async with http_client(settings) as http:

        def make(wanted: FilingFilter = EVERYTHING) -> Follower:
            edgar = Edgar(settings, http, back_off=(0.01,))
            return Follower(edgar, cast("Fetcher", fetcher), tmp_path, wanted, TODAY)

        yield make


def publish(site: EdgarSite, serial: int, *entities: MadeUpEntity, in_feed: bool = True) -> str:
    number = f"0009990195-21-{serial:06d}"
    document = (MadeUpDocument("Moss.\n"),)
    site.add(txt(MadeUp(number, entities or (MARBLE,), document, filing_date=date(2021, 1, 7))))
    if in_feed:
        site.feed.insert(0, number)
    return number


async def test_new_filings_come_once_and_oldest_first(
    site: EdgarSite, fetcher: WrittenDown, follower: Make
) -> None:
    first, second = publish(site, 1), publish(site, 2, MARBLE, GRAVEL)
    following = follower()
    await following.once(reconcile=False)
    third = publish(site, 3)
    await following.once(reconcile=False)
    assert fetcher.runs == [[first, second], [third]]


async def test_pages_are_read_until_one_has_nothing_new(
    site: EdgarSite, fetcher: WrittenDown, follower: Make
) -> None:
    numbers = [publish(site, serial) for serial in range(250)]
    following = follower()
    await following.once(reconcile=False)
    assert fetcher.runs == [numbers]
    assert len(site.asked("browse-edgar")) == 3
    more = [publish(site, serial) for serial in range(250, 260)]
    await following.once(reconcile=False)
    assert fetcher.runs[1:] == [more]
    assert len(site.asked("browse-edgar")) == 5


async def test_filings_that_are_published_between_two_pages_hide_no_older_ones(
    site: EdgarSite, fetcher: WrittenDown, follower: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [publish(site, serial) for serial in range(130)]
    burst, feed = list[str](), site._feed

    def bursting(start: int, count: int) -> bytes:
        page = feed(start, count)
        if not burst:
            burst.extend(publish(site, serial) for serial in range(130, 230))
        return page

    monkeypatch.setattr(site, "_feed", bursting)
    following = follower()
    await following.once(reconcile=False)
    await following.once(reconcile=False)
    assert fetcher.runs == [numbers, burst]


async def test_entry_that_cannot_be_read_does_not_end_the_pages(
    site: EdgarSite, fetcher: WrittenDown, follower: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [publish(site, serial) for serial in range(130)]
    damaged, feed = numbers.pop(), site._feed
    monkeypatch.setattr(
        site, "_feed", lambda *page: feed(*page).replace(damaged.encode(), b"damaged")
    )
    await follower().once(reconcile=False)
    assert fetcher.runs == [numbers]


async def test_what_the_ledger_has_dealt_with_is_not_new_after_a_start(
    site: EdgarSite, fetcher: WrittenDown, follower: Make
) -> None:
    numbers = [publish(site, serial) for serial in range(4)]
    fetcher.statuses = {numbers[0]: "loaded", numbers[1]: "refused", numbers[2]: "fetched"}
    await follower().once(reconcile=False)
    assert fetcher.runs == [numbers[2:]]


async def test_forms_and_ciks_choose(site: EdgarSite, fetcher: WrittenDown, follower: Make) -> None:
    publish(site, 1)
    gravel = publish(site, 2, MARBLE, GRAVEL)
    await follower(FilingFilter(ciks=frozenset({GRAVEL.cik}))).once(reconcile=False)
    assert fetcher.runs == [[gravel]]


async def test_pending_filing_is_tried_again_also_by_the_next_run(
    site: EdgarSite, fetcher: WrittenDown, follower: Make
) -> None:
    late = publish(site, 1)
    fetcher.absent = {late}
    following = follower()
    await following.once(reconcile=False)
    await following.once(reconcile=False)
    site.feed.clear()
    fetcher.absent = set()
    await follower().once(reconcile=False)
    await follower().once(reconcile=False)
    assert fetcher.runs == [[late], [late], [late], []]


async def test_what_the_feed_did_not_show_comes_from_the_days_index_then_the_quarters(
    site: EdgarSite, fetcher: WrittenDown, follower: Make
) -> None:
    site.indexed_until = site.quarterly_until = date(2021, 1, 6)
    missed = publish(site, 1, in_feed=False)
    following = follower()
    await following.once()
    site.indexed_until = date(2021, 1, 7)
    await following.once()
    assert fetcher.runs == [[], [], [], [missed]]
    correction = publish(site, 2, in_feed=False)
    site.indexed_until, site.quarterly_until = date(2021, 1, 6), date(2021, 1, 7)
    await following.once()
    assert fetcher.runs[4:] == [[], [missed, correction]]


async def test_indices_that_did_not_change_are_not_read_through_again(
    site: EdgarSite, fetcher: WrittenDown, follower: Make
) -> None:
    publish(site, 1, in_feed=False)
    following = follower()
    await following.once()
    asked = len(site.log)
    await following.once()
    assert len(fetcher.runs) == 3
    assert [one.status for one in site.log[asked + 1 :]] == [304, 304]


async def test_range_of_the_indices_begins_where_the_first_run_did(
    tmp_path: Path, follower: Make
) -> None:
    following = follower(FilingFilter(from_date=date(2020, 11, 2)))
    await following.once()
    assert StateFile(tmp_path).read(TODAY).since == date(2020, 11, 2)
    other = follower(FilingFilter(from_date=date(2019, 1, 1)))
    await other.once()
    assert StateFile(tmp_path).read(TODAY).since == date(2020, 11, 2)


async def test_outage_is_waited_out(
    site: EdgarSite,
    fetcher: WrittenDown,
    follower: Make,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_LONGEST_WAIT", 0.05)
    number = publish(site, 1)
    fetcher.errors = [EngineUnavailable("away"), EngineUnavailable("away")]
    following = follower()
    run = fetcher.run

    async def run_and_stop(entries: AsyncIterable[Entry]) -> FetchSummary:
        summary = await run(entries)
        following.stopping.set()
        return summary

    monkeypatch.setattr(fetcher, "run", run_and_stop)
    await following.run_forever(0.01)
    assert fetcher.runs == [[number]]


async def test_what_is_loaded_is_compared_once_a_day_also_by_the_next_run(
    site: EdgarSite, fetcher: WrittenDown, tmp_path: Path
) -> None:
    asked: list[FilingFilter] = []

    class Compared:
        async def run(self, wanted: FilingFilter, today: date) -> ReconcileSummary:
            asked.append(wanted)
            return ReconcileSummary()

    settings = Settings(home=tmp_path, edgar_url=site.url, contact="a mail@example.org")
    async with http_client(settings) as http:
        edgar = Edgar(settings, http, back_off=(0.01,))

        def make(days: int) -> Follower:
            return Follower(
                edgar,
                cast("Fetcher", fetcher),
                tmp_path,
                EVERYTHING,
                TODAY,
                reconciler=cast("Reconciler", Compared()),
                reconcile_days=days,
            )

        assert await make(0).compare() is None
        assert await make(30).compare() is not None
        assert await make(30).compare() is None
    assert asked == [FilingFilter(from_date=date(2020, 12, 9))]
