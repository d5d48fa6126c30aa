"""The places of sections in a document's text."""

import gzip
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from edgar_search.edgar.document import section_content
from edgar_search.edgar.submission import Document, parse_submission
from edgar_search.text.document_text import searchable_text
from edgar_search.text.words import tokens
from ingest.reading.sections import find_sections
from ingest.reading.sections.text_places import section_places
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

MARBLE = MadeUpEntity("0009990001", "MARBLE & MOSS CORP")


def report(body: str) -> Document:
    filing = MadeUp("0009990001-21-000001", (MARBLE,), (MadeUpDocument(body, "10-K"),), "10-K")
    return parse_submission(txt(filing)).documents[0]


def placed(body: str, *sections: str) -> list[str | None]:
    """The words at the place of each section, which is a part of the body."""
    document = report(body)
    text = searchable_text(document)
    assert text is not None
    spans: list[tuple[int, int]] = []
    for section in sections:
        start = document.body.index(section.encode(), spans[-1][1] if spans else 0)
        spans.append((start, start + len(section.encode())))
    places = section_places(document, text, spans)
    return [place and " ".join(text[slice(*place)].split()) for place in places]


def test_place_is_from_the_first_word_to_the_mark_after_the_last() -> None:
    one, two = "<p>Item 1. Naïve 𝛼 Business</p><p>Stones.</p>", "<p>Item 2. Moss!</p>"
    assert placed(f"<html><p>Head</p>{one}{two}</html>", one, two) == [
        "Item 1. Naïve 𝛼 Business Stones.",
        "Item 2. Moss!",
    ]


def test_section_cut_out_of_a_table_is_found() -> None:
    row = "<tr><td>Item 1.</td><td>Business</td></tr><tr><td>Stones</td><td>12</td></tr>"
    body = f"<html><table><tr><td>Part</td><td>I</td></tr>{row}</table><p>The end</p></html>"
    assert placed(body, row) == ["Item 1. Business Stones 12"]


def test_section_of_plain_text_is_found() -> None:
    section = "ITEM 1.   BUSINESS\n\n\n   Stones\n<PAGE>\n   and moss.\n"
    body = f"MARBLE\n\n{section}\nITEM 2.  PROPERTIES\n"
    assert placed(body, section) == ["ITEM 1. BUSINESS Stones and moss."]


def test_same_words_twice_are_told_apart_by_the_sections_around() -> None:
    none, stones, moss = "<p>Item 1. None</p>", "<p>Item 2. Stones</p>", "<p>Item 3. Moss</p>"
    body = f"<html>{none}<p>Contents</p>{stones}{none}{moss}</html>"
    document = report(body)
    text = searchable_text(document) or ""
    second = body.index(none, body.index(stones))
    spans = [(body.index(part), body.index(part) + len(part)) for part in (stones, moss)]
    places = section_places(document, text, [spans[0], (second, second + len(none)), spans[1]])
    assert places[1] == (text.rindex("Item 1. None"), text.rindex("Item 1. None") + 12)


def test_section_may_begin_amid_of_a_word() -> None:
    section = "Business</b>ness</p>"
    assert placed(f"<html><p>Item 1. Busy<b>{section}</html>", section) == ["Businessness"]


def test_section_without_text_has_no_place() -> None:
    section = "<p>&nbsp;</p><p> </p>"
    assert placed(f"<html><p>Moss</p>{section}<p>grows</p></html>", section) == [None]


def prose(subject: str, sentences: int = 6) -> str:
    return "".join(
        f"<p>The {subject} of year {n} lay under the old wall.</p>" for n in range(sentences)
    )


def test_long_section_has_its_place_whatever_stands_amid_of_it() -> None:
    table = "<table><tr><td>a</td><td>12 &#8212;</td></tr></table>"
    one = f"<p>Item 1. Business</p>{prose('moss')}{table}"
    two = f"<p>Item 2. Stones</p>{prose('stone')}"
    body = f"<html>{prose('contents')}{one}{two}<p>Signatures</p>{prose('signature')}</html>"
    first, second = placed(body, one, two)
    assert first is not None and second is not None
    assert first.startswith("Item 1. Business The moss of year 0") and first.endswith("a 12 \u2014")
    assert second.startswith("Item 2. Stones") and second.endswith("5 lay under the old wall.")


def test_long_section_that_a_browser_does_not_show_has_no_place() -> None:
    section = f"<p>Item 1. Business</p>{prose('moss')}"
    shown = section.replace("Item 1.", "Item 2.")
    body = f"<html>{prose('a')}<div style='display:none'>{section}</div>{shown}{prose('b')}</html>"
    assert placed(body, section) == [None]


def test_edges_of_plain_text_are_found_among_page_numbers() -> None:
    lines = "".join(f"The moss of year {n} lay under the old wall.\n" for n in range(9))
    section = f"ITEM 1.   BUSINESS\n\n{lines}\n          26\n<PAGE>\n"
    behind = lines.replace("moss", "stone")
    (place,) = placed(f"MARBLE\n\n{section}ITEM 2. STONES\n\n{behind}", section)
    assert place is not None
    assert place.startswith("ITEM 1. BUSINESS The moss") and place.endswith("old wall. 26")


def test_place_has_the_words_of_the_section_and_no_others_in_real_reports(corpus: Path) -> None:
    """Against the section's own HTML, as `/v2/filing_sections` answers with it."""
    found = missing = 0
    for document in islice(reports(corpus), 10):
        text, body = searchable_text(document), document.body
        assert text is not None
        sections = find_sections(document.form_type.upper(), body)
        places = section_places(document, text, [(each.start, each.end) for each in sections])
        for section, place in zip(sections, places, strict=True):
            if place is None:
                missing += 1
                continue
            found += 1
            alone = report(f"<html>{section_content(body, section.start, section.end)}</html>")
            assert tokens(text[slice(*place)]) == tokens(searchable_text(alone) or "")
    assert found > 20 * missing


def reports(corpus: Path) -> Iterator[Document]:
    """Main documents of annual reports, one of every fourth filing."""
    for path in sorted((corpus / "filings").glob("*.gz"))[::4]:
        filing = parse_submission(gzip.decompress(path.read_bytes()))
        if filing.header.form_type == "10-K":
            yield filing.documents[0].alone()
