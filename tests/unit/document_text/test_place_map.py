"""Places of a text in the bytes that were filed, and back."""

import random
import re
import subprocess
import sys
import time
from html import unescape
from pathlib import Path

import pytest

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import searchable_text, searched_kind, text_of
from edgar_search.text.forms import form_text
from edgar_search.text.place_map import MOST_MAPPED_BYTES, PlaceMap, map_places
from edgar_search.text.raised import FILED_DASHES, FILED_FORMS
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise
from tests.fidelity.words import searched_documents
from tests.support.hostile_html import HOSTILE_HTML
from tests.unit.document_text.html_writer import HtmlWriter

HTML, PLAIN = DocumentKind.HTML, DocumentKind.PLAIN


def mapped(kind: DocumentKind, body: bytes) -> tuple[str, PlaceMap]:
    text = text_of(kind, decode_bytes(body))
    return text, map_places(kind, body, text)


# Between digits the text has a slash in its stead.
_DIVISION_SLASH = "\u2215"


def unmapped(body: bytes, text: str, places: PlaceMap, start: int = 0) -> list[str]:
    """Return the characters without a place, and those whose bytes do not decode to them."""
    encoding = "utf-8" if decode_bytes(body) == body.decode("utf-8-sig", "replace") else "cp1252"
    wrong: list[str] = []
    for place, char in enumerate(text[max(0, start) :], max(0, start)):
        if char.isspace():
            continue
        span = places.filed(place)
        if span is None:
            wrong.append(f"{char!r} at {place}")
            continue
        filed = decode_bytes(body[slice(*span)]) if encoding == "cp1252" else ""
        filed = filed or body[slice(*span)].decode(encoding, "replace")
        raised = FILED_FORMS.get(char, "") in unescape(filed).translate(FILED_DASHES).upper()
        if (
            filed != char
            and char not in normalise(unescape(filed))
            and not (char in FILED_FORMS and raised)
            and not (char == "/" and unescape(filed) == _DIVISION_SLASH)
        ):
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
        (
            HTML,
            "<p>5<sup>2</sup> a<font style='position: relative; top: -3pt'>(1)</font>"
            " 7<sup>1</sup>&#8260;<sub>2</sub> Moss<sup>(TM)</sup> 3<sup>b</sup>",
            [
                ("\u00b2", "2"),
                ("\u207d\u00b9\u207e", "(1)"),
                ("\u2122", "(TM)"),
                ("3", "3"),
                ("b", "b"),
            ],
        ),
        (
            HTML,
            "<p>5<sup>3</sup><sub>8</sub> fern",
            [("5", "5"), ("3", "3"), ("8", "8"), ("fern", "fern")],
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


@pytest.mark.parametrize("body", HOSTILE_HTML, ids=lambda body: body[:20])
def test_time_of_bad_html_is_bounded_and_no_place_is_wrong(body: str) -> None:
    data = body.encode()
    began = time.process_time()
    text, places = mapped(HTML, data)
    assert time.process_time() - began < 8
    assert text.count("moss") == body.count("moss")
    wrong = unmapped(data, text[:2000], places) + unmapped(data, text, places, len(text) - 500)
    assert [each for each in wrong if " is " in each] == []


ENCODINGS = {
    "Latin-1 in UTF-8": b"<p>na\xefve moss</p><p>" + "na\u00efve moss".encode() + b"</p>",
    "UTF-8 that says it is Latin-1": b"<meta charset=iso-8859-1><p>"
    + "na\u00efve moss \u2014 fern".encode(),
    "Windows that says it is UTF-8": b"<?xml version='1.0' encoding='UTF-8'?><html><p>"
    b"the \x93na\xefve\x94 moss \x97 fern \x81</html>",
    "UTF-8 that says it is UTF-16": b"<meta charset=utf-16><p>" + "\u00efve moss".encode(),
    "half of a character": b"<p>moss \xc3</p><p>fern \xe2\x80</p>",
    "a mark of order amid of it": b"<p>moss \xef\xbb\xbffern \xff\xfe</p>",
    "characters for private use": "<p>\ue0000\ue001 moss \ue0007\ue001</p><p>fern</p>".encode(),
}


@pytest.mark.parametrize("body", ENCODINGS.values(), ids=ENCODINGS)
def test_no_place_is_wrong_whatever_the_encoding(body: bytes) -> None:
    text, places = mapped(HTML, body)
    assert "moss" in text
    assert [each for each in unmapped(body, text, places) if " is " in each] == []


DAMAGES = {
    "a tag with a letter that no name has": "<table><tr><td>a</td></tr> <\u00ectr>b</table>",
    "a comment that is never closed": "<p>a <!-- b</p>",
    "a quote that is never closed": '<p style="margin:0^ align=center>a</p><p align="center">b</p>',
    "a form": "<select><option>a<option>b</select><button>c</button>",
    "markup that is text": "<xmp><b>a</b></xmp>",
    "a letter and a control character": "<p>cafe&#769;&#1;s e&#3;x</p>",
    "half an entity": "<p>&#1\u0192; a&#8\u00da09;b</p>",
    "numbers of stretches": "<xmp><b \ue000999\ue001></xmp><button>\ue0003\ue001</button>",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_takes_the_places_of_a_few_words_and_moves_none(damage: str) -> None:
    lines = [
        f"<p>moss number {n} beside fern number {n + 50}, and so on</p>" for n in range(10, 40)
    ]
    body = "\n".join([*lines[:10], damage, *lines[10:]]).encode()
    text, places = mapped(HTML, body)
    found = 0
    for match in re.finditer("moss number ([0-9]{2})", text):
        spans = [places.filed(place) for place in range(*match.span(1))]
        if None not in spans:
            at = body.index(match[0].encode()) + len("moss number ")
            assert spans == [(at, at + 1), (at + 1, at + 2)]
            found += 1
    assert found >= 28


def test_words_that_cannot_be_found_again_take_bounded_time() -> None:
    text = " ".join(f"moss and fern number {n}" for n in range(20_000))
    body = re.sub("and|([0-9]+)", lambda word: word[0] if word[1] else "or", text).encode()
    began = time.process_time()
    places = map_places(HTML, body.replace(b" number", b"<p>number"), text)
    assert time.process_time() - began < 5
    assert places.filed(text.index("19999")) is None


def test_labels_between_values_have_no_place() -> None:
    """The label is as long as the markup between two values that are beside each other."""
    places = PlaceMap(b'"a","b"', '"a","b"')
    places.add(0, 1, 1, 1)
    places.add(3, 1, 5, 1)
    assert [places.filed(place) for place in range(4)] == [(1, 2), None, None, (5, 6)]


def test_what_would_take_too_much_memory_has_no_places() -> None:
    large = b"<p>moss</p>" + b" " * MOST_MAPPED_BYTES
    assert map_places(HTML, large, "moss").filed(0) is None
    tags = b"<b>a</b> " * 300_001
    assert map_places(HTML, tags, "a " * 300_001).text_span(0, 100) is None


@pytest.mark.long
# Of the sizes the first is too large, the second has too many stretches, and the last is mapped.
@pytest.mark.parametrize(("megabytes", "most"), [(100, 100), (30, 100), (12, 300)])
def test_memory_of_a_map_is_bounded(megabytes: int, most: int, tmp_path: Path) -> None:
    row = b"<tr style='height:12pt'><td style='width:40%'>moss &amp; fern</td><td>1,234</td></tr>\n"
    rows = megabytes * 1_000_000 // len(row)
    body = b"<html><body><table>" + row * rows + b"</table></html>"
    text = text_of(HTML, decode_bytes(body))
    assert text.count("moss") == rows
    (tmp_path / "body").write_bytes(body)
    (tmp_path / "text").write_text(text)
    # In a process of its own, in which nothing was freed before.
    asked = [sys.executable, "-c", MAPPING, str(tmp_path)]
    taken = int(subprocess.run(asked, check=True, capture_output=True).stdout)
    print(f"a map of {megabytes} MB takes {taken} MB beside body and text")
    assert taken < most


MAPPING = """
import re, sys
from pathlib import Path
from edgar_search.text.place_map import map_places
from edgar_search.text.raised import FILED_DASHES, FILED_FORMS
from edgar_search.text.versions import DocumentKind

folder, status = Path(sys.argv[1]), Path("/proc/self/status")

def size(name):
    return int(re.search(rf"{name}:\\s+(\\d+)", status.read_text())[1]) // 1024

body, text = (folder / "body").read_bytes(), (folder / "text").read_text()
Path("/proc/self/clear_refs").write_text("5")  # the highest use begins anew
before = size("VmRSS")
map_places(DocumentKind.HTML, body, text)
print(size("VmHWM") - before)
"""
