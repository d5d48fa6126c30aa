"""Refusals below `/auth/`: every endpoint with every credential, then its form."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.api.scopes import PAGE_CALLS, SCOPES
from edgar_search.web.endpoints import AUTH
from tests.support.refusals import BODY_TOO_LONG, NO_METHOD, NO_PATH, NO_UTF_8
from tests.web.api.test_refusals import headers_of
from tests.web.conftest import serving
from tests.web.stub import StubEngine
from tests.web.user_data.auth_endpoints import CREDENTIALS, ENDPOINTS, READING

pytestmark = pytest.mark.anyio
NO_STORE = {"cache-control": "no-store"}


@pytest.fixture
async def client(stub: StubEngine, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The application with the local issuer, whose key is in a folder of the test's own."""
    async with serving(stub.url, local_issuer=True, home=tmp_path) as client:
        yield client


@pytest.fixture
def token(tmp_path: Path) -> dict[str, str]:
    """The header of a valid token."""
    return {"Authorization": f"Bearer {LocalIssuer(tmp_path).token('somebody')}"}


def test_table_has_every_endpoint() -> None:
    methods = {
        (m, route.path) for each in AUTH for route in [each.route()] for m in route.methods or ()
    }
    assert methods - {("HEAD", path) for _, path in ENDPOINTS} == set(ENDPOINTS)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=" ".join)
async def test_without_a_valid_token_nothing_else_is_said(
    client: httpx.AsyncClient, stub: StubEngine, endpoint: tuple[str, str]
) -> None:
    method, path = endpoint
    for credential in CREDENTIALS:
        reply = await client.request(
            method, path + credential.target, headers=credential.headers, content=b"{"
        )
        refused = (401, {"error": credential.text, "status": 401})
        assert (reply.status_code, reply.json()) == refused, credential
        told = {**NO_STORE, "www-authenticate": credential.challenge}
        assert headers_of(reply) == told, credential
    assert stub.operations() == []


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=" ".join)
async def test_with_a_token_each_endpoint_answers(
    client: httpx.AsyncClient, token: dict[str, str], endpoint: tuple[str, str]
) -> None:
    status, body = ENDPOINTS[endpoint]
    reply = await client.request(*endpoint, headers=token)
    assert reply.status_code == status
    assert body is None or reply.json() == body
    # The stub's log has no end to begin a stream at.
    wait = {"retry-after": "5"} if status == 503 else {}
    assert headers_of(reply) == {**NO_STORE, **wait}


@pytest.mark.parametrize("endpoint", READING, ids=" ".join)
async def test_unknown_parameter_is_named_everywhere(
    client: httpx.AsyncClient, token: dict[str, str], endpoint: tuple[str, str]
) -> None:
    method, path = endpoint
    reply = await client.request(method, f"{path}?api_key=x", headers=token)
    assert reply.status_code == 400
    assert reply.json()["error"].startswith("`api_key` is not a parameter; known are")


@pytest.mark.parametrize("path", [path for method, path in READING if method == "POST"])
async def test_unknown_field_is_named_everywhere(
    client: httpx.AsyncClient, token: dict[str, str], path: str
) -> None:
    reply = await client.post(path, headers=token, json={"nonsense": 1})
    assert reply.status_code == 400
    assert reply.json()["error"].startswith("`nonsense` is not a field; known are")


@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        (b"{", 400, "the body is not valid JSON in UTF-8"),
        (b"[]", 400, "the body is not a JSON object"),
        (b'{"id":"a","id":"b"}', 400, "`id` may be given only once in the body"),
        (b'{"id":null}', 400, "`id` is missing; give 1 to 200 characters"),
        (b'{"id":1}', 400, "`id` must be a string, not 1"),
        (b'{"id":"' + b"x" * 201 + b'"}', 400, "`id` must have at most 200 characters"),
        (b'{"id":"a\\u0000"}', 400, "`id` must have no control characters"),
        (b'{"id":"unknown"}', 404, "no favorite has this id"),
        (b'{"id":"../x"}', 404, "no favorite has this id"),
        (b" " * 1_048_577, 413, BODY_TOO_LONG["error"]),
    ],
    ids=lambda value: repr(value)[:30],
)
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("media", ["application/json", "text/plain", "", None])
async def test_wrong_body_is_refused(
    client: httpx.AsyncClient,
    token: dict[str, str],
    content: bytes,
    status: int,
    text: str,
    chunked: bool,
    media: str | None,
) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 65_536):
            yield content[start : start + 65_536]

    headers = token if media is None else {**token, "Content-Type": media}
    sent: Any = pieces() if chunked else content
    reply = await client.post("/auth/favorites/remove", headers=headers, content=sent)
    assert (reply.status_code, reply.json()) == (status, {"error": text})
    assert headers_of(reply) == NO_STORE


async def test_too_large_a_body_is_refused_before_the_token_is_asked_for(
    client: httpx.AsyncClient,
) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 65_536

    reply = await client.post("/auth/favorites/add", content=pieces())
    assert (reply.status_code, reply.json()) == (
        413,
        BODY_TOO_LONG,
    )


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("POST", "/auth/favorites/get", 405, "GET, HEAD"),
        ("DELETE", "/auth/favorites/get", 405, "GET, HEAD"),
        ("GET", "/auth/favorites/add", 405, "POST"),
        ("HEAD", "/auth/favorites/add", 405, "POST"),
        ("GET", "/auth/favorites/remove", 405, "DELETE, POST"),
        ("PUT", "/auth/saved-links/update", 405, "POST"),
        ("OPTIONS", "/auth/favorites/get", 405, "GET, HEAD"),
        ("POST", "/auth/usage_limits", 405, "GET, HEAD"),
        ("GET", "/auth", 404, None),
        ("GET", "/auth/", 404, None),
        ("GET", "/auth/favorites", 404, None),
        ("GET", "/auth/favorites/get/", 404, None),
        ("GET", "/auth/saved_links/get", 404, None),
        ("GET", "/auth/usage_limits/get", 404, None),
    ],
)
async def test_other_methods_and_paths_are_refused_before_the_token(
    client: httpx.AsyncClient, method: str, path: str, status: int, allow: str | None
) -> None:
    reply = await client.request(method, path)
    text = (NO_METHOD if status == 405 else NO_PATH)["error"]
    assert reply.status_code == status
    assert method == "HEAD" or reply.json() == {"error": text}
    assert headers_of(reply) == {**NO_STORE, **({"allow": allow} if allow else {})}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("limit=0", "`limit` must be from 1 to 200, not 0"),
        ("limit=201", "`limit` must be from 1 to 200, not 201"),
        ("offset=-1", "`offset` must be from 0 to 10000, not -1"),
        ("offset=10001", "`offset` must be from 0 to 10000, not 10001"),
        ("limit=x", "`limit` must be a whole number from 1 to 200, not `x`"),
        ("limit=1&limit=2", "`limit` may be given only once, not 2 times"),
        ("limit=%FF", NO_UTF_8["error"]),
    ],
)
@pytest.mark.parametrize(
    "area", ["favorites", "history", "saved-links", "notifications", "alert_triggers", "api_keys"]
)
async def test_wrong_page_is_refused_in_every_list(
    client: httpx.AsyncClient, token: dict[str, str], area: str, query: str, text: str
) -> None:
    reply = await client.get(f"/auth/{area}/get?{query}", headers=token)
    assert (reply.status_code, reply.json()) == (400, {"error": text})


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (
            "history/get?from_date=2024-13-01",
            "`from_date` must be a date in the format YYYY-MM-DD, not `2024-13-01`",
        ),
        (
            "history/get?from_date=2024-02-01&to_date=2024-01-01",
            "`from_date` is 2024-02-01, which is later than `to_date`, 2024-01-01",
        ),
        (
            "history/get?endpoint=v3/x",
            f"`endpoint` must be one of {', '.join((*SCOPES, *PAGE_CALLS))}",
        ),
        ("notifications/get?unread=yes", "`unread` must be true or false, not `yes`"),
    ],
)
async def test_wrong_filter_of_a_list_is_refused(
    client: httpx.AsyncClient, token: dict[str, str], target: str, text: str
) -> None:
    reply = await client.get(f"/auth/{target}", headers=token)
    assert (reply.status_code, reply.json()) == (400, {"error": text})


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, '`ids` or `"all": true` must be given, not both'),
        ({"ids": [], "all": False}, '`ids` or `"all": true` must be given, not both'),
        ({"ids": ["a"], "all": True}, '`ids` or `"all": true` must be given, not both'),
        ({"ids": "a"}, "`ids` must be a list of at most 200 strings"),
        ({"ids": ["a"] * 201}, "`ids` must be a list of at most 200 strings"),
        ({"all": "true"}, '`all` must be true or false, not `"true"`'),
    ],
)
async def test_what_is_to_be_marked_must_be_clear(
    client: httpx.AsyncClient, token: dict[str, str], body: dict[str, Any], text: str
) -> None:
    reply = await client.post("/auth/notifications/mark_read", headers=token, json=body)
    assert (reply.status_code, reply.json()) == (400, {"error": text})


async def test_head_answers_like_get_without_the_body(
    client: httpx.AsyncClient, token: dict[str, str]
) -> None:
    whole = await client.get("/auth/favorites/get", headers=token)
    head = await client.head("/auth/favorites/get", headers=token)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == whole.headers["content-length"]


async def test_token_is_no_key_for_data(client: httpx.AsyncClient, token: dict[str, str]) -> None:
    reply = await client.get("/v1/lookup?sic=1", headers=token)
    expected = {"error": "Invalid API key", "status": 401}
    assert (reply.status_code, reply.json()) == (401, expected)


async def test_first_token_of_a_user_makes_its_account_once(
    client: httpx.AsyncClient, stub: StubEngine, token: dict[str, str]
) -> None:
    for _ in range(3):
        await client.get("/auth/favorites/get", headers=token)
    assert stub.operations().count("accounts/_create") == 1
    ((kind, account),) = [stored for stored in stub.stored if stored[0] == "accounts"]
    assert account.startswith("user-")


async def test_body_of_an_answer_to_a_foreign_and_an_unknown_id_is_the_same(
    client: httpx.AsyncClient, token: dict[str, str], tmp_path: Path
) -> None:
    made = await client.post(
        "/auth/saved-links/add", headers=token, json={"url": "http://a.example"}
    )
    other = {"Authorization": f"Bearer {LocalIssuer(tmp_path).token('other')}"}
    replies = [
        await client.post("/auth/saved-links/remove", headers=other, json={"id": link_id})
        for link_id in (made.json()["id"], "0" * 24)
    ]
    assert [reply.status_code for reply in replies] == [404, 404]
    assert json.loads(replies[0].content) == json.loads(replies[1].content)


async def test_token_that_is_sent_in_a_wrong_place_is_in_no_answer_and_no_log(
    client: httpx.AsyncClient, token: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    text = token["Authorization"].removeprefix("Bearer ")
    replies = [
        await client.get(f"/auth/{text}", headers=token),
        await client.get(f"/auth/favorites/get?{text}=1", headers=token),
        await client.post("/auth/favorites/add", headers=token, json={text: 1}),
        await client.post("/auth/favorites/remove", headers=token, json={"id": text}),
    ]
    assert [reply.status_code for reply in replies] == [404, 400, 400, 400]
    said = " ".join(reply.text for reply in replies) + caplog.text
    assert [part for part in text.split(".") if part in said] == []


@pytest.mark.usefixtures("rate_clock")
async def test_user_who_asks_too_often_is_told_to_wait(
    stub: StubEngine, tmp_path: Path, token: dict[str, str]
) -> None:
    other = {"Authorization": f"Bearer {LocalIssuer(tmp_path).token('somebody else')}"}
    async with serving(stub.url, local_issuer=True, home=tmp_path, auth_rate=2) as client:
        replies = [await client.get("/auth/usage_limits", headers=token) for _ in range(5)]
        posted = await client.post("/auth/favorites/add", headers=token, content=b"{")
        unhindered = await client.get("/auth/usage_limits", headers=other)
    assert [reply.status_code for reply in replies] == [200] * 4 + [429]
    assert replies[-1].headers["retry-after"] == "2"
    assert replies[-1].json() == {
        "error": "more than 2 requests a second; try again later, after 2 s",
        "status": 429,
        "retry_after": 2,
    }
    assert (posted.status_code, unhindered.status_code) == (429, 200)


async def test_history_in_a_loop_refreshes_once_a_second(
    client: httpx.AsyncClient, stub: StubEngine, token: dict[str, str]
) -> None:
    for _ in range(10):
        assert (await client.get("/auth/history/get", headers=token)).status_code == 200
    assert stub.operations().count("history/_refresh") == 1
