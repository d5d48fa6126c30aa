"""Each wrong parameter is named, with what would be right."""

from typing import Any

import httpx
import pytest

from tests.web.api.v2.calling import AUTH, NUMBER, post
from tests.web.canned import search_reply
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
LONG = "x" * 1_001
WRONG = [
    ("entity_lookup", {"ciks": "1"}, "`ciks` must be an array of strings"),
    ("entity_lookup", {"ciks": [1]}, "`ciks` must be an array of strings"),
    ("entity_lookup", {"ciks": ["x"]}, "`ciks` must be a CIK of 1 to 10 digits, not `x`"),
    (
        "entity_lookup",
        {"sics": ["12345"]},
        "`sics` must be a SIC code of up to 4 digits, not 12345",
    ),
    ("entity_lookup", {"eins": ["x"]}, "`eins` must be an EIN of 9 digits, not `x`"),
    ("entity_lookup", {"from": "0"}, '`from` must be a whole number from 0 to 10000, not `"0"`'),
    ("entity_lookup", {"from": 1.0}, "`from` must be a whole number from 0 to 10000, not `1.0`"),
    ("entity_lookup", {"from": True}, "`from` must be a whole number from 0 to 10000, not `true`"),
    ("entity_lookup", {"from": -1}, "`from` must be from 0 to 10000, not -1"),
    ("entity_lookup", {"to": 10_001}, "`to` must be from 0 to 10000, not 10001"),
    (
        "entity_lookup",
        {"to": 10**30},
        "`to` must be from 0 to 10000, not 1000000000000000000000000000000",
    ),
    ("entity_lookup", {"from": 101}, "`from` is 101, which is more than `to`, 100"),
    (
        "entity_lookup",
        {"index_tickers": ["GSPC"]},
        "index_tickers: this service has no list of index members",
    ),
    (
        "entity_lookup",
        {"name_includes": ["a"] + [str(n) for n in range(20)]},
        "`name_includes` may have at most 20 items, not 21",
    ),
    (
        "entity_lookup",
        {"name_includes": [LONG]},
        "`name_includes` has an item of 1001 characters; an item may have at most 1000",
    ),
    (
        "entity_lookup",
        {"tickers": [f"T{n}" for n in range(65_001)]},
        "`tickers` may have at most 65000 items, not 65001",
    ),
    (
        "filing_lookup",
        {"date_from": "1/2/2024"},
        "`date_from` must be a date in the format YYYY-MM-DD, not `1/2/2024`",
    ),
    ("filing_lookup", {"date_from": 2024}, "`date_from` must be a string, not 2024"),
    (
        "filing_lookup",
        {"date_from": "2024-01-02", "date_to": "2024-01-01"},
        "`date_from` is 2024-01-02, which is later than `date_to`, 2024-01-01",
    ),
    (
        "filing_lookup",
        {"exclude_amendments": "yes"},
        '`exclude_amendments` must be true or false, not `"yes"`',
    ),
    ("filing_lookup", {"items": ["x"]}, "`items` must be an item of an 8-K, such as 1.01, not `X`"),
    ("filing_lookup", {"sort_order": "up"}, "`sort_order` must be one of desc, asc, not `up`"),
    ("filing_lookup", {"entity_query": []}, "`entity_query` must be a JSON object"),
    (
        "filing_lookup",
        {"entity_query": {"ciks": 5}},
        "`entity_query.ciks` must be an array of strings",
    ),
    ("filing_info", {}, "`accession_number` is missing"),
    (
        "filing_info",
        {"accession_number": "x"},
        "`accession_number` must be an accession number such as 0000320193-24-000123, not `x`",
    ),
    ("8k_items", {}, "`accession_numbers` is missing"),
    (
        "8k_items",
        {"accession_numbers": [f"0000000001-24-{n:06d}" for n in range(101)]},
        "`accession_numbers` may have at most 100 items, not 101",
    ),
    (
        "document",
        {"document_id": NUMBER},
        "`document_id` must be an accession number, a dash and a number, not"
        " `0000320193-24-000001`",
    ),
    (
        "document",
        {"document_id": f"{NUMBER}-1", "convert_xml_to_json": True},
        "`convert_xml_to_json` needs `output_format` json",
    ),
    (
        "document",
        {"document_id": f"{NUMBER}-1", "output_format": "pdf"},
        "`output_format` must be one of raw, json, not `pdf`",
    ),
    (
        "filing_sections",
        {"document_id": f"{NUMBER}-1", "form_type": "8-K"},
        "`form_type` must be one of 10-K, 10-Q, not `8-K`",
    ),
    (
        "filing_sections",
        {"document_id": f"{NUMBER}-1", "form_type": "10-Q"},
        "`form_type` must be 10-K, as of the filing, not 10-Q",
    ),
    ("fulltext_search", {}, "`query` is missing"),
    ("fulltext_search", {"query": " "}, "`query` is missing"),
    ("fulltext_search", {"query": 5}, "`query` must be a string, not 5"),
    (
        "fulltext_search",
        {"query": "a", "accession_numbers": ["x"]},
        "`accession_numbers` must be an accession number or the beginning of one, not `x`",
    ),
    (
        "fulltext_search",
        {"query": "a", "query_type": "fuzzy"},
        "`query_type` must be one of match, match_phrase, query_string, not `fuzzy`",
    ),
    (
        "fulltext_search",
        {"query": "a", "word_forms": "some"},
        "`word_forms` must be one of exact, all, related, not `some`",
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
    assert reply.json() == {"error": f"`accession` is not a parameter; {known}"}
    assert reply.status_code == 400


async def test_parameter_in_query_and_body_is_refused(client: httpx.AsyncClient) -> None:
    reply = await client.post("/v2/entity_lookup?ciks=1", json={"ciks": ["1"]}, headers=AUTH)
    message = "`ciks` may be given only once, not in the query string and in the body"
    assert (reply.status_code, reply.json()) == (400, {"error": message})


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
