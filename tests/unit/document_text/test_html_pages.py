"""Sentences of HTML over page breaks: one line, with what was between after it."""

import time

import pytest

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import text_of
from edgar_search.text.marked_spans import marked_spans, text_spans
from edgar_search.text.place_map import map_places
from edgar_search.text.versions import DocumentKind

HTML = DocumentKind.HTML
FIRST = "The Company recognizes revenue of $17 when control of the goods is transferred to the"
SECOND = "customer, in an amount of $18 that is expected. Moss grows on stones."
SENTENCE = f"{FIRST} {SECOND}"


def page(between: str, first: str = FIRST, second: str = SECOND, behind: str = "") -> str:
    return f"<html><p>Moss.</p><p>{first}</p>{between}<p>{second}</p><p>Fern.</p>{behind}</html>"


@pytest.mark.parametrize("behind", ["", "<pre></pre>"], ids=["ordinary", "tree"])
@pytest.mark.parametrize(
    ("between", "moved"),
    [
        ("<p>12</p><hr><p>Table of Contents</p>", "12\n\nTable of Contents\n\n"),
        ("<p>F-12</p><p><a href='#c'>Table of Contents</a></p>", "F-12\n\nTable of Contents\n\n"),
        ("<p>Page 3 of 7</p><hr style='page-break-after: always'>", "Page 3 of 7\n\n"),
        ("<p>- 3 -</p>", "- 3 -\n\n"),
        ("<hr>", ""),
        ("<p style='page-break-before:always'>MOSS CORP</p>", "MOSS CORP\n\n"),
        ("<div style='break-before: page'></div>", ""),
    ],
)
def test_sentence_is_one_line(between: str, moved: str, behind: str) -> None:
    text = text_of(HTML, page(between, behind=behind))
    assert text == f"Moss.\n\n{SENTENCE}\n\n{moved}Fern."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (FIRST + " customer.", "moss grows on stones that are old and large."),
        (FIRST, "<table><tr><td>stones<td>17</table>"),
        ("Moss and fern", "grow on stones that are old and large."),
        (FIRST + " customer", "(a) and fern that grows on stones."),
    ],
)
def test_what_is_no_sentence_stays_as_filed(first: str, second: str) -> None:
    text = text_of(HTML, page("<p>12</p><hr>", first, second))
    assert text.index(first) < text.index("12\n") < text.index("stones")


def test_word_that_is_cut_is_one_if_the_document_has_it() -> None:
    text = text_of(HTML, page("<hr>", f"Recognized. {FIRST} recog-", f"nized {SECOND}"))
    assert f"the recognized {SECOND}" in text


def test_characters_have_the_bytes_that_were_filed() -> None:
    body = page("<p>12</p><hr><p>Table of Contents</p>").encode()
    text = text_of(HTML, decode_bytes(body))
    places = map_places(HTML, body, text)
    for word in ("Company", "to the", "customer", "stones", "12", "Contents", "Fern"):
        at, filed = text.index(word), body.index(word.encode())
        assert places.filed(at) == (filed, filed + 1)
        assert places.text_span(filed, filed + len(word)) == (at, at + len(word))


def test_parts_of_a_document_are_found_on_both_sides() -> None:
    source = page("<p>12</p><hr><p>Table of Contents</p>")
    text = text_of(HTML, source)
    words = ("$17", "$18", "12", "Fern")
    spans = [(source.index(word), source.index(word) + len(word)) for word in words]
    found = marked_spans(HTML, source, text, spans)
    assert [span and text[slice(*span)] for span in found] == list(words)


WORDS = " ".join(f"{number} stones of moss" for number in range(100, 160))


def test_parts_are_found_by_the_words_beside_their_edges() -> None:
    source = page(f"<p>12</p><hr><p>{WORDS}</p>")
    text = text_of(HTML, source)
    span = source.index("100 stones"), source.index("</p>", source.index("159 stones"))
    found = text_spans(HTML, source, text, [span])
    assert found == [(text.index(WORDS), text.index(WORDS) + len(WORDS))]


def test_parts_that_are_repeated_or_short_are_found_by_marks() -> None:
    source = f"<p>{WORDS}</p><hr><p>{WORDS}</p><p>12</p>"
    text = text_of(HTML, source)
    last, short = source.rindex("100 stones"), source.index("12</p>")
    found = text_spans(HTML, source, text, [(last, short - len("</p><p>")), (short, short + 2)])
    assert found == [
        (text.rindex(WORDS), text.rindex(WORDS) + len(WORDS)),
        (len(text) - 2, len(text)),
    ]


def test_hidden_parts_have_no_place() -> None:
    source = f"<div style='display:none'>{WORDS}</div><p>{FIRST}</p>"
    start = source.index("100 stones")
    spans = [(start, start + len(WORDS))]
    assert text_spans(HTML, source, text_of(HTML, source), spans) == [None]


@pytest.mark.parametrize("piece", ["<hr>", "<p>12</p>", f"<p>{FIRST}</p><hr>", "<p>moss</p><hr>"])
def test_time_of_many_is_linear(piece: str) -> None:
    began = time.process_time()
    text_of(HTML, piece * 10_000)
    assert time.process_time() - began < 5
