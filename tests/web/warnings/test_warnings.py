"""Requests to the engine for warnings, and their end if the engine fails."""

import httpx
import pytest

from tests.web import canned
from tests.web.canned import KEY, search_reply
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
FORMS = {"values": {"buckets": [{"key": "10-K", "doc_count": 3}, {"key": "8-K", "doc_count": 1}]}}
NO_CIKS: canned.Json = {"values": {"buckets": []}}
COUNTS = {"matches": {"buckets": [{"doc_count": 0}]}}


def engine_searches(stub: StubEngine) -> list[str]:
    return [name for name in stub.operations() if name.endswith("_search")]


@pytest.mark.parametrize(
    "parameters",
    ["form_type=10-K", "ticker=aapl", "cik=320193", "form_type=10-k&cik=320193", "form_type="],
)
async def test_known_values_cost_no_request(
    client: httpx.AsyncClient, stub: StubEngine, parameters: str
) -> None:
    reply = await client.get(f"/v1/search?query=sales&{parameters}", headers=AUTH)
    assert reply.json() == canned.SEARCH_BODY
    assert engine_searches(stub) == ["documents/_search", "passages/_search"]


async def test_form_types_are_asked_for_once(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["filings"] = {**search_reply([]), "aggregations": FORMS}
    for _ in range(3):
        reply = await client.get("/v1/search?query=sales&form_type=10-K,8-K", headers=AUTH)
        assert reply.json() == canned.SEARCH_BODY
    assert engine_searches(stub).count("filings/_search") == 1


async def test_unknown_values_are_named_with_what_was_found(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.searches["filings"] = {**search_reply([]), "aggregations": FORMS}
    reply = await client.get("/v1/search?query=sales&form_types=10K,10-K&ticker=aapl,APPL,msft")
    assert reply.status_code == 401
    reply = await client.get(
        "/v1/search?query=sales&form_types=10K,10-K&ticker=aapl,APPL", headers=AUTH
    )
    assert reply.json() == {
        **canned.SEARCH_BODY,
        "warnings": [
            "ticker: no ticker file has APPL; the nearest is AAPL",
            "form_type: no filing here has 10K; the nearest is 10-K",
        ],
    }


async def test_ticker_without_filings_is_named(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["filings"] = {**search_reply([]), "aggregations": NO_CIKS}
    reply = await client.get("/v1/search?query=sales&ticker=aapl,MSFT", headers=AUTH)
    assert reply.json()["warnings"] == ["ticker: no filing of MSFT is loaded"]


async def test_without_ticker_files_no_ticker_is_known(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.tickers.clear()
    reply = await client.get("/v1/search?query=sales&ticker=AAPL,MSFT", headers=AUTH)
    assert reply.json()["warnings"] == ["ticker: no ticker file is loaded, so no ticker is known"]


async def test_many_unknown_values_are_counted(client: httpx.AsyncClient) -> None:
    tickers = ",".join(f"ZZ{number}" for number in range(9))
    reply = await client.get(f"/v1/search?query=sales&ticker={tickers}", headers=AUTH)
    named = [f"ticker: no ticker file has ZZ{number}" for number in range(5)]
    assert reply.json()["warnings"] == [*named, "ticker: the same is true of 4 more values"]


async def test_lookup_names_all_unknown_values(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["filings"] = {**canned.SEARCHES["filings"], "aggregations": FORMS}
    path = "/v1/lookup?ticker=NOPE,aapl,APPL&form_type=8K,10-K&cik=0000000001,0000320193"
    reply = await client.get(path, headers=AUTH)
    assert reply.json() == {
        **canned.LOOKUP_BODY,
        "response_details": {
            "filings_found": 1,
            "errors": [
                "unknown ticker: NOPE",
                "unknown ticker: APPL; the nearest is AAPL",
                "unknown form type: 8K; the nearest is 8-K",
                "unknown CIK: 0000000001",
            ],
        },
    }


async def test_word_that_no_document_has(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["documents"] = {
        **search_reply([], 0),
        "aggregations": COUNTS,
        "suggest": {"0": [{"options": [{"text": "goodwill", "freq": 3}]}]},
    }
    reply = await client.get("/v1/search?query=Goodwil", headers=AUTH)
    assert reply.json()["warnings"] == [
        "query: no document has `Goodwil`; the nearest word is `goodwill`"
    ]


async def test_words_that_documents_have_are_asked_for_once(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    there = {"matches": {"buckets": [{"doc_count": 9}, {"doc_count": 5}]}}
    stub.searches["documents"] = {**search_reply([], 0), "aggregations": there}

    async def asked(parameters: str) -> int:
        before = len(engine_searches(stub))
        reply = await client.get(f"/v1/search?{parameters}", headers=AUTH)
        assert reply.json() == {"total_count": 0, "items": []}
        return len(engine_searches(stub)) - before

    assert [await asked("query=goodwill"), await asked("query=Goodwill")] == [2, 1]
    # With its forms another word is there, which says nothing of the word itself. The numbers of
    # documents that have each form are a request too.
    assert [await asked("query=sales&word_forms=all"), await asked("query=sales")] == [3, 2]
    assert [await asked("query=goodwill+quarries"), await asked("query=goodwill+quarries")] == [
        2,
        1,
    ]


@pytest.mark.parametrize("fault", [Reply(503, b"{}"), Reply(400, b"{}"), Reply(200, b"no JSON")])
async def test_answer_does_not_fail_for_its_warnings(
    client: httpx.AsyncClient, stub: StubEngine, fault: Reply
) -> None:
    stub.faults["filings/_search"] = fault
    reply = await client.get("/v1/search?query=sales&form_type=10K,10-K", headers=AUTH)
    assert (reply.status_code, reply.json()) == (200, canned.SEARCH_BODY)


async def test_exchanges_without_a_file_that_has_any(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.tickers.clear()
    stub.searches["entities"] = search_reply([], 0)
    body = {"exchanges": ["NYSE"]}
    reply = await client.post("/v2/entity_lookup", json=body, headers=AUTH)
    assert reply.json() == {
        "count": 0,
        "truncated": False,
        "entities": [],
        "warnings": [
            "exchanges: no ticker file with exchanges is loaded (company_tickers_exchange.json),"
            " so only the exchanges in submissions JSON files are known"
        ],
    }


async def test_exchanges_with_such_a_file(client: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["entities"] = search_reply([], 0)
    body = {"exchanges": ["NYSE"]}
    reply = await client.post("/v2/entity_lookup", json=body, headers=AUTH)
    assert reply.json() == {"count": 0, "truncated": False, "entities": []}
