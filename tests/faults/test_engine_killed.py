"""Loads whose Elasticsearch is killed at a random request and started again: they wait, and end."""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.engine import embedded
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.faults.proxy import Point, Proxy, listening
from tests.faults.submissions import write_submissions
from tests.faults.test_fault_matrix import Reference, engine_url, held, run
from tests.support.engines import installation, kill_engine, own_engine

pytestmark = [pytest.mark.anyio, pytest.mark.long]
POINTS = 4
SEED = random.randrange(2**32)


@pytest.fixture(scope="module")
def engine() -> Iterator[Settings]:
    """Settings of an engine that is this module's."""
    with own_engine("512m", prefix="test-") as settings:
        yield settings


async def test_load_waits_for_an_engine_that_was_killed_and_ends_as_if_it_had_not_been(
    engine: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "submissions"
    write_submissions(folder)
    whole = installation(engine, "whole", tmp_path / "whole", partition="year")
    async with listening(Proxy(engine_url(whole), whole.prefix, None, random.Random())) as proxy:
        assert (await run(whole, folder, proxy)).status == 3
    reference = Reference(await held(whole), proxy.log)
    print(f"seed {SEED}, {len(reference.requests)} requests in a load without faults")
    for number in range(POINTS):
        at = reference.point(SEED, number).request
        settings = installation(engine, f"k{number}", tmp_path / str(number), partition="year")
        point = Point("kill engine", at)
        async with listening(
            Proxy(engine_url(settings), settings.prefix, point, random.Random())
        ) as proxy:
            restarts: list[asyncio.Task[object]] = []

            def restart(restarts: list[asyncio.Task[object]] = restarts) -> None:
                kill_engine(engine)
                up = asyncio.to_thread(embedded.up, engine)
                restarts.append(asyncio.create_task(up))

            proxy.kill_engine = restart
            ended = await run(settings, folder, proxy)
            await asyncio.gather(*restarts)
        assert (ended.status, len(restarts)) == (3, 1), ended.errors
        assert "waiting" in ended.errors
        assert await held(settings) == reference.contents, point
        print(f"{number}\tkill engine\tat {at} ({reference.requests[at - 1]})", flush=True)
        await remove_everything(settings)
