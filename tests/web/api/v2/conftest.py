"""Version 2 over an engine that answers with what is canned."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.web import canned_v2
from tests.web.conftest import serving
from tests.web.stub import StubEngine


@pytest.fixture
async def stub(stub: StubEngine) -> StubEngine:
    stub.searches = dict(canned_v2.SEARCHES)
    return stub


@pytest.fixture
async def client(stub: StubEngine) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(stub.url) as client:
        yield client
