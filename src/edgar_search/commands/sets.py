"""`edgar-search sets write FOLDER`: everything loaded, as one Parquet file for each set and year.

A file has the rows that `/v1/export` or the endpoint of its name gives for filings of the year. It
is written again only if an entry of its year has changed.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from datetime import date
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.export import ROWS, ROWS_OF, export_params
from edgar_search.api.facts import FACT_ROWS
from edgar_search.api.files.records import (
    Column,
    FilingRecord,
    ParquetFile,
    Progress,
    document_columns,
    document_records,
    filing_record,
    filings_in,
    require_parquet,
    row_columns,
)
from edgar_search.commands.engine import with_engine
from edgar_search.commands.stored_sets import STORED_SETS, pages
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, EdgarSearchError
from edgar_search.events.log import EventLog
from edgar_search.financials.facts import FactSearch, fact_rows
from edgar_search.search.criteria import DocumentSearch, FilingCriteria, Window
from edgar_search.search.pagination import begin_export
from edgar_search.search.results import DocumentHit
from edgar_search.search.rows import RowSearch, begin_row_export
from edgar_search.search.yearly_states import yearly_states
from edgar_search.settings import Settings
from edgar_search.stored.sets import MANIFEST, Manifest, SetFile

_OWNER = "sets"  # the account of the snapshots
# Rows that no set has: comparisons of two quarters, and holders of one issuer.
_ROWS = tuple(name for name in ROWS_OF if name not in ("portfolio", "holders"))
SETS = ("filings", "documents", *_ROWS, *STORED_SETS)
_INCLUDED = (
    *("document_type", "description", "period", "accepted_at", "eight_k_items", "primary"),
    *("edgar_url", "size"),
)
# Columns of searches: without a query, no document is better than another.
_OF_SEARCHES = ("score", "snippet", "best_document_id")
_ENDING = ".parquet"


def write(settings: Settings, options: argparse.Namespace) -> int:
    """Write the files that changed; raises EdgarSearchError, which names the fault."""
    unknown = [name for name in options.only or () if name not in SETS]
    if unknown:
        raise BadRequest(f"--only: {', '.join(unknown)}: sets are {', '.join(SETS)}")
    require_parquet()
    names = options.only or SETS

    async def act(engine: Engine) -> None:
        context = Context.of_command(engine, settings, _OWNER)
        summary = await write_sets(context, options.folder, names)
        print(msgspec.json.encode(summary).decode())

    try:
        return with_engine(settings, act)
    except OSError as error:
        raise EdgarSearchError(f"{error.filename or options.folder}: {error.strerror}") from None


class Summary(Struct):
    """The number of files written, kept and removed, and the rows and bytes of all files."""

    written: int = 0
    unchanged: int = 0
    removed: int = 0
    files: int = 0
    rows: int = 0
    bytes: int = 0


async def write_sets(context: Context, folder: Path, names: Sequence[str]) -> Summary:
    """Write the files of these sets whose years have changed, and the manifest after each file."""
    manifest, summary = _read(folder), Summary()
    kept = {(file.set, file.year): file for file in manifest.files}
    # Events that arrive meanwhile are included in the next run.
    end = await EventLog(context.engine).end()
    for name in names:
        states = await _states(context, name)
        for removed in [key for key in kept if key[0] == name and key[1] not in states]:
            (folder / kept.pop(removed).name).unlink(missing_ok=True)
            summary.removed += 1
        for year, state in states.items():
            earlier = kept.get((name, year))
            if earlier and earlier.state == state and (folder / earlier.name).is_file():
                summary.unchanged += 1
                continue
            written = await _write_file(context, folder, name, year, state)
            kept[name, year] = written
            summary.written += 1
            print(
                f"{written.name}: {written.rows:,} rows, {written.bytes:,} bytes", file=sys.stderr
            )
            _save(folder, Manifest(manifest.as_of_event, _sorted(kept)))
    _save(folder, Manifest(end, _sorted(kept)))
    summary.files = len(kept)
    summary.rows = sum(each.rows for each in kept.values())
    summary.bytes = sum(each.bytes for each in kept.values())
    return summary


def _sorted(files: Mapping[tuple[str, int], SetFile]) -> list[SetFile]:
    return [files[key] for key in sorted(files)]


def _read(folder: Path) -> Manifest:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
    except FileNotFoundError:
        return Manifest(0, [])
    except msgspec.DecodeError as error:
        raise EdgarSearchError(f"{folder / MANIFEST} is not a manifest of sets: {error}") from None


def _save(folder: Path, manifest: Manifest) -> None:
    part = folder / f"{MANIFEST}.part"
    part.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    part.replace(folder / MANIFEST)


async def _states(context: Context, name: str) -> Mapping[int, str]:
    """Return the years in which a set has rows, each with its state."""
    if name not in ROWS_OF:
        kind = STORED_SETS[name].kind if name in STORED_SETS else "documents"
        return await yearly_states(context.engine, (kind,))
    return await yearly_states(context.engine, (await _row_search(context, name)).kinds)


async def _row_search(context: Context, name: str, year: int | None = None) -> RowSearch:
    """Build the search for the rows of a set, in one year or in all."""
    first, last = (date(year, 1, 1), date(year, 12, 31)) if year else (None, None)
    if name == FACT_ROWS.name:
        # The endpoint requires a company or a concept, but a file has all rows.
        return fact_rows(FactSearch(first_day=first, last_day=last), Window(0, ROWS))
    days = {"from_date": [str(first)], "to_date": [str(last)]} if year else {}
    return (await ROWS_OF[name].ask(context, days)).search


async def _write_file(context: Context, folder: Path, name: str, year: int, state: str) -> SetFile:
    """Write the file of a set and year, replacing an older one; one row group is in memory."""
    path = f"{name}/{year}{_ENDING}"
    part = folder / f"{path}.part"
    part.parent.mkdir(exist_ok=True)
    file, digest, rows = ParquetFile(_columns(name)), sha256(), 0
    with part.open("wb") as target:

        def take(data: bytes) -> None:
            target.write(data)
            digest.update(data)

        take(file.begin())
        async with aclosing(_records(context, name, year)) as batches:
            async for records in batches:
                rows += len(records)
                take(await asyncio.to_thread(file.write, records))
        take(file.note(Progress(rows, True)))
        target.flush()
        os.fsync(target.fileno())
    size = part.stat().st_size
    part.replace(folder / path)
    return SetFile(name, year, path, rows, size, digest.hexdigest(), state)


def _columns(name: str) -> tuple[Column, ...]:
    if name in ROWS_OF:
        return row_columns(ROWS_OF[name].item_type)
    if name in STORED_SETS:
        return row_columns(STORED_SETS[name].item_type)
    if name == "filings":
        columns = row_columns(FilingRecord)
    else:
        columns = document_columns(_INCLUDED, snippets=False)
    return tuple(column for column in columns if column.name not in _OF_SEARCHES)


async def _records(
    context: Context, name: str, year: int
) -> AsyncGenerator[Sequence[Struct], None]:
    """Yield the rows of a set and year, one page at a time."""
    if name in ROWS_OF:
        rows = ROWS_OF[name]
        search = await _row_search(context, name, year)
        begun = await begin_row_export(context.pagination, search, rows.stored, "")
        async with aclosing(pages(begun)) as batches:
            async for page in batches:
                yield [rows.item(hit.source) for hit in page.step.hits]
        return
    if name in STORED_SETS:
        first, last = date(year, 1, 1), date(year, 12, 31)
        read = STORED_SETS[name].read(context, FilingCriteria(from_date=first, to_date=last))
        async with aclosing(read) as of_kind:
            async for records in of_kind:
                yield records
        return
    days = {"from_date": [f"{year}-01-01"], "to_date": [f"{year}-12-31"]}
    asked = export_params({"what": [name], "include": _included(name), **days}).search
    assert isinstance(asked, DocumentSearch)
    every = structs.replace(asked.criteria, all_documents=True)
    search_all = structs.replace(asked, criteria=every, sort_by="filing", order="asc")
    pending: list[DocumentHit] = []
    export = await begin_export(
        context.pagination, context.search, search_all, "", with_snippets=False
    )
    async for documents in pages(export):
        if name == "documents":
            yield document_records(documents, _INCLUDED, {}, snippets=False)
            continue
        filings = filings_in([*pending, *documents.step.hits])
        # The last filing may continue on the next page.
        pending = filings.pop() if documents.step.more else []
        yield list(map(filing_record, filings))


def _included(name: str) -> list[str]:
    return [",".join(_INCLUDED)] if name == "documents" else []
