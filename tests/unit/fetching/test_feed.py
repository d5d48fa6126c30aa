"""EDGAR's feed of current filings."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from edgar_search.errors import MalformedIndex
from ingest.fetching.feed import FeedEntry, feed_path, parse_feed

ENTRY = """<entry>
<title>SC 13D/A - MARBLE (HOLDING) - MOSS (0009990001) (Subject)</title>
<summary type="html"> &lt;b&gt;Filed:&lt;/b&gt; 2025-12-15 &lt;b&gt;AccNo:&lt;/b&gt; x</summary>
<updated>2025-12-12T18:03:52-05:00</updated>
<category scheme="s" label="form type" term="SC 13D/A"/>
<id>urn:tag:sec.gov,2008:accession-number=0009990001-25-000001</id>
</entry>"""


def feed(*entries: str) -> bytes:
    start = '<?xml version="1.0" encoding="ISO-8859-1" ?><feed xmlns="http://www.w3.org/2005/Atom">'
    return (start + "".join(entries) + "</feed>").encode("latin-1")


def test_entry_of_a_page() -> None:
    (entry,) = parse_feed(feed(ENTRY)).entries
    assert entry == FeedEntry(
        accession_number="0009990001-25-000001",
        form_type="SC 13D/A",
        company_name="MARBLE (HOLDING) - MOSS",
        cik="0009990001",
        role="Subject",
        filing_date=date(2025, 12, 15),
        accepted_at=datetime(2025, 12, 12, 23, 3, 52, tzinfo=UTC),
    )
    assert entry.file_name == "edgar/data/9990001/0009990001-25-000001.txt"


def test_entry_without_what_is_needed_is_counted() -> None:
    parts = ("accession-number", "2025-12-15", "-05:00</", " (000")
    cut = [ENTRY.replace(part, "</" if part.endswith("</") else "x") for part in parts]
    page = parse_feed(feed(*cut, ENTRY, "<entry/>"))
    assert (len(page.entries), page.unknown) == (1, 5)


@pytest.mark.parametrize("identifier", ["0009990001-25", "(0009990001)"])
def test_identifier_of_other_digits_than_ascii_s_is_none(identifier: str) -> None:
    entry = ENTRY.replace(identifier, identifier.replace("9", "&#1641;"))
    assert parse_feed(feed(entry)).unknown == 1


@pytest.mark.parametrize("data", [b"", b"<!DOCTYPE html><html><p>Sorry</html>", b"<html></html>"])
def test_other_pages_are_refused(data: bytes) -> None:
    with pytest.raises(MalformedIndex, match="^the current feed: "):
        parse_feed(data)


def test_address_of_a_page_names_its_place() -> None:
    assert "&start=100&count=100&output=atom" in feed_path(100)


# Entries and submissions of each file, counted with `grep`.
@pytest.mark.parametrize(
    ("name", "entries", "submissions"),
    [
        ("4.start0", 100, 46),
        ("4.start100", 100, 59),
        ("4.start200", 100, 52),
        ("4.start5000", 100, 53),
        ("all.start0", 100, 50),
        ("all.start1", 40, 21),
        ("all.start40", 40, 20),
    ],
)
def test_every_entry_of_a_real_page_is_read(
    corpus: Path, name: str, entries: int, submissions: int
) -> None:
    page = parse_feed((corpus / "index" / "current" / f"getcurrent.{name}.atom.xml").read_bytes())
    assert (len(page.entries), page.unknown) == (entries, 0)
    assert len({entry.accession_number for entry in page.entries}) == submissions


def test_page_beyond_the_feed_is_none(corpus: Path) -> None:
    data = (corpus / "index" / "current" / "getcurrent.all.start5100.atom.xml").read_bytes()
    with pytest.raises(MalformedIndex):
        parse_feed(data)
