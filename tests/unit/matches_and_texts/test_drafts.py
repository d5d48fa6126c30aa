"""Quotes and citations of drafts."""

import time

import pytest

from edgar_search.document.drafts import claims_in, parts_of

FILING = "0009990103-25-000008"
ADDRESS = "https://www.sec.gov/Archives/edgar/data/9990103/000999010325000008"


@pytest.mark.parametrize(
    ("draft", "quotes"),
    [
        ('It says "two data centers become one".', ["two data centers become one"]),
        ("It says \u201ctwo data centers become one\u201d.", ["two data centers become one"]),
        ("\u00abtwo data centers become one\u00bb", ["two data centers become one"]),
        # A term, a title, and a mark that is never closed.
        ('the "Company" and "material weakness" are terms', []),
        ('an inch is 1" here, and\n\nno more "words of any kind" follow', ["words of any kind"]),
        (
            "Before.\n\n> Two data centers\n> become one.\n\nAfter.",
            ["Two data centers\nbecome one"],
        ),
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
    assert [" ... ".join(claim.parts) for claim in found] == quotes


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
    ],
)
def test_what_is_cited_near_a_quote(cited: str, number: str, document: str, file: str) -> None:
    draft = f'It says "two data centers become one" ({cited}).'
    quote, citation = claims_in(draft)
    assert quote.cited == citation.cited
    assert citation.cited is not None
    found = citation.cited
    assert (found.accession_number, found.document_id, found.file_name) == (number, document, file)
    far = claims_in(f'It says "two data centers become one". {"x " * 300} {cited}')
    assert far[0].cited is None


def test_places_are_those_of_the_draft() -> None:
    draft = f'\U0001f600 "two data centers become one" {FILING}'
    quote, citation = claims_in(draft)
    assert draft[quote.start : quote.end] == '"two data centers become one"'
    assert draft[citation.start : citation.end] == FILING


@pytest.mark.parametrize(
    "piece",
    ['"', "\u201c", '"a b c d" ', "> a\n", "[", "[a", ". ", "https://", "0", "\u2026", '> "a\n\n'],
)
def test_hostile_drafts_take_time_that_grows_with_their_length(piece: str) -> None:
    def seconds(length: int) -> float:
        # Quotes and citations apart, and in turn.
        draft = (piece * length)[: length // 2]
        draft += (f'"a b c d e" {piece} {FILING} ' * length)[: length // 2]
        best = 9.0
        for _ in range(3):
            began = time.process_time()
            claims_in(draft)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(200_000) < 16 * max(seconds(25_000), 0.02)
