"""A client that goes away ends the search that was made for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn

from edgar_search.app import create_app
from edgar_search.settings import Settings
from edgar_search.web.server import AnnouncedServer
from tests.support.waiting import until
from tests.web.canned import KEY
from tests.web.process import request
from tests.web.stub import PREFIX, Reply, StubEngine

pytestmark = pytest.mark.anyio
SEARCH = request(b"/v1/search?query=revenue", b"X-API-Key: " + KEY.encode())
SLOW = 3.0
SOON = 1.0


@asynccontextmanager
async def listening(settings: Settings) -> AsyncIterator[int]:
    """Yield the application after a real server, in this process; its port."""
    started = asyncio.Event()
    config = uvicorn.Config(create_app(settings), port=0, log_config=None)
    server = AnnouncedServer(config, started.set)
    serving = asyncio.create_task(server.serve())
    try:
        await started.wait()
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        await serving


async def _until(reached: asyncio.Event) -> None:
    await asyncio.wait_for(reached.wait(), SOON)


async def test_search_is_cancelled_when_its_client_goes_away(stub: StubEngine) -> None:
    stub.faults["documents/_search"] = Reply(delay=SLOW)
    async with listening(Settings(es_url=stub.url, prefix=PREFIX, alerts=False)) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(SEARCH)
        await _until(stub.asked_search)
        writer.close()
        await _until(stub.left_alone)
    assert "passages/_search" not in stub.operations()


async def test_client_that_waits_gets_its_answer(stub: StubEngine) -> None:
    async with listening(Settings(es_url=stub.url, prefix=PREFIX, alerts=False)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(SEARCH)
        reply = await asyncio.wait_for(reader.read(), SLOW)
        writer.close()
    assert reply.startswith(b"HTTP/1.1 200 OK\r\n")
    assert not stub.left_alone.is_set()


async def test_later_requests_of_a_page_are_cancelled_too(stub: StubEngine) -> None:
    stub.faults["entities/_search"] = Reply(delay=SLOW)
    settings = Settings(es_url=stub.url, prefix=PREFIX, alerts=False, pages="open")

    async def begun() -> bool:
        return "entities/_search" in stub.operations()

    async with listening(settings) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /company/0000320193 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        await until(begun)
        writer.close()
        await _until(stub.left_alone)
    assert stub.operations().count("filings/_search") == 1
