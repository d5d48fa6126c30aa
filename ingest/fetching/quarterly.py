"""All submissions of a quarter as EDGAR's indices list them, or why these are not complete."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from datetime import date, timedelta
from typing import NamedTuple

from edgar_search.archive.members import gunzip
from edgar_search.errors import EdgarUnavailable, MalformedIndex
from ingest.fetching.index_files import GZIP_MAGIC, IndexFile
from ingest.fetching.listing import ReadIndex, daily_date, folder_names
from ingest.fetching.quarter import Quarter

# A day's index may list filings with the dates of some days before.
_LATE = timedelta(days=10)


class ListedQuarter(NamedTuple):
    """The accession numbers of a quarter; filings up to the day `until` would be among them."""

    numbers: set[str]
    until: date


class IncompleteIndex(Exception):
    """EDGAR's answer is not a complete index of a quarter; the text says why."""


async def listed_quarter(read: ReadIndex, quarter: Quarter, today: date) -> ListedQuarter:
    """All that EDGAR lists for a quarter, with what the days after list late.

    Raises IncompleteIndex, also where EDGAR does not answer: who finds a submission absent must be
    sure of the index.
    """
    try:
        data = await read(quarter.index_path)
        if data is None:
            raise IncompleteIndex("EDGAR has no such index")
        numbers, until = await asyncio.to_thread(_whole, data, quarter)
        async for later in _later(read, quarter, until, today):
            numbers |= await asyncio.to_thread(_numbers, IndexFile(later))
    except (EdgarUnavailable, MalformedIndex) as error:
        raise IncompleteIndex(str(error)) from None
    return ListedQuarter(numbers, until)


async def _later(
    read: ReadIndex, quarter: Quarter, until: date, today: date
) -> AsyncIterator[bytes]:
    """The indices that may list late what the quarter's own does not have."""
    following = quarter.following
    if following.first_day <= today and (data := await read(following.index_path)) is not None:
        yield data
    for each in (quarter, following):
        if each.first_day > min(today, until + _LATE) or each.last_day < until:
            continue
        listing = await read(f"{each.daily_folder}/index.json")
        for name in folder_names(listing) if listing is not None else ():
            day = daily_date(name)
            if day is not None and until < day <= until + _LATE:
                if (data := await read(f"{each.daily_folder}/{name}")) is not None:
                    yield data


def _whole(data: bytes, quarter: Quarter) -> tuple[set[str], date]:
    """Read a complete index of a quarter, and until which day it lists; else IncompleteIndex."""
    try:
        plain = gunzip(data) if data.startswith(GZIP_MAGIC) else data
    except gzip.BadGzipFile as error:
        raise IncompleteIndex(str(error)) from None
    index = IndexFile(plain)
    found = _numbers(index)
    if not found:
        raise IncompleteIndex("it lists nothing")
    if index.unknown:
        raise IncompleteIndex(f"{index.unknown} lines are no entries: {index.unknown_lines[0]}")
    if index.received is None:
        raise IncompleteIndex("it does not say until when it has all data")
    if not plain.endswith(b"\n"):
        raise IncompleteIndex("its last line has no end")
    return found, min(index.received, quarter.last_day)


def _numbers(index: IndexFile) -> set[str]:
    return {entry.accession_number for entry in index}
