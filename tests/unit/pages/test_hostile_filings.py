"""Filings that want more than to be read, in the viewer that shows them in their layout."""

import re
import time
from html.parser import HTMLParser

import psutil
import pytest

from edgar_search.document.filed_layout import kind_of, make_view, part_html
from edgar_search.document.filed_view import Anchored, Marked
from edgar_search.edgar.envelope import decode_bytes
from edgar_search.stored.filings import FilingDocument
from edgar_search.text.document_text import text_of
from edgar_search.text.versions import DocumentKind
from edgar_search.web.pages.frame_html import frame_page

NONCE = "n0123456789abcdef"
WORD = "moss"
# A part of an ordinary report takes 0.05 s of CPU, and the map of its places 0.3 s.
_MOST_SECONDS = 3.0


class PlainLook:
    """Marks by their names, numbers and links as they are told."""

    def mark(self, name: str, again: bool) -> tuple[str, str]:
        return f'<mark class="{NONCE}m" id="{"" if again else name}">', "</mark>"

    def number(self, concept: str, said: str) -> tuple[str, str]:
        return f'<a class="{NONCE}n" title="{said}">', "</a>"

    def link(self, part: int, anchor: str) -> tuple[str, str]:
        return f'<a class="{NONCE}t" title="{part} {anchor}">', "</a>"


def listed(name: str = "a.htm", form_type: str = "10-K") -> FilingDocument:
    return FilingDocument("0000320193-24-000001-1", form_type, "", 1, name)


def shown(filed: str | bytes, number: int = 0, name: str = "a.htm", word: str = WORD) -> str:
    """Return a part of a document as the frame gets it, with each place of a word marked."""
    body = filed.encode() if isinstance(filed, str) else filed
    kind = kind_of(listed(name), body)
    assert kind is not None
    text = text_of(kind, decode_bytes(body))
    view = make_view(kind, body, text)
    marks = [
        Marked(each.start(), each.end(), f"m{count}")
        for count, each in enumerate(re.finditer(word, text), 1)
    ]
    return part_html(view, body, number, marks, [], NONCE, PlainLook())


class Tags(HTMLParser):
    """All elements of a page, with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    ("filed", "kept"),
    [
        (
            "Border-Left:1px solid; COLOR:red !important",
            "border-left:1px solid;color:red!important",
        ),
        ("position:relative;TOP:-3.15pt;bottom:.8ex", "position:relative;top:-3.15pt;bottom:0.8ex"),
        (
            "position:absolute;left:24pt;transform-origin:bottom left;"
            "transform: rotate(-90deg) translate(-100%, 100%) translateX(30pt)",
            "position:absolute;left:24pt;transform-origin:bottom left;"
            "transform:rotate(-90deg) translate(-100%,100%) translatex(30pt)",
        ),
        ("position:fixed;position:sticky;z-index:9;opacity:0", ""),
        ("po\\73ition:fixed;position:\\66ixed;position:fix/**/ed;p/**/osition:fixed", ""),
        ("transform:scale(99);transform:rotate(1deg) matrix(9,9,9,9,9,9)", ""),
        ("a{}position:fixed;color:red{;position:fixed;@x{}position:fixed", ""),
        ("left:calc(100vw);top:100vh;right:var(--x);bottom:999999px", ""),
        ("overflow:hidden;overflow-y:scroll;behavior:url(x);clip:auto", "overflow:hidden"),
        ('font-family:"a;position:fixed;b";width:1px', 'font-family:"a;width:1px"'),
    ],
)
def test_styles_place_things_in_the_page_and_nowhere_else(filed: str, kept: str) -> None:
    (_, attributes), *_ = Tags(shown(f"<p style='{filed}'>moss</p>")).elements
    assert re.sub(r"\s*([,!;:])\s*", r"\1", attributes["style"] or "") == kept


def test_look_of_the_body_is_kept() -> None:
    (_, attributes), *_ = Tags(shown("<body style='font-size: 10pt'><p>moss")).elements
    assert attributes["style"] == "font-size:10pt"


@pytest.mark.parametrize(
    "place",
    ["//e.example/a.gif", "\\\\e.example", "/\\e.example", " &#9;/\n/e.example", "/sign-out"],
)
def test_addresses_that_leave_the_filing_are_left_out(place: str) -> None:
    elements = Tags(shown(f"<p>moss <a href='{place}'>a</a><img src='{place}'></p>")).elements
    assert [attributes for name, attributes in elements if name in ("a", "img")] == [{}, {}]
    (_, link), *_ = Tags(shown("<a href='b.htm'>moss</a>")).elements
    assert link == {"href": "b.htm"}


LOOSE = '<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/a.dtd">'


@pytest.mark.parametrize(
    "filed, doctype",
    [
        ("<p>moss", ""),
        ("<!doctype html><p>moss", "<!doctype html>"),
        (f"{LOOSE}<p>moss", LOOSE),
        ('<!doctype html public "a<script>b"><p>moss', "<!doctype html>"),
        ("<!doctype html system 'x' onload=y><p>moss", "<!doctype html>"),
    ],
)
def test_rules_of_rendering_are_those_that_the_document_asks_for(filed: str, doctype: str) -> None:
    assert make_view(DocumentKind.HTML, filed.encode()).doctype == doctype


HOSTILE = {
    "script": "<p>moss</p><script>moss()</script><SCRIPT SRC=//e.example/x></SCRIPT>",
    "handler": "<p onclick='x()'>moss</p><body onload=x()><img src=a.gif onerror=x()>",
    "script address": "<a href='javascript:x()'>moss</a><a href=' java\tscript:x()'>a</a>",
    "data address": "<a href='data:text/html,x'>moss</a><img src='data:image/svg+xml,x'>",
    "base": "<base href='//e.example/' target=_top><p>moss <a href=b.htm>b</a></p>",
    "refresh": "<meta http-equiv=refresh content='0;url=//e.example/'><p>moss</p>",
    "style": "<style>mark{display:none}</style><link rel=stylesheet href=a><p>moss",
    "cover": "<div style='position:fixed;top:0;z-index:9;opacity:0'>moss</div>",
    "hidden cover": "<div style='POSITION:fixed;po\\73ition:fixed;width:1px'>moss</div>",
    "address in a style": "<p style='background-image:url(x);behavior:url(x)'>moss</p>",
    "svg": "<p>moss</p><svg onload=x()><a href=x><text>moss</a><script>x</script></svg>",
    "mathml": "<p>moss</p><math><mi xlink:href='x'>moss<mglyph><style><img src=x></style>",
    "frame": "<iframe srcdoc='<script>'></iframe><object data=x></object><embed src=x><p>moss",
    "form": "<form action=x><input autofocus><button>x</button></form><p>moss",
    "template": "<p>moss<template><script></script></template><noscript><p a='</noscript><img>'",
    "comment": "<!--><script>x</script>--><p>moss<!--</p><img onerror=x>--!><b onclick=x>a</b>",
    "processing": "<?xml-stylesheet href=x?><![CDATA[<script>]]><p>moss</p>",
    "target": "<a href='b.htm' target=_top>moss</a><a href='#x' target=_parent ping=x>a</a>",
    "forged mark": f"<mark class='{NONCE}m now' id=m9>moss</mark><mark>a</mark>",
    "forged element": "<x-n id=m9>moss</x-n><x-mark id=m9>a</x-mark>",
    "forged name": "<a name=m1 id=m1 class=now>a</a><span id=m1 class=m>moss</span>",
    "broken": "<p>moss<table><tr>moss<td><b>moss</table></b></p></div></body></html><p>moss",
    "nul": "<scr\0ipt>x</scr\0ipt><p on\0click=x>moss</p>",
}
ALLOWED = {
    "a": {"class", "title", "href", "id", "name"},
    "img": {"src"},
    "mark": {"class", "id"},
    "pre": set(),
    **dict.fromkeys(
        ["b", "div", "p", "span", "table", "tbody", "td", "tr"], {"style", "id", "title"}
    ),
}
STYLES = re.compile(r"(?:width:1px|top:0)?")


@pytest.mark.parametrize("filed", HOSTILE.values(), ids=HOSTILE)
def test_layout_and_marks_are_all_that_is_left(filed: str) -> None:
    page = Tags(shown(filed))
    for tag, attributes in page.elements:
        assert attributes.keys() <= ALLOWED[tag]
        assert STYLES.fullmatch(attributes.get("style") or "")
        for address in (attributes.get("href"), attributes.get("src")):
            assert address is None or re.fullmatch(r"#x|[ab]\.(?:htm|gif)", address)
    marks = [attributes for tag, attributes in page.elements if tag == "mark"]
    assert [mark["id"] for mark in marks] == [f"m{n}" for n in range(1, len(marks) + 1)]
    assert {mark["class"] for mark in marks} <= {f"{NONCE}m"}
    assert "moss" in page.text


def test_a_filing_that_guesses_has_no_class_of_ours() -> None:
    page = Tags(shown(f"<p class={NONCE}m>a</p><x-{NONCE[1:]} id=m1>b</x-{NONCE[1:]}><p>moss</p>"))
    assert [a.get("class") for _, a in page.elements if "class" in a] == [f"{NONCE}m"]


@pytest.mark.parametrize(
    "filed",
    [
        "<div>" * 100_000 + "moss",
        "<b>" * 100_000 + "<p>moss" * 100,
        "".join(f"<font size={each}>" for each in range(30_000)) + "<p>moss" * 1_000,
        "<table><tr><td>" * 30_000 + "moss",
        "<a href=#" * 100_000 + ">moss",
        "<ix:nonFraction name='q:a'>" * 30_000 + "moss",
        "<ix:header>" * 30_000 + "<p>moss",
        "<svg>" * 100_000 + "moss",
        "<!--" * 100_000 + "--><p>moss",
        "<p " + "a='" * 100_000 + "'>moss",
        "&lt;" * 300_000 + "moss",
        "<a href=#x>" * 12_000 + "moss" + "<b>b</b>" * 70_000 + "<p id=x>a</p>",
    ],
    ids=[
        "div",
        "b",
        "font",
        "table",
        "quotes",
        "number",
        "header",
        "svg",
        "comment",
        "attribute",
        "entity",
        "link",
    ],
)
def test_what_is_nested_or_repeated_without_end_takes_a_moment(filed: str) -> None:
    before = time.process_time()
    page = shown(filed)
    assert time.process_time() - before < _MOST_SECONDS
    assert "<script" not in page


@pytest.mark.long
def test_a_document_of_30_mb_takes_less_than_300_mb() -> None:
    block = "<p style='margin:1em'>moss and fern</p><table>" + "<tr><td>1<td>2" * 9 + "</table>"
    body = (block * (30_000_000 // len(block))).encode()
    text = text_of(DocumentKind.HTML, body.decode())
    before = psutil.Process().memory_info().rss
    view = make_view(DocumentKind.HTML, body, text)
    page = part_html(view, body, len(view.parts) - 1, [], [], NONCE, PlainLook())
    assert "moss" in page
    assert psutil.Process().memory_info().rss - before < 300_000_000


def test_plain_text_is_text() -> None:
    page = shown("<PAGE>\n<script>x</script> old  moss &amp; <b>fern</b>\n" * 3, name="a.txt")
    assert page.startswith("<pre>&lt;PAGE&gt;\n&lt;script&gt;x&lt;/script&gt; old  <mark")
    assert "&amp;amp; &lt;b&gt;fern" in page


def test_words_over_tags_and_numbers_are_marked_in_pieces_with_one_name() -> None:
    filed = "<p>old mo<b>ss</b> is <ix:nonFraction name='q:Moss'>17</ix:nonFraction></p>"
    assert shown(filed, word="moss is 17") == (
        f'<p>old <mark class="{NONCE}m" id="m1">mo</mark>'
        f'<b><mark class="{NONCE}m" id="">ss</mark></b>'
        f' <mark class="{NONCE}m" id="">is</mark> <a class="{NONCE}n" title="q:Moss">'
        f'<mark class="{NONCE}m" id="">17</mark></a></p>'
    )


def test_links_lead_to_places_in_other_parts() -> None:
    far = "<p>" + "word " * 90_000 + "</p>"
    links = "<a style='color:#036;z-index:9' href='#far'>there</a> <a href='#near'>here</a>"
    links += "<a href='#far'>bare</a>"
    body = f"<p>{links}</p>{far}<p id=far>moss</p>".encode()
    view = make_view(DocumentKind.HTML, body)
    assert len(view.parts) == 2
    page = part_html(view, body, 0, [], [Anchored(1, "item1")], NONCE, PlainLook())
    there = '<span style="color:#036">there</span>'
    assert f'<a class="{NONCE}t" title="1 far">{there}</a> <a href="#near">here</a>' in page
    assert f'<a class="{NONCE}t" title="1 far"><span>bare</span></a>' in page
    assert page.startswith(f'<p><mark class="{NONCE}m" id="sitem1"></mark>')


@pytest.mark.parametrize(("kind", "ours"), [(DocumentKind.HTML, False), (DocumentKind.PLAIN, True)])
def test_font_of_fixed_width_is_ours_only_in_documents_of_plain_text(
    kind: DocumentKind, ours: bool
) -> None:
    body = b"<html><pre>moss</pre></html>"
    view = make_view(kind, body)
    page = frame_page(view, 0, part_html(view, body, 0, [], [], NONCE, PlainLook()), NONCE, "/a")
    assert (f'<div class="{NONCE}f {NONCE}t">' in page) is ours


@pytest.mark.parametrize("coding", ["utf-8", "cp1252"])
def test_marks_are_around_words_in_any_coding(coding: str) -> None:
    assert f'“<mark class="{NONCE}m" id="m1">moss</mark>”' in shown(
        "<p>“moss” é</p>".encode(coding)
    )
