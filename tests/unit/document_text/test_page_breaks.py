"""Sentences of plain text that go over a page break, and words over the end of a line."""

import random
import re
import time

import pytest

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import text_of
from edgar_search.text.page_breaks import reading_order
from edgar_search.text.place_map import map_places
from edgar_search.text.versions import DocumentKind

FIRST = "The company's lenders may ask for payment at any time of the whole"
SECOND = "amount, which would leave it without the means to go on."
OTHER = "    The board met four times in the year and once more in March."


def plain(body: str) -> str:
    return text_of(DocumentKind.PLAIN, body)


def page(between: str, first: str = FIRST, second: str = SECOND) -> str:
    return f"{OTHER}\n\n{first}\n{between}\n{second}\n\n{OTHER}\n"


BETWEEN = {
    "mark": "<PAGE>",
    "mark in lower case": "\n<page>\n",
    "mark with a number": "\n\n<PAGE>   12\n\n",
    "number": "\n                        - 12 -\n<PAGE>\n",
    "number after the mark": "\n<PAGE>\n                    12\n",
    "bare number": "                              12\n<PAGE>\n",
    "number of pages": "\n\n                    Page 3 of 7\n\n<PAGE>\n",
    "number with a prefix": "\n                    F-12\n<PAGE>\n\n",
    "Roman number": "\n                    iv\n<PAGE>\n",
    "form feed": "\n                    12\n\f",
    "form feed before the text": "\n\f",
    "number without a mark": "\n\n                    - 12 -\n\n",
    "bare number without a mark": "\n\n                               12\n\n",
    "number of pages without a mark": "\n\nPage 3 of 7\n\n",
    "ruler": "\n----------------------------------------\n          12\n<PAGE>\n",
    "EDGAR's tags": "\n</PAGE>\n<PAGE>\n<CAPTION>\n",
    "head in capitals": "\n<PAGE>\n             MOSS & SONS INC. AND SUBSIDIARIES\n",
    "head of several lines": "\n\n  12\n<PAGE>\n  MOSS & SONS INC.\n\n  NOTES (CONTINUED)\n",
    "head of words": "\n<PAGE>\n     Notes to Statements (continued)\n     May 7, 1999\n",
    "table of contents": "\n<PAGE>\nTable of Contents\n\n",
}


@pytest.mark.parametrize("between", BETWEEN.values(), ids=BETWEEN)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_sentence_goes_on_over_a_page_break(between: str, end: str) -> None:
    furniture = re.sub(r"</?(?:page|caption)>", " ", between, flags=re.IGNORECASE).split("\n")
    behind = [" ".join(line.split()) for line in furniture if line.strip()]
    behind = [line if line.strip("-") else "---" for line in behind]
    shown = plain(page(between).replace("\n", end))
    assert shown.startswith(f"{OTHER.strip()}\n\n{FIRST}\n{SECOND}\n\n")
    rest = shown.removeprefix(f"{OTHER.strip()}\n\n{FIRST}\n{SECOND}\n\n")
    assert [line for line in rest.split("\n") if line] == [*behind, OTHER.strip()]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("the lenders of the company are", SECOND),
        (
            "We bought the whole of the stone of",
            "Moss & Sons, and of its subsidiaries in the north.",
        ),
        ("the part of the stone that is due to", "$4.5 million of debt that we took up for it."),
        (
            "This would be so by the laws of the State of New York, in cases where an",
            "Event of Default is there.",
        ),
        ("It was sold to Basalt Corp. and to the owners of Granite Stone Inc.", "and to others."),
        ("He had been with the firm since 1991 and was its Vice President,", "Finance, to 1995."),
    ],
)
def test_sentence_goes_on_with_any_word(first: str, second: str) -> None:
    lines = f"Of the things that were said at the meeting in May some are said again.\n{first}"
    body = page("\n               12\n<PAGE>\n", lines, second)
    assert f"{first}\n{second}\n\n12" in plain(body)


def test_foot_and_head_that_pages_repeat_are_behind_the_paragraph() -> None:
    foot = "\nBylaws of Moss and sons, as amended       {}\n<PAGE>\nPart II of the by-laws\n"
    firsts = [FIRST, FIRST.replace("whole", "total"), FIRST.replace("ask for", "want the")]
    pages = [page(foot.format(number), first) for number, first in enumerate(firsts, 11)]
    shown = plain("".join(pages))
    for number, first in enumerate(firsts, 11):
        foot = f"Bylaws of Moss and sons, as amended {number}\n\nPart II of the by-laws\n\n"
        assert f"{first}\n{SECOND}\n\n{foot}" in shown


def test_paragraph_that_goes_over_two_breaks_is_one() -> None:
    third = "and it would have to sell a part of the land, or all of it, and of the"
    body = page(f"\n     12\n<PAGE>\n{third}\n\n      13\n<PAGE>\n")
    assert f"{FIRST}\n{third}\n{SECOND}\n\n12\n\n13\n\n{OTHER.strip()}" in plain(body)


STAYS = {
    "sentence that ends": (f"{FIRST}.", "amounts are in thousands in this report of the year."),
    "heading above": (
        "Liquidity and Capital Resources",
        "amounts are in thousands in this report.",
    ),
    "heading below": (FIRST, "ITEM 5.  OTHER EVENTS"),
    "new paragraph": (
        FIRST,
        "     The Board of Directors met four times in the year, by telephone.",
    ),
    "list": (
        "    (a) the rents that are due for the land and for its buildings; and",
        "    (b) taxes",
    ),
    "bullets": (
        "o   the rents that are due for the land and for all buildings",
        "o   taxes of them",
    ),
    "signature": ("By: /s/ John Q. Moss, who is the treasurer of the company", "the undersigned"),
    "address": ("17 Stone Road, Suite 4", "attention of the treasurer"),
    "row of figures": (
        "Total of the assets and of the debts      1,234      5,678",
        "net of taxes",
    ),
    "row below": (FIRST, "net of taxes                1,234      5,678"),
    "contents": (
        "Notes to the statements of the year ........................ 12",
        "the statements",
    ),
    "cover": ("(Address of the principal executive offices of the company)", "the undersigned"),
}


@pytest.mark.parametrize(("first", "second"), STAYS.values(), ids=STAYS)
def test_what_is_no_sentence_stays_apart(first: str, second: str) -> None:
    body = page("\n               12\n<PAGE>\n", first, second)
    assert len(reading_order(body)) == 1
    body = page("\n               - 12 -\n", first, second)
    assert len(reading_order(body)) == 1


def test_table_stays_as_it_is() -> None:
    table = f"<TABLE>\n{FIRST}\n               12\n<PAGE>\n{SECOND}\n</TABLE>\n"
    assert len(reading_order(table)) == 1
    between = f"{FIRST}\n<PAGE>\n<TABLE>\n<S>   <C>\nRent     12\n</TABLE>\n{SECOND}\n"
    assert len(reading_order(between)) == 1


def test_year_under_a_sentence_is_no_page_number() -> None:
    first = "The amounts were audited by the firm of our accountants in the year of\n1998"
    assert f"{first}\n\nwith" not in plain(page("\n<PAGE>\n", first, "with others."))
    assert f"{first}\nwith others." in plain(page("\n<PAGE>\n", first, "with others."))


@pytest.mark.parametrize(
    ("filed", "shown"),
    [
        ("its consoli-\ndated state-\nments show", "its consolidated\nstatements\nshow"),
        ("its con-\n     solidated, audited", "its consolidated,\naudited"),
        ("a zerolite was zero-\nlite here", "a zerolite was zerolite\nhere"),
        ("FINAN-\nCIAL STATEMENTS", "FINANCIAL\nSTATEMENTS"),
        ("the self-\ninsured risks", "the self-insured\nrisks"),
        ("a co-operator and a co-\noperator", "a co-operator and a co-operator"),
        ("state-of-the-\nart tools", "state-of-the-art\ntools"),
        ("a Non-\nEmployee Director", "a Non-Employee\nDirector"),
        # A hyphen that stands for the end of another word, a dash, and numbers.
        ("short-\nand long-term debt", "short-\nand long-term debt"),
        ("it was so --\nand then", "it was so --\nand then"),
        ("in 1995-\n1996 it", "in 1995-\n1996 it"),
        ("of con-\n\nsolidated", "of con-\n\nsolidated"),
    ],
)
def test_word_over_the_end_of_a_line(filed: str, shown: str) -> None:
    assert plain(filed) == shown


def test_words_that_are_asked_for_one_by_one_and_all_at_once_are_the_same() -> None:
    names = [f"qu{first}{second}" for first in "abcdefgh" for second in "klmnprst"]
    # Each is a word of the document, but for every third, which is one with its hyphen.
    said = " ".join(f"{name}zo x-{name}" if n % 3 else f"{name}-zo" for n, name in enumerate(names))
    lines = plain(said + "\n\n" + "".join(f"the {name}-\nzo is\n" for name in names)).split("\n")
    for number, name in enumerate(names):
        joined = f"{name}zo" if number % 3 else f"{name}-zo"
        assert f"the {joined}" in lines


def test_word_over_a_page_break() -> None:
    first = "The lenders of the company and of all its sub-"
    body = page("\n           - 12 -\n<PAGE>\n", first, "sidiary guarantors may ask for it.")
    assert "and of all its subsidiary\nguarantors may ask for it.\n\n- 12 -" in plain(body)


def test_line_ends_of_a_table_stay() -> None:
    assert "con-\nsolidated" in plain("<TABLE>\ncon-\nsolidated\n</TABLE>\nthe consolidated")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_character_has_the_byte_that_was_filed(end: bytes) -> None:
    between = "\n\n          - 12 -\n<PAGE>   13\n  MOSS & SONS INC.\n"
    source = page(between, f"{FIRST} sub-", "sidiary guaran-\ntors of it\u2019s lenders.")
    body = source.encode("cp1252").replace(b"\n", end)
    text = text_of(DocumentKind.PLAIN, decode_bytes(body))
    places = map_places(DocumentKind.PLAIN, body, text)
    for place, char in enumerate(text):
        span = places.filed(place)
        assert char.isspace() or (
            span and body[slice(*span)].decode("cp1252").replace("\u2019", "'") == char
        )
    start = body.index(b"sub-")
    assert places.text_span(start, start + 4) == (text.index("sub"), text.index("sub") + 3)


LINES = (
    *(
        FIRST,
        SECOND,
        OTHER,
        "",
        "<PAGE>",
        "<PAGE> 3",
        "      - 12 -",
        "            12",
        "\f",
        "F-3",
    ),
    *(
        "MOSS & SONS INC.",
        "<TABLE>",
        "</TABLE>",
        "Total      1     2",
        "(a) moss",
        "consoli-",
        "dated",
    ),
)


def test_each_character_of_any_lines_is_in_one_piece() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(300):
        body = "\n".join(source.choices(LINES, k=source.randrange(1, 40)))
        pieces = sorted((start, end) for start, end, _ in reading_order(body) if end > start)
        assert "".join(body[start:end] for start, end in pieces) == body
        letters = sorted(re.sub(r"<[^>]*>|[\s-]", "", body))
        assert sorted(re.sub(r"[\s-]", "", plain(body))) == letters


@pytest.mark.parametrize(
    "unit",
    [
        *(
            f"{FIRST}\n<PAGE>\n",
            "<PAGE>\n",
            "\f",
            "12\n\n",
            "consoli-\n",
            "a-" * 50 + "\n",
            "<TABLE>",
        ),
        *(
            f"{FIRST}\n\n",
            "                 12\n",
            page("\n    12\n<PAGE>\n"),
            "- " * 40 + "\n",
            "[(" * 9,
        ),
    ],
)
def test_time_does_not_grow_faster_than_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        body = unit * (size // len(unit))
        began = time.process_time()
        plain(body)
        return time.process_time() - began

    assert seconds(800_000) < 16 * seconds(100_000) + 0.5
