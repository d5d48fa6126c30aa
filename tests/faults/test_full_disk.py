"""An embedded engine on a small disk that really fills up, and one that stands still."""

import asyncio
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.doctor.nodes import look_at_nodes
from edgar_search.engine import embedded
from edgar_search.engine.embedded import folders, process
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.engines import embedded_settings, new_home
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.waiting import until

pytestmark = [pytest.mark.anyio, pytest.mark.long]
_NUMBERS = itertools.count(1)
DISK_BYTES = 200_000_000
# What a load wants free, and what is left for a full disk: less than the engine's flood stage.

NEEDED, LEFT = 30_000_000, 5_000_000


class Small(NamedTuple):
    """An engine whose data have a disk of their own."""

    settings: Settings
    data: Path

    def fill(self) -> Path:
        """Write until little is left; what to delete for room."""
        filler = self.data / "filler"
        size = shutil.disk_usage(self.data).free - LEFT
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)
        return filler


@pytest.fixture(scope="module")
def small() -> Iterator[Small]:
    """An engine of this module's own."""
    home = new_home()
    own = msgspec.structs.replace(
        embedded_settings(), home=home, engine_heap="512m", prefix="test-", free_bytes=NEEDED
    )
    where = folders.EngineFolders(folders.control_folder(own))
    where.data.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(where.data)]
    if subprocess.run(mount, capture_output=True).returncode:
        shutil.rmtree(home)
        pytest.skip("a disk of a few megabytes cannot be mounted here")
    folders.give(where.data, where.account)
    try:
        embedded.up(own, print)
        yield Small(own, where.data)
    finally:
        embedded.down(own)
        subprocess.run(["umount", str(where.data)], check=True)
        shutil.rmtree(home, ignore_errors=True)


class Ended(NamedTuple):
    status: int
    errors: str
    seconds: float


async def load(settings: Settings, folder: Path, word: str, **more: str) -> Ended:
    """`edgar-ingest load` of one submission with this word."""
    number = f"0009990001-21-{next(_NUMBERS):06d}"
    company = MadeUpEntity("0009990001", "Example Company")
    made_up = MadeUp(number, (company,), (MadeUpDocument(f"<p>the word {word}</p>"),))
    path = folder / f"{number}.txt"
    path.write_bytes(txt(made_up))
    return await run(settings, path, **more)


async def run(settings: Settings, path: Path, **more: str) -> Ended:
    given = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "EDGAR_SEARCH_HOME": str(settings.home),
        "EDGAR_SEARCH_PREFIX": settings.prefix,
        "EDGAR_SEARCH_FREE_BYTES": str(settings.free_bytes),
        **more,
    }
    began = time.monotonic()
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ingest.cli", "load", str(path), "--workers", "1"),
        env=given,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await asyncio.wait_for(started.communicate(), 120)
    assert started.returncode is not None
    return Ended(started.returncode, errors.decode(), time.monotonic() - began)


@asynccontextmanager
async def service(settings: Settings) -> AsyncIterator[tuple[Client, Engine]]:
    ready = embedded.resolve(settings)
    engine = Engine.from_settings(ready)
    try:
        key, _ = await ApiKeys(engine).create("test", "test")
        async with LifespanManager(create_app(ready)) as manager:
            transport = httpx.ASGITransport(manager.app)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://test", headers={"X-API-Key": key}
            ) as http:
                yield Client(http), engine
    finally:
        await engine.close()


async def test_load_waits_for_an_engine_that_stands_still(small: Small, tmp_path: Path) -> None:
    engine = process.all_of(folders.find(small.settings))
    for pid in engine:
        os.kill(pid, signal.SIGSTOP)
    try:
        more = {"EDGAR_SEARCH_ES_TIMEOUT": "1", "EDGAR_SEARCH_LOAD_PATIENCE": "100"}
        loading = asyncio.create_task(load(small.settings, tmp_path, "patient", **more))
        await asyncio.sleep(16)
        assert not loading.done()
    finally:
        for pid in engine:
            os.kill(pid, signal.SIGCONT)
    ended = await loading
    assert ended.status == 0, ended.errors
    assert "not reachable; waiting, " in ended.errors


async def test_full_disk_stops_the_load_at_once_and_searches_go_on(
    small: Small, tmp_path: Path
) -> None:
    settings = small.settings
    before = await load(settings, tmp_path, "plentiful")
    assert before.status == 0, before.errors
    async with service(settings) as (client, engine):

        async def blocked() -> bool:
            path = f"/{settings.prefix}documents/_settings/index.blocks.*"
            return "read_only" in str(await engine.administer("GET", path))

        async def writable() -> bool:
            return not await blocked()

        async def diagnosed() -> bool:
            found = await look_at_nodes(engine, 0)
            return [each.level for each in found if each.what.startswith("disk of")] == ["wrong"]

        assert len(await client.found("plentiful")) == 1
        filler = small.fill()
        stopped = await load(settings, tmp_path, "scarce")
        assert stopped.status == 1
        assert stopped.seconds < 30
        assert f"the disk is full: {small.data}" in stopped.errors
        assert f"needs {NEEDED}" in stopped.errors
        await until(blocked, 60.0)
        await until(diagnosed, 60.0)
        for _ in range(30):
            assert len(await client.found("plentiful")) == 1
            await asyncio.sleep(0.15)  # The plan has ten calls a second.
        assert (await client.http.get("/health/ready")).status_code == 200
        refused = await run(settings, tmp_path, EDGAR_SEARCH_FREE_BYTES="0")
        assert refused.status == 1
        assert refused.seconds < 30
        assert f"{small.data} has" in refused.errors
        filler.unlink()
        await until(writable, 60.0)
        after = await run(settings, tmp_path)
        assert after.status == 0, after.errors
        assert len(await client.found("scarce")) == 1
        assert len(await client.found("plentiful")) == 1
