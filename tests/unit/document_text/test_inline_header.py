"""The header of inline XBRL is cut out, and only where the text is the same without it."""

import pytest

from edgar_search.text import html as ordinary_html
from edgar_search.text.html import ordinary_html_text, without_header

HEADER = (
    '<ix:header><ix:hidden><ix:nonNumeric contextRef="c1" name="dei:Amendment">fern</ix:nonNumeric>'
    '</ix:hidden>\n<ix:resources><xbrli:context id="c1"><us-gaap:Some.domain>2024-01-01'
    '</us-gaap:Some.domain><ix:nonFraction xsi:nil="true"/></xbrli:context></ix:resources>'
    "</ix:header>"
)
STYLES = ('style="display:none"', 'style="display: none;"', 'id="xbrl" style="display:none;"')


def page(hidden: str) -> str:
    return f"<html><body><p>moss{hidden}grows<table><tr><td>on</td><td>oaks</td></tr></table></p>"


@pytest.mark.parametrize("style", STYLES)
def test_header_is_cut_out_and_its_breaks_stay(style: str) -> None:
    html = page(f"<div {style}> {HEADER}\n</div>")
    assert without_header(html.encode()).decode() == page("<div></div>")
    assert ordinary_html_text(html) == ordinary_html_text(page("<div></div>"))


@pytest.mark.parametrize(
    "hidden",
    [
        HEADER,
        f'<div style="color:red">{HEADER}</div>',
        f'<div style="display:none">fern {HEADER}</div>',
        f'<div style="display:none">{HEADER} fern</div>',
        f'<div style="display:none">{HEADER}<p>fern</p></div>',
        '<div style="display:none"><ix:header><p>fern</p></ix:header></div>',
        "<div style=\"display:none\"><ix:header><ix:a b='c'>fern</ix:a></ix:header></div>",
        '<div style="display:none"><ix:header><ix:a b="c>d">fern</ix:a></ix:header></div>',
        '<div style="display:none"><ix:header><ix:a b="c><d">fern</ix:a></ix:header></div>',
        '<div style="display:none"><ix:header><!-- fern --></ix:header></div>',
        '<div style="display:none"><ix:header><ix:a>fern</ix:b></ix:header></div>',
        '<div style="display:none"><ix:header></ix:a><ix:a></ix:header></div>',
        '<div style="display:none"><ix:header>fern',
        f'<div style="display:none">{HEADER.replace("</ix:header>", "")}</div>',
    ],
)
def test_what_is_not_sure_to_be_a_header_alone_stays(hidden: str) -> None:
    html = page(hidden).encode()
    assert without_header(html) == html


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "<p>fern {} moss</p>",
        "<table><tr><td>{}moss</td><td>1</td></tr></table>",
        '<div style="display:none">fern {} fern</div>',
        "<span>a{}b</span>",
        "<title>{}</title>",
        "<script>{}</script>",
        "<!-- {} -->",
        '<a title="{}">moss</a>',
        "<p>1 < 2 {}</p>",
        "<div>a</div>{}<div hidden>fern</div>b{}",
    ],
)
def test_text_is_as_it_is_with_the_header(around: str, monkeypatch: pytest.MonkeyPatch) -> None:
    html = page(around.replace("{}", f'<div style="display:none">{HEADER}</div>'))
    found = ordinary_html_text(html)
    monkeypatch.setattr(ordinary_html, "without_header", lambda data: data)
    assert found == ordinary_html_text(html)
