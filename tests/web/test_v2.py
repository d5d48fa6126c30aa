"""Version 2: the three forms of a request, the key in each place, whole answers, refusals."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from edgar_search.access.api_key import key_hash
from edgar_search.access.calls import FLUSH_SECONDS
from tests.web import canned_v2
from tests.web.canned import KEY, UNKNOWN_KEY, search_reply, stored_key
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
INVALID_KEY = {"error": "Invalid or missing API key"}
TWO_KEYS = {"error": "api_key: two different API keys were given; send one"}
NOT_JSON = {"error": "the body is not valid JSON in UTF-8"}
NUMBER = "0000320193-24-000001"
ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "entity_lookup": (
        {"tickers": ["AAPL"]},
        {"count": 1, "truncated": False, "entities": [canned_v2.ENTITY]},
    ),
    "filing_lookup": (
        {"form_types": ["10-K"]},
        {"count": 1, "truncated": False, "filings": [canned_v2.FILING]},
    ),
    "filing_info": ({"accession_number": NUMBER}, canned_v2.DETAIL),
    "filing_sections": ({"document_id": f"{NUMBER}-1"}, {"sections": []}),
    "8k_items": ({"accession_numbers": [NUMBER]}, {NUMBER: []}),
}


@pytest.fixture
async def stub(stub: StubEngine) -> StubEngine:
    stub.searches = dict(canned_v2.SEARCHES)
    return stub


@pytest.fixture
async def client(stub: StubEngine) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(stub.url) as client:
        yield client


async def post(client: httpx.AsyncClient, path: str, body: Any) -> httpx.Response:
    """A POST with the key in its body, as the official client sends it."""
    return await client.post(f"/v2/{path}", json={"api_key": KEY, **body})


def in_query(fields: dict[str, Any]) -> str:
    """Parameters as a query string, lists as JSON."""
    return "&".join(
        f"{name}={quote(value if isinstance(value, str) else json.dumps(value))}"
        for name, value in fields.items()
    )


@pytest.mark.parametrize("place", ["header", "query", "body"])
@pytest.mark.parametrize("form", ["query", "GET", "POST"])
@pytest.mark.parametrize("path", ANSWERS)
async def test_every_form_and_place_of_the_key_has_the_same_answer(
    client: httpx.AsyncClient, path: str, form: str, place: str
) -> None:
    fields, expected = ANSWERS[path]
    query = {
        **({"api_key": KEY} if place == "query" else {}),
        **(fields if form == "query" else {}),
    }
    body = {**({"api_key": KEY} if place == "body" else {}), **({} if form == "query" else fields)}
    reply = await client.request(
        "GET" if form == "query" else form,
        f"/v2/{path}?{in_query(query)}",
        headers=AUTH if place == "header" else {},
        content=json.dumps(body) if body else None,
    )
    assert (reply.status_code, reply.json()) == (200, expected)


async def test_full_text_search(client: httpx.AsyncClient) -> None:
    reply = await post(client, "fulltext_search", {"query": "sales", "to": 1})
    assert (reply.status_code, reply.json()) == (
        200,
        {
            "total_hits": 41,
            "truncated": True,
            "hits": [canned_v2.HIT],
            "entities": [canned_v2.ENTITY],
            "response_bytes": len(reply.content),
        },
    )


@pytest.mark.parametrize(
    "query",
    [
        "ciks=1,2",
        "ciks=1&ciks=2",
        'ciks=["1","2"]',
        "ciks=%5B%221%22,%20%222%22%5D",
        "ciks=1,&ciks=,0000000002,",
    ],
)
async def test_spellings_of_a_list_in_a_query_string(
    client: httpx.AsyncClient, stub: StubEngine, query: str
) -> None:
    assert (await client.get(f"/v2/filing_lookup?{query}", headers=AUTH)).status_code == 200
    (body,) = stub.bodies("filings/_search")
    assert body["query"]["bool"]["filter"] == [{"terms": {"ciks": ["0000000001", "0000000002"]}}]


LONG = "x" * 1_001
DEEP = "[" * 5_000 + "]" * 5_000
WRONG = [
    ("entity_lookup", {"ciks": "1"}, "ciks: must be an array of strings"),
    ("entity_lookup", {"ciks": [1]}, "ciks: must be an array of strings"),
    ("entity_lookup", {"ciks": ["x"]}, "ciks: x is no CIK; it has 1 to 10 digits"),
    ("entity_lookup", {"sics": ["12345"]}, "sics: 12345 is no SIC code; it has up to 4 digits"),
    ("entity_lookup", {"eins": ["x"]}, "eins: x is no EIN; it has 9 digits"),
    ("entity_lookup", {"from": "0"}, "from: must be a whole number from 0 to 10000"),
    ("entity_lookup", {"from": 1.0}, "from: must be a whole number from 0 to 10000"),
    ("entity_lookup", {"from": True}, "from: must be a whole number from 0 to 10000"),
    ("entity_lookup", {"from": -1}, "from: must be a whole number from 0 to 10000"),
    ("entity_lookup", {"to": 10_001}, "to: must be a whole number from 0 to 10000"),
    ("entity_lookup", {"to": 10**30}, "to: must be a whole number from 0 to 10000"),
    ("entity_lookup", {"from": 101}, "from: 101 is more than to, which is 100"),
    (
        "entity_lookup",
        {"index_tickers": ["GSPC"]},
        "index_tickers: this service has no list of index members",
    ),
    (
        "entity_lookup",
        {"name_includes": ["a"] + [str(n) for n in range(20)]},
        "name_includes: 21 items; at most 20 are possible",
    ),
    (
        "entity_lookup",
        {"name_includes": [LONG]},
        "name_includes: an item has more than 1000 characters",
    ),
    (
        "entity_lookup",
        {"tickers": [f"T{n}" for n in range(65_001)]},
        "tickers: 65001 items; at most 65000 are possible",
    ),
    (
        "filing_lookup",
        {"date_from": "1/2/2024"},
        "date_from: not a date; use the format YYYY-MM-DD",
    ),
    ("filing_lookup", {"date_from": 2024}, "date_from: must be a string"),
    (
        "filing_lookup",
        {"date_from": "2024-01-02", "date_to": "2024-01-01"},
        "date_from: 2024-01-02 is later than date_to 2024-01-01",
    ),
    ("filing_lookup", {"exclude_amendments": "yes"}, "exclude_amendments: must be true or false"),
    ("filing_lookup", {"items": ["x"]}, "items: X is no item of an 8-K; it has the form 1.01"),
    ("filing_lookup", {"sort_order": "up"}, "sort_order: must be one of desc, asc"),
    ("filing_lookup", {"entity_query": []}, "entity_query: must be a JSON object"),
    (
        "filing_lookup",
        {"entity_query": {"ciks": 5}},
        "entity_query.ciks: must be an array of strings",
    ),
    ("filing_info", {}, "accession_number: is missing"),
    (
        "filing_info",
        {"accession_number": "x"},
        "accession_number: x is no accession number; it has the form 0000320193-24-000123",
    ),
    ("8k_items", {}, "accession_numbers: is missing"),
    (
        "8k_items",
        {"accession_numbers": [f"0000000001-24-{n:06d}" for n in range(101)]},
        "accession_numbers: 101 items; at most 100 are possible",
    ),
    (
        "document",
        {"document_id": NUMBER},
        "document_id: no document id; it is an accession number, a dash and a number",
    ),
    (
        "document",
        {"document_id": f"{NUMBER}-1", "convert_xml_to_json": True},
        "convert_xml_to_json: goes with output_format json only",
    ),
    (
        "document",
        {"document_id": f"{NUMBER}-1", "output_format": "pdf"},
        "output_format: must be one of raw, json",
    ),
    (
        "filing_sections",
        {"document_id": f"{NUMBER}-1", "form_type": "8-K"},
        "form_type: must be one of 10-K, 10-Q",
    ),
    (
        "filing_sections",
        {"document_id": f"{NUMBER}-1", "form_type": "10-Q"},
        "form_type: 10-Q was asked for; the filing is a 10-K",
    ),
    ("fulltext_search", {}, "query: is missing"),
    ("fulltext_search", {"query": " "}, "query: is missing"),
    ("fulltext_search", {"query": 5}, "query: must be a string"),
    (
        "fulltext_search",
        {"query": "a", "accession_numbers": ["x"]},
        "accession_numbers: x is no accession number nor the beginning of one",
    ),
    (
        "fulltext_search",
        {"query": "a", "query_type": "fuzzy"},
        "query_type: must be one of match, match_phrase, query_string",
    ),
]


@pytest.mark.parametrize(("path", "fields", "message"), WRONG, ids=lambda value: str(value)[:40])
async def test_wrong_parameter_is_named(
    client: httpx.AsyncClient, path: str, fields: dict[str, Any], message: str
) -> None:
    reply = await post(client, path, fields)
    assert (reply.status_code, reply.json()) == (400, {"error": message})


async def test_unknown_parameter_is_named_beside_the_known(client: httpx.AsyncClient) -> None:
    reply = await post(client, "filing_info", {"accession": "1"})
    known = "known are api_key, accession_number"
    assert reply.json() == {"error": f"accession: unknown parameter; {known}"}
    assert reply.status_code == 400


async def test_parameter_in_query_and_body_is_refused(client: httpx.AsyncClient) -> None:
    reply = await client.post("/v2/entity_lookup?ciks=1", json={"ciks": ["1"]}, headers=AUTH)
    message = "ciks: stands in the query string and in the body; once is right"
    assert (reply.status_code, reply.json()) == (400, {"error": message})


BODIES = [
    (b"{", NOT_JSON),
    (b"nonsense", NOT_JSON),
    (b'{"to": NaN}', NOT_JSON),
    (b'{"query": "\xff"}', NOT_JSON),
    (b'{"query": "\\ud800"}', NOT_JSON),
    (f'{{"ciks": {DEEP}}}'.encode(), NOT_JSON),
    (b"[]", {"error": "the body is not a JSON object"}),
    (b'{"to": 1, "to": 2}', {"error": "to: given twice in the body; once is right"}),
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
        {"error": "the body has more than 1048576 bytes"},
    )


async def test_chunked_body_is_bounded_too(client: httpx.AsyncClient) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 65_536

    reply = await client.post("/v2/entity_lookup", content=chunks())
    assert reply.status_code == 413


async def test_health_needs_no_key_and_takes_any_body(client: httpx.AsyncClient) -> None:
    for body in (b"", b'{"api_key": "x"}', b"nonsense"):
        reply = await client.request("GET", "/v2/health", content=body)
        assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["pdf", "financials", "financials/raw", "financials/export/excel"])
async def test_absent_endpoints_say_so(client: httpx.AsyncClient, path: str) -> None:
    reply = await client.post(f"/v2/{path}", json={})
    assert (reply.status_code, reply.json()) == (
        404,
        {"error": "this service makes no PDF and no financial statements: this path is not served"},
    )


async def test_other_methods_and_paths(client: httpx.AsyncClient) -> None:
    reply = await client.put("/v2/entity_lookup")
    assert (reply.status_code, reply.json()) == (405, {"error": "method not allowed"})
    assert sorted(reply.headers["allow"].split(", ")) == ["GET", "HEAD", "POST"]
    assert (await client.get("/v2/entity_lookup/")).status_code == 404


async def test_head_has_the_length_of_the_answer(client: httpx.AsyncClient) -> None:
    path = "/v2/entity_lookup?ciks=1"
    head, get = await client.head(path, headers=AUTH), await client.get(path, headers=AUTH)
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(get.content)))


async def test_unknown_filing_is_a_404(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["filings"] = search_reply([], 0)
    for path, fields in (
        ("filing_info", {"accession_number": NUMBER}),
        ("document", {"document_id": f"{NUMBER}-1"}),
        ("filing_sections", {"document_id": f"{NUMBER}-1"}),
    ):
        reply = await post(client, path, fields)
        assert (reply.status_code, reply.json()) == (404, {"error": f"there is no filing {NUMBER}"})
    assert (await post(client, "8k_items", {"accession_numbers": [NUMBER]})).json() == {NUMBER: []}


async def test_document_without_an_archive_is_a_404(client: httpx.AsyncClient) -> None:
    reply = await post(client, "document", {"document_id": f"{NUMBER}-1"})
    message = f"{NUMBER}-1 is not kept as filed: the archive was switched off when it was loaded"
    assert (reply.status_code, reply.json()) == (404, {"error": message})


async def test_entity_filter_that_matches_too_much_is_a_400(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    hits = [{"fields": {"cik": [f"{n:010d}"]}} for n in range(65_001)]
    stub.searches["entities"] = search_reply(hits)
    reply = await post(client, "filing_lookup", {"states": ["DE"]})
    message = "the filters of entities match more than 65000 entities; narrow them"
    assert (reply.status_code, reply.json()) == (400, {"error": message})


async def test_history_keeps_parameters_of_a_body_without_the_key(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    fields = {"ciks": ["1", "2"], "to": 7, "exchanges": []}
    assert (await post(client, "entity_lookup", fields)).status_code == 200
    await asyncio.sleep(2 * FLUSH_SECONDS)
    (call,) = stub.calls
    assert (call["endpoint"], call["status"], call["result_count"]) == ("v2/entity_lookup", 200, 1)
    assert call["parameters"] == {"ciks": ["1", "2"], "to": ["7"], "exchanges": []}


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
