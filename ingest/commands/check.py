"""`edgar-ingest check`"""

import argparse
import json
import sys
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from edgar_search.engine.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from ingest.commands import arguments
from ingest.commands.exit_status import DONE, INCOMPLETE
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.index_file_cache import IndexCache
from ingest.fetching.index_files import IndexEntry, IndexFile, distinct
from ingest.fetching.listing import Listing
from ingest.loading.patience import Patience
from ingest.sources.filing_filter import FilingFilter
from ingest.upkeep.check import CheckSummary, missing


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Check against index files that are given, or against EDGAR's own."""
    wanted = arguments.wanted(options)
    if options.index_files:
        entries = index_entries(options.index_files, wanted)
        return await check(engine, settings, entries, deep=options.deep)
    async with http_client(settings) as http:
        index = IndexCache(Edgar(settings, http, engine), settings.absolute_home)
        listing = Listing(index.read, wanted, datetime.now(UTC).date())
        status = await check(engine, settings, listing, deep=options.deep)
    if listing.unknown:
        _tell_unknown("EDGAR's index", listing.unknown, listing.unknown_lines)
    return status


async def check(
    engine: Engine, settings: Settings, entries: AsyncIterable[IndexEntry], *, deep: bool
) -> int:
    """Print what of EDGAR's entries is missing, and a summary as JSON on the last line."""
    checked = CheckSummary()
    patience = Patience(settings.load_patience)
    async for each in missing(engine, patience, entries, checked, deep=deep):
        print(each.line)
    print(json.dumps(checked.as_dict()))
    return INCOMPLETE if checked.missing else DONE


async def index_entries(paths: Iterable[Path], wanted: FilingFilter) -> AsyncIterator[IndexEntry]:
    """What index files list, each submission once.

    Raises SettingsError for a file that cannot be read, MalformedIndex for what is none.
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
        _tell_unknown(str(path), index.unknown, index.unknown_lines)


def _tell_unknown(name: str, number: int, lines: Sequence[str]) -> None:
    text = f"{name}: {number} lines that are no entries, the first: {lines[0]}"
    print(f"edgar-ingest: {text}", file=sys.stderr)
