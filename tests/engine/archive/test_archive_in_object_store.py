"""An installation whose archive is in an object store, over the protocol of S3."""

import asyncio
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.archive import archive
from edgar_search.archive.archive import open_archive
from edgar_search.archive.members import member_chunks
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.filings import ArchivedFile
from ingest.loading.ledger import read_entries
from tests.support.archived import file_in
from tests.support.loading import stored, text_of
from tests.support.object_store import BUCKET, S3, SECRET, running_s3
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
FERN = MadeUpEntity("0009990170", "FERN & FLINT CORP")
URL = f"s3://{BUCKET}/archive"


@pytest.fixture
def s3() -> Iterator[S3]:
    with running_s3() as server:
        yield server


@pytest.fixture
def kept_there(settings: Settings, s3: S3, tmp_path: Path) -> Settings:
    """The installation with a home of the test's own: the shared one has an archive of others."""
    return msgspec.structs.replace(settings, home=tmp_path / "home", archive_url=URL)


async def run(settings: Settings, *arguments: object) -> tuple[int, dict[str, object], str]:
    """Run the command in a process of its own; its exit status, summary and complaints."""
    given = {
        "EDGAR_SEARCH_HOME": str(settings.absolute_home),
        "EDGAR_SEARCH_PREFIX": settings.prefix,
        "EDGAR_SEARCH_ES_URL": settings.es_url or "",
        "EDGAR_SEARCH_ES_API_KEY": settings.es_api_key or "",
        "EDGAR_SEARCH_ES_USER": settings.es_user or "",
        "EDGAR_SEARCH_ES_PASSWORD": settings.es_password or "",
        "EDGAR_SEARCH_ES_CA": str(settings.es_ca or ""),
        "EDGAR_SEARCH_ARCHIVE_URL": settings.archive_url or "",
        "EDGAR_SEARCH_PARTITION": settings.partition,
    }
    command = [sys.executable, "-m", "ingest.cli", *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(
        *command,
        env={**os.environ, **given},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, complaints = await process.communicate()
    last = out.decode().splitlines()[-1:] or ["{}"]
    return process.returncode or 0, json.loads(last[0]), complaints.decode()


@pytest.fixture
def filing(new_number: Callable[[], str]) -> MadeUp:
    return MadeUp(
        new_number(), (FERN,), (MadeUpDocument("Ferns were bought.\n"), MadeUpDocument("Flint.\n"))
    )


async def test_loaded_deleted_and_loaded_from_the_store(
    kept_there: Settings, s3: S3, engine: Engine, filing: MadeUp, tmp_path: Path
) -> None:
    number, data = filing.accession_number, txt(filing)
    (tmp_path / "one.txt").write_bytes(data)
    status, summary, _ = await run(kept_there, "load", tmp_path / "one.txt", "--workers", 1)
    assert (status, summary["loaded"]) == (0, 1)
    store = open_archive(kept_there.archive_place)
    [path] = archive.versions(store, number)
    assert gzip.decompress(file_in(store, path)) == data
    assert not (kept_there.absolute_home / "archive").exists()

    [filed] = await stored(engine, "filings", number)
    archived = msgspec.convert(filed.source["archive"], ArchivedFile)
    s3.log.clear()
    offset, length, start, size = archived.members[2]
    read = b"".join(member_chunks(store, archived.path, offset, length))
    assert read == data[start : start + size]
    assert [asked.sent for asked in s3.log] == [length]

    again = msgspec.structs.replace(kept_there, prefix=f"{kept_there.prefix}again-")
    other = Engine.from_settings(again)
    try:
        status, summary, _ = await run(again, "load", "--archive", "--workers", 1)
        assert (status, summary["loaded"]) == (0, 1)
        [found] = await stored(other, "filings", number)
        assert found.source["archive"] == filed.source["archive"]
    finally:
        await other.close()

    status, summary, _ = await run(kept_there, "delete", number)
    assert (status, summary["archive_files"]) == (0, 1)
    assert s3.objects == {}
    status, summary, _ = await run(kept_there, "load", "--archive", "--workers", 1)
    assert (status, summary["loaded"]) == (0, 0)


@pytest.mark.long
async def test_years_are_loaded_again_from_the_store(
    kept_there: Settings, s3: S3, new_number: Callable[[], str], tmp_path: Path
) -> None:
    years = msgspec.structs.replace(
        kept_there, prefix=f"{kept_there.prefix}years-", partition="year"
    )
    days = {new_number(): date(year, 1, 5) for year in (2019, 2021)}
    for number, day in days.items():
        made = MadeUp(number, (FERN,), (MadeUpDocument("Ferns.\n"),), filing_date=day)
        (tmp_path / f"{number}.txt").write_bytes(txt(made))
    engine = Engine.from_settings(years)
    try:
        status, summary, _ = await run(years, "load", tmp_path, "--workers", 1)
        assert (status, summary["loaded"]) == (0, 2)
        before, kept = await read_entries(engine, list(days)), dict(s3.objects)
        status, summary, _ = await run(years, "load", "--again", "--workers", 1)
        assert (status, summary["loaded"], summary["unchanged"]) == (0, 2, 0)
        after = await read_entries(engine, list(days))
        for number, day in days.items():
            assert after[number].partition == before[number].partition == str(day.year)
            assert after[number].announced == before[number].announced
            assert after[number].epoch > before[number].epoch
            [document] = await stored(engine, "documents", number)
            assert await text_of(engine, document.id) == "Ferns."
        assert s3.objects == kept
    finally:
        await engine.close()


async def test_store_that_refuses_ends_the_load_with_a_reason(
    kept_there: Settings, s3: S3, filing: MadeUp, tmp_path: Path
) -> None:
    (tmp_path / "one.txt").write_bytes(txt(filing))
    s3.refuses = True
    status, _, complaints = await run(kept_there, "load", tmp_path / "one.txt", "--workers", 1)
    refused = "the store refused a request with status 403"
    reason = f"edgar-ingest: the archive cannot be written: {URL}: {refused}"
    assert status == 1
    assert reason in complaints
    assert SECRET not in complaints
