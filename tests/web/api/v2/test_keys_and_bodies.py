"""The key that counts, the bodies that are allowed, and the rights of the key."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from edgar_search.access.api_keys import key_hash
from tests.support.refusals import BODY_TOO_LONG
from tests.web.api.v2.calling import AUTH, post
from tests.web.canned import KEY, UNKNOWN_KEY, stored_key
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
INVALID_KEY = {"error": "Invalid or missing API key"}
TWO_KEYS = {"error": "api_key: two different API keys were given; send one"}
NOT_JSON = {"error": "the body is not valid JSON in UTF-8"}
DEEP = "[" * 5_000 + "]" * 5_000
BODIES = [
    (b"{", NOT_JSON),
    (b"nonsense", NOT_JSON),
    (b'{"to": NaN}', NOT_JSON),
    (b'{"query": "\xff"}', NOT_JSON),
    (b'{"query": "\\ud800"}', NOT_JSON),
    (f'{{"ciks": {DEEP}}}'.encode(), NOT_JSON),
    (b"[]", {"error": "the body is not a JSON object"}),
    (b'{"to": 1, "to": 2}', {"error": "`to` may be given only once in the body"}),
]


@pytest.mark.parametrize(("body", "error"), BODIES, ids=lambda value: repr(value)[:30])
async def test_body_that_is_no_json_is_refused_after_the_key(
    client: httpx.AsyncClient, body: bytes, error: dict[str, str]
) -> None:
    reply = await client.post("/v2/entity_lookup", content=body, headers=AUTH)
    assert (reply.status_code, reply.json()) == (400, error)
    without = await client.post("/v2/entity_lookup", content=body)
    assert (without.status_code, without.json()) == (401, INVALID_KEY)


@pytest.mark.parametrize(
    ("query", "headers", "body", "status", "error"),
    [
        ("", {}, {}, 401, INVALID_KEY),
        ("", {}, {"api_key": UNKNOWN_KEY}, 401, INVALID_KEY),
        ("", {}, {"api_key": 5}, 401, INVALID_KEY),
        ("", {}, {"api_key": None}, 401, INVALID_KEY),
        ("", {}, {"api_key": "", "nonsense": 1}, 401, INVALID_KEY),
        ("", AUTH, {"api_key": UNKNOWN_KEY}, 400, TWO_KEYS),
        (f"?api_key={UNKNOWN_KEY}", {}, {"api_key": KEY}, 400, TWO_KEYS),
    ],
)
async def test_key_is_looked_at_first(
    client: httpx.AsyncClient,
    query: str,
    headers: dict[str, str],
    body: dict[str, Any],
    status: int,
    error: dict[str, str],
) -> None:
    reply = await client.post(f"/v2/entity_lookup{query}", json=body, headers=headers)
    assert (reply.status_code, reply.json()) == (status, error)


async def test_one_key_in_every_place_is_one_key(client: httpx.AsyncClient) -> None:
    path = f"/v2/entity_lookup?api_key={KEY}"
    assert (await client.post(path, json={"api_key": KEY}, headers=AUTH)).status_code == 200


async def test_body_of_a_megabyte_is_taken_and_one_byte_more_is_not(
    client: httpx.AsyncClient,
) -> None:
    body = b'{"to": 1}'.ljust(1_048_576)
    assert (await client.post("/v2/entity_lookup", content=body, headers=AUTH)).status_code == 200
    reply = await client.post("/v2/entity_lookup", content=body + b" ", headers=AUTH)
    assert (reply.status_code, reply.json()) == (
        413,
        BODY_TOO_LONG,
    )


async def test_chunked_body_is_bounded_too(client: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 65_536

    reply = await client.post("/v2/entity_lookup", content=chunks())
    assert reply.status_code == 413


@pytest.mark.usefixtures("rate_clock")
async def test_limits_of_the_rate_are_plain_errors(stub: StubEngine) -> None:
    async with serving(stub.url, default_plan="free") as client:
        replies = [await post(client, "entity_lookup", {}) for _ in range(12)]
    refused = [reply for reply in replies if reply.status_code == 429]
    assert refused
    assert set(refused[0].json()) == {"error"}
    assert "byte" not in refused[0].json()["error"]
    assert int(refused[0].headers["retry-after"]) >= 1


async def test_key_without_the_scope_is_a_plain_403(stub: StubEngine) -> None:
    stub.keys[key_hash(KEY)] = stored_key(KEY, scopes=["v1/search"])
    async with serving(stub.url) as client:
        reply = await post(client, "entity_lookup", {})
    message = "the API key has no access to this endpoint"
    assert (reply.status_code, reply.json()) == (403, {"error": message})
