"""Sections of reports and items of current reports, as they are stored."""

from collections.abc import Callable
from datetime import date

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from ingest.loading.ledger import read_entries
from tests.support.loading import Hit, Loads, counts, stored, text_of
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990060", "MARBLE & MOSS CORP")
BUSINESS = "<p>Item 1. Business</p><p>Quarries.</p>"
RISKS = "<p>Item 1A. Risk Factors</p><p>Moss.</p>"
SIGNED = "<p>SIGNATURES</p><p>Pursuant to the requirements of the Act.</p>"


def document(*sections: str) -> MadeUpDocument:
    return MadeUpDocument("<html>" + "".join(sections) + SIGNED, "10-K", "report.htm")


@pytest.fixture
def report(new_number: Callable[[], str]) -> MadeUp:
    exhibit = MadeUpDocument(f"<html>{BUSINESS}", "EX-13", "annual.htm")
    return MadeUp(new_number(), (MARBLE,), (document(BUSINESS, RISKS), exhibit), "10-K")


async def sections(engine: Engine, number: str) -> list[Hit]:
    return await stored(engine, "sections", number)


async def test_sections_of_the_report_are_stored_with_their_places(
    loads: Loads, engine: Engine, report: MadeUp
) -> None:
    number = report.accession_number
    assert counts(await loads({"report.txt": txt(report)})).loaded == 1
    text = await text_of(engine, f"{number}-1")
    common = {
        "document_id": f"{number}-1",
        "accession_number": number,
        "form_type": "10-K",
        "filing_date": "2021-01-05",
    }
    first = {"item": "item1", "label": "Item 1", "description": "Business", "number": 0}
    second = {"item": "item1a", "label": "Item 1A", "description": "Risk Factors", "number": 1}
    assert [(hit.id, hit.source) for hit in await sections(engine, number)] == [
        (
            f"{number}-1#item1",
            common | first | placed(text, "Item 1.", "Quarries."),
        ),
        (
            f"{number}-1#item1a",
            common | second | placed(text, "Item 1A.", "Moss."),
        ),
    ]


def placed(text: str, first: str, last: str) -> dict[str, int]:
    """From the one to the other, in code points of the text."""
    return {"text_start": text.index(first), "text_end": text.index(last) + len(last)}


async def test_version_with_fewer_sections_leaves_none_over(
    loads: Loads, engine: Engine, report: MadeUp
) -> None:
    number = report.accession_number
    await loads({"first.txt": txt(report)})
    shorter = msgspec.structs.replace(report, documents=(document(RISKS),))
    await loads({"second.txt": txt(shorter)})
    assert [hit.id for hit in await sections(engine, number)] == [f"{number}-1#item1a"]
    entry = (await read_entries(engine, [number]))[number]
    assert entry.sections == [f"{number}-1#item1a"]


async def test_current_report_is_found_by_an_item(
    loads: Loads, engine: Engine, new_number: Callable[[], str]
) -> None:
    number = new_number()
    body = "<html><p>Item 7. Exhibits</p><p>99</p><p>Press release</p>"
    documents = (MadeUpDocument(body), MadeUpDocument("Stones.", "EX-99", "press.txt"))
    filing = MadeUp(number, (MARBLE,), documents, "8-K", date(2003, 1, 5))
    await loads({"current.txt": txt(filing)})
    by_item = {"bool": {"filter": [{"term": {"items": "7"}}, {"term": {"ciks": MARBLE.cik}}]}}
    (hit,) = (await engine.search("filings", {"query": by_item}, Hit)).hits.hits
    exhibit = {
        "number": "99",
        "description": "Press release",
        "document_id": f"{number}-2",
        "file_name": "press.txt",
    }
    assert hit.source["eight_k_items"] == [
        {
            "number": "7",
            "name": "Financial Statements and Exhibits",
            "document_id": f"{number}-1",
            "source": "text",
            "exhibits": [exhibit],
        }
    ]
