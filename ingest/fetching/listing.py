"""What EDGAR's own index lists for a range of days: the measure of completeness."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import date, timedelta

import msgspec
from msgspec import Struct

from edgar_search.errors import MalformedIndex
from ingest.fetching.index_files import IndexEntry, IndexFile
from ingest.sources.filing_filter import FilingFilter

# The content of a file below EDGAR's `/Archives/edgar/`; None where EDGAR has no such file.
ReadIndex = Callable[[str], Awaitable[bytes | None]]
# A day's index may list filings with the dates of some days before.
_LATE = timedelta(days=10)
_DAILY = re.compile(r"master\.(\d{4})(\d{2})(\d{2})\.idx(\.gz)?", re.ASCII)


class Quarter(Struct, frozen=True, order=True):
    """A quarter of a year; `number` is 1 to 4."""

    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> "Quarter":
        """The quarter that a day belongs to."""
        return cls(day.year, (day.month + 2) // 3)

    @property
    def following(self) -> "Quarter":
        """The next quarter."""
        following = Quarter(self.year, self.number + 1)
        return following if self.number < 4 else Quarter(self.year + 1, 1)

    @property
    def first_day(self) -> date:
        """The quarter's first day."""
        return date(self.year, 3 * self.number - 2, 1)

    @property
    def last_day(self) -> date:
        """The quarter's last day."""
        return self.following.first_day - timedelta(days=1)

    @property
    def index_path(self) -> str:
        """The quarter's index."""
        return f"full-index/{self.year}/QTR{self.number}/master.gz"

    @property
    def feed_folder(self) -> str:
        """The folder of its days' archives."""
        return f"Feed/{self.year}/QTR{self.number}"

    @property
    def daily_folder(self) -> str:
        """The folder of its days' indices."""
        return f"daily-index/{self.year}/QTR{self.number}"


class Listing:
    """The submissions that EDGAR lists for `wanted`, each once; its dates must be given.

    The quarter's index counts, since corrections go there; the days that are not in it yet are read
    from their own. Iterating raises MalformedIndex for what is no index file, and whatever `read`
    raises. `unknown` counts the lines that could not be read, so far; `files` are the files read.
    """

    def __init__(self, read: ReadIndex, wanted: FilingFilter, today: date) -> None:
        self._read = read
        self._wanted = wanted
        self._today = today
        self.unknown = 0
        self.unknown_lines: list[str] = []
        self.files: list[str] = []

    async def __aiter__(self) -> AsyncIterator[IndexEntry]:
        first, last = self._wanted.from_date, self._wanted.to_date
        if first is None or last is None:
            raise ValueError("a listing needs both dates")
        for quarter in quarters(first, min(last + _LATE, self._today)):
            seen: set[str] = set()
            async for path, data in self._files_of(quarter, first, last):
                for entry in await asyncio.to_thread(self._entries, path, data, seen):
                    yield entry

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

    def _entries(self, path: str, data: bytes, seen: set[str]) -> list[IndexEntry]:
        index = IndexFile(data, path)
        entries = []
        for entry in index:
            number = entry.accession_number
            if number not in seen and self._wanted.takes(
                entry.form_type, (entry.cik,), entry.filing_date
            ):
                seen.add(number)
                entries.append(entry)
        self.files.append(path)
        self.unknown += index.unknown
        self.unknown_lines += index.unknown_lines
        return entries


def quarters(first: date, last: date) -> Iterator[Quarter]:
    """The quarters of a range of days, in order."""
    quarter = Quarter.of(first)
    while quarter <= Quarter.of(last):
        yield quarter
        quarter = quarter.following


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
