"""Loads of large submissions that are killed at random moments, and end as if they had not been."""

import asyncio
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bench.loading import environment
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.faults.test_fault_matrix import held
from tests.support.engines import installation
from tests.support.large_submission import write_large

pytestmark = pytest.mark.anyio
SEED = random.randrange(2**32)
KILLS = 4


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


@pytest.mark.parametrize("whom", ["load", "worker"])
async def test_killed_at_any_moment_it_ends_as_without(
    engine_settings: Settings, folder: Path, tmp_path: Path, whom: str
) -> None:
    whole = installation(engine_settings, "large-whole", tmp_path / "whole")
    hit = installation(engine_settings, "large-hit", tmp_path / "hit")
    try:
        began = time.monotonic()
        assert await (await started(whole, folder)).wait() == 0
        seconds = time.monotonic() - began
        print(f"seed {SEED}, {seconds:.1f} s without a kill")
        moments = random.Random(SEED)
        for _ in range(KILLS):
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
