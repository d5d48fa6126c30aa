"""Items of a report that only point elsewhere, in the answers that have sections."""

from collections.abc import Callable
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.unit.sections.test_followed import (
    ANNUAL_REPORT,
    REFERENCE,
    STATEMENTS,
    html_pages,
    plain_pages,
    report,
)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.one_client,
]
MARBLE = MadeUpEntity("0009990072", "MARBLE & MOSS CORP")
PAGES = plain_pages(dict(enumerate(STATEMENTS, 1)), "F-")
MAIN = report(
    PAGES,
    item7=REFERENCE.format("pages 17 and 19 to 20"),
    item7A=REFERENCE.format("page 99"),
    item8="The statements are on pages F-1 to F-3.",
)
LETTER = {17: "MANAGEMENT'S DISCUSSION AND ANALYSIS\n\nSales increased since 1996.\n"}


@pytest.fixture(scope="module")
def filed(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory, new_number: Callable[[], str]
) -> str:
    """The accession number of a report whose items 7 and 8 point elsewhere, and 7A nowhere."""
    number = new_number()
    documents = (
        MadeUpDocument(MAIN, "10-K", "report.txt"),
        MadeUpDocument(html_pages(ANNUAL_REPORT | LETTER), "EX-13", "annual.htm"),
    )
    content = txt(MadeUp(number, (MARBLE,), documents, "10-K"))
    load_now(settings, tmp_path_factory.mktemp("files"), {"report.txt": content})
    return number


async def answer(client: Client, path: str, **parameters: Any) -> dict[str, Any]:
    response = await client.http.get(path, params=parameters)
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply


async def test_text_of_an_item_is_that_of_its_target(client: Client, filed: str) -> None:
    first = await answer(client, "/v1/text", document_id=f"{filed}-1", section="item7")
    whole = await answer(client, "/v1/text", document_id=f"{filed}-1")
    assert (first["document_id"], first["section"]) == (f"{filed}-2", "10-K item 7")
    assert first["text"].startswith("MANAGEMENT'S DISCUSSION AND ANALYSIS")
    pointer = first["followed"]
    assert pointer["document_id"] == f"{filed}-1"
    said = whole["text"][pointer["start"] : pointer["end"]]
    assert said.startswith("ITEM 7.") and said.endswith("incorporated herein by reference.")
    # Its second part comes next, in the same document.
    second = await answer(
        client,
        "/v1/text",
        document_id=f"{filed}-1",
        section="item7",
        start=first["next_start"],
        text_sha256=first["text_sha256"],
    )
    assert second["next_start"] is None
    assert "analysis (continued)" in second["text"].lower()
    assert second["text"].endswith("[ 20 ]\tMARBLE 1997 ANNUAL REPORT")


async def test_target_in_the_report_itself_is_followed(client: Client, filed: str) -> None:
    found = await answer(client, "/v1/text", document_id=f"{filed}-1", section="10-k item 8")
    assert found["document_id"] == found["followed"]["document_id"] == f"{filed}-1"
    assert found["text"].startswith("MARBLE & MOSS CORP\nCONSOLIDATED BALANCE SHEETS")
    assert found["start"] > found["followed"]["end"]


async def test_item_without_a_certain_target_is_given_as_it_is(client: Client, filed: str) -> None:
    found = await answer(client, "/v1/text", document_id=f"{filed}-1", section="item7a")
    assert found["document_id"] == f"{filed}-1"
    assert "page 99" in found["text"] and "followed" not in found


async def test_matches_name_the_item_that_leads_to_them(client: Client, filed: str) -> None:
    named = {
        document: [
            each["section"]
            for each in (
                await answer(client, "/v1/matches", document_id=f"{filed}-{document}", query=query)
            )["items"]
        ]
        for document, query in (("2", '"letter" OR "since 1996" OR "market risk"'), ("1", "moss"))
    }
    assert named["2"] == ["10-K item 7", "10-K item 7"]
    assert named["1"][-1] == "10-K item 8"


async def test_text_alone_says_in_headers_which_document_it_is_of(
    client: Client, filed: str
) -> None:
    response = await client.http.get(
        "/v1/text",
        params={"document_id": f"{filed}-1", "section": "item7"},
        headers={"Accept": "text/plain"},
    )
    assert response.headers["X-Document-Id"] == f"{filed}-2"
    assert response.headers["X-Followed-From"] == f"{filed}-1"


async def test_start_outside_of_the_parts_is_refused(client: Client, filed: str) -> None:
    parameters = {"document_id": f"{filed}-1", "section": "item7", "start": "100000"}
    response = await client.http.get("/v1/text", params=parameters)
    assert response.status_code == 400
    assert " and from " in response.json()["error"]


async def test_version_2_has_the_content_of_the_target(client: Client, filed: str) -> None:
    reply = await answer(client, "/v2/filing_sections", document_id=f"{filed}-1")
    by_item = {each["itemLabel"]: each for each in reply["sections"]}
    seven, eight, risk = (by_item[f"Item {number}"] for number in ("7", "8", "7A"))
    assert (seven["id"], seven["documentId"]) == (f"{filed}-1#item7", f"{filed}-2")
    assert seven["followedFrom"] == f"{filed}-1"
    assert "<p>MANAGEMENT'S DISCUSSION AND ANALYSIS</p>" in seven["content"]
    assert "LETTER" not in seven["content"]
    assert eight["content"].startswith("<pre>MARBLE &amp; MOSS CORP\nCONSOLIDATED BALANCE SHEETS")
    assert (risk["documentId"], risk["followedFrom"]) == (f"{filed}-1", None)
    assert risk["content"].startswith("<pre>ITEM 7A.")
