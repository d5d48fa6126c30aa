"""Filings that would cover what is ours in the frame."""

import pytest
from playwright.sync_api import Browser

from edgar_search.document.filed_layout import make_view, part_html
from edgar_search.document.filed_view import Marked
from edgar_search.text.versions import DocumentKind
from edgar_search.web.pages.frame_html import frame_page
from tests.unit.pages.test_hostile_filings import NONCE, PlainLook

COVER = "top:-500px;left:-500px;width:9999px;height:99999px;background:#000"
NUMBER = "<p><ix:nonFraction name='q:Moss'>17</ix:nonFraction></p>"


@pytest.mark.parametrize(
    "style",
    [
        f"position:absolute;{COVER}",
        f"position:relative;{COVER}",
        f"{COVER};transform:translate(-500px,-500px)",
        f"position:fixed;z-index:99;{COVER}",
        "margin:-5000px;padding:9999px;background:#000",
    ],
)
def test_links_of_ours_are_above_all_that_is_filed(chromium: Browser, style: str) -> None:
    far = "<p>" + "word " * 90_000 + "</p>"
    body = f"<p>moss</p>{NUMBER}{far}<div style='{style}'>cover</div><p>fern</p>{far}".encode()
    view = make_view(DocumentKind.HTML, body)
    cover = view.part_at(body.index(b"cover"))
    shown = part_html(view, body, cover, [Marked(0, 4, "m1")], [], NONCE, PlainLook())
    page = chromium.new_page()
    page.set_content(frame_page(view, cover, shown, NONCE, "/here"))
    assert "cover" in page.inner_text("body")
    links = page.locator(f".{NONCE}p a").all()
    assert links
    for link in links:
        link.scroll_into_view_if_needed()
        assert link.evaluate(
            """link => {
                const { x, y, width, height } = link.getBoundingClientRect();
                return document.elementFromPoint(x + width / 2, y + height / 2) === link;
            }"""
        )
    page.close()


def test_description_of_a_number_is_above_all_that_is_filed(chromium: Browser) -> None:
    body = f"{NUMBER}<div style='position:absolute;{COVER}'>cover</div>".encode()
    view = make_view(DocumentKind.HTML, body)
    page = chromium.new_page()
    shown = part_html(view, body, 0, [], [], NONCE, PlainLook()).replace("<a ", "<a href=# ")
    page.set_content(frame_page(view, 0, shown, NONCE, "/here"))
    page.locator(f".{NONCE}n").focus()
    assert page.evaluate("document.elementFromPoint(9, innerHeight - 9).tagName") == "A"
    page.close()
