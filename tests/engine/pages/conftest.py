"""The samples and one service over them, for tests of pages that only read."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.settings import Settings
from tests.support.samples import install_samples


@pytest.fixture(scope="module")
def samples(made_settings: Settings) -> None:
    """The samples, loaded once for all tests of a module."""
    asyncio.run(install_samples(made_settings))


@pytest.fixture(scope="module")
async def app(anyio_backend: str, settings: Settings, samples: None) -> AsyncIterator[Any]:
    """One service for all tests of a module."""
    opened = msgspec.structs.replace(settings, pages="open", pages_rate=1_000)
    async with LifespanManager(create_app(opened)) as manager:
        yield manager.app


@pytest.fixture
async def browser(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    base = "http://127.0.0.1:8000"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base) as http:
        yield http
