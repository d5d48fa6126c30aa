"""Whole loads of large submissions, four at once: what is stored, and the memory that it took."""

import asyncio
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest

from bench.loading import environment
from edgar_search.archive.archive import open_archive
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.ledger import read_entries
from tests.support.archived import member
from tests.support.large_submission import write_large
from tests.support.loading import stored
from tests.support.memory import FamilyMemory

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
COUNT, WORKERS = 4, 4
MOST = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that goes with the test; pytest would keep its own for some runs."""
    with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
        yield Path(folder)


class Loaded(NamedTuple):
    """The summary of a load and its highest memory."""

    summary: dict[str, Any]
    memory: FamilyMemory


async def loaded(
    settings: Settings,
    source: Path | str,
    workers: int = WORKERS,
    stdin: IO[bytes] | None = None,
    **more: str,
) -> Loaded:
    """Run the command in a process of its own."""
    load = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ingest.cli", "load", str(source), "--workers", str(workers)),
        env=environment(settings) | more,
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
    )
    memory = FamilyMemory(load.pid)
    memory.start()
    out, _ = await load.communicate()
    await asyncio.to_thread(memory.join)
    assert load.returncode == 0
    return Loaded(json.loads(out.splitlines()[-1]), memory)


def number(place: int) -> str:
    return f"000999006{place}-21-000001"


def write_all(folder: Path, size: int, huge: int, text_bytes: int) -> None:
    for place in range(COUNT):
        path = folder / f"{number(place)}.txt"
        write_large(path, number(place), size, huge=huge, texts=2, text_bytes=text_bytes)


def shown(name: str, found: Loaded) -> None:
    mb = {kind: getattr(found.memory, kind) // 1_000_000 for kind in ("rss", "pss", "uss")}
    print(f"{name}: {mb} MB in {found.summary['seconds']} s")


async def assert_stored(engine: Engine, settings: Settings, folder: Path) -> None:
    """Every filing with all its documents, each of which can be read alone."""
    store = open_archive(settings.archive_place)
    for place in range(COUNT):
        (filing,) = await stored(engine, "filings", number(place))
        path, members = filing.source["archive"]["path"], filing.source["archive"]["members"]
        documents = filing.source["documents"]
        assert len(members) == len(documents) + 1
        with (folder / f"{number(place)}.txt").open("rb") as file:
            for offset, length, start, size in (members[0], members[3], members[-1]):
                file.seek(start)
                assert member(store, path, offset, length) == file.read(size)


@pytest.mark.parametrize("size", [60_000_000, pytest.param(150_000_000, marks=pytest.mark.long)])
async def test_four_at_once_take_far_less_memory_than_they_are_large(
    engine: Engine, settings: Settings, folder: Path, size: int
) -> None:
    write_all(folder, size, huge=3_000_000, text_bytes=300_000)
    found = await loaded(settings, folder)
    shown(f"four submissions of {size // 1_000_000} MB, {WORKERS} workers", found)
    assert (found.summary["loaded"], found.summary["too_large"]) == (COUNT, [])
    assert found.memory.rss < 500_000_000
    await assert_stored(engine, settings, folder)


async def test_document_that_takes_too_much_memory_is_in_summary_and_ledger(
    engine: Engine, settings: Settings, folder: Path
) -> None:
    write_all(folder, 50_000_000, huge=20_000_000, text_bytes=100_000)
    found = await loaded(settings, folder, EDGAR_SEARCH_SUBMISSION_MEMORY="120000000")
    huge = [f"{number(place)}-3" for place in range(COUNT)]
    assert (found.summary["loaded"], sorted(found.summary["too_large"])) == (COUNT, huge)
    entries = await read_entries(engine, [number(0)])
    assert entries[number(0)].reason == f"too large to be searched: {number(0)}-3"


@pytest.mark.long
async def test_four_at_once_of_two_gigabytes_take_less_than_one(
    engine: Engine, settings: Settings, folder: Path
) -> None:
    write_all(folder, 2_000_000_000, huge=50_000_000, text_bytes=5_000_000)
    found = await loaded(settings, folder)
    shown(f"four submissions of 2 GB, {WORKERS} workers", found)
    assert found.summary["loaded"] == COUNT
    assert found.memory.rss < MOST
    await assert_stored(engine, settings, folder)


@pytest.mark.long
async def test_one_with_a_file_of_gigabytes_from_standard_input(
    engine: Engine, settings: Settings, folder: Path
) -> None:
    path = folder / f"{number(0)}.txt"
    write_large(path, number(0), 2_500_000_000, huge=5_000_000, file_bytes=2_400_000_000)
    packed = folder / "one.gz"
    with path.open("rb") as file, gzip.open(packed, "wb", compresslevel=1) as target:
        while piece := file.read(1_000_000):
            target.write(piece)
    with packed.open("rb") as stdin:
        found = await loaded(settings, "-", 1, stdin)
    shown("one of 2.5 GB, nearly all of it one document, 1 worker", found)
    assert found.summary["loaded"] == 1
    assert found.memory.rss < MOST // 2
