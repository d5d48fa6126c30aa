"""Loads that are hit by a fault at a random point, and end as if they had not been.

Each point is a fault and the request of the load that it strikes at. Where the load stops, it is
started again, until it ends. Then every index, the ledger and the archive are compared with those
of a load without faults. `EDGAR_SEARCH_TEST_FAULTS=seed:first:number` repeats some points.
"""

import asyncio
import os
import random
import sys
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from bench.loading import environment
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.faults.contents import Contents, contents
from tests.faults.proxy import KINDS, Point, Proxy, listening
from tests.faults.submissions import write_submissions
from tests.support.engines import installation

pytestmark = pytest.mark.anyio
# Which kinds of faults a sample has depends on the seed; the matrix has each of them many times.
SAMPLE, MATRIX = 3, 110
# The command with small batches, so that two are being written when the fault strikes.
COMMAND = (
    "from ingest import cli; from ingest.loading import session;"
    " session.BATCH_SUBMISSIONS = 4; exit(cli.main())"
)
# A load that is hit in its last moments may be started again and find nothing to do.
MOST_RUNS = 4
SEED = random.randrange(2**32)
FINISHED, STOPPED, KILLED = (0, 3), 1, -9


class Reference(NamedTuple):
    """A load without faults: what it left, and its requests."""

    contents: Contents
    requests: list[str]

    def point(self, seed: int, number: int) -> Point:
        """Return the point of this number; most are past the making of templates and indices."""
        chosen = random.Random(f"{seed} {number}")
        first = next(n for n, each in enumerate(self.requests, 1) if each.endswith("_bulk"))
        early = chosen.random() < 0.15
        at = chosen.randrange(1, first) if early else chosen.randint(first, len(self.requests))
        # Every fault gets its turn in the matrix, whatever the seed.
        return Point(KINDS[number % len(KINDS)], at)


class Ended(NamedTuple):
    """The end of one run of the load."""

    status: int
    errors: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("submissions")
    write_submissions(folder)
    return folder


@pytest.fixture(scope="module")
def reference(
    engine_settings: Settings, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Reference:
    async def load() -> Reference:
        settings = installation(
            engine_settings, "whole", tmp_path_factory.mktemp("whole"), partition="year"
        )
        async with listening(
            Proxy(engine_url(settings), settings.prefix, None, random.Random())
        ) as proxy:
            ended = await run(settings, folder, proxy)
            assert ended.status == 3, ended.errors
        return Reference(await held(settings), proxy.log)

    return asyncio.run(load())


def engine_url(settings: Settings) -> str:
    assert settings.es_url is not None
    return settings.es_url


async def run(settings: Settings, folder: Path, proxy: Proxy) -> Ended:
    """One run of the command, through the proxy."""
    through = msgspec.structs.replace(settings, es_url=proxy.url)
    given = environment(through) | {"EDGAR_SEARCH_PARTITION": "year"}
    load = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", COMMAND, "load", str(folder), "--workers", "2"),
        env=given,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    proxy.load = load.pid
    _, errors = await asyncio.wait_for(load.communicate(), 180)
    assert load.returncode is not None
    return Ended(load.returncode, errors.decode())


async def held(settings: Settings) -> Contents:
    engine = Engine.from_settings(settings)
    try:
        return await contents(engine, settings)
    finally:
        await engine.close()


async def assert_survives(
    point: Point,
    name: str,
    reference: Reference,
    engine_settings: Settings,
    folder: Path,
    home: Path,
) -> list[int]:
    """Return the exit statuses of the runs until the load was through."""
    settings = installation(engine_settings, name, home, partition="year")
    statuses: list[int] = []
    try:
        own = Proxy(engine_url(settings), settings.prefix, point, random.Random(name))
        async with listening(own) as proxy:
            while not statuses or statuses[-1] not in FINISHED:
                assert len(statuses) < MOST_RUNS, (point, statuses)
                ended = await run(settings, folder, proxy)
                statuses.append(ended.status)
                assert ended.status in (*FINISHED, STOPPED, KILLED), ended.errors
                if ended.status == STOPPED:
                    # Nothing else stops a load: all other faults pass.
                    assert point.kind == "disk full", ended.errors
                    assert "disk is full" in ended.errors and "make room" in ended.errors
                    await proxy.block(False)
            await proxy.block(False)
        assert await held(settings) == reference.contents, point
    finally:
        await remove_everything(settings)
    if proxy.struck:
        return statuses
    # Batches are written side by side, so that a load may make a few requests fewer than another.
    assert point.request > len(proxy.log) > 0.9 * len(reference.requests), point
    earlier = point._replace(request=len(proxy.log) * 9 // 10)
    return await assert_survives(
        earlier, f"{name}b", reference, engine_settings, folder, home / "again"
    )


def chosen(count: int) -> tuple[int, range]:
    """Return the seed and the points of this run."""
    given = os.environ.get("EDGAR_SEARCH_TEST_FAULTS")
    if not given:
        first = SEED % len(KINDS)
        return SEED, range(first, first + count)
    seed, first, number = map(int, given.split(":"))
    return seed, range(first, first + number)


async def matrix(
    count: int, reference: Reference, engine_settings: Settings, folder: Path, homes: Path
) -> None:
    seed, numbers = chosen(count)
    print(f"seed {seed}, {len(reference.requests)} requests in a load without faults")
    for number in numbers:
        point = reference.point(seed, number)
        home = homes / str(number)
        statuses = await assert_survives(
            point, f"p{number}", reference, engine_settings, folder, home
        )
        path = reference.requests[point.request - 1].replace(engine_settings.prefix, "")
        print(f"{number}\t{point.kind}\tat {point.request} ({path})\t{statuses}", flush=True)


async def test_loads_of_a_sample_of_points_end_as_without_faults(
    reference: Reference, engine_settings: Settings, folder: Path, tmp_path: Path
) -> None:
    await matrix(SAMPLE, reference, engine_settings, folder, tmp_path)


@pytest.mark.long
async def test_loads_of_the_whole_matrix_end_as_without_faults(
    reference: Reference, engine_settings: Settings, folder: Path, tmp_path: Path
) -> None:
    await matrix(MATRIX, reference, engine_settings, folder, tmp_path)
