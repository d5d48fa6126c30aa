"""Submissions that EDGAR's indices list for days and quarters: the reference for completeness."""

import asyncio
import gzip
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.archive.members import gunzip
from edgar_search.edgar.calendar import FIRST_INDEX, business_days, last_published
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import IdHit
from edgar_search.errors import EdgarUnavailable, MalformedIndex
from edgar_search.stored.installation import MissingDay
from ingest.fetching.index_files import GZIP_MAGIC, IndexEntry, IndexFile, Quarter, quarters
from ingest.loading.retry import Retry
from ingest.sources.paths import FilingFilter

# A quarter's index that covers this share of its business days, and at least this many of them, is
# complete: a day without filings was lost from it. EDGAR's first years, and excerpts of an index,
# cover fewer.
_DENSE, _LEAST = 0.9, 10
# More business days than EDGAR has had, and within the limit of one search.
_MOST = 10_000


class ListedDays:
    """The days that the index files read so far list."""

    def __init__(self) -> None:
        self._until: dict[Quarter, date] = {}
        self._filed: set[date] = set()
        self._own: set[date] = set()

    def add_quarter(self, quarter: Quarter, filed: Collection[date], until: date | None) -> None:
        """Add the days of a quarter's index, and the day up to which its data are complete."""
        self._filed.update(filed)
        if until is not None:
            self._until[quarter] = until

    def add_day(self, day: date) -> None:
        """Add a day whose own index lists filings."""
        self._own.add(day)

    def missing(self, first: date, last: date) -> list[date]:
        """Return the business days from `first` to `last` without filings in any index."""
        days = list(business_days(max(first, FIRST_INDEX), last))
        covered = {day for day in days if day <= self._until.get(Quarter.of(day), date.min)}
        filled = covered & self._filed
        dense = len(covered) >= _LEAST and len(filled) >= _DENSE * len(covered)
        listed_days = filled | self._own | (set() if dense else covered)
        return [day for day in days if day not in listed_days]


async def store_missing_days(
    engine: Engine, retry: Retry, first: date, last: date, missing: Collection[date]
) -> None:
    """Store the missing business days of a range for coverage; delete days found since."""
    bounds = {"gte": first.isoformat(), "lte": last.isoformat()}
    body = {"query": {"range": {"day": bounds}}, "size": _MOST, "_source": False}
    await retry(engine.refresh, "missing_days")
    reply = await retry(engine.search, "missing_days", body, IdHit)
    stored_days = {hit.id for hit in reply.hits.hits}
    now = datetime.now(UTC)
    new = {str(day): MissingDay(day, now) for day in missing if str(day) not in stored_days}
    if new:
        await retry(partial(engine.create_many, "missing_days", list(new.items())))
    gone = sorted(stored_days - {str(day) for day in missing})
    stored = await retry(engine.multi_get, "missing_days", gone, MissingDay)
    await retry(
        engine.delete_many,
        "missing_days",
        [missing_day for missing_day in stored if missing_day.found],
    )
    await retry(engine.refresh, "missing_days")


# Returns the content of a file below EDGAR's `/Archives/edgar/`; None if there is no such file.
ReadIndex = Callable[[str], Awaitable[bytes | None]]
# A day's index may list filings dated some days earlier.
_LATE = timedelta(days=10)
_DAILY = re.compile(r"master\.(\d{4})(\d{2})(\d{2})\.idx(\.gz)?", re.ASCII)


class Listing:
    """The distinct submissions that EDGAR lists for `wanted`, which must include dates.

    The quarter's index takes precedence, because EDGAR corrects only that; days that it lacks so
    far are read from their own indices. Iterating raises MalformedIndex for other files, and
    whatever `read` raises. `unknown` counts the unreadable lines so far, `files` are the files
    read, and `days` the days that they list for any filer.
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
        """Return the business days until `now` without filings in any index read.

        Correct once all entries have been read.
        """
        first, last = self._wanted.from_date, self._wanted.to_date
        assert first is not None and last is not None
        return self.days.missing(first, min(last, last_published(now)))

    async def _files_of(
        self, quarter: Quarter, first: date, last: date
    ) -> AsyncIterator[tuple[str, bytes]]:
        # Only the first days of the quarter after the range matter: they may list filings late.
        received = first - timedelta(days=1)
        if quarter <= Quarter.of(last):
            index = await self._read(quarter.index_path)
            if index is not None:
                yield quarter.index_path, index
                received = IndexFile(index, quarter.index_path).received or received
        if received >= min(quarter.last_day, self._today):
            return
        for path in await self._daily(quarter, received, last + _LATE):
            data = await self._read(path)
            if data is not None:
                yield path, data

    async def _daily(self, quarter: Quarter, after: date, last: date) -> list[str]:
        """Return the paths of the existing daily indices.

        EDGAR answers requests for others with an error.
        """
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
    """Read the names in EDGAR's `index.json` of a folder; anything else is a MalformedIndex."""
    try:
        folder = msgspec.json.decode(data, type=_Folder)
    except msgspec.DecodeError as error:
        raise MalformedIndex(
            f"index.json: is not a listing of a folder of EDGAR: {error}"
        ) from None
    return [item.name for item in folder.directory.item]


def daily_date(name: str) -> date | None:
    """Return the day of a daily master index from its name; None for other names."""
    match = _DAILY.fullmatch(name)
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None


class ListedQuarter(NamedTuple):
    """The accession numbers of a quarter, complete for filings up to the day `until`."""

    numbers: set[str]
    until: date


class IncompleteIndex(Exception):
    """EDGAR's answer is not a complete index of a quarter; the text says why."""


async def listed_quarter(read: ReadIndex, quarter: Quarter, today: date) -> ListedQuarter:
    """Read EDGAR's list for a quarter, with late entries of later indices.

    Raises IncompleteIndex, even if EDGAR does not answer: only a complete index can prove a
    submission absent.
    """
    try:
        data = await read(quarter.index_path)
        if data is None:
            raise IncompleteIndex("EDGAR has no such index")
        numbers, until = await asyncio.to_thread(_parse_complete, data, quarter)
        async for later in _later_indices(read, quarter, until, today):
            numbers |= await asyncio.to_thread(_numbers, IndexFile(later))
    except (EdgarUnavailable, MalformedIndex) as error:
        raise IncompleteIndex(str(error)) from None
    return ListedQuarter(numbers, until)


async def _later_indices(
    read: ReadIndex, quarter: Quarter, until: date, today: date
) -> AsyncIterator[bytes]:
    """Yield indices that may list filings late, after the quarter's index."""
    following = quarter.following
    if following.first_day <= today and (data := await read(following.index_path)) is not None:
        yield data
    for later in (quarter, following):
        if later.first_day > min(today, until + _LATE) or later.last_day < until:
            continue
        listing = await read(f"{later.daily_folder}/index.json")
        for name in folder_names(listing) if listing is not None else ():
            day = daily_date(name)
            if day is not None and until < day <= until + _LATE:
                if (data := await read(f"{later.daily_folder}/{name}")) is not None:
                    yield data


def _parse_complete(data: bytes, quarter: Quarter) -> tuple[set[str], date]:
    """Parse a complete index and the day up to which it lists; raises IncompleteIndex."""
    try:
        plain = gunzip(data) if data.startswith(GZIP_MAGIC) else data
    except gzip.BadGzipFile as error:
        raise IncompleteIndex(str(error)) from None
    index = IndexFile(plain)
    numbers = _numbers(index)
    if not numbers:
        raise IncompleteIndex("it lists nothing")
    if index.unknown:
        raise IncompleteIndex(f"{index.unknown} lines cannot be read: {index.unknown_lines[0]}")
    if index.received is None:
        raise IncompleteIndex("it does not say until when it has all data")
    if not plain.endswith(b"\n"):
        raise IncompleteIndex("its last line has no end")
    return numbers, min(index.received, quarter.last_day)


def _numbers(index: IndexFile) -> set[str]:
    return {entry.accession_number for entry in index}
