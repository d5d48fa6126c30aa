"""Pictures of every page over the samples, and of mails: `python -m tests.browser.screens`.

Into `.edgar/screens`, to be looked at; into docs/ a mail, and a number of a statement, marked in
its filing.
"""

import asyncio
import shutil
import tempfile
from base64 import b64encode
from pathlib import Path

import msgspec
from playwright.sync_api import Browser, Page

from bench.page_addresses import OWN
from bench.service import running_service
from tests.browser.conftest import VIEWPORTS, launched, opened
from tests.browser.test_every_page import OPEN, make_one_of_each
from tests.conftest import remove_everything
from tests.support.engines import CHECKOUT, installation, test_engine
from tests.support.example_mails import EXAMPLE_MAILS
from tests.support.mail_server import html_of
from tests.support.samples import install_samples

FOLDER = CHECKOUT / ".edgar" / "screens"
STATEMENT = "/filing/0009990102-21-000044#statements"
PICTURE = CHECKOUT / "docs" / "statement.png"
MAIL = CHECKOUT / "docs" / "mail.png"
# A number of the statement, which its page links to the number in the filing.
NUMBER = "74,496"
# A draft with claims that are as filed, altered, elsewhere, unknown and unchecked.
DRAFT = (
    "Quillfeather wrote: “We recorded an impairment charge of $8.1 million” (0009990101-25-000004)."
    " It also wrote that “we recorded an impairment charge of $9.1 million”, and that “Two data"
    " centers become one by the end of 2025.”\n\nSee Quillfeather Paper Mills' 10-K for 2024, Item"
    " 7, and its 10-K, 0009990101-25-999999.\n\n- Quillfeather Paper Mills' revenue was more than"
    " $5 million in 2024.\n- Quillfeather Paper Mills' revenue was $5 million in 2024."
)
CLAUSE = (
    "With a single machine for writing paper any long standstill would be felt by our customers."
)


def main() -> None:
    """Take all pictures."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with test_engine() as engine_settings, tempfile.TemporaryDirectory() as home:
        settings = installation(engine_settings, "screens", Path(home))
        # What is tested is not how fast a busy machine is.
        settings = msgspec.structs.replace(settings, es_timeout=60.0)
        try:
            asyncio.run(install_samples(settings))
            with running_service(opened(settings)) as service, launched() as browser:
                _pictures(browser, service.url)
        finally:
            asyncio.run(remove_everything(engine_settings))


def _pictures(browser: Browser, url: str) -> None:
    for name, (width, height) in VIEWPORTS.items():
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
            )
            make_one_of_each(context, url, f"{name} {scheme}")
            page = context.new_page()
            for number, path in enumerate((*OPEN, *OWN)):
                page.goto(url + path)
                page.wait_for_load_state("networkidle")
                page.screenshot(path=FOLDER / f"{number:02d}-{name}-{scheme}.png")
            _picture_draft(page, url, f"{name}-{scheme}")
            for kind, message in EXAMPLE_MAILS.items():
                page.set_content(html_of(message))
                page.screenshot(path=FOLDER / f"mail-{kind}-{name}-{scheme}.png")
            if (name, scheme) == ("wide", "light"):
                _picture_mail(page)
                context.clear_cookies()
                _picture_number(page, url)
            context.close()


def _picture_draft(page: Page, url: str, name: str) -> None:
    """Take the pictures of a draft that is checked, and of passages like one of its quotes."""
    page.goto(f"{url}/drafts")
    page.fill("textarea", DRAFT)
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / f"draft-{name}.png", full_page=True)
    page.goto(f"{url}/similar")
    page.fill("textarea", CLAUSE)
    page.get_by_role("button", name="Find", exact=True).click()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / f"similar-{name}.png", full_page=True)


def _picture_mail(page: Page) -> None:
    page.set_viewport_size({"width": 760, "height": 400})
    page.set_content(html_of(EXAMPLE_MAILS["digest"]))
    page.screenshot(path=MAIL, full_page=True)


def _picture_number(page: Page, url: str) -> None:
    """Take the picture of a statement beside the filing that has one of its numbers marked."""
    shots = []
    page.set_viewport_size({"width": 760, "height": 330})
    page.goto(url + STATEMENT)
    shots.append(page.screenshot())
    page.click(f"td a:has-text('{NUMBER}')")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    shots.append(page.screenshot())
    # A page of its own, since the service's pages take no images from elsewhere.
    joined = page.context.new_page()
    joined.set_viewport_size({"width": 1520, "height": 330})
    images = "".join(
        f'<img src="data:image/png;base64,{b64encode(shot).decode()}">' for shot in shots
    )
    joined.set_content(f'<body style="margin:0;display:flex">{images}')
    joined.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
