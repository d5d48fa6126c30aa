"""Refusals, their order, bodies and headers."""

from typing import Any, NamedTuple

import httpx
import pytest

from edgar_search.web.responses import MAX_MESSAGE
from tests.support.refusals import (
    BODY_TOO_LONG,
    HEADERS_TOO_LONG,
    INVALID_KEY,
    NO_METHOD,
    NO_PATH,
    NO_QUERY,
    NO_UTF_8,
    URI_TOO_LONG,
)
from tests.web.canned import KEY, REVOKED_KEY, UNKNOWN_KEY
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
TWO_KEYS = {"error": "api_key: two different API keys were given; send one"}
NO_FILTER = {"error": "at least one of cik, ticker, sic, form_type must be given"}
ALLOW = {"allow": "GET, HEAD"}


class Case(NamedTuple):
    """A request and its whole answer; `expected` are headers that it has beside the usual ones."""

    method: str
    target: str
    headers: dict[str, str]
    status: int
    body: dict[str, Any]
    expected: dict[str, str] = {}


LONG = "x" * 32_768
CASES = [
    # No key, or not a valid one; before anything about the parameters is said
    Case("GET", "/v1/lookup?sic=1", {}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=a", {}, 401, INVALID_KEY),
    Case("GET", "/v1/search", {"X-API-Key": ""}, 401, INVALID_KEY),
    Case("GET", "/v1/search?api_key=", {}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=(", {"X-API-Key": "nonsense"}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=a", {"X-API-Key": UNKNOWN_KEY}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=a", {"X-API-Key": REVOKED_KEY}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=a", {"X-API-Key": KEY.lower()}, 401, INVALID_KEY),
    Case("GET", f"/v1/search?query=a&api_key={UNKNOWN_KEY}", {}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=a", {"Authorization": f"Bearer {KEY}"}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=%FF", {}, 401, INVALID_KEY),
    Case("GET", "/v1/search?query=%FF", {"X-API-Key": UNKNOWN_KEY}, 401, INVALID_KEY),
    Case("GET", "/v1/search?unknown=1", {}, 401, INVALID_KEY),
    # Two keys
    Case("GET", f"/v1/lookup?sic=1&api_key={UNKNOWN_KEY}", AUTH, 400, TWO_KEYS),
    Case("GET", f"/v1/lookup?api_key={KEY}&api_key={UNKNOWN_KEY}", {}, 400, TWO_KEYS),
    # Wrong parameters
    Case("GET", "/v1/lookup", AUTH, 400, NO_FILTER),
    Case("GET", "/v1/lookup?from_date=2024-01-01", AUTH, 400, NO_FILTER),
    Case(
        "GET",
        "/v1/lookup?sic=1&from_date=01/31/2024",
        AUTH,
        400,
        {"error": "`from_date` must be a date in the format YYYY-MM-DD, not `01/31/2024`"},
    ),
    Case(
        "GET",
        "/v1/lookup?cik=320193",
        AUTH,
        400,
        {"error": "`cik` must be a CIK of 10 digits, padded with zeros, not 320193"},
    ),
    Case("GET", "/v1/search", AUTH, 400, {"error": NO_QUERY}),
    Case("GET", "/v1/search?query=%20", AUTH, 400, {"error": NO_QUERY}),
    Case(
        "GET",
        "/v1/search?query=a&query=b",
        AUTH,
        400,
        {"error": "`query` may be given only once, not 2 times"},
    ),
    Case(
        "GET",
        "/v1/search?query=a&limit=101",
        AUTH,
        400,
        {"error": "`limit` must be from 1 to 100, not 101"},
    ),
    Case(
        "GET",
        "/v1/search?query=a&offset=99981",
        AUTH,
        400,
        {"error": "`offset` plus `limit` must be at most 100000; narrow the search"},
    ),
    Case("GET", "/v1/search?query=%FF", AUTH, 400, NO_UTF_8),
    Case("GET", f"/v1/search?query=%FF&api_key={KEY}", {}, 400, NO_UTF_8),
    Case(
        "GET",
        "/v1/lookup?" + "sic=1&" * 2001,
        AUTH,
        400,
        {"error": "the query string has more than 2000 parameters"},
    ),
    Case(
        "GET",
        f"/v1/lookup?cik={KEY}",
        AUTH,
        400,
        {"error": "`cik` must be a CIK of 10 digits, padded with zeros, not `sk_live_...`"},
    ),
    # No such path, whoever asks; no redirect either
    Case("GET", "/", {}, 404, NO_PATH),
    Case("GET", "/v1", AUTH, 404, NO_PATH),
    Case("GET", "/v1/lookup/", AUTH, 404, NO_PATH),
    Case("GET", "/v1/search/", AUTH, 404, NO_PATH),
    Case("GET", "/v1/Lookup", AUTH, 404, NO_PATH),
    Case("GET", "/v1/unknown", AUTH, 404, NO_PATH),
    Case("POST", "/v1/unknown", AUTH, 404, NO_PATH),
    Case("GET", "/v1/lookup%2F", AUTH, 404, NO_PATH),
    Case("GET", "//v1/lookup", AUTH, 404, NO_PATH),
    # Another method
    Case("POST", "/v1/lookup?sic=1", AUTH, 405, NO_METHOD, ALLOW),
    Case("POST", "/v1/search", {}, 405, NO_METHOD, ALLOW),
    Case("PUT", "/v1/search", AUTH, 405, NO_METHOD, ALLOW),
    Case("DELETE", "/v1/search", AUTH, 405, NO_METHOD, ALLOW),
    Case("OPTIONS", "/v1/search", AUTH, 405, NO_METHOD, ALLOW),
    Case("POST", "/health/live", {}, 405, NO_METHOD, ALLOW),
    # Too long; before everything else
    Case("GET", f"/v1/search?query={LONG}", {}, 414, URI_TOO_LONG),
    Case("GET", f"/{LONG}", {}, 414, URI_TOO_LONG),
    Case("POST", f"/v1/lookup?sic={LONG}", AUTH, 414, URI_TOO_LONG),
    Case("GET", "/v1/search", {"X-Other": "x" * 16_384}, 431, HEADERS_TOO_LONG),
    Case("GET", "/nowhere", {"x" * 16_384: "1"}, 431, HEADERS_TOO_LONG),
    Case("GET", "/v1/search", {"X-API-Key": "x" * 16_384}, 431, HEADERS_TOO_LONG),
    Case("GET", "/v1/search", {"Content-Length": "1048577"}, 413, BODY_TOO_LONG),
    Case("POST", "/v1/search", {"Content-Length": "1048577"}, 413, BODY_TOO_LONG),
]


def headers_of(reply: httpx.Response) -> dict[str, str]:
    """Return the headers without those that every answer has."""
    usual = (
        *("content-type", "content-length", "x-request-id", "vary"),
        "x-content-type-options",
    )
    found = {name: value for name, value in reply.headers.items() if name not in usual}
    if "allow" in found:  # in any order
        found["allow"] = ", ".join(sorted(found["allow"].split(", ")))
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.status} {case.target[:40]}")
async def test_refusal(client: httpx.AsyncClient, case: Case) -> None:
    reply = await client.request(case.method, case.target, headers=case.headers)
    assert (reply.status_code, reply.json()) == (case.status, case.body)
    assert headers_of(reply) == case.expected
    assert reply.headers["content-type"] == "application/json"
    assert len(reply.headers["x-request-id"]) == 32


async def test_unknown_parameter_is_named_and_the_known_ones_are_listed(
    client: httpx.AsyncClient,
) -> None:
    reply = await client.get("/v1/lookup?sic=1&sort=asc", headers=AUTH)
    known = (
        "api_key, cik, ciks, ticker, tickers, sic, sics, form_type, form_types, formType,"
        " from_date, to_date, form_family, form_families, company, state, states,"
        " incorporation_state, incorporation_states, item, items, auditor, auditors,"
        " figures, currency, with, limit, include, cursor, snapshot"
    )
    expected = {"error": f"`sort` is not a parameter; known are {known}"}
    assert (reply.status_code, reply.json()) == (400, expected)


async def test_wrong_query_says_what_where_and_what_would_be_right(
    client: httpx.AsyncClient,
) -> None:
    reply = await client.get("/v1/search?query=NOT%20a", headers=AUTH)
    expected = {
        "error": "query: NOT with nothing wanted beside it at character 1; write a word to"
        " find beside it, as in `a NOT b`"
    }
    assert (reply.status_code, reply.json()) == (400, expected)


async def test_longest_uri_is_taken(client: httpx.AsyncClient) -> None:
    target = "/v1/lookup?sic=1&cik="
    uri = target + "," * (32_768 - len(target) + 1)  # the question mark is not counted
    assert (await client.get(uri, headers=AUTH)).status_code == 200


async def test_longest_query_is_taken_percent_encoded(client: httpx.AsyncClient) -> None:
    query = "%F0%9D%94%B8" * 1000
    assert (await client.get(f"/v1/search?query={query}", headers=AUTH)).status_code == 200


async def test_longest_body_is_taken(client: httpx.AsyncClient) -> None:
    headers = {**AUTH, "Content-Length": "1048576"}
    assert (await client.get("/v1/lookup?sic=1", headers=headers)).status_code == 200


async def test_refusals_of_form_ask_the_engine_for_key_and_account_only(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    await client.get("/v1/search?query=(", headers=AUTH)
    assert stub.operations() == ["api_keys/_doc", "accounts/_doc"]


async def test_malformed_key_is_refused_without_the_engine(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    await client.get("/v1/search?query=a", headers={"X-API-Key": KEY[:-1] + "x"})
    assert stub.operations() == []


async def test_unexpected_fault_is_a_500_that_says_nothing_of_it(
    stub: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret of the code")

    monkeypatch.setattr("edgar_search.api.search.search_reply", fail)
    async with serving(stub.url) as client:
        headers = {**AUTH, "X-Request-Id": "mine", "Origin": "https://page.example"}
        reply = await client.get("/v1/search?query=a", headers=headers)
    assert (reply.status_code, reply.json()) == (500, {"error": "internal error"})
    assert headers_of(reply) == {
        "access-control-allow-origin": "*",
        "access-control-expose-headers": (
            "x-request-id, ETag, Retry-After, RateLimit, RateLimit-Policy"
        ),
    }
    assert reply.headers["x-request-id"] == "mine"


@pytest.mark.parametrize(
    "target",
    [f"/v1/lookup?{'x' * 9_000}=1", f"/v1/lookup?sic={'x' * 9_000}", f"/v1/search?{KEY * 200}=1"],
)
async def test_error_is_short_however_long_the_request(
    client: httpx.AsyncClient, target: str
) -> None:
    reply = await client.get(target, headers=AUTH)
    assert reply.status_code == 400
    assert len(reply.json()["error"]) <= MAX_MESSAGE
    assert KEY[12:] not in reply.text


async def test_shortened_error_still_says_what_would_be_right(client: httpx.AsyncClient) -> None:
    reply = await client.get(f"/v1/lookup?sic={'x' * 9_000}", headers=AUTH)
    assert reply.json()["error"].startswith("`sic` must be a SIC code of up to 4 digits")
    assert reply.json()["error"].endswith(f", not `{'x' * 40}...`")


@pytest.mark.parametrize("key", [b"\xe9", "é".encode(), b"sk_live_\xff", b"\x80" * 36])
@pytest.mark.parametrize(
    ("path", "header", "scheme"),
    [("/v1/lookup?sic=1", b"X-API-Key", b""), ("/auth/usage_limits", b"Authorization", b"Bearer ")],
)
async def test_142_credential_of_other_letters_is_a_401(
    client: httpx.AsyncClient, path: str, header: bytes, scheme: bytes, key: bytes
) -> None:
    reply = await client.get(path, headers=[(header, scheme + key)])
    assert reply.status_code == 401
    assert reply.json()["status"] == 401
