"""Requests without a key: a rate for each address, and answers that are made once."""

import gzip
import time
from collections.abc import AsyncIterator

import httpx
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.settings import Settings
from edgar_search.web import strangers
from edgar_search.web.pages.templates import static_address
from tests.web.canned import KEY, UNKNOWN_KEY
from tests.web.stub import PREFIX, StubEngine

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("rate_clock")]
# Of two seconds, at one moment.
ROOM = 4
LATE = 0.05


@pytest.fixture(autouse=True)
def late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "_LATE_SECONDS", LATE)


@pytest.fixture
async def app(stub: StubEngine) -> AsyncIterator[LifespanManager]:
    settings = Settings(
        es_url=stub.url,
        prefix=PREFIX,
        default_plan="unlimited",
        alerts=False,
        pages="open",
        address_rate=ROOM // 2,
        metrics="loopback",
    )
    async with LifespanManager(create_app(settings)) as manager:
        yield manager


def client_at(app: LifespanManager, host: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app.app, client=(host, 1))
    return httpx.AsyncClient(transport=transport, base_url="http://service.test")


@pytest.mark.parametrize(
    ("path", "key", "status"),
    [
        ("/openapi.json", "", 200),
        ("/llms.txt", "", 200),
        (static_address("style.css"), "", 200),
        ("/metrics", "", 403),
        ("/nope", "", 404),
        ("/openapi.json?method", "POST", 405),
        ("/v1/lookup?sic=1", "", 401),
        ("/v1/lookup?sic=1", UNKNOWN_KEY, 401),
        ("/v2/filing_info?api_key=wrong", "", 401),
        ("/auth/favorites/get", "", 401),
        ("/mcp", "POST", 401),
    ],
)
async def test_address_that_asks_too_often_without_a_key_is_refused_late(
    app: LifespanManager, path: str, key: str, status: int
) -> None:
    method, headers = ("POST", {}) if key == "POST" else ("GET", {"X-API-Key": key} if key else {})
    async with client_at(app, "10.0.0.1") as one, client_at(app, "10.0.0.2") as other:
        replies = [await one.request(method, path, headers=headers) for _ in range(ROOM)]
        assert [reply.status_code for reply in replies] == [status] * ROOM
        began = time.monotonic()
        refused = await one.request(method, path, headers=headers)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
        assert time.monotonic() - began >= LATE
        assert "without a key" in refused.json()["error"]
        # Neither another address nor a key at this one is refused for it.
        assert (await other.request(method, path, headers=headers)).status_code == status
        call = await one.get("/v1/lookup?sic=1", headers={"X-API-Key": KEY})
        assert call.status_code == 200


async def test_addresses_of_one_customer_are_one(app: LifespanManager) -> None:
    for number in range(ROOM):
        async with client_at(app, f"2001:db8::{number}") as client:
            assert (await client.get("/llms.txt")).status_code == 200
    async with client_at(app, "2001:db8::ffff") as client:
        assert (await client.get("/llms.txt")).status_code == 429
    async with client_at(app, "2001:db8:0:1::1") as client:
        assert (await client.get("/llms.txt")).status_code == 200


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
async def test_health_is_answered_however_often_and_whatever_else_is_asked(
    app: LifespanManager, path: str
) -> None:
    async with client_at(app, "10.0.0.1") as client:
        for _ in range(ROOM + 1):
            await client.get("/nope")
        began = time.monotonic()
        replies = [await client.get(path) for _ in range(ROOM + 2)]
        assert [reply.status_code for reply in replies] == [200] * (ROOM + 2)
        # The last two are above the rate.
        assert time.monotonic() - began >= 2 * LATE


@pytest.mark.parametrize("path", ["/openapi.json", "/llms.txt", static_address("style.css")])
async def test_static_answer_is_compressed_once(
    app: LifespanManager, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client_at(app, "10.0.0.1") as client:
        plain = await client.get(path, headers={"Accept-Encoding": "identity"})
        # From here on nothing is compressed.
        monkeypatch.setattr(gzip, "compress", None)
        packed = await client.get(path, headers={"Accept-Encoding": "gzip"})
        etag = packed.headers["etag"]
        again = await client.get(path, headers={"If-None-Match": etag})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"].startswith("Accept-Encoding")
    assert packed.content == plain.content and "content-encoding" not in plain.headers
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert (again.status_code, again.content) == (304, b"")
