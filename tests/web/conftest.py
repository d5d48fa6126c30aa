"""The real application over the stub engine, asked without a network in between."""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from asgi_lifespan import LifespanManager
from limits.aio import strategies
from limits.aio.storage import memory

from edgar_search.access import rates
from edgar_search.app import create_app
from edgar_search.settings import Settings
from tests.web.process import Process, running_service
from tests.web.stub import PREFIX, StubEngine, running_stub

# The test's own client logs whole URLs, which the service must not.
logging.getLogger("httpx").setLevel(logging.WARNING)


@asynccontextmanager
async def serving(es_url: str, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of the application with these settings, where accounts have no limits."""
    usual = {"es_url": es_url, "prefix": PREFIX, "es_timeout": 5.0, "default_plan": "unlimited"}
    usual["alerts"] = False
    app = create_app(Settings(**{**usual, **settings}))
    async with LifespanManager(app) as manager:
        transport = httpx.ASGITransport(manager.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://service.test") as client:
            yield client


class RateClock:
    """The time that rates are counted by, in seconds: it stands still until a test moves it on."""

    def __init__(self) -> None:
        # A multiple of every window, so that no window begins between two requests.
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def rate_clock(monkeypatch: pytest.MonkeyPatch) -> RateClock:
    """Calls at one moment: on a busy machine a second ends between any two."""
    clock = RateClock()
    stands = SimpleNamespace(time=clock, monotonic=time.monotonic)
    for module in (memory, strategies, rates):
        monkeypatch.setattr(module, "time", stands)
    return clock


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
