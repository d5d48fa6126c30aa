"""The exponents with which the time of each reader of filed bytes grows with its input."""

import binascii
import gc
import math
import time
from collections.abc import Callable, Mapping
from datetime import date

import msgspec
import pytest

from edgar_search.api.tables import TablesParams, tables_in
from edgar_search.document.citations import CITED, MAX_QUOTE, Citation, find_citation
from edgar_search.document.filed_layout import make_view, part_html
from edgar_search.document.quotes import find_quote
from edgar_search.document.section_cuts import cut_sections
from edgar_search.document.text import MOST_CHARS
from edgar_search.document.token_matcher import Scanner, search_terms
from edgar_search.edgar.document import decode_chunks
from edgar_search.search.language import parse_query
from edgar_search.stored.filings import FilingDocument, StoredSection
from edgar_search.text.versions import DocumentKind
from edgar_search.web.pages.text_html import as_html
from edgar_search.web.v2.document_json import document_reply
from tests.unit.pages.test_hostile_filings import NONCE, PlainLook

HTML, XML, PLAIN = DocumentKind.HTML, DocumentKind.XML, DocumentKind.PLAIN
LISTED = FilingDocument("0000320193-24-000001-1", "10-K", "", 1, "a.htm")
SECTION = StoredSection(
    LISTED.document_id, "", "item1", "", "", 0, "10-K", date(2024, 2, 1), start=0
)
# Lengths of an input; a longer one has four times as much. Of less time the exponent is noise.
SHORT, LONG, TIMES, LEAST_SECONDS = 9_000, 60_000, 4, 0.05
# A reader that goes over all of its input in each step has 2.
MOST_EXPONENT = 1.6


def layout(filed: str) -> None:
    body = filed.encode()
    view = make_view(HTML, body)
    for number in range(len(view.parts)):
        part_html(view, body, number, [], [], NONCE, PlainLook())


def plain_layout(filed: str) -> None:
    body = filed.encode()
    part_html(make_view(PLAIN, body), body, 0, [], [], NONCE, PlainLook())


def places(filed: str) -> None:
    make_view(HTML, filed.encode(), "moss fern " * 1_000)


def places_of_xml(filed: str) -> None:
    make_view(XML, filed.encode(), "moss fern " * 1_000)


def places_of_text(filed: str) -> None:
    make_view(PLAIN, filed.encode(), filed)


def sections(filed: str) -> None:
    body = b"<html>" + filed.encode()
    cut_sections(LISTED, body, "moss", [msgspec.structs.replace(SECTION, end=len(body))])


def tables(filed: str) -> None:
    tables_in(filed, TablesParams(LISTED.document_id))
    tables_in(filed, TablesParams(LISTED.document_id, number=1))


def text_page(filed: str) -> None:
    as_html(filed, 0, [], [], None)


def matches(text: str) -> None:
    for query in (
        '"a b a"~50',
        f'"{"a " * 30}b"',
        "moss OR aaa* OR aaaa?*b",
        '"a b" OR "b a" OR a',
    ):
        scanner = Scanner(search_terms(parse_query(query)))
        scanner.feed(0, text)
        scanner.finish()


def citations(text: str) -> None:
    for quote, suffix in (("b", "b"), ("", "b"), ("", "")):
        cited = text[: MAX_QUOTE - 1] + quote
        for words in (cited, ""):
            sides = text[:CITED], text[1:CITED] + suffix
            find_citation([(0, text)], Citation(0, MOST_CHARS, sides[0], words, sides[1]))


def quotes(text: str) -> None:
    for quote in (text[:MAX_QUOTE], text[: MAX_QUOTE - 1] + "b", text[1:CITED] + "'b"):
        find_quote(text, quote, (True, True))


def original(filed: str) -> None:
    body = f"begin 644 a.gif\n{filed}".encode()
    for _ in decode_chunks(body[at : at + 65_536] for at in range(0, len(body), 65_536)):
        pass


def json(filed: str) -> None:
    document_reply(LISTED, filed.encode(), "application/xml", True)


def times(filler: str, before: str = "", behind: str = "") -> Callable[[int], str]:
    """Return an input of a length: something many times."""
    return lambda length: before + filler * (length // len(filler)) + behind


RAISED_CLASS = "<style>.a{vertical-align:super}</style>"
MARKUP: Mapping[str, Callable[[int], str]] = {
    "links without an end": times("<a href=#x"),
    "one link with many places": times("href=#x ", "<a "),
    "tags in tags": times("<a"),
    "brackets": times("<"),
    "contexts in one tag": times("id='a'", "<context id='a'"),
    "contexts without an end": times("<context id='a'id='a'"),
    "contexts": times("<context id='a'><instant>2024-01-01</instant></context>"),
    "members": times("<context id='a'><explicitMember>a:b</explicitMember>"),
    "letters in a number's tag": times("a", "<ix:nonFraction ", ">1</ix:nonFraction>"),
    "numbers without an end": times("<ix:nonFraction a='1' "),
    "numbers in numbers": times("<ix:nonFraction name='a:b'>1"),
    "headers without an end": times("<ix:header>"),
    "header whose end has none": times("a", "<ix:header>", "</ix:header "),
    "formatting that is never closed": times("<p>x", "<font color=red>" * 60),
    "little formatting that is never closed": times("<p>x", "<font color=red>" * 8),
    "misnested formatting": times("<b><i><p>x</b></i>"),
    "links over blocks": times("<a><div>"),
    "deep elements": times("<div>"),
    "tables in tables": times("<table><tr><td>"),
    "text between rows": times("<b>x<tr>", "<table>"),
    "wide and high cells": times("<td colspan=1000 rowspan=65534>x", "<table><tr>"),
    "rows": times("<tr><td>1<td>2", "<table>"),
    "ampersands": times("&"),
    "references": times("&a"),
    "unknown references": times("&moss;"),
    "numeric references": times("&#"),
    "ampersands in an attribute": times("&", "<p title='", "'>x"),
    "attributes": lambda length: (
        "<p " + "".join(f"a{each}=1 " for each in range(length // 8)) + ">x"
    ),
    "attributes without an end": times("<p a='"),
    "quotes": times("<p ='='\""),
    "a long attribute": times("a", "<p title='", "'>x"),
    "a long style": times("a:b;", "<p style='", "'>x"),
    "brackets in a style": times("([", "<p style='color:", "'>x"),
    "comments without an end": times("<!--"),
    "comments": times("<!---->"),
    "closed comments of dashes": times("-", "<!--", "-->"),
    "declarations": times("<!x>"),
    "instructions": times("<?x"),
    "sections of characters": times("<![CDATA["),
    "scripts": times("<script></script>"),
    "scripts without an end": times("<script>"),
    "foreign elements": times("<svg><desc>"),
    "text areas": times("<textarea>"),
    "options": times("<select><option>"),
    "frames": times("<frameset>"),
    "buttons": times("<button><p>"),
    "list items": times("<li>x"),
    "blanks": times(" ", "<p>"),
    "blanks in a tag": times(" ", "<a href"),
    "classes without an end": times("class= ", f"{RAISED_CLASS}<a "),
    "blanks behind a class": times(" ", f"{RAISED_CLASS}<a class"),
    "tags with a class": times("<a class=a>x", RAISED_CLASS),
    "line ends": times("\r\n"),
    "zeros": times("\0"),
    "combining marks": times("\u0301", "e"),
    "rulers": times("."),
}
LINES: Mapping[str, Callable[[int], str]] = {
    "short lines": times("a\n"),
    "rows": times("a  1\n"),
    "a wide row": times("a  1  ", "a  b\n"),
    "tabs": times("\t", "a\tb\n"),
    "rows with tabs": times("a\t1\n"),
    "dots": times(". ", "a  1\n"),
    "parentheses": times("(", "a  1\n"),
    "digits": times("1,", "a  1\n"),
    "empty lines": times("\n", "a  1\n"),
    "blanks": times(" ", "a  1\n"),
    "lines that end in blanks": times("a   \n"),
    "heads": times("               A  B\n\n"),
    "tables": times("<TABLE>\na  1\n</TABLE>\n"),
    "tables without an end": times("<TABLE>"),
    "pages": times("<PAGE>"),
}
TEXTS: Mapping[str, Callable[[int], str]] = {
    "a letter": times("a"),
    "a word": times("a "),
    "two words": times("a b "),
    "a word of two": times("a a b "),
    "words of numbers": times("1,"),
    "words of hyphens": times("a-"),
    "lines that end in hyphens": times("a-\n"),
    "quotation marks": times("a’ "),
    "dots": times("."),
    "dots apart": times(". "),
    "rulers": times("-" * 60 + "\n moss 12,345\n"),
    "blanks": times(" ", "a", "b"),
    "long words": times("a" * 300 + " "),
    "words of another script": times("aé"),
    "marks on letters": times("\u0301", "e"),
}
FILES: Mapping[str, Callable[[int], str]] = {
    "lines": times(binascii.b2a_uu(b"m" * 45).decode()),
    "short lines": times("!a\n"),
    "a line": times("M"),
    "empty lines": times("\n"),
    "line ends": times("\r"),
}
ELEMENTS: Mapping[str, Callable[[int], str]] = {
    "deep elements": times("<a>"),
    "elements": times("<a/>", "<b>", "</b>"),
    "attributes": lambda length: (
        "<a " + "".join(f"a{each}='1' " for each in range(length // 10)) + "/>"
    ),
    "entities": times("&a;", '<!DOCTYPE a [<!ENTITY a "moss">]><a>', "</a>"),
    "references": times("&amp;", "<a>", "</a>"),
    "text": times("moss ", "<a>", "</a>"),
}
READERS: list[tuple[Callable[[str], None], Mapping[str, Callable[[int], str]]]] = [
    (layout, MARKUP),
    (places, MARKUP),
    (places_of_xml, MARKUP),
    (sections, MARKUP),
    (plain_layout, LINES),
    (places_of_text, LINES),
    (tables, LINES),
    (text_page, LINES),
    (matches, TEXTS),
    (citations, TEXTS),
    (quotes, TEXTS),
    (original, FILES),
    (json, ELEMENTS),
]


def exponent(reader: Callable[[str], None], made: Callable[[int], str], length: int) -> float:
    """The exponent of the time of a reader between a length and a multiple of it, about 0 if small.

    The best of three measurements counts: another process may have been in the way of one. The
    collector of garbage, whose time depends on what other tests left, waits meanwhile.
    """

    def seconds(filed: str) -> float:
        gc.collect()
        gc.disable()
        try:
            began = time.process_time()
            reader(filed)
            return time.process_time() - began
        finally:
            gc.enable()

    found = []
    for _ in range(3):
        short, long = seconds(made(length)), seconds(made(length * TIMES))
        if long < LEAST_SECONDS:
            return 0.0
        found.append(math.log(long / max(short, 1e-6)) / math.log(TIMES))
        if found[-1] < MOST_EXPONENT:
            break
    return min(found)


@pytest.mark.parametrize("length", [SHORT, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("reader", "inputs"), READERS, ids=lambda each: getattr(each, "__name__", "")
)
def test_time_grows_with_the_input_and_no_faster(
    reader: Callable[[str], None], inputs: Mapping[str, Callable[[int], str]], length: int
) -> None:
    # What other tests left would make each of hundreds of collections slow.
    gc.collect()
    gc.freeze()
    found = {name: exponent(reader, made, length) for name, made in inputs.items()}
    for name, power in sorted(found.items(), key=lambda each: -each[1]):
        print(f"{reader.__name__:16} {power:5.2f} {name}")
    assert {name: power for name, power in found.items() if power > MOST_EXPONENT} == {}


def test_entities_of_entities_are_left_as_text() -> None:
    defined = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 9}'>" for n in range(1, 12))
    bomb = f"<!DOCTYPE a [<!ENTITY a0 'moss'>{defined}]><a>&a11;</a>"
    answer = msgspec.json.decode(document_reply(LISTED, bomb.encode(), "application/xml", True))
    assert (answer["encoding"], answer["data"]) == ("text", bomb)
