"""Loads of large submissions that are killed at random moments, and end as if they had not been."""

import asyncio
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from msgspec import Struct

from bench.loading import environment
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import EngineRefuses
from edgar_search.settings import Settings
from ingest.commands.check import check, index_entries
from ingest.sources.paths import FilingFilter
from tests.conftest import remove_everything
from tests.faults.test_fault_matrix import held
from tests.support.engines import installation
from tests.support.large_submission import write_large
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
SEED = random.randrange(2**32)
KILLS, KILLS_IN_SHORT = 4, 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("large")
    for place in range(2):
        number = f"000999007{place}-21-000001"
        path = folder / f"{number}.txt"
        write_large(path, number, 120_000_000, huge=6_000_000, texts=2, text_bytes=500_000)
    yield folder
    for path in folder.iterdir():
        path.unlink()


async def started(settings: Settings, folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ingest.cli", "load", str(folder), "--workers", "2"),
        env=environment(settings),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )


def kill_one(load: int, whom: str, chosen: random.Random) -> None:
    """Kill the load, or one of its workers."""
    try:
        process = psutil.Process(load)
        workers = process.children()
        (process if whom == "load" or not workers else chosen.choice(workers)).kill()
    except psutil.NoSuchProcess:
        pass  # It was faster.


@pytest.mark.parametrize(
    ("whom", "kills"),
    [
        ("worker", KILLS_IN_SHORT),
        pytest.param("worker", KILLS, marks=pytest.mark.long),
        pytest.param("load", KILLS, marks=pytest.mark.long),
    ],
)
async def test_killed_at_any_moment_it_ends_as_without(
    engine_settings: Settings, folder: Path, tmp_path: Path, whom: str, kills: int
) -> None:
    whole = installation(engine_settings, "large-whole", tmp_path / "whole")
    hit = installation(engine_settings, "large-hit", tmp_path / "hit")
    try:
        began = time.monotonic()
        assert await (await started(whole, folder)).wait() == 0
        seconds = time.monotonic() - began
        print(f"seed {SEED}, {seconds:.1f} s without a kill")
        moments = random.Random(SEED)
        for _ in range(kills):
            load = await started(hit, folder)
            await asyncio.sleep(moments.uniform(0.5, seconds))
            kill_one(load.pid, whom, moments)
            assert await load.wait() in (0, -9)
        assert await (await started(hit, folder)).wait() == 0
        assert await held(hit) == await held(whole)
        spool = hit.absolute_home / "loads"
        assert [path for path in spool.rglob("*") if path.is_dir()] == []
    finally:
        await remove_everything(whole)
        await remove_everything(hit)


async def number_of(engine: Engine, kind: Kind) -> int:
    """Return the number of stored entries of a kind; 0 while its index is not there yet."""
    body = {"size": 0, "track_total_hits": True}
    try:
        await engine.refresh(kind)
        return (await engine.search(kind, body, Struct)).total
    except EngineRefuses:
        return 0


@pytest.mark.long
async def test_what_a_killed_load_left_is_named_by_check_and_goes_with_the_next_version(
    engine_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number, few = "0009990079-21-000001", 1_000
    settings = installation(engine_settings, "large-left", tmp_path / "home")
    engine = Engine.from_settings(settings)
    path = tmp_path / "large" / f"{number}.txt"
    path.parent.mkdir()
    write_large(path, number, 25_000_000, huge=1_000_000, texts=10, text_bytes=2_000_000)
    index = tmp_path / "master.idx"
    row = f"9990079|LEFT CORP|10-K|2021-01-05|edgar/data/9990079/{number}.txt"
    head = "CIK|Company Name|Form Type|Date Filed|Filename"
    index.write_text("\n".join((head, "-" * 80, row, "")))
    every = FilingFilter(None, None, None, None)
    try:
        load = await started(settings, path.parent)
        while await number_of(engine, "passages") < few:
            assert load.returncode is None
            await asyncio.sleep(0.05)
        load.kill()
        assert await load.wait() == -9
        assert await number_of(engine, "documents") == 0
        assert await check(engine, settings, index_entries([index], every), deep=False) == 3
        assert "pending: its load has not finished; load it again" in capsys.readouterr().out
        small = MadeUp(
            number, (MadeUpEntity("0009990079", "LEFT CORP"),), (MadeUpDocument("A.\n"),)
        )
        path.write_bytes(txt(small))
        assert await (await started(settings, path.parent)).wait() == 0
        kinds: tuple[Kind, ...] = ("passages", "documents", "filings")
        assert [await number_of(engine, kind) for kind in kinds] == [1, 1, 1]
    finally:
        await engine.close()
        await remove_everything(settings)
