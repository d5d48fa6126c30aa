"""`edgar-ingest follow`: the current feed, then EDGAR's indices for filings it missed."""

import asyncio
import logging
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from edgar_search.edgar.calendar import last_published
from edgar_search.errors import EngineUnavailable, FetchFailed, MalformedIndex
from ingest.fetching.client import Edgar
from ingest.fetching.feed import PAGE, FeedEntry, feed_path, parse_feed
from ingest.fetching.fetch import Entry, Fetcher, FetchSummary
from ingest.fetching.index_files import IndexCache, Quarter
from ingest.fetching.listing import Listing
from ingest.fetching.reconcile import Reconciler, ReconcileSummary
from ingest.sources.paths import FilingFilter

_log = logging.getLogger(__name__)

# Seconds between checks of the indices, which appear once a day; a check costs two requests.
RECONCILE_INTERVAL = 900.0
# At the first start, the indices of this many days are checked.
FIRST_DAYS = timedelta(days=7)
# The feed covers two days, about five thousand entries.
_MAX_PAGES = 100
_LONGEST_WAIT = 900.0
# Accession numbers of some weeks; for older ones the ledger is read again.
_MAX_SEEN = 100_000
# A refused submission is retried if an index lists it, but not if only the feed shows it.
_DEALT_WITH = ("loaded", "deleted", "refused")
# Seconds between checks whether a day is over, or EDGAR answers again.
_COMPARE_INTERVAL = 600.0
_OUTAGES = (EngineUnavailable, FetchFailed, MalformedIndex)


class State(Struct):
    """The state for a later run: the first day to check in the indices, and the pending entries.

    `reconciled_on` is the day in Washington of the last comparison with EDGAR.
    """

    since: date
    pending: dict[str, FeedEntry] = {}
    reconciled_on: date | None = None


class StateFile:
    """The state, stored in a file of the home."""

    def __init__(self, home: Path) -> None:
        self._path = home / "edgar" / "follow.json"

    def read(self, first: date) -> State:
        """Read the last run's state, or make one that begins with `first`."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=State)
        except (FileNotFoundError, msgspec.DecodeError):
            return State(first)

    def write(self, state: State) -> None:
        """Write the state atomically."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        temporary = self._path.with_suffix(".new")
        temporary.write_bytes(msgspec.json.encode(state))
        temporary.rename(self._path)


class Follower:
    """Follows EDGAR in rounds of checking and fetching; `total` adds up all rounds."""

    def __init__(
        self,
        edgar: Edgar,
        fetcher: Fetcher,
        home: Path,
        wanted: FilingFilter,
        today: date | None = None,
        reconciler: Reconciler | None = None,
        reconcile_days: int = 0,
    ) -> None:
        self._edgar = edgar
        self._fetcher = fetcher
        self._cache = IndexCache(edgar, home)
        self._file = StateFile(home)
        self._wanted = wanted
        self._today = today
        self._reconciler = reconciler
        self._window = timedelta(days=reconcile_days)
        self._state = self._file.read(wanted.from_date or self._day() - FIRST_DAYS)
        self._seen: set[str] = set()
        self._reconciled = False
        self._due = 0.0
        self.stopping = asyncio.Event()
        self.total = FetchSummary()

    async def run_forever(self, interval: float) -> None:
        """Follow until `stopping` is set; wait through outages of EDGAR and Elasticsearch."""
        comparing = asyncio.create_task(self._compare_nightly())
        try:
            await self._follow(interval)
        finally:
            # Submissions that were not compared now come first next night.
            comparing.cancel()
            await asyncio.gather(comparing, return_exceptions=True)

    async def _follow(self, interval: float) -> None:
        failures = 0
        while not self.stopping.is_set():
            try:
                await self.once(time.monotonic() >= self._due)
                failures = 0
            except _OUTAGES as error:
                failures += 1
                _log.warning("%s: %s; trying again later", type(error).__name__, error)
            wait = min(interval * 2**failures, max(_LONGEST_WAIT, interval))
            try:
                await asyncio.wait_for(self.stopping.wait(), wait)
            except TimeoutError:
                continue

    async def once(self, reconcile: bool = True) -> None:
        """Run one round: pending entries, new entries of the feed, then entries of the indices."""
        await self._fetcher.set_up()
        new = await self._new_in_feed()
        entries = self._state.pending | {entry.accession_number: entry for entry in new}
        summary = await self._fetcher.run(self._until_stopped(_iterate(entries.values())))
        self._remember(entries, summary)
        _log.info("feed: %d new; %s%s", len(new), summary.line(), _slowest(summary))
        if reconcile and not self.stopping.is_set():
            await self._reconcile()
            self._due = time.monotonic() + RECONCILE_INTERVAL

    async def compare(self) -> ReconcileSummary | None:
        """Compare the loaded submissions of the last days with EDGAR, once a day."""
        day = last_published(datetime.now(UTC)) + timedelta(days=1)
        if self._reconciler is None or not self._window or self._state.reconciled_on == day:
            return None
        today = self._day()
        summary = await self._reconciler.run(FilingFilter(from_date=today - self._window), today)
        _log.info("compared with EDGAR: %s", summary.line())
        self._state.reconciled_on = day
        self._file.write(self._state)
        return summary

    async def _compare_nightly(self) -> None:
        """Compare soon after each day ends in Washington, while the feed is followed."""
        while True:
            try:
                await self.compare()
            except _OUTAGES as error:
                _log.warning("%s: %s; comparing again later", type(error).__name__, error)
            await asyncio.sleep(_COMPARE_INTERVAL)

    async def _new_in_feed(self) -> list[FeedEntry]:
        """Page through the feed until nothing is new; return each filing once, oldest first."""
        new: dict[str, FeedEntry] = {}
        for number in range(_MAX_PAGES):
            reply = await self._edgar.get(feed_path(number * PAGE))
            if reply is None:
                break
            page = parse_feed(reply.body)
            if page.unknown:
                _log.warning("feed: %d entries could not be read", page.unknown)
            # While filings are published, entries move to the next page: only others end the feed.
            others = [each for each in page.entries if each.accession_number not in new]
            unseen = await self._unseen(others)
            for entry in unseen:
                if self._wanted.takes(entry.form_type, (entry.cik,), entry.filing_date):
                    new.setdefault(entry.accession_number, entry)
            if (others and not unseen) or len(page.entries) + page.unknown < PAGE:
                break
        return list(reversed(new.values()))

    async def _unseen(self, entries: Sequence[FeedEntry]) -> list[FeedEntry]:
        """Return the entries that neither this run nor the ledger knows to be done."""
        unknown = {e.accession_number for e in entries} - self._seen
        stored = await self._fetcher.ledger.read(sorted(unknown)) if unknown else []
        dealt = {e.id for e in stored if e.source and e.source.status in _DEALT_WITH}
        if len(self._seen) > _MAX_SEEN:
            self._seen.clear()
        self._seen |= dealt
        unseen = unknown - dealt
        return [entry for entry in entries if entry.accession_number in unseen]

    def _remember(self, entries: Mapping[str, FeedEntry], summary: FetchSummary) -> None:
        """Store the pending entries, before anything else can fail."""
        missing = [*summary.pending, *(failure["accession_number"] for failure in summary.failed)]
        # After a stop, entries that were not tried are still in the feed, or in an index.
        self._state.pending = {number: entries[number] for number in missing}
        if not self.stopping.is_set():
            self._seen |= entries.keys()
        self._file.write(self._state)
        self.total.join(summary)
        self.total.pending, self.total.failed = summary.pending, summary.failed

    async def _reconcile(self) -> None:
        """Fetch missing submissions that the indices list since the state's day."""
        today = self._day()
        quarter = Quarter.of(today)
        self._cache.changed = False
        for path in (quarter.index_path, f"{quarter.daily_folder}/index.json"):
            await self._cache.read(path)
        if self._reconciled and not self._cache.changed:
            return
        self._reconciled = False
        wanted = msgspec.structs.replace(
            self._wanted, from_date=self._state.since, to_date=self._wanted.to_date or today
        )
        listing = Listing(self._cache.read, wanted, today)
        summary = await self._fetcher.run(self._until_stopped(listing))
        unread = f"; {listing.unknown} lines cannot be read" if listing.unknown else ""
        _log.info(
            "index since %s: %s%s%s", self._state.since, summary.line(), _slowest(summary), unread
        )
        self.total.join(summary)
        self.total.pending = sorted({*self.total.pending, *summary.pending})
        self.total.failed += summary.failed
        if not (summary.pending or summary.failed or self.stopping.is_set()):
            self._advance(today)

    def _advance(self, today: date) -> None:
        """Advance the state's day to the last quarter: earlier ones only get corrections."""
        self._reconciled = True
        before = Quarter.of(Quarter.of(today).first_day - timedelta(days=1))
        self._state.since = max(self._state.since, before.first_day)
        self._file.write(self._state)

    async def _until_stopped(self, entries: AsyncIterable[Entry]) -> AsyncIterator[Entry]:
        async for entry in entries:
            if self.stopping.is_set():
                return
            yield entry

    def _day(self) -> date:
        return self._today or datetime.now(UTC).date()


async def _iterate(entries: Iterable[FeedEntry]) -> AsyncIterator[FeedEntry]:
    for entry in entries:
        yield entry


def _slowest(summary: FetchSummary) -> str:
    if not summary.slowest:
        return ""
    return f"; searchable at most {summary.slowest:.1f} s after being fetched"
