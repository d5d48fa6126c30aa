"""What EDGAR's own index lists for a range of days: the measure of completeness."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date, datetime, timedelta

import msgspec
from msgspec import Struct

from edgar_search.edgar.calendar import last_published
from edgar_search.errors import MalformedIndex
from ingest.fetching.index_files import IndexEntry, IndexFile
from ingest.fetching.listed_days import ListedDays
from ingest.fetching.quarter import Quarter, quarters
from ingest.sources.filing_filter import FilingFilter

# The content of a file below EDGAR's `/Archives/edgar/`; None where EDGAR has no such file.
ReadIndex = Callable[[str], Awaitable[bytes | None]]
# A day's index may list filings with the dates of some days before.
_LATE = timedelta(days=10)
_DAILY = re.compile(r"master\.(\d{4})(\d{2})(\d{2})\.idx(\.gz)?", re.ASCII)


class Listing:
    """The submissions that EDGAR lists for `wanted`, each once; its dates must be given.

    The quarter's index counts, since corrections go there; the days that are not in it yet are read
    from their own. Iterating raises MalformedIndex for what is no index file, and whatever `read`
    raises. `unknown` counts the lines that could not be read, so far; `files` are the files read,
    and `days` the days that they list, whoever filed.
    """

    def __init__(self, read: ReadIndex, wanted: FilingFilter, today: date) -> None:
        self._read = read
        self._wanted = wanted
        self._today = today
        self.unknown = 0
        self.unknown_lines: list[str] = []
        self.files: list[str] = []
        self.days = ListedDays()

    async def __aiter__(self) -> AsyncIterator[IndexEntry]:
        first, last = self._wanted.from_date, self._wanted.to_date
        if first is None or last is None:
            raise ValueError("a listing needs both dates")
        for quarter in quarters(first, min(last + _LATE, self._today)):
            seen: set[str] = set()
            async for path, data in self._files_of(quarter, first, last):
                for entry in await asyncio.to_thread(self._entries, quarter, path, data, seen):
                    yield entry

    def missing_days(self, now: datetime) -> list[date]:
        """The business days until `now` of which nothing that was read lists filings.

        Right once all entries have been read.
        """
        first, last = self._wanted.from_date, self._wanted.to_date
        assert first is not None and last is not None
        return self.days.missing(first, min(last, last_published(now)))

    async def _files_of(
        self, quarter: Quarter, first: date, last: date
    ) -> AsyncIterator[tuple[str, bytes]]:
        # The quarter after the range matters only for what its first days list late.
        received = first - timedelta(days=1)
        if quarter <= Quarter.of(last):
            whole = await self._read(quarter.index_path)
            if whole is not None:
                yield quarter.index_path, whole
                received = IndexFile(whole, quarter.index_path).received or received
        if received >= min(quarter.last_day, self._today):
            return
        for path in await self._daily(quarter, received, last + _LATE):
            data = await self._read(path)
            if data is not None:
                yield path, data

    async def _daily(self, quarter: Quarter, after: date, last: date) -> list[str]:
        """The daily indices that there are; asking for others is answered as if by a fault."""
        data = await self._read(f"{quarter.daily_folder}/index.json")
        names = folder_names(data) if data is not None else []
        days = {day: name for name in names if (day := daily_date(name)) and after < day <= last}
        return [f"{quarter.daily_folder}/{days[day]}" for day in sorted(days)]

    def _entries(
        self, quarter: Quarter, path: str, data: bytes, seen: set[str]
    ) -> list[IndexEntry]:
        index = IndexFile(data, path)
        entries = []
        filed = set()
        for entry in index:
            filed.add(entry.filing_date)
            number = entry.accession_number
            if number not in seen and self._wanted.takes(
                entry.form_type, (entry.cik,), entry.filing_date
            ):
                seen.add(number)
                entries.append(entry)
        own = daily_date(path.rpartition("/")[2])
        if own is None:
            self.days.add_quarter(quarter, filed, index.received)
        elif filed:
            self.days.add_day(own)
        self.files.append(path)
        self.unknown += index.unknown
        self.unknown_lines += index.unknown_lines
        return entries


class _Item(Struct):
    name: str


class _Directory(Struct):
    item: list[_Item]


class _Folder(Struct):
    directory: _Directory


def folder_names(data: bytes) -> list[str]:
    """The names in EDGAR's `index.json` of a folder; MalformedIndex for anything else."""
    try:
        folder = msgspec.json.decode(data, type=_Folder)
    except msgspec.DecodeError as error:
        raise MalformedIndex(f"index.json: no listing of a folder of EDGAR's: {error}") from None
    return [item.name for item in folder.directory.item]


def daily_date(name: str) -> date | None:
    """The day of a daily master index, by its name."""
    match = _DAILY.fullmatch(name)
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None
