"""EDGAR's daily archives: all submissions of a day in one file, fetched by one request."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from filelock import lock_descriptor

from edgar_search.errors import EdgarUnavailable, SettingsError
from ingest.fetching.client import Edgar, archive_path
from ingest.fetching.download import Download, discard, download
from ingest.fetching.fetch import DONE, Entry, FetchProgress, first_error
from ingest.fetching.index_files import Quarter
from ingest.fetching.listing import ReadIndex, folder_names
from ingest.indices.rebuild_records import this_process
from ingest.loading.session import LoadSession
from ingest.loading.summary import Summary
from ingest.sources.paths import FilingFilter, Sources


@contextmanager
def lock_archives(home: Path) -> Iterator[None]:
    """Hold the lock on `<home>/edgar/archives`, which the system releases if the process ends.

    Raises SettingsError, which names the process that holds the lock, and since when.
    """
    path = home / "edgar" / "archives"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        if not lock_descriptor(file.fileno(), blocking=False):
            file.seek(0)
            raise SettingsError(
                f"{file.read(200) or 'another process'} takes daily archives into {home}; fetch"
                " again when it has ended, or one by one (--files)"
            )
        file.truncate(0)
        now = datetime.now(UTC)
        file.write(f"{this_process()}, since {now:%Y-%m-%d %H:%M:%S} UTC,")
        file.flush()
        yield


# If fewer submissions of a day are missing, they are fetched one by one: its archive is a gigabyte
# or more, and 200 files take 20 seconds. A backfill of years saves requests at a lower number.
LEAST = 200
LEAST_OF_BACKFILLS = 20
_NAME = re.compile(r"(\d{4})(\d{2})(\d{2})\.nc\.tar\.gz", re.ASCII)
# A day may wait to be loaded while the next one is being fetched.
_AHEAD = 1
_WINDOW = 1_000


class _Day(NamedTuple):
    day: date
    path: Path
    fetched_at: datetime


class DailyArchives:
    """Loads the archives of days that lack `least` submissions, each while the next is fetched.

    Submissions that are missing or damaged in an archive are left to be fetched one by one.
    `loaded` are the days whose archive was loaded, `absent` the days without one.
    """

    def __init__(
        self,
        edgar: Edgar,
        session: LoadSession,
        read: ReadIndex,
        home: Path,
        least: int = LEAST,
        progress: FetchProgress | None = None,
    ) -> None:
        self._progress = progress or FetchProgress()
        self._edgar = edgar
        self._session = session
        self._read = read
        self._home = home
        self._least = least
        self.loaded: list[date] = []
        self.absent: list[date] = []

    async def run(self, listed: AsyncIterable[Entry], wanted: FilingFilter) -> Summary:
        """Load the missing entries that the days' archives contain.

        Raises the errors of a fetch, and SettingsError if another process of this home fetches
        archives.
        """
        await self._session.set_up()
        lacking = await self.count(listed)
        days = sorted(day for day, number in lacking.items() if number >= self._least)
        if not days:
            return Summary()
        with lock_archives(self._home):
            return await self._fetch_and_load(days, wanted)

    async def _fetch_and_load(self, days: list[date], wanted: FilingFilter) -> Summary:
        ready: asyncio.Queue[_Day | None] = asyncio.Queue(_AHEAD)
        summary = Summary()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._fetch(days, ready))
                group.create_task(self._load(ready, wanted, summary))
        except ExceptionGroup as errors:
            raise first_error(errors) from None
        return summary

    async def count(self, listed: AsyncIterable[Entry]) -> Counter[date]:
        """Count for each day the listed submissions that are not loaded."""
        lacking: Counter[date] = Counter()
        days: dict[str, date] = {}

        async def count() -> None:
            entries = await self._session.ledger.read(days)
            finished = {
                ledger_entry.id
                for ledger_entry in entries
                if ledger_entry.source and ledger_entry.source.status in DONE
            }
            lacking.update(day for number, day in days.items() if number not in finished)
            days.clear()

        async for entry in listed:
            days[entry.accession_number] = entry.filing_date
            if len(days) >= _WINDOW:
                await count()
        await count()
        self._progress.begin(lacking)
        return lacking

    async def _fetch(self, days: list[date], ready: asyncio.Queue[_Day | None]) -> None:
        folders: dict[Quarter, dict[date, str]] = {}
        for day in days:
            quarter = Quarter.of(day)
            if quarter not in folders:
                folders[quarter] = await self._archives_of(quarter)
            name = folders[quarter].get(day)
            target = self._home / "fetched" / f"{day:%Y%m%d}.nc.tar.gz"
            got = await self._fetch_one(quarter, name, target) if name else None
            if got is None:
                self.absent.append(day)
                continue
            await ready.put(_Day(day, target, got.fetched_at))
        await ready.put(None)

    async def _fetch_one(self, quarter: Quarter, name: str, target: Path) -> Download | None:
        path = archive_path(f"edgar/{quarter.feed_folder}/{name}")
        try:
            report = partial(self._progress.downloading, name)
            got = await download(self._edgar, path, target, ends=None, report=report)
            self._progress.downloaded(got.size if got else 0)
            return got
        except EdgarUnavailable:
            return None  # Fetched one by one, which reports each one that EDGAR does not return.

    async def _archives_of(self, quarter: Quarter) -> dict[date, str]:
        data = await self._read(f"{quarter.feed_folder}/index.json")
        names = folder_names(data) if data is not None else []
        archives = {}
        for name in names:
            if match := _NAME.fullmatch(name):
                archives[date(*map(int, match.groups()))] = name
        return archives

    async def _load(
        self, ready: asyncio.Queue[_Day | None], wanted: FilingFilter, summary: Summary
    ) -> None:
        while (archive := await ready.get()) is not None:
            limit = self._edgar.submission_bytes
            with Sources([archive.path], self._home, None, limit, archive.fetched_at) as sources:
                display = self._progress.of_day(archive.day)
                summary.join(await self._session.load(sources, wanted, display))
            self.loaded.append(archive.day)
            discard(archive.path)
