"""Whole answers of Version 2, whatever the form of the request and the place of the key."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from edgar_search.access.call_log import FLUSH_SECONDS
from tests.support.refusals import NO_METHOD
from tests.web import canned_v2
from tests.web.api.v2.calling import AUTH, NUMBER, in_query, post
from tests.web.canned import KEY
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
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


async def test_health_needs_no_key_and_takes_any_body(client: httpx.AsyncClient) -> None:
    for body in (b"", b'{"api_key": "x"}', b"nonsense"):
        reply = await client.request("GET", "/v2/health", content=body)
        assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


async def test_other_methods_and_paths(client: httpx.AsyncClient) -> None:
    reply = await client.put("/v2/entity_lookup")
    assert (reply.status_code, reply.json()) == (405, NO_METHOD)
    assert sorted(reply.headers["allow"].split(", ")) == ["GET", "HEAD", "POST"]
    assert (await client.get("/v2/entity_lookup/")).status_code == 404


async def test_head_has_the_length_of_the_answer(client: httpx.AsyncClient) -> None:
    path = "/v2/entity_lookup?ciks=1"
    head, get = await client.head(path, headers=AUTH), await client.get(path, headers=AUTH)
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(get.content)))


async def test_history_keeps_parameters_of_a_body_without_the_key(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    fields = {"ciks": ["1", "2"], "to": 7, "exchanges": []}
    assert (await post(client, "entity_lookup", fields)).status_code == 200
    await asyncio.sleep(2 * FLUSH_SECONDS)
    (call,) = stub.calls
    assert (call["endpoint"], call["status"], call["result_count"]) == ("v2/entity_lookup", 200, 1)
    assert call["parameters"] == {"ciks": ["1", "2"], "to": ["7"], "exchanges": []}
