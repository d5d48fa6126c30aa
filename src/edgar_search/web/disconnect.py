"""Work that ends with the client's interest in it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from edgar_search.errors import ClientGone

T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`; where the client goes away first, `work` is cancelled.

    That closes the connections to Elasticsearch on which it waits, and Elasticsearch then cancels
    the searches behind them. The request's body must have been read. Raises ClientGone.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone("the client closed the connection")
        return working.result()
    finally:
        watching.cancel()
        working.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
