"""A cluster of three nodes of which each in turn is frozen, killed, or answers late."""

import asyncio
import secrets
import statistics
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import NamedTuple

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from tests.faults.test_nodes_killed import load_parts
from tests.support.cluster import Cluster, Node, running_cluster
from tests.support.link import Link, linked
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.long]
ENTITY = MadeUpEntity("0009990131", "DOTTEREL")
FILES = 30
PACE = 20  # searches a second, however long each takes
QUERIES = ("dotterel", "walks+AND+shore", "%22along+the+shore%22", "dotterel+OR+turnstone&limit=3")
WARM = 50
BEFORE_SECONDS = 5.0
# Elasticsearch removes a frozen node from the cluster after 30 seconds: both phases are seen.
FROZEN_SECONDS = 45.0
GONE_SECONDS = 15.0
DELAYED_SECONDS = 20.0
AFTER_SECONDS = 10.0
USED_WITHIN = 5.0
# Whoever asks before it is known what hangs is held, at most for so long.
HELD = 2.0
# A killed node takes no searches before it has joined and knows all indices.
JOINED_SECONDS = 240.0


class Asked(NamedTuple):
    """One search: when it began and ended, and what was said if it failed."""

    began: float
    ended: float
    failure: str


class Faults(NamedTuple):
    """The cluster, and the link to each of its nodes."""

    cluster: Cluster
    links: dict[Node, Link]

    async def freeze(self, node: Node) -> float:
        """Freeze a node for a while; when it went on."""
        self.cluster.freeze(node)
        try:
            await asyncio.sleep(FROZEN_SECONDS)
        finally:
            self.cluster.thaw(node)
        return now()

    async def kill(self, node: Node) -> float:
        """Kill a node and start it again; when it had joined the others."""
        await asyncio.gather(asyncio.to_thread(self.cluster.kill, node), self.links[node].cut())
        await asyncio.sleep(GONE_SECONDS)
        await self.links[node].open()
        await asyncio.to_thread(self.cluster.start, node)
        other = next(each for each in self.cluster.nodes if each != node)
        await asyncio.to_thread(self.cluster.await_green, other)
        return now()

    async def delay(self, node: Node) -> float:
        """Delay nine of ten pieces of what passes to and from a node; when that ended."""
        self.links[node].delaying = True
        await asyncio.sleep(DELAYED_SECONDS)
        self.links[node].delaying = False
        return now()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three nodes."""
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def settings(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An installation whose accounts have a quota, with filings on two nodes each."""
    home = tmp_path_factory.mktemp("home")
    settings = Settings(
        es_url=cluster.addresses,
        prefix=f"test-{secrets.token_hex(3)}-",
        home=home,
        alerts=False,
        plans="busy=1000000/1000/50",
        default_plan="busy",
        # On a busy machine all searches are slow; that they are refused for it has its own tests.
        searches=120,
        drain=0.0,
    )
    folder = home / "filings"
    folder.mkdir(parents=True)
    for number in range(FILES):
        text = f"dotterel {number} walks along the shore. " * 50
        filing = MadeUp(f"0009990131-21-{number:06d}", (ENTITY,), (MadeUpDocument(text),))
        (folder / f"{number}.txt").write_bytes(txt(filing))
    load_parts(msgspec.structs.replace(settings, es_timeout=120.0), folder)
    cluster.await_green(cluster.nodes[0])
    return settings


@asynccontextmanager
async def service(settings: Settings, faults: Faults) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of the service, which reaches the nodes by their links."""
    linked = ",".join(link.url for link in faults.links.values())
    engine = Engine.from_settings(settings)
    await Indices(engine, settings).set_up()
    key, _ = await ApiKeys(engine).create("test", "test")
    await engine.close()
    app = create_app(msgspec.structs.replace(settings, es_url=linked))
    async with LifespanManager(app, startup_timeout=60) as manager:
        transport = httpx.ASGITransport(manager.app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://test", headers={"X-API-Key": key}, timeout=60
        ) as client:
            yield client


@asynccontextmanager
async def searched(client: httpx.AsyncClient) -> AsyncIterator[list[Asked]]:
    """Yield searches at a steady pace all the while.

    What came of them is in the list at the end.
    """
    asked: list[Asked] = []
    under_way: set[asyncio.Task[None]] = set()

    async def ask(number: int) -> None:
        began = now()
        reply = await client.get(f"/v1/search?query={QUERIES[number % len(QUERIES)]}")
        failure = "" if reply.status_code == 200 else f"{reply.status_code} {reply.text}"
        asked.append(Asked(began, now(), failure))

    async def ask_forever() -> None:
        first, number = now(), 0
        while True:
            under_way.add(task := asyncio.create_task(ask(number)))
            task.add_done_callback(under_way.discard)
            number += 1
            await asyncio.sleep(max(0.0, first + number / PACE - now()))

    asking = asyncio.create_task(ask_forever())
    try:
        yield asked
    finally:
        asking.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


@pytest.mark.parametrize("which", ["master", "second", "third"])
@pytest.mark.parametrize("fault", [Faults.freeze, Faults.kill, Faults.delay])
async def test_only_searches_held_at_that_instant_fail_and_the_node_is_used_again_soon(
    cluster: Cluster,
    settings: Settings,
    fault: Callable[[Faults, Node], Awaitable[float]],
    which: str,
) -> None:
    await asyncio.to_thread(cluster.await_green, cluster.nodes[0])
    master = cluster.master()
    others = [node for node in cluster.nodes if node != master]
    node = {"master": master, "second": others[0], "third": others[1]}[which]
    watched = f"{settings.prefix}documents/_search".encode()
    async with AsyncExitStack() as stack:
        links = {
            each: await stack.enter_async_context(linked(each.port, watched, Random(7)))
            for each in cluster.nodes
        }
        faults = Faults(cluster, links)
        client = await stack.enter_async_context(service(settings, faults))
        # A cluster that has just been started is slow at first.
        for query in QUERIES * WARM:
            await client.get(f"/v1/search?query={query}")
        async with searched(client) as asked:
            await asyncio.sleep(BEFORE_SECONDS)
            began = now()
            ended = await fault(faults, node)
            await asyncio.sleep(AFTER_SECONDS)
    used = next((at - ended for at in links[node].seen if at > ended), float("inf"))
    print("\n" + row(f"{fault.__name__} {which}", asked, began, ended, used))
    failures = Counter(one.failure for one in asked if one.failure and one.began > began + HELD)
    print(dict(failures))
    assert not failures
    assert used < USED_WITHIN


def row(what: str, asked: list[Asked], began: float, ended: float, used: float) -> str:
    """Return a line of the table: searches of the time of the fault."""
    during = [one for one in asked if began <= one.ended and one.began <= ended]
    failures = [one for one in during if one.failure]
    held = sum(one.began <= began + HELD for one in failures)
    seconds = [one.ended - one.began for one in during]
    half, *_, most = [at * 1e3 for at in statistics.quantiles(seconds, n=100)[49:]]
    return (
        f"| {what} | {len(failures)}, {held} of them held, of {len(during)} | {half:.0f} ms |"
        f" {most:.0f} ms | {max(seconds):.1f} s | {used:.1f} s |"
    )


def now() -> float:
    """Return the time by the loop's clock."""
    return asyncio.get_running_loop().time()
