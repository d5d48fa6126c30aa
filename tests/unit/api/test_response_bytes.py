"""A reply of `/v2/fulltext_search` says how many bytes it has, its own digits among them."""

from typing import Any

import msgspec
import pytest

from edgar_search.search.results import FullHit, FullPage
from edgar_search.search.tickers import TickerTable
from edgar_search.web.v2.search import search_reply

FIELDS = {
    "document_id": ["0000000001-24-000001-1"],
    "accession_number": ["0000000001-24-000001"],
    "form_type": ["10-K"],
    "filing_date": ["2024-01-02"],
    "passages": [1],
    "entities": ["0000 0000000001 ACME CORP", "0001 0000000002 OTHER CORP"],
}
HIT = msgspec.convert({"fields": FIELDS, "_score": 1.5}, FullHit)
# As a text may have it, and a caller's words in a warning.
NAME = '"response_bytes":0'


def reply(text: str, warnings: tuple[str, ...] = ()) -> tuple[bytes, dict[str, Any]]:
    page = FullPage(1, [HIT], ["<mark>a</mark>"], [text], [])
    found = search_reply(page, TickerTable(), end=10, warnings=warnings)
    return found, msgspec.json.decode(found)


@pytest.mark.parametrize("length", [*range(400, 700), *range(9_300, 9_700)])
def test_size_is_that_of_the_whole_reply(length: int) -> None:
    found, decoded = reply("x" * length)
    assert decoded["response_bytes"] == len(found)


@pytest.mark.parametrize("warnings", [(), (NAME, f"query: {NAME} is unknown")])
def test_same_name_in_texts_and_warnings_is_text(warnings: tuple[str, ...]) -> None:
    found, decoded = reply(f"{{{NAME}}}", warnings)
    assert decoded["response_bytes"] == len(found)
    assert decoded["hits"][0]["text_content"] == f"{{{NAME}}}"
    assert tuple(decoded.get("warnings", ())) == warnings


def test_ciks_are_in_the_order_of_the_header() -> None:
    assert reply("x")[1]["hits"][0]["ciks"] == ["0000000001", "0000000002"]
