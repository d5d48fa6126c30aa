"""The rate of requests, over tasks and processes."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingest.fetching.rate import MAX_PAUSE, Slots

pytestmark = pytest.mark.anyio
PROGRAM = """
import asyncio, sys, time
from pathlib import Path
from ingest.fetching.rate import Slots
async def main():
    slots = Slots(Path(sys.argv[1]), 20)
    for _ in range(15):
        await slots.wait()
        print(time.time(), flush=True)
asyncio.run(main())
"""


async def test_tasks_take_turns(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 50)
    begun = time.monotonic()
    await asyncio.gather(*(slots.wait() for _ in range(6)))
    assert time.monotonic() - begun >= 5 / 50 - 0.005


def test_processes_share_the_rate(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    times = sorted(float(line) for output in outputs for line in output.split())
    assert len(times) == 30
    # A window of a second begins with one request and has room for twenty more.
    assert max(sum(begin <= t < begin + 1 for t in times) for begin in times) <= 21
    assert times[-1] - times[0] >= 29 / 20 - 0.02


async def test_pause_holds_everybody_back(tmp_path: Path) -> None:
    await Slots(tmp_path, 10).pause(0.3)
    begun = time.monotonic()
    await Slots(tmp_path, 10).wait()
    assert time.monotonic() - begun >= 0.25


@pytest.mark.parametrize("content", ["", "damaged", "far away"])
async def test_file_that_makes_no_sense_holds_nobody_back(tmp_path: Path, content: str) -> None:
    slots = Slots(tmp_path, 10)
    far = str(time.time() + MAX_PAUSE + 100)
    (tmp_path / "edgar" / "rate").write_text(content.replace("far away", far))
    begun = time.monotonic()
    await slots.wait()
    # A time that were believed would hold it back for minutes.
    assert time.monotonic() - begun < 10
