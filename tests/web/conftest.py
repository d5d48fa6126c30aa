"""The real application over the stub engine, asked without a network in between."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.settings import Settings
from tests.web.process import Process, running_service
from tests.web.stub import PREFIX, StubEngine, running_stub

# The test's own client logs whole URLs, which the service must not.
logging.getLogger("httpx").setLevel(logging.WARNING)


@asynccontextmanager
async def serving(es_url: str, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application with these settings, where accounts have no limits."""
    usual = {"es_url": es_url, "prefix": PREFIX, "es_timeout": 5.0, "default_plan": "unlimited"}
    usual["alerts"] = False
    app = create_app(Settings(**{**usual, **settings}))
    async with LifespanManager(app) as manager:
        transport = httpx.ASGITransport(manager.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://service.test") as client:
            yield client


@pytest.fixture
async def stub() -> AsyncIterator[StubEngine]:
    """An engine that answers."""
    async with running_stub() as stub:
        yield stub


@pytest.fixture
async def client(stub: StubEngine) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application over that engine."""
    async with serving(stub.url) as client:
        yield client


@pytest.fixture(scope="module")
async def service(
    anyio_backend: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Process]:
    """The service as a process of its own, for one module."""
    async with running_service(tmp_path_factory.mktemp("service")) as process:
        yield process
