"""The application with open pages over the stub engine."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.web import canned
from tests.web.conftest import serving
from tests.web.stub import StubEngine

HELD: dict[str, Any] = {
    "first": {"value": 1.0, "value_as_string": "1996-03-29"},
    "last": {"value": 2.0, "value_as_string": "2024-01-31"},
}


@pytest.fixture
def stub(stub: StubEngine) -> StubEngine:
    """An engine that says what it holds."""
    stub.searches["filings"] = {**canned.SEARCHES["filings"], "aggregations": HELD}
    stub.searches["entities"] = canned.search_reply([], 0)
    stub.searches["passages"] = canned.COUNTED_PASSAGES
    stub.searches["sections"] = canned.search_reply([])
    return stub


@pytest.fixture
async def browser(stub: StubEngine) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application with its pages open."""
    async with serving(stub.url, pages="open", pages_rate=1_000) as client:
        yield client
