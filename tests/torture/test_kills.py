"""Kills and stops of an engine, of the service's workers and of loaders: nothing is lost.

Eight clients search meanwhile. However often the load was hit, it leaves what one without faults
leaves.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import aiohttp
import psutil
import pytest

from bench.loading import environment
from edgar_search.engine import embedded
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.faults.contents import Contents
from tests.faults.submissions import write_submissions
from tests.faults.test_fault_matrix import held
from tests.support.engines import engine_processes, installation, kill_engine, own_engine
from tests.torture.filings import write_filings
from tests.torture.service import Target, Times, command, serving, status, timed

pytestmark = pytest.mark.anyio
SEARCHERS = 8
ROUNDS = 2
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "14"))
QUERIES = ("marble", "moss", "quarry1", '"the of"', "quarr*", "nothing1")
# What searches do not write.
LOADED = (
    "filings",
    "documents",
    "passages",
    "sections",
    "insider_trades",
    "stakes",
    "planned_sales",
    "manager_reports",
    "holdings",
    "entities",
    "ledger",
)
FINISHED = (0, 3)
MOST_RUNS = 60
STOPPED_SECONDS = 3.0
# Until a search is answered again; the embedded engine takes most of it to start.
RECOVERY_SECONDS = 120.0
# A search that is under way, or comes, while something is away.
INTERRUPTED = {
    200,
    503,
    "ServerDisconnectedError",
    # A worker that was killed after the head of its answer, and before the end of it.
    "ClientPayloadError",
    "ClientOSError",
    "ClientConnectorError",
    "TimeoutError",
    "ConnectionResetError",
}


class Loader(threading.Thread):
    """The command `edgar-ingest load`, again and again; once `last` is set, to a good end."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        super().__init__()
        self._command = [sys.executable, "-m", "ingest.cli", "load", str(folder), "--workers", "2"]
        self._environment = environment(settings)
        self._process: subprocess.Popen[bytes] | None = None
        self.statuses: list[int] = []
        self.last = threading.Event()
        self._given_up = threading.Event()

    def run(self) -> None:
        ended = False
        while not ended and not self._given_up.is_set():
            last = self.last.is_set()
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self.statuses.append(self._process.wait())
            ended = last and (self.statuses[-1] in FINISHED or len(self.statuses) > MOST_RUNS)

    def end(self) -> None:
        """End it, where it has not come to its end."""
        self._given_up.set()
        self.signal(signal.SIGKILL)
        self.join()

    def signal(self, number: int) -> None:
        """Send it a signal, where it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


class Scene(NamedTuple):
    """All that faults strike; `engine` has the engine's home."""

    engine: Settings
    target: Target
    loader: Loader


def stop_for_a_while(processes: list[psutil.Process]) -> None:
    """SIGSTOP, and SIGCONT some seconds later."""
    for process in processes:
        process.suspend()
    time.sleep(STOPPED_SECONDS)
    for process in processes:
        process.resume()


def kill_and_start_engine(scene: Scene) -> None:
    """SIGKILL, and the command that starts it."""
    kill_engine(scene.engine)
    embedded.up(scene.engine)


def end_and_start_engine(scene: Scene) -> None:
    """SIGTERM, and the command that starts it."""
    embedded.down(scene.engine)
    embedded.up(scene.engine)


Fault = Callable[[Scene], None]
FAULTS: dict[str, Fault] = {
    "SIGKILL of a worker": lambda scene: scene.target.workers()[0].kill(),
    "SIGSTOP of a worker": lambda scene: stop_for_a_while(scene.target.workers()[:1]),
    "SIGTERM of a worker": lambda scene: scene.target.workers()[0].terminate(),
    "SIGKILL of the loader": lambda scene: scene.loader.signal(signal.SIGKILL),
    "SIGTERM of the loader": lambda scene: scene.loader.signal(signal.SIGTERM),
}
# Ends that are asked for are tested in tests/web/http too.
IN_SHORT = ("SIGKILL of a worker", "SIGSTOP of a worker", "SIGKILL of the loader")
ENGINE_FAULTS: dict[str, Fault] = {
    "SIGSTOP of the engine": lambda scene: stop_for_a_while(engine_processes(scene.engine)),
    "SIGKILL of the engine": kill_and_start_engine,
    "SIGTERM of the engine": end_and_start_engine,
}


async def strike(scene: Scene, faults: dict[str, Fault], rounds: int) -> None:
    """All faults in turn, in each round in another order; the time of each recovery is printed."""
    order = random.Random(SEED)
    for _ in range(rounds):
        for name in order.sample(sorted(faults), len(faults)):
            await asyncio.sleep(1.0)
            began = time.monotonic()
            await asyncio.to_thread(faults[name], scene)
            struck = time.monotonic()
            await asyncio.wait_for(_recovered(scene.target), RECOVERY_SECONDS)
            ended = time.monotonic()
            print(
                f"{name}: {struck - began:.1f} s, recovered {ended - struck:.2f} s after it",
                flush=True,
            )


async def _recovered(target: Target) -> None:
    """Until several searches on new connections are answered, one after the other."""
    answered = 0
    while answered < 4:
        async with target.client() as client:
            good = await status(client, f"{target.url}/v1/search", query="quarry") == 200
        answered = answered + 1 if good else 0
        await asyncio.sleep(0 if good else 0.05)


async def search(client: aiohttp.ClientSession, target: Target, times: Times) -> None:
    """Searches without an end."""
    while True:
        query = QUERIES[len(times.seconds) % len(QUERIES)]
        answered = await timed(client, times, f"{target.url}/v1/search", query=query)
        await asyncio.sleep(0.02 if answered == 200 else 0.2)


async def tortured(scene: Scene, faults: dict[str, Fault], rounds: int) -> Times:
    """Return the outcomes of searches while faults struck and the load went on to its end."""
    times = Times([], Counter())
    async with scene.target.client() as client:
        searching = [
            asyncio.create_task(search(client, scene.target, times)) for _ in range(SEARCHERS)
        ]
        scene.loader.start()
        try:
            await strike(scene, faults, rounds)
            scene.loader.last.set()
            await asyncio.to_thread(scene.loader.join)
        finally:
            scene.loader.end()
        for each in searching:
            each.cancel()
        await asyncio.gather(*searching, return_exceptions=True)
    print(f"searches: {times}\nruns of the load: {Counter(scene.loader.statuses)}")
    return times


async def assert_nothing_is_lost(
    engine: Settings, folder: Path, homes: Path, faults: dict[str, Fault], rounds: int
) -> None:
    """Load twice, without faults and with them, and compare what is there then."""
    whole, struck = (
        installation(engine, name, homes / name, local_issuer=True, searches=1_000)
        for name in ("whole", "struck")
    )
    try:
        command(whole, "ingest.cli", "load", str(folder), "--workers", "2")
        # Users and keys need the indices of a first load.
        command(struck, "ingest.cli", "templates", "put")
        with serving(struck, homes, workers=2) as target:
            scene = Scene(engine, target, Loader(struck, folder))
            times = await tortured(scene, faults, rounds)
            assert target.faults() == []
        assert scene.loader.statuses[-1] in FINISHED
        assert not times.ended.keys() - INTERRUPTED and times.ended[200]
        assert loaded(await held(struck)) == loaded(await held(whole))
    finally:
        await remove_everything(whole)
        await remove_everything(struck)


def loaded(held: Contents) -> Contents:
    """Return the entries that loads alone write, and the archive."""
    return {name: held[name] for name in (*LOADED, "archive", "left over")}


async def test_load_among_kills_of_workers_and_loaders_loses_nothing(
    engine_settings: Settings, tmp_path: Path
) -> None:
    write_submissions(tmp_path / "submissions")
    faults = {name: FAULTS[name] for name in IN_SHORT}
    await assert_nothing_is_lost(
        engine_settings, tmp_path / "submissions", tmp_path, faults, rounds=1
    )


@pytest.mark.long
async def test_load_among_kills_of_the_engine_too_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    write_submissions(folder)
    write_filings(folder / "dense", submissions=60, characters=150_000)
    with own_engine("512m", prefix="test-", es_timeout=5.0) as engine:
        both = FAULTS | ENGINE_FAULTS
        await assert_nothing_is_lost(engine, folder, tmp_path, both, ROUNDS)
