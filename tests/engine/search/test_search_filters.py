"""Filters of a search, alone and combined, and the fields of what it finds."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
MARBLE = MadeUpEntity("0000000123", "MARBLE & MOSS CORP", role="SUBJECT COMPANY", sic="3281")
GRAVEL = MadeUpEntity("0009990081", "GRAVEL FUND", role="FILED BY", sic="0700")
SAND = MadeUpEntity("0009990082", "SAND INC")
STONE = MadeUpDocument("Granite and marble stones.\n", "10-K", "stone.txt", "A REPORT")
EXHIBIT = MadeUpDocument("Granite in an exhibit.\n", "EX-99.1")
FILINGS = {
    "annual": MadeUp("", (MARBLE,), (STONE, EXHIBIT), "10-K", date(2020, 12, 31)),
    "amended": MadeUp("", (MARBLE,), (STONE,), "10-K/A", date(2021, 1, 1)),
    "ownership": MadeUp("", (GRAVEL, MARBLE, GRAVEL), (STONE,), "SC 13D/A", date(2021, 6, 30)),
    "sand": MadeUp("", (SAND,), (STONE,), "8-K", date(2022, 2, 28)),
}
NUMBERS = {name: f"0009990080-21-{place:06d}" for place, name in enumerate(FILINGS)}
ALL = {"annual-1", "annual-2", "amended-1", "ownership-1", "sand-1"}
CASES: list[tuple[Mapping[str, Any], set[str]]] = [
    ({}, ALL),
    ({"cik": "0000000123"}, {"annual-1", "annual-2", "amended-1", "ownership-1"}),
    ({"cik": "123"}, {"annual-1", "annual-2", "amended-1", "ownership-1"}),
    ({"ciks": "9990081"}, {"ownership-1"}),
    ({"cik": " 0009990081 ,, 9990082"}, {"ownership-1", "sand-1"}),
    ({"cik": ["9990081", "9990082"]}, {"ownership-1", "sand-1"}),
    ({"cik": "999"}, set()),
    ({"cik": "999,9990082"}, {"sand-1"}),
    ({"cik": ""}, ALL),
    ({"sic": "3281"}, {"annual-1", "annual-2", "amended-1", "ownership-1"}),
    ({"sic": "700"}, {"ownership-1"}),
    ({"sics": "0700"}, {"ownership-1"}),
    ({"sic": "1111"}, set()),
    ({"formType": "10-K"}, {"annual-1", "annual-2"}),
    ({"formType": "10-k/a"}, {"amended-1"}),
    ({"form_type": "sc  13d/a"}, {"ownership-1"}),
    ({"form_types": "10-K,10-K/A"}, {"annual-1", "annual-2", "amended-1"}),
    ({"formType": "EX-99.1"}, set()),
    ({"formType": "10-Q"}, set()),
    ({"from_date": "2021-01-01"}, {"amended-1", "ownership-1", "sand-1"}),
    ({"to_date": "2021-01-01"}, {"annual-1", "annual-2", "amended-1"}),
    ({"from_date": "2021-01-01", "to_date": "2021-01-01"}, {"amended-1"}),
    ({"from_date": "2021-06-30T23:59:59-05:00"}, {"ownership-1", "sand-1"}),
    ({"from_date": "2023-01-01"}, set()),
    ({"ids": "annual-2,sand-1"}, {"annual-2", "sand-1"}),
    ({"document_ids": "annual-2"}, {"annual-2"}),
    ({"ids": "annual-9"}, set()),
    # Filters of different kinds combine with AND.
    ({"cik": "123", "formType": "10-K"}, {"annual-1", "annual-2"}),
    ({"cik": "123", "sic": "0700"}, {"ownership-1"}),
    ({"cik": "9990082", "formType": "10-K"}, set()),
    ({"cik": "123", "ids": "annual-1,sand-1"}, {"annual-1"}),
    ({"sic": "3281", "from_date": "2021-01-01"}, {"amended-1", "ownership-1"}),
    ({"formType": "10-K,8-K", "to_date": "2021-12-31", "cik": "123"}, {"annual-1", "annual-2"}),
    ({"cik": "123", "ticker": "NOBODY"}, set()),
]


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The filings, each under its own number."""
    files = {}
    for name, filing in FILINGS.items():
        numbered = MadeUp(NUMBERS[name], filing.entities, filing.documents, filing.form_type)
        files[f"{name}.txt"] = txt(dated(numbered, filing.filing_date))
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def dated(filing: MadeUp, day: date) -> MadeUp:
    return MadeUp(filing.accession_number, filing.entities, filing.documents, filing.form_type, day)


def document_id(short: str) -> str:
    """`annual-1` as the document id that it stands for."""
    name, _, sequence = short.partition("-")
    return f"{NUMBERS[name]}-{sequence}"


def with_ids(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: ",".join(map(document_id, value.split(","))) if name.endswith("ids") else value
        for name, value in parameters.items()
    }


@pytest.mark.parametrize(("parameters", "expected"), CASES, ids=str)
async def test_filters_leave(
    client: Client, parameters: Mapping[str, Any], expected: set[str]
) -> None:
    found = await client.found("granite", **with_ids(parameters))
    assert sorted(found) == sorted(map(document_id, expected))


async def test_item_has_every_field_of_the_specification(client: Client) -> None:
    (item,) = (await client.search("granite", cik="9990081"))["items"]
    assert 0 < item.pop("score") < 1
    assert item == {
        "related_company_names": ["GRAVEL FUND", "MARBLE & MOSS CORP"],
        "ciks": ["0009990081", "0000000123"],
        "accnum": NUMBERS["ownership"],
        "filename": "stone.txt",
        "filing_date": "2021-06-30",
        "form_type": "SC 13D/A",
        "snippet": "<mark>Granite</mark> and marble stones.",
        "document_id": document_id("ownership-1"),
    }


async def test_exhibit_has_the_form_type_of_its_filing_and_no_file_name(client: Client) -> None:
    (item,) = (await client.search("exhibit"))["items"]
    assert (item["document_id"], item["form_type"], item["filename"]) == (
        document_id("annual-2"),
        "10-K",
        "",
    )


async def test_nothing_found_is_an_empty_page(client: Client) -> None:
    assert await client.search("basalt") == {
        "total_count": 0,
        "items": [],
        "warnings": ["query: no document has `basalt`"],
    }
