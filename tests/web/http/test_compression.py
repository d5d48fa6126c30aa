"""Answers are compressed for clients that take it, and are the same."""

import httpx
import pytest

from tests.web import canned
from tests.web.canned import KEY
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
ADDRESSES = ["/v1/lookup?sic=1", "/openapi.json", "/llms.txt"]


@pytest.fixture
def stub(stub: StubEngine) -> StubEngine:
    stub.searches["filings"] = canned.search_reply([canned.FILING_HIT] * 10, 10)
    return stub


@pytest.mark.parametrize("address", ADDRESSES)
async def test_long_answers_are_compressed_where_that_is_taken(
    client: httpx.AsyncClient, address: str
) -> None:
    plain = await client.get(address, headers={**AUTH, "Accept-Encoding": "identity"})
    small = await client.get(address, headers={**AUTH, "Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert int(small.headers["content-length"]) < len(plain.content) / 2
    assert small.content == plain.content
    assert "Accept-Encoding" in plain.headers["vary"]
    assert "Accept-Encoding" in small.headers["vary"]


async def test_short_answers_are_sent_as_they_are(client: httpx.AsyncClient) -> None:
    reply = await client.get("/health/live", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in reply.headers
