"""Several nodes of Elasticsearch, of which one answers no more."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import msgspec
import pytest

from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import Reply, StubEngine, running_stub

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
SEARCH = "/v1/search?query=hush"
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
    assert lines[0] == "Elasticsearch is away: ConnectionTimeout"
    assert lines[1].startswith("Elasticsearch is back after 0 s, in which ")
    assert len(lines) == 2
