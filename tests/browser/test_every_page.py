"""Every page, narrow and wide, light and dark: quiet, of its own, within the window, accessible."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from bench.page_addresses import OWN
from tests.browser.accessible import EVERY_LOOK, Look, find_faults, looks
from tests.browser.conftest import VIEWPORTS, Visit, press
from tests.support.example_mails import EXAMPLE_MAILS
from tests.support.mail_server import html_of

REPORT = "0009990101-25-000004-1"
OPEN = [
    "/",
    "/search?query=goodwill+impairment",
    "/search?query=revenue&form_type=10-K,10-Q&company=quillfeather",
    "/search?query=goodwill+impairment&group_by=filing",
    "/search?query=goodwil+impairment&form_type=10-K",
    "/search?query=revenue+AND",
    f"/document/{REPORT}?query=impairment&match=3#m3",
    f"/document/{REPORT}/as-filed",
    "/cite",
    "/drafts",
    "/similar",
    f"/similar?document_id={REPORT}&start=1145&length=300",
    "/screen",
    "/screen?figures=revenue%3E0&columns=company,filing_date,revenue,revenue_change,goodwill",
    f"/cite?citation={REPORT}+%22We+recorded+an+impairment+charge+of+%248.1+million%22",
    f"/compare?to={REPORT}&section=item7",
    f"/compare?to={REPORT}&view=in+one+column",
    "/filing/0009990102-21-000044",
    "/company/9990103",
    "/company/9990101?concept=TotalAssets",
    "/filing/0009990101-98-000012",
    "/companies?name=quill",
    "/search/matches?query=goodwill+impairment&by=filed",
    "/search?query=quillfeather+8-K+5.02",
    "/coverage?from_date=2025-03-01&to_date=2025-03-31",
    "/docs",
    "/docs/get_v1_search",
    "/docs/post_v2_8k_items",
    "/status",
    "/sign-in",
]


def make_one_of_each(context: BrowserContext, url: str, name: str) -> None:
    """Sign in under this name, and make one thing of each kind."""
    page = context.new_page()
    page.goto(f"{url}/sign-in?next=/account")
    page.fill("input[name=name]", name)
    press(page, "main button")
    page.fill("main input[name=name]", "laptop")
    press(page, "main button:has-text('Make key')")
    page.goto(f"{url}/company/9990101")
    press(page, "main button:has-text('save')")
    page.goto(f"{url}/account/links")
    page.fill("input[name=url]", "https://example.com/paper")
    press(page, "main button:has-text('Save')")
    page.goto(f"{url}/account/alerts?name=auditors&query=goodwill")
    press(page, "main button:has-text('Make alert')")
    page.goto(f"{url}/account/mail")
    page.fill("input[name=address]", f"{name}@mail.example")
    press(page, "main button:has-text('Save')")
    page.goto(f"{url}/account/webhooks")
    page.fill("main input[name=name]", "desk")
    page.fill("input[name=url]", "https://hooks.example/desk")
    press(page, "main button:has-text('Make webhook')")
    press(page, "main button:text-is('test')")
    page.close()


@pytest.fixture(scope="module")
def reader(chromium: Browser, url: str) -> Iterator[tuple[BrowserContext, str]]:
    """A narrow window of someone who has signed in and has one thing of each kind."""
    width, height = VIEWPORTS["narrow"]
    context = chromium.new_context(viewport={"width": width, "height": height})
    make_one_of_each(context, url, "reader")
    yield context, url
    context.close()


@EVERY_LOOK
@pytest.mark.parametrize("path", [*OPEN, *OWN])
def test_page_is_quiet_fits_and_is_accessible(
    reader: tuple[BrowserContext, str], path: str, every_look: bool
) -> None:
    visit = Visit(*reader)
    page = visit.go(path)
    faults = find_faults(page, VIEWPORTS, looks(path, VIEWPORTS, every_look))
    page.close()
    assert (visit.wrong, faults) == ([], [])


@pytest.mark.parametrize("kind", EXAMPLE_MAILS)
def test_mail_loads_nothing_fits_and_is_accessible(
    reader: tuple[BrowserContext, str], kind: str
) -> None:
    context, _ = reader
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(html_of(EXAMPLE_MAILS[kind]))
    found = find_faults(page, VIEWPORTS, [Look(window, "light") for window in VIEWPORTS])
    # Axe takes the browser's own dark background for white.
    faults = [each for each in found if "color-contrast" not in each]
    page.close()
    assert (asked, faults) == ([], [])
