"""Work that ends with the client's interest in it."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.types import Message

from edgar_search.errors import ClientGone, EngineUnavailable
from edgar_search.web.calls import while_connected

pytestmark = pytest.mark.anyio


def request(*messages: str) -> Request:
    """Return a request of which these messages arrive, and then nothing more."""
    rest = list(messages)

    async def receive() -> Message:
        if not rest:
            await asyncio.Event().wait()
        return {"type": rest.pop(0), "body": b"", "more_body": False}

    return Request({"type": "http"}, receive)


class Work:
    """Takes until it is told to end."""

    def __init__(self) -> None:
        self.ends = asyncio.Event()
        self.cancelled = False

    async def run(self) -> str:
        try:
            await self.ends.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        return "done"


async def fail() -> None:
    raise EngineUnavailable("away")


async def test_result_is_handed_on_while_the_client_waits() -> None:
    work = Work()
    asyncio.get_running_loop().call_later(0.01, work.ends.set)
    assert await while_connected(request("http.request"), work.run()) == "done"


async def test_error_is_handed_on() -> None:
    with pytest.raises(EngineUnavailable, match="^away$"):
        await while_connected(request("http.request"), fail())


async def test_work_is_cancelled_where_the_client_goes() -> None:
    work = Work()
    with pytest.raises(ClientGone):
        await while_connected(request("http.request", "http.disconnect"), work.run())
    await asyncio.sleep(0)
    assert work.cancelled


async def test_work_is_cancelled_with_the_request() -> None:
    work = Work()
    asking = asyncio.create_task(while_connected(request("http.request"), work.run()))
    await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.sleep(0)
    assert work.cancelled


async def test_nothing_goes_on_after_the_result() -> None:
    work = Work()
    work.ends.set()
    before = asyncio.all_tasks()
    await while_connected(request("http.request"), work.run())
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
