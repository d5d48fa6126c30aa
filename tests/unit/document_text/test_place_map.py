"""Places of a text in the bytes that were filed, and back."""

import random
import time
from html import unescape
from pathlib import Path

import pytest

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import searchable_text, searched_kind, text_of
from edgar_search.text.forms import form_text
from edgar_search.text.html import html_text
from edgar_search.text.place_map import PlaceMap, map_places
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise
from tests.fidelity.words import searched_documents
from tests.unit.document_text.html_writer import HtmlWriter

HTML, PLAIN = DocumentKind.HTML, DocumentKind.PLAIN


def mapped(kind: DocumentKind, body: bytes) -> tuple[str, PlaceMap]:
    text = text_of(kind, decode_bytes(body))
    return text, map_places(kind, body, text)


def unmapped(body: bytes, text: str, places: PlaceMap) -> list[str]:
    """The characters without a place, and those whose bytes do not decode to them."""
    encoding = "utf-8" if decode_bytes(body) == body.decode("utf-8-sig", "replace") else "cp1252"
    wrong: list[str] = []
    for place, char in enumerate(text):
        if char.isspace():
            continue
        span = places.filed(place)
        if span is None:
            wrong.append(f"{char!r} at {place}")
            continue
        filed = body[slice(*span)].decode(encoding, "replace")
        if filed != char and char not in normalise(unescape(filed)):
            wrong.append(f"{char!r} at {place} is {filed!r}")
    return wrong


@pytest.mark.parametrize(
    ("kind", "body", "filed"),
    [
        (
            HTML,
            "<p>Moss &amp; <b>fern</b></p>",
            [("Moss", "Moss"), ("&", "&amp;"), ("fern", "fern")],
        ),
        (
            HTML,
            "<p>a&nbsp;&#8217;caf\u00e9\u2019 \ufb01n</p>",
            [("caf\u00e9", "caf\u00e9"), ("fi", "\ufb01")],
        ),
        (HTML, "<p>cafe\u0301 x</p>", [("\u00e9", "e\u0301"), ("x", "x")]),
        (HTML, "<div style='display:none'>7</div><p>7 8</p>", [("8", "8")]),
        (HTML, "<table>17<tr><td>1<td>7</table>", [("17", "17"), ("1\t7", "1<td>7")]),
        (HTML, "<p title='a > b'>moss <!-- fern --> fern", [("moss", "moss"), ("fern", "fern")]),
        (HTML, "<script>moss()</script><p>moss.........17", [("moss", "moss"), ("17", "17")]),
        (
            PLAIN,
            "<PAGE> 2\r\n\r\n<TABLE>\n<S>  <C>\nMoss    17\n</TABLE>",
            [("Moss", "Moss"), ("17", "17")],
        ),
        (DocumentKind.SCHEDULE, "<ARTICLE> 5\n<CASH>   1,234\n", [("1,234", "1,234")]),
        (DocumentKind.XML, "<a><b>Moss &lt;</b><c>fern</c></a>", [("<", "&lt;"), ("fern", "fern")]),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_characters_have_the_bytes_that_were_filed(
    kind: DocumentKind, body: str, filed: list[tuple[str, str]], encoding: str
) -> None:
    data = body.encode(encoding)
    text, places = mapped(kind, data)
    at = 0
    for shown, there in filed:
        at = text.index(shown, at)
        first, last = places.filed(at), places.filed(at + len(shown) - 1)
        assert first and last
        bare = encoding.replace("-sig", "").replace("16", "16-le")
        assert data[first[0] : last[1]].decode(bare) == there
        assert places.text_span(first[0], last[1]) == (at, at + len(shown))
        at += len(shown)


def test_windows_characters() -> None:
    body = b"<p>the company\x92s caf\xe9 grows</p>"
    text, places = mapped(HTML, body)
    assert unmapped(body, text, places) == []
    assert places.filed(text.index("grows")) == (body.index(b"grows"), body.index(b"grows") + 1)


def test_every_character_of_random_documents_has_its_place() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(150):
        body = HtmlWriter(source).page().encode()
        text, places = mapped(HTML, body)
        assert unmapped(body, text, places) == []


@pytest.mark.parametrize(
    "every", [pytest.param(300, id="some"), pytest.param(1, id="all", marks=pytest.mark.long)]
)
def test_every_character_of_real_documents_has_its_place(corpus: Path, every: int) -> None:
    number = 0
    for name, document in list(searched_documents(corpus))[::every]:
        kind, text = searched_kind(document), searchable_text(document)
        if kind is None or text is None:
            continue
        body = document.body
        wrong = unmapped(body, text, map_places(kind, body, text))
        if kind is DocumentKind.XML and form_text(decode_bytes(body)) is not None:
            # Labels of a form were not filed.
            wrong = [each for each in wrong if " is " in each]
        assert wrong == [], name
        number += 1
    assert number > 3


@pytest.mark.parametrize(
    "body",
    [
        "<b>" * 100_000 + "moss",
        "<table><tr><td>" * 30_000 + "moss",
        "<p title=it's>" * 50_000 + "moss",
        '<p a="' * 50_000 + "moss",
        "<!--" * 100_000 + "moss",
        "<table><tr>" + "<td colspan=65534>moss" * 10_000,
        "<html><body>moss</body></html>" * 10_000,
        "&amp;" * 100_000,
        "e" + "\u0301" * 50_000,
        "...." * 100_000 + "moss",
    ],
    ids=lambda body: body[:20],
)
def test_time_of_bad_html_is_bounded_and_no_place_is_wrong(body: str) -> None:
    data = body.encode()
    began = time.process_time()
    text, places = mapped(HTML, data)
    assert time.process_time() - began < 8
    assert "moss" in text or "moss" not in html_text(body)
    assert [each for each in unmapped(data, text[:2000], places) if " is " in each] == []
