"""Quotes and citations of drafts."""

import time
from datetime import date

import pytest

from edgar_search.document.drafts import claims_in, parts_of
from edgar_search.search.reading.stated_periods import AskedPeriod

FILING = "0009990103-25-000008"
ADDRESS = "https://www.sec.gov/Archives/edgar/data/9990103/000999010325000008"


@pytest.mark.parametrize(
    ("draft", "quotes"),
    [
        ('It says "two data centers become one".', ["two data centers become one"]),
        ("It says \u201ctwo data centers become one\u201d.", ["two data centers become one"]),
        ("\u00abtwo data centers become one\u00bb", ["two data centers become one"]),
        ("\u00bbtwo data centers become one\u00ab", ["two data centers become one"]),
        ("\u300ctwo data centers become one\u300d", ["two data centers become one"]),
        ("\u2039two data centers become one\u203a", ["two data centers become one"]),
        (
            "\u2018the company\u2019s two data centers\u2019 and others\u2019",
            ["the company\u2019s two data centers"],
        ),
        (
            "\u2018say \u201ctwo data centers\u201d become one\u2019",
            ["say \u201ctwo data centers\u201d become one"],
        ),
        # Apostrophes.
        ("the companies\u2019 two data centers and the owners\u2019 own", []),
        ("in the \u201890s two data centers of the owners\u2019", []),
        ("'two data centers become one'", ["two data centers become one"]),
        (
            "it says 'two of Kiln's data centers, as one', and",
            ["two of Kiln's data centers, as one"],
        ),
        ("it isn't the owners' two data centers and isn't one", []),
        ("the companies' two data centers and the 'owners' of all others' own", []),
        ("in the '90s two data centers of the owners'", []),
        ("'the \"two data centers become one\" there'", ["two data centers become one"]),
        ('_"two data centers become one"_', ["two data centers become one"]),
        ('**"two data centers become one"**', ["two data centers become one"]),
        ('"two **data centers** become *one*"', ["two data centers become one"]),
        ('"**two _data_ centers** become one"', ["two data centers become one"]),
        ('"***two data*** centers, \\$5 \\*, become one"', ["two data centers, $5 *, become one"]),
        ("> **Two data centers** become one\n", ["Two data centers become one"]),
        # Marks that are no emphasis.
        (
            '"two * data * centers_and_more ** become one"',
            ["two * data * centers_and_more ** become one"],
        ),
        ("the 'owners' of two data centers and 'others' of one", []),
        # A term, a title, and a mark that is never closed.
        ('the "Company" and "material weakness" are terms', []),
        ('an inch is 1" here, and\n\nno more "words of any kind" follow', ["words of any kind"]),
        (
            "Before.\n\n> Two data centers\n> become one.\n\nAfter.",
            ["Two data centers\nbecome one"],
        ),
        (
            "<blockquote cite='x'>\n<p>Two <b>data</b> centers</p>become &amp; remain</BLOCKQUOTE>",
            ["Two data centers become & remain"],
        ),
        ("<blockquote>two data centers become one", []),
        # Marks in a block are the block's.
        (
            '> He said "two data centers become one" there.\n',
            ['He said "two data centers become one" there'],
        ),
        ('""""""""', []),
        ("", []),
    ],
)
def test_quotes_of_a_draft(draft: str, quotes: list[str]) -> None:
    found = [claim for claim in claims_in(draft) if claim.kind == "quote"]
    assert [" ... ".join(" ".join(part.split()) for part in each.parts) for each in found] == [
        " ".join(quote.split()) for quote in quotes
    ]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("one two ... three four", ["one two", "three four"]),
        ("one two . . . three \u2026 four", ["one two", "three", "four"]),
        ("one [of the] two", ["one", "two"]),
        ("[T]he company pays", ["company pays"]),
        ("the compan[ies] [\u2026] pay,", ["the", "pay"]),
        ("it fell by 3.5 percent.", ["it fell by 3.5 percent"]),
        ("[...]", []),
    ],
)
def test_parts_of_an_honest_quote(words: str, parts: list[str]) -> None:
    assert parts_of(words) == parts


@pytest.mark.parametrize(
    ("cited", "number", "document", "file"),
    [
        (FILING, FILING, "", ""),
        (f"{FILING}-2", FILING, f"{FILING}-2", ""),
        (f"{ADDRESS}/a.htm", FILING, "", "a.htm"),
        (f"{ADDRESS}/", FILING, "", ""),
        (f"{ADDRESS}/{FILING}-index.htm", FILING, "", ""),
        (f"{ADDRESS}/{FILING}.txt", FILING, "", ""),
        (f"{ADDRESS.rpartition('/')[0]}/{FILING}.txt", FILING, "", ""),
        (f"{ADDRESS.rpartition('/')[0]}/{FILING}-index.htm", FILING, "", ""),
        (FILING.replace("-", ""), FILING, "", ""),
    ],
)
def test_what_is_cited_near_a_quote(cited: str, number: str, document: str, file: str) -> None:
    draft = f'It says "two data centers become one" ({cited}).'
    quote, citation = claims_in(draft)
    assert quote.cited == citation.cited
    assert citation.cited is not None
    found = citation.cited
    assert draft[citation.start : citation.end] == cited.rstrip("/")
    assert (found.accession_number, found.document_id, found.file_name) == (number, document, file)
    far = claims_in(f'It says "two data centers become one". {"x " * 300} {cited}')
    assert far[0].cited is None


ANOTHER = "0009990101-25-000004"


@pytest.mark.parametrize(
    "draft",
    [
        # The one that is not its own comes first, then the one that is.
        "Of {other}.\n\n“two data centers become one” ({own}).",
        "{own} says “two data centers become one”, as we know. And {other} says nothing.",
        "{own} says “two data centers become one.” We know. And {other} says nothing of it.",
        "According to {own}, “two data centers become one”.\n\n{other} says nothing of it.",
        "{other} is old. “Two data centers become one.” ({own})",
        "{other} is old. “Two data centers become one.” See {own}.",
        "{own} says:\n\n> Two data centers become one.\n\n{other} says nothing of it.",
        "{other} is old.\n\n> Two data centers become one.\n\nSource: {own}",
        "“Two data centers become one.”[^2] So is {other}.\n\n[^1]: {other}\n[^2]: See {own}",
        "{own}: “two data centers become one”.[^1] So it is.\n\n[^1]: A note.\n[^2]: {other}",
    ],
)
def test_a_quote_is_of_the_citation_in_its_sentence_or_paragraph(draft: str) -> None:
    claims = claims_in(draft.format(own=FILING, other=ANOTHER))
    (quote,) = (claim for claim in claims if claim.kind == "quote")
    assert quote.cited is not None
    assert quote.cited.accession_number == FILING


@pytest.mark.parametrize(
    "number", ["100000000000000001", "1000999010325000008", "x000999010325000008"]
)
def test_other_numbers_of_many_digits_are_no_citations(number: str) -> None:
    assert claims_in(f"see {number}") == []


HASH = "ab" * 32
PLACE = f"cited=5&length=10&text_sha256={HASH}"


@pytest.mark.parametrize(
    ("draft", "address", "given"),
    [
        (
            f"([here](https://filings.example:8000/document/{FILING}-1?{PLACE}&quote=two+%28data#at)).",
            f"https://filings.example:8000/document/{FILING}-1?{PLACE}&quote=two+%28data#at",
            (5, 15, HASH, "two (data"),
        ),
        (
            f"<a href='/document/{FILING}-1/as-filed?{PLACE.replace('&', '&amp;')}'>here</a>",
            f"/document/{FILING}-1/as-filed?{PLACE.replace('&', '&amp;')}",
            (5, 15, HASH, ""),
        ),
        (
            f"It is /v1/text?document_id={FILING}-1&start=5&length=10&quote=two+data+centers.",
            f"/v1/text?document_id={FILING}-1&start=5&length=10&quote=two+data+centers",
            (5, 15, "", "two data centers"),
        ),
        # Without a position, or with half of one, it cites the document.
        (f"/document/{FILING}-1?query=data", f"/document/{FILING}-1?query=data", None),
        (f"/document/{FILING}-1?cited=5", f"/document/{FILING}-1?cited=5", None),
        (f"/document/{FILING}-1?{PLACE}x", f"/document/{FILING}-1?{PLACE}x", None),
    ],
)
def test_addresses_of_words_here_are_citations_of_them(
    draft: str, address: str, given: tuple[object, ...] | None
) -> None:
    (claim,) = claims_in(draft)
    assert draft[claim.start : claim.end] == address
    assert claim.cited is not None
    assert claim.cited.document_id == f"{FILING}-1"
    cited = claim.cited.given
    assert (cited and (cited.start, cited.end, cited.sha256, cited.quote)) == given


@pytest.mark.parametrize("address", ["/document/x?cited=5", "/v1/text?start=5", "/document/"])
def test_addresses_without_a_document_are_no_citations(address: str) -> None:
    assert claims_in(f"see https://filings.example{address} there") == []


def test_places_are_those_of_the_draft() -> None:
    draft = f'\U0001f600 "two data centers become one" {FILING}'
    quote, citation = claims_in(draft)
    assert draft[quote.start : quote.end] == '"two data centers become one"'
    assert draft[citation.start : citation.end] == FILING


@pytest.mark.parametrize(
    "piece",
    [
        '"',
        "\u201c",
        '"a b c d" ',
        "> a\n",
        "[",
        "[a",
        ". ",
        "https://",
        "/v1/text?",
        f"/document/{FILING}-1?",
        "0",
        "\u2026",
        '> "a\n\n',
        "\u2018",
        "\u00bb",
        "\u300c",
        "<blockquote>",
        "<a",
        "A ",
        "A's 10-K for 2023 ",
        "'a ",
        " 'a'b",
        "*a ",
        "*a* ",
        "_a _",
        "**a",
        "[^a]: ",
        "\n[^a]:",
        "\u2018a\u2019s ",
    ],
)
def test_hostile_drafts_take_time_that_grows_with_their_length(piece: str) -> None:
    def seconds(length: int) -> float:
        # Quotes and citations apart, and in turn.
        draft = (piece * length)[: length // 2]
        draft += (f'"a b c d e" {piece} {FILING} ' * length)[: length // 2]
        began = time.process_time()
        claims_in(draft)
        return time.process_time() - began

    found = []
    # A busy machine adds to CPU time too, now to the one and now to the other.
    for _ in range(3):
        found.append((seconds(25_000), seconds(200_000)))
        if min(long for _, long in found) < 16 * max(min(short for short, _ in found), 0.02):
            return
    pytest.fail(f"seconds of a short draft and of one eight times as long: {found}")


YEAR, DAY = AskedPeriod(2023, 0, 12), date(2009, 6, 30)


@pytest.mark.parametrize(
    ("draft", "words", "found"),
    [
        (
            "See Apple's 10-K for 2023, Item 7A.",
            "Apple's 10-K for 2023, Item 7A",
            ("Apple", "10-K", YEAR, None, "7A"),
        ),
        (
            "In Amazon.com, Inc.\u2019s Form 10-Q for the quarter ended June 30, 2009, it",
            "Amazon.com, Inc.\u2019s Form 10-Q for the quarter ended June 30, 2009",
            ("Amazon.com, Inc.", "10-Q", AskedPeriod(months=3, day=DAY), None, ""),
        ),
        ("Apple 2023 10-K/A", "Apple 2023 10-K/A", ("Apple", "10-K/A", YEAR, None, "")),
        (
            "the 10-K for 2023 of Bank of America, Part II, Item 8",
            "10-K for 2023 of Bank of America, Part II, Item 8",
            ("Bank of America", "10-K", YEAR, None, "8"),
        ),
        (
            "Tesla's 8-K (filed on June 30, 2009)",
            "Tesla's 8-K (filed on June 30, 2009",
            ("Tesla", "8-K", None, DAY, ""),
        ),
        ("As Apple's 10-K says", "Apple's 10-K", ("Apple", "10-K", None, None, "")),
    ],
)
def test_citations_in_words(draft: str, words: str, found: tuple[object, ...]) -> None:
    (claim,) = claims_in(draft)
    assert claim.cited is not None
    assert claim.cited.worded is not None
    assert draft[claim.start : claim.end] == words
    assert claim.cited.worded[2:] == found


@pytest.mark.parametrize("draft", ["the company's 10-K for 2023", "a 10-K", "route 110-K", ""])
def test_a_form_of_no_company_is_no_citation(draft: str) -> None:
    assert claims_in(draft) == []
