"""The rights of pages of other origins."""

import httpx
import pytest

from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
PAGE = "https://page.example"
EXPOSED = "x-request-id, ETag, Retry-After, RateLimit, RateLimit-Policy"


def preflight(method: str = "GET", headers: str = "x-api-key") -> dict[str, str]:
    """Return the headers of what a browser asks before a request."""
    return {
        "Origin": PAGE,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": headers,
    }


def cors_headers(reply: httpx.Response) -> dict[str, str]:
    return {
        name.removeprefix("access-control-"): value
        for name, value in reply.headers.items()
        if name.startswith("access-control-")
    }


async def test_preflight_needs_no_key(client: httpx.AsyncClient, stub: StubEngine) -> None:
    reply = await client.options("/v1/search?query=a", headers=preflight())
    assert reply.status_code == 200
    assert cors_headers(reply) == {
        "allow-origin": "*",
        "allow-methods": "GET, HEAD, POST",
        "allow-headers": (
            "Accept, Accept-Language, Content-Language, Content-Type, If-None-Match, X-API-Key,"
            " X-Request-Id"
        ),
        "max-age": "600",
    }
    assert len(reply.headers["x-request-id"]) == 32
    assert stub.operations() == []


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        (preflight(method="DELETE"), "method"),
        (preflight(headers="x-other"), "headers"),
        (preflight(method="PUT", headers="x-other"), "method, headers"),
    ],
)
async def test_refused_preflight_is_json(
    client: httpx.AsyncClient, asked: dict[str, str], wrong: str
) -> None:
    reply = await client.options("/v1/search", headers=asked)
    assert (reply.status_code, reply.json()) == (400, {"error": f"Disallowed CORS {wrong}"})
    assert reply.headers["content-type"] == "application/json"
    assert cors_headers(reply)["allow-origin"] == "*"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (f"/v1/search?query=a&api_key={KEY}", 200),
        (f"/v1/search?api_key={KEY}", 400),
        ("/v1/search?query=a", 401),
        ("/nowhere", 404),
        ("/" + "x" * 40_000, 414),
        ("/health/live", 200),
    ],
)
async def test_page_of_any_origin_may_read_every_answer(
    client: httpx.AsyncClient, target: str, status: int
) -> None:
    reply = await client.get(target, headers={"Origin": PAGE})
    assert reply.status_code == status
    assert cors_headers(reply) == {"allow-origin": "*", "expose-headers": EXPOSED}


async def test_answer_to_no_page_has_no_such_headers(client: httpx.AsyncClient) -> None:
    assert cors_headers(await client.get("/health/live")) == {}


async def test_origins_are_a_setting(stub: StubEngine) -> None:
    async with serving(stub.url, cors_origins=f"https://other.example, {PAGE}") as client:
        allowed = await client.get("/health/live", headers={"Origin": PAGE})
        asked = await client.options("/v1/search", headers=preflight())
    assert cors_headers(allowed) == {"allow-origin": PAGE, "expose-headers": EXPOSED}
    assert allowed.headers["vary"] == "Origin"
    assert cors_headers(asked)["allow-origin"] == PAGE


async def test_page_of_another_origin_may_read_nothing(stub: StubEngine) -> None:
    async with serving(stub.url, cors_origins="https://other.example") as client:
        reply = await client.get("/health/live", headers={"Origin": PAGE})
        asked = await client.options("/v1/search", headers=preflight())
    assert "access-control-allow-origin" not in reply.headers
    assert (asked.status_code, asked.json()) == (400, {"error": "Disallowed CORS origin"})
    assert "access-control-allow-origin" not in asked.headers


@pytest.mark.parametrize("origins", ["*", PAGE])
async def test_page_of_another_origin_may_read_nothing_of_users(
    stub: StubEngine, origins: str
) -> None:
    async with serving(stub.url, cors_origins=origins) as client:
        reply = await client.get("/auth/favorites/get", headers={"Origin": PAGE})
        asked = await client.options("/auth/favorites/get", headers=preflight())
    assert (reply.status_code, cors_headers(reply)) == (401, {})
    assert (asked.status_code, cors_headers(asked)) == (405, {})


async def test_origins_for_users_are_a_setting_of_their_own(stub: StubEngine) -> None:
    async with serving(stub.url, cors_origins="none", auth_cors_origins=PAGE) as client:
        reply = await client.get("/auth/favorites/get", headers={"Origin": PAGE})
        asked = await client.options(
            "/auth/favorites/remove", headers=preflight("DELETE", "authorization")
        )
        data = await client.get("/health/live", headers={"Origin": PAGE})
    assert (reply.status_code, cors_headers(data)) == (401, {})
    assert cors_headers(reply) == {
        "allow-origin": PAGE,
        "expose-headers": "x-request-id, Retry-After, WWW-Authenticate",
    }
    assert asked.status_code == 200
    assert cors_headers(asked) == {
        "allow-origin": PAGE,
        "allow-methods": "GET, HEAD, POST, DELETE",
        "allow-headers": (
            "Accept, Accept-Language, Authorization, Content-Language, Content-Type, X-Request-Id"
        ),
        "max-age": "600",
    }
