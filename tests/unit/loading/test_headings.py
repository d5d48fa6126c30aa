"""Headings of documents: titles, items, sections, notes."""

from datetime import date

import pytest

from edgar_search.edgar.submission import parse_submission
from edgar_search.stored.filings import StoredSection
from ingest.reading.headings import MAX_HEADING, MAX_HEADINGS, headings
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

MARBLE = MadeUpEntity("0009990362", "Marble & Moss Corp")


def of(text: str, description: str = "", items: tuple[str, ...] = ()) -> list[str]:
    document = MadeUpDocument(text, "10-K", description=description)
    submission = parse_submission(txt(MadeUp("0009990362-21-000001", (MARBLE,), (document,))))
    section = StoredSection(
        "a-1", "a", "item1a", "Item 1A", "Risk Factors", 0, "10-K", date(2021, 1, 1)
    )
    return headings(submission.documents[0], text, [section], items)


def test_description_title_items_and_sections_are_headings() -> None:
    text = "Exhibit 99.1\nMARBLE AND MOSS BUY A QUARRY\nThe companies said on Monday that they did."
    assert of(text, "PRESS RELEASE", ("Item 8.01 Other Events",)) == [
        "PRESS RELEASE",
        "MARBLE AND MOSS BUY A QUARRY",
        "Item 8.01 Other Events",
        "Item 1A Risk Factors",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Note 4. Leases", ["Note 4. Leases"]),
        ("NOTE 4\t-\tLEASES", ["NOTE 4 - LEASES"]),
        ("Note 4 says that we lease nothing, and that we never will lease it.", []),
        ("4. Leases", []),
        ("Notes to Consolidated Financial Statements\n4. Leases\n", ["4. Leases"]),
        ("Notes to Financial Statements\n4. We lease a quarry of our owner, and do so well.", []),
    ],
)
def test_notes_are_headings(text: str, found: list[str]) -> None:
    assert of(f"\n\nA quarry\n{text}") == ["A quarry", "Item 1A Risk Factors", *found]


def test_headings_are_bounded() -> None:
    text = "Cover\n" + "\n".join(f"Note {number % 90}. Leases {number}" for number in range(900))
    found = of(text, "x" * 1_000)
    assert len(found) == MAX_HEADINGS
    assert len(found[0]) == MAX_HEADING
