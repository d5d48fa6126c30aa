"""A cluster of three nodes that loses each of them in turn, during a load and 20 searches/s."""

import asyncio
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from bench.loading import environment
from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from tests.support.cluster import Cluster, running_cluster
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.long]
ENTITY = MadeUpEntity("0009990130", "TURNSTONE")
FILES = 600
# Twenty searches a second, as far as the machine can.
ASKING = 4
PAUSE = ASKING / 20  # between the beginnings of two searches
# How long after a node was lost a total may be one of a copy that is behind.
BEHIND_SECONDS = 5.0


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three nodes."""
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def settings(cluster: Cluster, tmp_path: Path) -> Settings:
    """An installation that knows all nodes, whose accounts have a quota."""
    return Settings(
        es_url=cluster.addresses,
        prefix=f"test-{secrets.token_hex(3)}-",
        home=tmp_path / "home",
        alerts=False,
        plans="busy=1000000/1000/50",
        default_plan="busy",
        drain=0.0,
        es_timeout=20.0,
    )


class Searches:
    """Searches at a steady pace; what came of them, and where a total went back.

    A search that begins when another has ended finds what that one found, and maybe more.
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.statuses: Counter[int] = Counter()
        self.slowest = 0.0
        self.went_back: list[tuple[float, int, int]] = []
        self._total = 0

    async def ask_forever(self) -> None:
        """One after the other; several of these at once."""
        while True:
            began, known = time.monotonic(), self._total
            reply = await self.client.get("/v1/search?query=turnstone")
            now = time.monotonic()
            self.slowest = max(self.slowest, now - began)
            self.statuses[reply.status_code] += 1
            if reply.status_code == 200:
                total = reply.json()["total_count"]
                if total < known:
                    self.went_back.append((now, known, total))
                self._total = total if total < known else max(self._total, total)
            else:
                print(reply.status_code, reply.text)
            await asyncio.sleep(max(0.0, PAUSE - (now - began)))


@asynccontextmanager
async def searching(settings: Settings) -> AsyncIterator[Searches]:
    """Yield the service over these nodes, which is searched all the while."""
    # A cluster that has just been formed on two cores takes its time for fifteen indices.
    engine = Engine.from_settings(msgspec.structs.replace(settings, es_timeout=120.0))
    await Indices(engine, settings).set_up()
    key, _ = await ApiKeys(engine).create("test", "test")
    async with LifespanManager(create_app(settings), startup_timeout=60) as manager:
        transport = httpx.ASGITransport(manager.app)
        headers = {"X-API-Key": key}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://test", headers=headers, timeout=60
        ) as client:
            searches = Searches(client)
            asking = [asyncio.create_task(searches.ask_forever()) for _ in range(ASKING)]
            try:
                yield searches
            finally:
                for each in asking:
                    each.cancel()
                await asyncio.gather(*asking, return_exceptions=True)
    await engine.close()


def written(folder: Path) -> Path:
    """Return submissions that are loaded while nodes die."""
    folder.mkdir()
    for number in range(FILES):
        text = f"turnstone {number} walks along the shore. " * 200
        filing = MadeUp(f"0009990130-21-{number:06d}", (ENTITY,), (MadeUpDocument(text),))
        (folder / f"{number}.txt").write_bytes(txt(filing))
    return folder


@pytest.mark.parametrize("how", ["killed", "restarted"])
async def test_no_search_fails_and_nothing_is_lost_while_each_node_goes_once(
    cluster: Cluster, settings: Settings, tmp_path: Path, how: str
) -> None:
    end = cluster.kill if how == "killed" else cluster.stop
    lost_at = []
    began = time.monotonic()
    folder = await asyncio.to_thread(written, tmp_path / "filings")
    async with searching(settings) as searches:
        # Slowly, over and over, so that something is loaded whenever a node goes.
        loading = asyncio.create_task(asyncio.to_thread(load_parts, settings, folder))
        for node in cluster.nodes:
            await asyncio.sleep(5)
            lost_at.append(time.monotonic())
            await asyncio.to_thread(end, node)
            await asyncio.sleep(10)
            await asyncio.to_thread(cluster.start, node)
            await asyncio.to_thread(cluster.await_green, node)
        await loading
        found = (await searches.client.get("/v1/search?query=turnstone")).json()["total_count"]
    pace = searches.statuses.total() / (time.monotonic() - began)
    print(
        f"each node {how} once: searches {dict(searches.statuses)}, {pace:.1f} a second,"
        f" the slowest {searches.slowest:.1f} s; {found} of {FILES} filings; totals that went"
        f" back: {len(searches.went_back)}"
    )
    assert set(searches.statuses) == {200}
    assert found == FILES
    for at, _, _ in searches.went_back:
        assert any(0 <= at - lost <= BEHIND_SECONDS for lost in lost_at)


def load_parts(settings: Settings, folder: Path) -> None:
    """Load all files, some at a time; each load must end well."""
    patient = msgspec.structs.replace(settings, load_patience=600.0)
    files = sorted(folder.iterdir())
    for start in range(0, len(files), 30):
        command = [sys.executable, "-m", "ingest.cli", "load", "--workers", "1"]
        command += [str(file) for file in files[start : start + 30]]
        done = subprocess.run(command, env=environment(patient), capture_output=True, text=True)
        print(done.stderr, end="")
        assert done.returncode == 0, done.stdout + done.stderr
