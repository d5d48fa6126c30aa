"""The viewer of documents in their own layout, in a browser."""

import re

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.browser.conftest import Visit, launch, press

REPORT = "0009990101-25-000004-1"
INLINE = "0009990102-21-000044-1"
HERE = f"/document/{REPORT}/as-filed?query=impairment"
ONE_PROCESS = "--disable-features=IsolateSandboxedIframes"


def framed(page: Page) -> Frame:
    """Return the frame, when its document is there."""
    page.frame_locator("iframe").locator("body").wait_for()
    return page.frames[1]


def is_seen(page: Page, name: str) -> bool:
    """Return True if the mark with this end of its name is in sight within the frame."""
    mark = framed(page).locator(f"mark[id$='-{name}']")
    expect(mark).to_be_in_viewport()
    found: bool = mark.evaluate("each => each.matches(':target')")
    return found


@pytest.mark.parametrize("scripts", [True, False])
def test_document_opens_at_its_match_and_leads_to_the_next(
    chromium: Browser, url: str, scripts: bool
) -> None:
    # A frame of another process is told its size late, and only a script can look for its place
    # again then. Without one, what is shown here is that frame and place are asked for rightly.
    browser = chromium if scripts else launch(chromium.browser_type, ONE_PROCESS)
    context = browser.new_context(java_script_enabled=scripts)
    visit = Visit(context, url)
    # Who comes from a search has the style sheet, without which the frame has no width at first.
    visit.go("/")
    page = visit.go(f"{HERE}&match=4")
    assert is_seen(page, "m4")
    page.click(".bar [data-step='1']")
    expect(page.locator(".bar [data-count]")).to_have_text(re.compile("^5 /"))
    assert is_seen(page, "m5")
    assert "match=5" in page.url
    context.close()
    if browser is not chromium:
        browser.close()


def test_keys_walk_through_matches_within_the_frame(visit: Visit) -> None:
    page = visit.go(f"{HERE}&match=1")
    assert is_seen(page, "m1")
    asked = len(visit.requests)
    for name in ("m2", "m3"):
        page.keyboard.press("n")
        assert is_seen(page, name)
    page.keyboard.press("p")
    assert is_seen(page, "m2")
    assert [request for request in visit.requests[asked:] if "/static/" not in request] == []
    assert visit.wrong == []
    page.reload()
    assert is_seen(page, "m2")


def test_number_leads_to_its_series_by_click_and_by_keys(visit: Visit) -> None:
    page = visit.go(f"/document/{INLINE}/as-filed")
    number = framed(page).get_by_role("link", name="74,496")
    number.focus()
    said = number.evaluate("each => getComputedStyle(each, '::after').content")
    assert said == '"us-gaap:Revenues · July 1, 2020 to June 30, 2021 · USD · in thousands"'
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url.endswith("/company/0009990102?concept=us-gaap%3ARevenues#figures")


def test_text_is_a_click_away_at_the_same_match_and_so_is_the_layout(visit: Visit) -> None:
    page = visit.go(f"{HERE}&match=4")
    press(page, "text=plain text")
    expect(page.locator("mark.now").first).to_have_attribute("id", "m4")
    press(page, "text=as filed")
    assert is_seen(page, "m4")


def test_narrow_window_has_the_layout_and_its_head(chromium: Browser, url: str) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    visit = Visit(context, url)
    page = visit.go(f"{HERE}&match=4")
    assert is_seen(page, "m4")
    expect(page.locator("iframe")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert visit.wrong == []
    context.close()
