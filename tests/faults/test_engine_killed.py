"""Loads whose Elasticsearch is killed at a random request and started again: they wait, and end."""

import asyncio
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from edgar_search.engine import embedded
from edgar_search.engine.embedded import places
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.faults.proxy import Point, Proxy, listening
from tests.faults.submissions import write_submissions
from tests.faults.test_fault_matrix import Reference, engine_url, held, installation, run
from tests.support.engines import embedded_settings

pytestmark = [pytest.mark.anyio, pytest.mark.long]
POINTS = 4
SEED = random.randrange(2**32)


@pytest.fixture(scope="module")
def own_engine() -> Iterator[Settings]:
    """Settings of an engine that is this module's."""
    home = Path(tempfile.mkdtemp(prefix="edgar-search-test-"))
    home.chmod(0o755)
    own = msgspec.structs.replace(
        embedded_settings(), home=home, engine_heap="512m", prefix="test-"
    )
    try:
        yield msgspec.structs.replace(own, es_url=embedded.up(own).url)
    finally:
        embedded.down(own)
        shutil.rmtree(places.find(own).folder, ignore_errors=True)  # may be outside the home
        shutil.rmtree(home, ignore_errors=True)


def kill(settings: Settings) -> None:
    """End the engine without a chance to say so."""
    running = embedded.status(settings)
    assert running is not None
    launcher = psutil.Process(running.pid)
    family = [launcher, *launcher.children(recursive=True)]
    for one in family:
        one.kill()
    psutil.wait_procs(family)


async def test_load_waits_for_an_engine_that_was_killed_and_ends_as_if_it_had_not_been(
    own_engine: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "submissions"
    write_submissions(folder)
    whole = installation(own_engine, "whole", tmp_path / "whole")
    async with listening(Proxy(engine_url(whole), whole.prefix, None, random.Random())) as proxy:
        assert (await run(whole, folder, proxy)).status == 3
    reference = Reference(await held(whole), proxy.log)
    print(f"seed {SEED}, {len(reference.requests)} requests in a load without faults")
    for number in range(POINTS):
        at = reference.point(SEED, number).request
        settings = installation(own_engine, f"k{number}", tmp_path / str(number))
        point = Point("kill engine", at)
        async with listening(
            Proxy(engine_url(settings), settings.prefix, point, random.Random())
        ) as proxy:
            restarts: list[asyncio.Task[object]] = []

            def restart(restarts: list[asyncio.Task[object]] = restarts) -> None:
                kill(own_engine)
                up = asyncio.to_thread(embedded.up, own_engine)
                restarts.append(asyncio.create_task(up))

            proxy.kill_engine = restart
            ended = await run(settings, folder, proxy)
            await asyncio.gather(*restarts)
        assert (ended.status, len(restarts)) == (3, 1), ended.errors
        assert "waiting" in ended.errors
        assert await held(settings) == reference.contents, point
        print(f"{number}\tkill engine\tat {at} ({reference.requests[at - 1]})", flush=True)
        await remove_everything(settings)
