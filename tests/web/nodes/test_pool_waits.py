"""Figures of requests that wait for a connection to Elasticsearch."""

import asyncio
import re

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineTimedOut
from edgar_search.metrics.meters import exposition
from edgar_search.settings import Settings
from tests.web.stub import PREFIX, Reply, StubEngine

pytestmark = pytest.mark.anyio
NAME = "edgar_search_engine_pool_wait_seconds"


def waited() -> tuple[int, float]:
    """Return the number of requests that have waited, and their seconds in all."""
    figures = dict(re.findall(rf"^{NAME}_(count|sum) (\S+)$", exposition([]).decode(), re.M))
    return int(float(figures["count"])), float(figures["sum"])


async def ask(
    stub: StubEngine, requests: int, seconds: float, connections: int = 1
) -> list[BaseException | None]:
    settings = Settings(
        es_url=stub.url, prefix=PREFIX, es_connections=connections, es_timeout=seconds
    )
    engine = Engine.from_settings(settings)
    try:
        return await asyncio.gather(
            *(engine.refresh("filings") for _ in range(requests)), return_exceptions=True
        )
    finally:
        await engine.close()


async def test_only_those_that_wait_for_a_connection_are_counted(stub: StubEngine) -> None:
    stub.faults["filings/_refresh"] = Reply(body=b"{}", delay=0.2)
    number, seconds = waited()
    assert await ask(stub, 1, 5.0) == [None]
    assert waited() == (number, seconds)
    assert await ask(stub, 3, 5.0) == [None] * 3
    # The second waits for one answer, the third for two.
    assert waited()[0] - number == 2
    assert 0.5 < waited()[1] - seconds < 2.0


async def test_last_free_connection_is_not_waited_for(stub: StubEngine) -> None:
    stub.faults["filings/_refresh"] = Reply(body=b"{}", delay=0.2)
    number, _ = waited()
    assert await ask(stub, 2, 5.0, connections=2) == [None] * 2
    assert waited()[0] == number
    assert await ask(stub, 3, 5.0, connections=2) == [None] * 3
    assert waited()[0] - number == 1


async def test_one_that_gives_up_waiting_is_counted(stub: StubEngine) -> None:
    stub.faults["filings/_refresh"] = Reply(body=b"{}", delay=5.0)
    number, seconds = waited()
    replies = await ask(stub, 2, 0.3)
    assert [type(reply) for reply in replies] == [EngineTimedOut] * 2
    assert waited()[0] - number == 1
    assert waited()[1] - seconds > 0.2
