"""Answers of the v1 endpoints, whole, and their requests to the engine."""

from copy import deepcopy
from typing import Any

import httpx
import msgspec
import pytest

from edgar_search.search.snippets.marks import MARK_END, MARK_START
from tests.web import canned
from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}


async def test_lookup(client: httpx.AsyncClient) -> None:
    reply = await client.get("/v1/lookup?ticker=aapl", headers=AUTH)
    assert (reply.status_code, reply.json()) == (200, canned.LOOKUP_BODY)
    assert reply.headers["content-type"] == "application/json"


async def test_search(client: httpx.AsyncClient) -> None:
    reply = await client.get("/v1/search?query=sales", headers=AUTH)
    assert (reply.status_code, reply.json()) == (200, canned.SEARCH_BODY)
    assert reply.headers["content-type"] == "application/json"


async def test_lookup_without_matches(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["filings"] = canned.search_reply([], 0)
    reply = await client.get("/v1/lookup?sic=1", headers=AUTH)
    empty: dict[str, Any] = {
        "response_details": {"filings_found": 0, "errors": []},
        "filings": [],
    }
    assert (reply.status_code, reply.json()) == (200, empty)


async def test_search_without_matches(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["documents"] = canned.search_reply([], 0)
    reply = await client.get("/v1/search?query=sales", headers=AUTH)
    assert (reply.status_code, reply.json()) == (200, {"total_count": 0, "items": []})
    assert "passages/_search" not in stub.operations()


async def test_offset_past_the_total_has_the_total_and_no_items(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.searches["documents"] = canned.search_reply([], 41)
    reply = await client.get("/v1/search?query=sales&offset=60", headers=AUTH)
    assert (reply.status_code, reply.json()) == (200, {"total_count": 41, "items": []})


async def test_unknown_tickers_are_named_beside_what_was_found(client: httpx.AsyncClient) -> None:
    reply = await client.get("/v1/lookup?ticker=aapl,nope,zzz", headers=AUTH)
    assert reply.json()["response_details"] == {
        "filings_found": 1,
        "errors": ["unknown ticker: NOPE", "unknown ticker: ZZZ"],
    }


async def test_ticker_filter_is_sent_as_the_ciks_that_have_it(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    await client.get("/v1/lookup?ticker=msft,nope", headers=AUTH)
    await client.get("/v1/search?query=sales&ticker=Aapl", headers=AUTH)
    [filings] = stub.bodies("filings/_search")
    assert filings["query"]["bool"]["filter"] == [{"terms": {"ciks": ["0000789019"]}}]
    [documents] = stub.bodies("documents/_search")
    found = documents["query"]["bool"]
    assert found["filter"] == [{"terms": {"ciks": ["0000320193"]}}]


async def test_percent_encoded_query_is_searched_as_the_user_wrote_it(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    await client.get("/v1/search?query=%22Nestl%C3%A9%20S%26P%22", headers=AUTH)
    [body] = stub.bodies("documents/_search")
    [clause] = body["query"]["bool"]["must"]
    assert clause["query_string"]["query"] == '"Nestlé S&P"'


async def test_key_may_be_in_the_query(client: httpx.AsyncClient) -> None:
    reply = await client.get(f"/v1/search?query=sales&api_key={KEY}")
    assert (reply.status_code, reply.json()) == (200, canned.SEARCH_BODY)


async def test_same_key_in_two_places_is_one(client: httpx.AsyncClient) -> None:
    reply = await client.get(f"/v1/search?query=sales&api_key={KEY}", headers=AUTH)
    assert reply.status_code == 200


async def test_empty_key_in_the_query_counts_for_nothing(client: httpx.AsyncClient) -> None:
    reply = await client.get("/v1/search?query=sales&api_key=", headers=AUTH)
    assert reply.status_code == 200


@pytest.mark.parametrize("path", ["/v1/lookup?sic=1", "/v1/search?query=a", "/health/live"])
async def test_head_is_get_without_a_body(client: httpx.AsyncClient, path: str) -> None:
    whole = await client.get(path, headers=AUTH)
    head = await client.head(path, headers=AUTH)
    volatile = "x-request-id"
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers.multi_items() == [
        (name, head.headers[name] if name == volatile else value)
        for name, value in whole.headers.multi_items()
    ]


async def test_one_shard_needs_no_global_counts(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    await client.get("/v1/search?query=sales", headers=AUTH)
    [asked] = [asked for asked in stub.asked if asked.operation == "documents/_search"]
    assert asked.params == {"allow_partial_search_results": "false"}


async def test_several_shards_are_scored_together_and_an_account_keeps_its_copies(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.shards = 3
    await client.get("/v1/search?query=sales", headers=AUTH)
    params = [asked.params for asked in stub.asked if asked.operation.endswith("s/_search")]
    expected = {
        "allow_partial_search_results": "false",
        "search_type": "dfs_query_then_fetch",
        "preference": "account account-of-0123",
    }
    assert params == [expected, expected]


async def test_account_keeps_its_copies_of_a_single_shard_that_has_several(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.replicas = 1
    await client.get("/v1/search?query=sales", headers=AUTH)
    params = [asked.params for asked in stub.asked if asked.operation.endswith("s/_search")]
    expected = {
        "allow_partial_search_results": "false",
        "preference": "account account-of-0123",
    }
    assert params == [expected, expected]


async def test_engine_gives_up_before_the_service_does(stub: StubEngine) -> None:
    async with serving(stub.url, es_timeout=2.0) as client:
        await client.get("/v1/search?query=sales", headers=AUTH)
    assert [body["timeout"] for body in stub.bodies("documents/_search")] == ["1600ms"]


async def test_passages_that_are_not_visible_yet_are_asked_for_again(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.searches["passages"] = canned.search_reply([])
    reply = await client.get("/v1/search?query=sales", headers=AUTH)
    assert reply.status_code == 200
    asked = [name for name in stub.operations() if name.startswith("passages/_")]
    assert asked == [
        "passages/_settings",
        "passages/_search",
        "passages/_search",
        "passages/_refresh",
        "passages/_search",
    ]


@pytest.mark.parametrize(
    ("number", "passages", "snippet"),
    [
        (0, 1, "net <mark>sales</mark>"),
        (0, 3, "net <mark>sales</mark>..."),
        (1, 3, "...net <mark>sales</mark>..."),
        (2, 3, "...net <mark>sales</mark>"),
    ],
)
async def test_snippet_shows_whether_the_document_goes_on(
    client: httpx.AsyncClient, stub: StubEngine, number: int, passages: int, snippet: str
) -> None:
    document, passage = deepcopy(canned.DOCUMENT_HIT), deepcopy(canned.PASSAGE_HIT)
    document["fields"]["passages"] = [passages]
    passage["fields"]["number"] = [number]
    passage["highlight"]["text"] = [f"net {MARK_START}sales{MARK_END}"]
    stub.searches["documents"] = canned.search_reply([document], 1)
    stub.searches["passages"] = canned.search_reply([passage])
    reply = await client.get("/v1/search?query=sales", headers=AUTH)
    assert [item["snippet"] for item in reply.json()["items"]] == [snippet]


async def test_window_is_a_setting(stub: StubEngine) -> None:
    async with serving(stub.url, max_window=50) as client:
        reply = await client.get("/v1/search?query=a&offset=31", headers=AUTH)
    bound = {"error": "`offset` plus `limit` must be at most 50; narrow the search"}
    assert (reply.status_code, msgspec.json.decode(reply.content)) == (400, bound)
