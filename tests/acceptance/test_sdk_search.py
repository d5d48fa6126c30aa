"""Full-text search by the official client over the real corpus."""

from collections.abc import Iterator

import pytest
import secblast

from tests.acceptance import sdk
from tests.acceptance.service import Service
from tests.oracle.texts import Texts

KINDS = ["match", "match_phrase", "query_string"]


@pytest.fixture(scope="module", params=["sync", "async"])
def client(request: pytest.FixtureRequest, service: Service) -> Iterator[sdk.Methods]:
    with sdk.client(request.param, service.url, service.key) as client:
        yield client


def ids(result: secblast.SearchResult) -> list[str]:
    return [hit.id for hit in result.hits]


@pytest.mark.parametrize(
    ("query", "kind", "same"),
    [
        ("Interest RATE Swap", "match", '"interest" "rate" "swap"'),
        ("interest rate swap", "match_phrase", '"interest rate swap"'),
        (
            "(merger OR acquisition) AND agreement",
            "query_string",
            "(merger OR acquisition) agreement",
        ),
        ("+merger -agreement", "query_string", "merger NOT agreement"),
        ('merger -"merger agreement"', "query_string", 'merger NOT "merger agreement"'),
        ("acqui* -(swap OR loan)", "query_string", "acqui* NOT (swap OR loan)"),
    ],
)
def test_query_means_what_version_1_calls_so(
    client: sdk.Methods, service: Service, query: str, kind: str, same: str
) -> None:
    result = client.fulltext_search(query, query_type=kind, sort_by="_score")
    expected = service.search(query=same, limit=100)
    assert result.total_hits == expected["total_count"] > 0
    assert ids(result) == [item["document_id"] for item in expected["items"]]
    assert [hit.score for hit in result.hits] == pytest.approx(
        [item["score"] for item in expected["items"]]
    )
    assert [hit.highlights for hit in result.hits] == [
        [item["snippet"]] for item in expected["items"]
    ]


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("interest rate swap", "interest rate swap"),
        ("interest NOT rate", 'interest "NOT" rate'),
    ],
)
def test_match_finds_the_forms_of_words(
    client: sdk.Methods, service: Service, query: str, same: str
) -> None:
    result = client.fulltext_search(query, sort_by="_score")
    expected = service.search(query=same, word_forms="all", limit=100)
    assert result.total_hits == expected["total_count"]
    assert result.total_hits > service.search(query=same)["total_count"] > 0
    assert ids(result) == [item["document_id"] for item in expected["items"]]
    assert [hit.score for hit in result.hits] == pytest.approx(
        [item["score"] for item in expected["items"]]
    )


def test_hits_are_newest_first_and_have_scores(client: sdk.Methods, service: Service) -> None:
    result = client.fulltext_search("interest rate swap")
    days = [hit.filing_date for hit in result.hits]
    assert days == sorted(days, reverse=True)
    scores = {hit["document_id"]: hit["score"] for hit in _every(service, "interest rate swap")}
    assert {hit.id: hit.score for hit in result.hits} == pytest.approx(scores)


def test_oldest_first_is_the_reverse_by_date(client: sdk.Methods) -> None:
    result = client.fulltext_search("interest rate swap", sort_order="asc")
    days = [hit.filing_date for hit in result.hits]
    assert days == sorted(days) and len(set(days)) > 10


def test_first_rows_show_the_beginning_of_their_text(client: sdk.Methods, texts: Texts) -> None:
    result = client.fulltext_search("revenue", to=10_000)
    assert result.total_hits == len(result.hits) > 200
    for hit in result.hits[:200]:
        assert hit.text_content == texts.texts[hit.id][:2_000]
        assert "<mark>" in hit.highlights[0]
    assert {(hit.text_content, tuple(hit.highlights)) for hit in result.hits[200:]} == {(None, ())}


def test_entities_are_those_of_the_hits(client: sdk.Methods) -> None:
    result = client.fulltext_search("revenue", to=50)
    assert [entity.cik for entity in result.entities] == sorted(
        {cik for hit in result.hits for cik in hit.ciks}
    )


def test_accession_numbers_whole_or_by_their_beginning(client: sdk.Methods) -> None:
    every = client.fulltext_search("revenue", to=10_000).hits
    number = every[0].accession_number
    for given, expected in (
        ([number], {number}),
        ([number.replace("-", "")], {number}),
        (
            ["0000320193-9", number],
            {n for n in _numbers(every) if n.startswith("0000320193-9")} | {number},
        ),
    ):
        found = client.fulltext_search("revenue", accession_numbers=given, to=10_000)
        assert _numbers(found.hits) == expected


def test_filters(client: sdk.Methods) -> None:
    every = client.fulltext_search("revenue", to=10_000).hits
    found = client.fulltext_search(
        "revenue", form_types=["10-k"], date_from="2000-01-01", date_to="2010-12-31", to=10_000
    )
    assert set(ids(found)) == {
        hit.id for hit in every if hit.form_type == "10-K" and 2000 <= hit.filing_date.year <= 2010
    }
    cik = every[0].ciks[0]
    found = client.fulltext_search("revenue", ciks=[cik.lstrip("0")], to=10_000)
    assert set(ids(found)) == {hit.id for hit in every if cik in hit.ciks}


def test_response_says_how_long_it_is(service: Service) -> None:
    reply = service.http.post("/v2/fulltext_search", json={"query": "revenue", "to": 7})
    assert reply.json()["response_bytes"] == len(reply.content)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_search_for_is_a_validation_error(client: sdk.Methods, kind: str) -> None:
    with pytest.raises(secblast.ValidationError) as refusal:
        client.fulltext_search("?!", query_type=kind)
    assert refusal.value.message.startswith("query: no letters or digits")


def test_entity_query_filters_by_the_entities_of_the_filing(service: Service) -> None:
    query = {"query": "revenue", "to": 10_000}
    every = service.http.post("/v2/fulltext_search", json=query).json()
    wanted = {e["cik"] for e in every["entities"] if e["stateOfIncorporation"] == "CA"}
    found = service.http.post(
        "/v2/fulltext_search", json={**query, "entity_query": {"states": ["ca"]}}
    ).json()
    assert {hit["id"] for hit in found["hits"]} == {
        hit["id"] for hit in every["hits"] if wanted & set(hit["ciks"])
    }
    assert found["total_hits"] > 10


def _numbers(hits: list[secblast.SearchHit]) -> set[str]:
    return {hit.accession_number for hit in hits}


def _every(service: Service, query: str) -> list[dict[str, object]]:
    reply = service.search(query=query, word_forms="all", limit=100)
    items: list[dict[str, object]] = reply["items"]
    return items
