"""Pasted citations as they are read, and refusals of those that cannot be understood."""

from datetime import UTC, date, datetime

import pytest

from edgar_search.document.pasted_citations import EXAMPLE, MOST_PASTED, Pasted, read_pasted
from edgar_search.errors import BadRequest
from edgar_search.stored.filings import FilingDocument, FilingEntity, StoredFiling
from edgar_search.web.pages.citation_texts import CitedText, copies_of, short_source

HASH = "ab" * 32
WORDS = "“…an impairment charge of $8.1 million…”"
PLAIN = (
    f"{WORDS}\nQUILLFEATHER, Form 10-K, document {EXAMPLE}, characters 1,338–1,348 of sha256 {HASH}"
)
FILING = StoredFiling(
    accession_number=EXAMPLE.rpartition("-")[0],
    form_type="8-K",
    filing_date=date(2023, 3, 6),
    ciks=["0000072333"],
    sics=[],
    entities=[FilingEntity("filer", "0000072333", "Nordstrom, Inc.")],
    documents=[],
    loaded_at=datetime(2023, 3, 6, tzinfo=UTC),
    entity_name="Nordstrom, Inc.",
)


def refusal(text: str) -> str:
    with pytest.raises(BadRequest) as refused:
        read_pasted(text)
    return str(refused.value)


def test_plain_text_has_all_parts() -> None:
    given, host = read_pasted(PLAIN)
    assert (given.document_id, given.start, given.end) == (EXAMPLE, 1338, 1348)
    assert (given.sha256, given.words) == (HASH, "an impairment charge of $8.1 million")
    assert host == ""


def test_short_form_has_the_exhibit_and_the_day() -> None:
    document = FilingDocument(f"{EXAMPLE[:-1]}2", "EX-10.1", "", 0, "ex101.htm")
    filing = FILING
    assert short_source(filing, document) == "Nordstrom, Inc., Form 8-K, Ex. 10.1 (Mar. 6, 2023)"
    cited = CitedText(document.document_id, HASH, 5, 9, "a ", "word", " b", "", "a ", " b")
    copies = copies_of(cited, filing, document, "http://here")
    first, second, third = copies.text.splitlines()
    assert first == "“…a word b…”"
    assert second.endswith(
        "(Mar. 6, 2023), https://www.sec.gov/Archives/edgar/data/72333/000032019324000123/ex101.htm"
    )
    assert f"check code {HASH[:8]}," in third
    assert HASH not in copies.text.partition("lasting link")[0]
    assert read_pasted(copies.text).given.sha256 == HASH
    assert read_pasted(copies.text.partition(", lasting link")[0]).given.words == "a word b"


def test_another_host_is_read_and_named() -> None:
    place = f"https://evil.example/document/{EXAMPLE}?cited=5&length=4&quote=word"
    given, host = read_pasted(place)
    assert (given.start, given.end, given.quote, host) == (5, 9, "word", "evil.example")


def test_control_characters_are_blanks() -> None:
    given = read_pasted(f"{EXAMPLE} “one\x00two\u202ethree four”").given
    assert given.words == "one two three four"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing of the kind", f"it names no document; add a document id, such as {EXAMPLE}"),
        (
            "0000320193-24-000123 “twelve characters”",
            "names a filing, 0000320193-24-000123, and none of its documents",
        ),
        (EXAMPLE, "it has neither words nor a place; add the words in quotation marks “ ”"),
        (f"{EXAMPLE} “short”", "its words are too few to be found without one"),
        (f"{EXAMPLE} characters 9–5", "its place is from 9 to 5; add a last character"),
        (f"{EXAMPLE} characters 5–9", "neither words nor the hash of the text"),
        ("x" * (MOST_PASTED + 1), f"the citation has 8,001 characters; at most {MOST_PASTED:,}"),
        ('{"document_id": "' + "[" * 5_000, "begins as JSON and does not go on so"),
        ("[" * 5_000, "begins as JSON and does not go on so"),
        ("[1]", "is JSON and no object"),
        ('{"document_id": ["a"]}', "document_id must be a text, not ['a']"),
        ('{"document_id": "../../auth"}', "../../auth is not a document id"),
        (f'{{"document_id": "{EXAMPLE}", "start": -1}}', "start must be a whole number, not -1"),
        (f'{{"document_id": "{EXAMPLE}", "start": true}}', "start must be a whole number"),
        (f'{{"document_id": "{EXAMPLE}", "start": 1e300}}', "start must be a whole number"),
        (f'{{"document_id": "{EXAMPLE}", "text_sha256": "0"}}', "must have 64 hexadecimal digits"),
        (f'{{"document_id": "{EXAMPLE}", "prefix": "{"p" * 41}"}}', "prefix may have at most 40"),
        ("https://www.sec.gov/Archives/edgar/data/1/a.htm", "is not that of a document here"),
        ("http://[::1/document", "is cut or mistyped"),
        (f"http://127.0.0.1/document/{EXAMPLE}?query=a", "has no cited place; open it"),
        (f"http://127.0.0.1/document/{EXAMPLE}?cited=%FF", "is cut or mistyped"),
        (
            f"{EXAMPLE[:-1]}2 http://h/document/{EXAMPLE}?cited=1&length=2",
            "names two documents: 0000320193-24-000123-2, and in its address",
        ),
    ],
)
def test_what_is_not_understood_is_named(text: str, said: str) -> None:
    assert said in refusal(text)


def test_an_answer_of_the_api_is_read() -> None:
    answer = f'{{"document_id": "{EXAMPLE}", "start": 3, "end": 9, "text": "words"}}'
    assert isinstance(read_pasted(answer), Pasted)
