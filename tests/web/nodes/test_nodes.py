"""Several nodes of Elasticsearch, of which one answers no more."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import msgspec
import pytest
from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import MAX_AGE, REFRESH_AGE
from edgar_search.engine.watch import AGAIN, LATE, LATEST, PROMPT, SILENT, SLOW
from edgar_search.settings import Settings
from tests.support.stopwatch import stopwatch
from tests.web import canned
from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import PREFIX, Reply, StubEngine, running_stub

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
SEARCH = "/v1/search?query=hush"
SEARCHED = "documents/_search"
NODES = 3


@pytest.fixture
async def nodes() -> AsyncIterator[list[StubEngine]]:
    """Nodes that answer alike."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running_stub()) for _ in range(NODES)]


def addresses(nodes: list[StubEngine]) -> str:
    return ",".join(node.url for node in nodes)


def refusal(status: int, kind: str) -> Reply:
    return Reply(status, msgspec.json.encode({"error": {"type": kind, "reason": ""}}))


async def searches(client: httpx.AsyncClient, count: int) -> list[int]:
    replies = await asyncio.gather(*(client.get(SEARCH, headers=AUTH) for _ in range(count)))
    return [reply.status_code for reply in replies]


async def test_all_nodes_are_asked(nodes: list[StubEngine]) -> None:
    async with serving(addresses(nodes)) as client:
        assert await searches(client, 12) == [200] * 12
    assert all(node.asked for node in nodes)


async def test_search_goes_on_where_all_nodes_but_one_refuse_connections(
    nodes: list[StubEngine], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with serving(addresses(nodes)) as client, running_stub() as gone:
        pass
    dead = [gone.url.rsplit(":", 1)[0] + ":1", gone.url]
    async with serving(",".join([*dead, nodes[0].url])) as client:
        for _ in range(5):
            assert await searches(client, 4) == [200] * 4
    lines = [line for line in caplog.messages if "does not answer" in line]
    assert len(lines) == 2
    assert lines[1].endswith("1 of 3 nodes do")


@pytest.mark.parametrize(
    "fault",
    [
        refusal(503, "search_phase_execution_exception"),
        refusal(503, "cluster_block_exception"),
        refusal(503, "no_shard_available_action_exception"),
    ],
)
async def test_search_that_a_dying_node_refused_is_asked_again(
    nodes: list[StubEngine], fault: Reply
) -> None:
    nodes[0].faults["documents/_search"] = fault
    async with serving(addresses(nodes)) as client:
        for at_once in (1, 2, 5, 10):
            assert await searches(client, at_once) == [200] * at_once
    asked = [len(node.bodies("documents/_search")) for node in nodes]
    assert asked[0] > 0
    assert sum(asked[1:]) == 18


async def test_search_is_asked_twice_at_most(nodes: list[StubEngine]) -> None:
    for node in nodes:
        node.faults["documents/_search"] = refusal(503, "search_phase_execution_exception")
    async with serving(addresses(nodes)) as client:
        assert await searches(client, 1) == [503]
    assert sum(len(node.bodies("documents/_search")) for node in nodes) == 2


async def test_overload_is_not_carried_to_the_next_node(nodes: list[StubEngine]) -> None:
    for node in nodes:
        node.faults["documents/_search"] = refusal(429, "es_rejected_execution_exception")
    async with serving(addresses(nodes)) as client:
        assert await searches(client, 1) == [503]
    assert sum(len(node.bodies("documents/_search")) for node in nodes) == 1


async def test_search_that_was_slow_on_one_node_is_not_asked_beyond_its_time(
    nodes: list[StubEngine],
) -> None:
    for node in nodes:
        node.faults["documents/_search"] = Reply(200, b"{}", delay=5.0)
    async with serving(addresses(nodes), es_timeout=0.3) as client:
        assert await searches(client, 1) == [503]
    assert sum(len(node.bodies("documents/_search")) for node in nodes) == 1


async def test_node_that_is_back_is_asked_again_and_the_log_has_two_lines(
    stub: StubEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    stub.faults["*"] = Reply(200, b"{}", delay=5.0)
    async with serving(stub.url, es_timeout=0.2) as client:
        assert await searches(client, 8) == [503] * 8
        del stub.faults["*"]
        assert await searches(client, 1) == [200]
    lines = [line for line in caplog.messages if line.startswith("Elasticsearch is")]
    assert lines[0] == "Elasticsearch is away: no answer in time"
    assert lines[1].startswith("Elasticsearch is back after 0 s, in which ")
    assert len(lines) == 2


async def never_answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Take what is sent, as a frozen process does."""
    await reader.read()


async def answers_a_byte_a_second(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Begin an answer that takes minutes."""
    await reader.read(1)
    for byte in b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n":
        writer.write(bytes([byte]))
        await asyncio.sleep(1)


@asynccontextmanager
async def hanging(
    hang: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[str]:
    """Yield the address of a node that hangs in this way."""
    writers = []

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(ConnectionError):
            await hang(reader, writer)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)


@pytest.mark.parametrize("hang", [never_answers, answers_a_byte_a_second])
async def test_what_waits_for_a_node_that_hangs_is_asked_at_another(
    stub: StubEngine,
    hang: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with (
        hanging(hang) as address,
        serving(f"{address},{stub.url}", es_timeout=30.0) as client,
    ):
        async with stopwatch() as watch:
            assert await searches(client, 4) == [200] * 4
            # A search asks several times one after the other, and each may have met that node.
            assert watch.seconds < 2 * (SLOW + LATE) + 1
        async with stopwatch() as watch:
            assert await searches(client, 4) == [200] * 4
            assert watch.seconds < SLOW
    lines = [line for line in caplog.messages if line.startswith("Elasticsearch at")]
    assert [line.partition("does")[2] for line in lines] == [" not answer; 1 of 2 nodes do"]


def test_it_is_asked_at_another_before_a_value_in_memory_is_too_old() -> None:
    assert REFRESH_AGE + SLOW + LATEST + 1 < MAX_AGE


async def test_copies_on_a_data_node_that_hangs_are_avoided(stub: StubEngine) -> None:
    stub.replicas, stub.data_nodes = 1, ["a", "b", "c"]
    async with serving(stub.url, es_timeout=30.0) as client:
        assert await searches(client, 1) == [200]
        stub.hanging = "b"
        async with stopwatch() as watch:
            assert await searches(client, 4) == [200] * 4
            assert watch.seconds < 2 * (SLOW + LATE) + 1
        stub.asked.clear()
        assert await searches(client, 4) == [200] * 4
        asked = [one for one in stub.asked if one.operation == SEARCHED]
        assert [one.params["preference"] for one in asked] == ["_prefer_nodes:a,c"] * 4
        stub.hanging = None
        await asyncio.sleep(3)
        stub.asked.clear()
        assert await searches(client, 1) == [200]
    (usual,) = (one for one in stub.asked if one.operation == SEARCHED)
    assert usual.params["preference"].startswith("account ")


async def test_aggregates_and_several_searches_ask_the_copies_of_the_account(
    stub: StubEngine,
) -> None:
    stub.replicas = 1
    stub.searches["documents"] = canned.search_reply([], 0) | {"aggregations": {}}
    engine = Engine.from_settings(Settings(es_url=stub.url, prefix=PREFIX))
    try:
        own, body = engine.for_account("reader"), {"query": {"match_all": {}}, "size": 0}
        await own.search("documents", body, Struct)
        await own.aggregate("documents", body, Struct)
        await own.search_many("documents", [body], Struct)
        await engine.search("documents", body, Struct)
    finally:
        await engine.close()
    *single, _ = [one.params["preference"] for one in stub.asked if one.operation == SEARCHED]
    (several,) = (one.body for one in stub.asked if one.operation == "_msearch/")
    assert [*single, several[0]["preference"]] == ["account reader"] * 3


async def test_search_that_is_slow_while_nothing_hangs_goes_on(nodes: list[StubEngine]) -> None:
    whole = msgspec.json.encode(canned.SEARCHES["documents"])
    for node in nodes:
        node.faults["documents/_search"] = Reply(200, whole, delay=SLOW + LATE / 2)
    async with serving(addresses(nodes)) as client:
        assert await searches(client, 1) == [200]
    assert sum(len(node.bodies("documents/_search")) for node in nodes) == 1


@pytest.mark.long
async def test_all_nodes_hang_and_one_is_used_soon_after_it_is_back(
    nodes: list[StubEngine],
) -> None:
    for node in nodes:
        node.faults["*"] = Reply(200, b"{}", delay=60.0)
    async with serving(addresses(nodes), es_timeout=30.0) as client:
        assert await searches(client, 2) == [503] * 2
        await asyncio.sleep(SILENT * (LATEST + AGAIN) - MAX_AGE + 1)
        # By now it is known that none answers, and nobody waits long to be told.
        async with stopwatch() as watch:
            reply = await client.get("/health/ready")
            assert watch.seconds < LATE + 0.5
        assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
        assert reply.json() == {"error": f"the search engine did not answer within {LATE:g} s"}
        del nodes[1].faults["*"]
        await asyncio.sleep(LATEST + AGAIN + 0.3)
        async with stopwatch() as watch:
            assert await searches(client, 4) == [200] * 4
            assert watch.seconds < SLOW


@pytest.mark.long
async def test_node_that_is_back_is_used_once_it_knows_the_cluster_as_others_do(
    nodes: list[StubEngine],
) -> None:
    for node in nodes:
        node.data_nodes = ["a", "b"]
    nodes[0].faults["*"] = Reply(200, b"{}", delay=60.0)
    async with serving(addresses(nodes), es_timeout=30.0) as client:
        assert await searches(client, NODES) == [200] * NODES
        del nodes[0].faults["*"]
        nodes[0].data_nodes = ["a", "b", "c"]
        nodes[0].asked.clear()
        await asyncio.sleep(PROMPT * (AGAIN + 0.5))
        assert await searches(client, 2 * NODES) == [200] * 2 * NODES
        assert {asked.operation for asked in nodes[0].asked} == {"*/_search_shards"}
        nodes[0].data_nodes = ["a", "b"]
        await asyncio.sleep(PROMPT * (AGAIN + 0.5))
        assert await searches(client, 2 * NODES) == [200] * 2 * NODES
        assert "documents/_search" in nodes[0].operations()
