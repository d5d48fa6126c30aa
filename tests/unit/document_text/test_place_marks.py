"""Marks at places of a text, in the bytes that were filed."""

import random
import re
from html import unescape
from pathlib import Path

import pytest

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import searchable_text, searched_kind, text_of
from edgar_search.text.place_map import Span, map_places
from edgar_search.text.place_marks import pieces_to_mark
from edgar_search.text.raised import FILED_FORMS
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise
from tests.fidelity.words import searched_documents
from tests.unit.document_text.html_writer import HtmlWriter

HTML, PLAIN = DocumentKind.HTML, DocumentKind.PLAIN
TAGS = b"<mark class='now'>", b"</mark>"


def marked(
    kind: DocumentKind, body: bytes, text: str, spans: list[Span], signs: tuple[bytes, bytes]
) -> bytes:
    """Return the body with signs around the pieces of these spans.

    Of two that overlap the first's.
    """
    pieces = pieces_to_mark(body, map_places(kind, body, text), spans)
    return with_signs(body, [piece for each in pieces for piece in each], signs)


def with_signs(body: bytes, pieces: list[Span], signs: tuple[bytes, bytes]) -> bytes:
    parts, at = [], 0
    for start, end in sorted(pieces):
        if start >= at:
            parts += [body[at:start], signs[0], body[start:end], signs[1]]
            at = end
    return b"".join([*parts, body[at:]])


UNENDED, CONTINUED = "The moss of the kiln grows slowly, and it grows", "over fern and over stones."


def marked_words(kind: DocumentKind, body: bytes, *words: str) -> str:
    """Return the body with marks around each of these words, the next one after the one before."""
    text = text_of(kind, decode_bytes(body))
    spans: list[Span] = []
    for word in words:
        start = text.index(word, spans[-1][1] if spans else 0)
        spans.append((start, start + len(word)))
    return decode_bytes(marked(kind, body, text, spans, (b"[", b"]")))


@pytest.mark.parametrize(
    ("kind", "body", "words", "expected"),
    [
        (HTML, "<p>old moss grows</p>", ["moss"], "<p>old [moss] grows</p>"),
        (HTML, "<p>old mo<b>ss</b> grows</p>", ["moss"], "<p>old [mo]<b>[ss]</b> grows</p>"),
        (HTML, "<p>old\n\n moss</p>", ["old moss"], "<p>[old\n\n moss]</p>"),
        (HTML, "<p>A &amp; B&nbsp;C &lt;D&gt;", ["& B C <D>"], "<p>A [&amp; B&nbsp;C &lt;D&gt;]"),
        (HTML, "<p>moss<!-- a > b -->es", ["mosses"], "<p>[moss]<!-- a > b -->[es]"),
        (
            HTML,
            "<p>moss <i style='display:none'>moss</i> fern",
            ["moss fern"],
            "<p>[moss] <i style='display:none'>moss</i> [fern]",
        ),
        (
            HTML,
            "<table><tr><td>1<td>$<td>17</table>",
            ["1\t$17"],
            "<table><tr><td>[1]<td>[$]<td>[17]</table>",
        ),
        (
            HTML,
            "<p>cafe\u0301 \ufb01n\u2019s",
            ["caf\u00e9", "f"],
            "<p>[cafe\u0301] [\ufb01]n\u2019s",
        ),
        (HTML, "<p>a <xmp>moss</xmp> moss", ["moss", "moss"], "<p>a <xmp>moss</xmp> [moss]"),
        (HTML, "<p title='moss'>a < moss < b", ["moss <"], "<p title='moss'>a < [moss <] b"),
        (PLAIN, "Old   moss\n<PAGE>\n  12", ["Old moss", "12"], "[Old   moss]\n<PAGE>\n  [12]"),
        # The text has what continues behind the page number before it.
        (
            PLAIN,
            f"{UNENDED}\n<PAGE>\n      12\n\n{CONTINUED}\n\nLICHEN\n\nIt grows.\n",
            ["12\n\nLICHEN"],
            f"{UNENDED}\n<PAGE>\n      [12]\n\n{CONTINUED}\n\n[LICHEN]\n\nIt grows.\n",
        ),
        (PLAIN, "AT&amp;T <5%", ["AT&amp;T", "<5%"], "[AT&amp;T] [<5%]"),
        (DocumentKind.XML, "<a><b>Moss &lt;</b></a>", ["Moss <"], "<a><b>[Moss &lt;]</b></a>"),
    ],
)
def test_marks_go_around_the_characters_that_were_filed(
    kind: DocumentKind, body: str, words: list[str], expected: str
) -> None:
    assert marked_words(kind, body.encode(), *words) == expected


def test_marks_go_into_windows_characters() -> None:
    body = "<p>the company\u2019s moss\u2014fern".encode("cp1252")
    assert marked_words(HTML, body, "company's moss") == ("<p>the [company\u2019s moss]\u2014fern")


def test_labels_of_a_form_and_bodies_in_utf_16_have_no_marks() -> None:
    body = "<p>old moss</p>".encode("utf-16")
    text = text_of(HTML, decode_bytes(body))
    places = map_places(HTML, body, text)
    assert pieces_to_mark(body, places, [(0, len(text))]) == [[]]
    assert pieces_to_mark(b"", map_places(HTML, b"", ""), [(0, 10)]) == [[]]


def words_around(text: str, source: random.Random, number: int) -> list[Span]:
    """Return stretches of one to thirty words, in order, that do not overlap."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    spans: list[Span] = []
    for first in sorted(source.sample(range(len(words)), min(number, len(words)))):
        last = min(first + source.randrange(30), len(words) - 1)
        if not spans or words[first][0] >= spans[-1][1]:
            spans.append((words[first][0], words[last][1]))
    return spans


def bare(text: str) -> str:
    """Return the characters of a text as filed, in small letters and with plain slashes.

    White space is left out, and rulers, which are shortened.
    """
    filed = "".join(FILED_FORMS.get(char, char) for char in text).casefold()
    return re.sub(r"[\s._=-]", "", filed.replace("\u2215", "/"))


def assert_marks_are_at_words(
    kind: DocumentKind, body: bytes, text: str, source: random.Random, number: int
) -> int:
    """Assert that marks change nothing of the text, and hold the characters of their spans."""
    if not text:
        return 0
    spans = words_around(text, source, number)
    pieces = pieces_to_mark(body, map_places(kind, body, text), spans)
    if kind is HTML:
        signed = with_signs(body, [piece for each in pieces for piece in each], TAGS)
        assert text_of(kind, decode_bytes(signed)) == text
    encoding = "utf-8" if decode_bytes(body) == body.decode("utf-8-sig", "replace") else "cp1252"
    for span, each in zip(spans, pieces, strict=True):
        filed = "".join(body[slice(*piece)].decode(encoding, "replace") for piece in each)
        filed = unescape(filed) if kind is HTML else filed
        assert bare(normalise(filed)) == bare(text[slice(*span)])
    return len(spans)


def test_marks_in_random_documents_change_no_text() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(100):
        body = HtmlWriter(source).page().encode()
        assert_marks_are_at_words(HTML, body, text_of(HTML, body.decode()), source, 10)


@pytest.mark.parametrize(
    "every", [pytest.param(200, id="some"), pytest.param(1, id="all", marks=pytest.mark.long)]
)
def test_marks_in_real_documents_change_no_text(corpus: Path, every: int) -> None:
    source, spans = random.Random(1), 0
    for _, document in list(searched_documents(corpus))[::every]:
        kind, text = searched_kind(document), searchable_text(document)
        # The labels of forms were not filed; the shown characters are in `test_place_map.py`.
        if kind is not None and kind is not DocumentKind.XML and text:
            spans += assert_marks_are_at_words(kind, document.body, text, source, 40)
    assert spans > 50
