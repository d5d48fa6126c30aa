"""`edgar-ingest check`"""

import argparse
import json
import logging
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from edgar_search.engine.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from ingest.commands import arguments
from ingest.commands.arguments import DONE, INCOMPLETE
from ingest.commands.fetch import report_missing_days
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.index_files import IndexCache, IndexEntry, IndexFile, distinct
from ingest.fetching.listing import Listing
from ingest.loading.retry import Retry
from ingest.sources.paths import FilingFilter
from ingest.upkeep.check import (
    CheckSummary,
    find_future_dated,
    find_missing,
    find_withdrawn_filings,
)

_log = logging.getLogger(__name__)


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Check against the given index files, or against EDGAR's own."""
    wanted = arguments.filing_filter(options)
    if options.index_files:
        entries = index_entries(options.index_files, wanted)
        return await check(engine, settings, entries, deep=options.deep)
    async with http_client(settings) as http:
        index = IndexCache(Edgar(settings, http), settings.absolute_home)
        listing = Listing(index.read, wanted, datetime.now(UTC).date())
        summary = await _print_missing(engine, settings, listing, deep=options.deep)
        days = await report_missing_days(engine, settings, listing, wanted)
    if listing.unknown:
        _report_unknown("EDGAR's index", listing.unknown, listing.unknown_lines)
    gone = await find_withdrawn_filings(engine, Retry(settings.load_patience), wanted)
    findings = {"missing_days": list(map(str, days)), "withdrawn": gone}
    print(json.dumps({**summary.as_dict(), **findings}))
    return INCOMPLETE if summary.missing or days else DONE


async def check(
    engine: Engine, settings: Settings, entries: AsyncIterable[IndexEntry], *, deep: bool
) -> int:
    """Print which of these entries are missing, and a summary as JSON on the last line."""
    summary = await _print_missing(engine, settings, entries, deep=deep)
    print(json.dumps(summary.as_dict()))
    return INCOMPLETE if summary.missing else DONE


async def _print_missing(
    engine: Engine, settings: Settings, entries: AsyncIterable[IndexEntry], *, deep: bool
) -> CheckSummary:
    """Print which of these entries are missing; return the counts."""
    checked = CheckSummary()
    retry = Retry(settings.load_patience)
    async for missing in find_missing(engine, retry, entries, checked, deep=deep):
        print(missing.line)
    for future in await find_future_dated(engine, retry):
        number, day = future.accession_number, future.entry.filing_date
        _log.warning("%s: its filing date, %s, is in the future", number, day)
        checked.future_dates.append(number)
    return checked


async def index_entries(paths: Iterable[Path], wanted: FilingFilter) -> AsyncIterator[IndexEntry]:
    """Yield the entries of index files, each submission once.

    Raises SettingsError for an unreadable file, MalformedIndex for one of another kind.
    """
    listed = (
        entry
        for path in paths
        for entry in _entries(path)
        if wanted.takes(entry.form_type, (entry.cik,), entry.filing_date)
    )
    for entry in distinct(listed):
        yield entry


def _entries(path: Path) -> Iterator[IndexEntry]:
    try:
        index = IndexFile(path.read_bytes(), str(path))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    yield from index
    if index.unknown:
        _report_unknown(str(path), index.unknown, index.unknown_lines)


def _report_unknown(name: str, number: int, lines: Sequence[str]) -> None:
    _log.warning("%s: %d lines cannot be read, the first: %s", name, number, lines[0])
