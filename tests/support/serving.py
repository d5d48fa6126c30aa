"""The service as an application of the test's own process, and a client of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from asgi_lifespan import LifespanManager

from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client


@asynccontextmanager
async def serving(
    engine: Engine, settings: Settings, account: str = "test"
) -> AsyncIterator[Client]:
    """Yield a client with a new key of an account, of a service that remembers nothing yet."""
    key, _ = await ApiKeys(engine).create("test", account)
    async with LifespanManager(create_app(settings)) as manager:
        transport = httpx.ASGITransport(manager.app)
        headers = {"X-API-Key": key}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://test", headers=headers
        ) as http:
            yield Client(http)
