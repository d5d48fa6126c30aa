"""Pictures of every page over the samples: `python -m tests.browser.screens`.

Into `.edgar/screens`, to be looked at; the search page's, wide and light, also into docs/.
"""

import asyncio
import shutil
import tempfile
from pathlib import Path

import msgspec
from playwright.sync_api import Browser

from bench.page_addresses import OWN
from bench.service import running_service
from tests.browser.conftest import VIEWPORTS, launched, press
from tests.browser.test_every_page import OPEN
from tests.conftest import remove_everything
from tests.support.engines import CHECKOUT, installation, test_engine
from tests.support.samples import install_samples

FOLDER = CHECKOUT / ".edgar" / "screens"
SEARCH = "/search?query=goodwill+impairment"
PICTURE = CHECKOUT / "docs" / "search.png"


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
            opened = msgspec.structs.replace(
                settings, pages="open", pages_rate=1_000, local_issuer=True
            )
            with running_service(opened) as service, launched() as browser:
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
            page = context.new_page()
            page.goto(f"{url}/sign-in?next=/account")
            page.fill("input[name=name]", "reader")
            press(page, "main button")
            for number, path in enumerate((*OPEN, *OWN)):
                page.goto(url + path)
                page.wait_for_load_state("networkidle")
                page.screenshot(path=FOLDER / f"{number:02d}-{name}-{scheme}.png")
            if (name, scheme) == ("wide", "light"):
                context.clear_cookies()
                page.goto(url + SEARCH)
                page.screenshot(path=PICTURE, clip={"x": 0, "y": 0, "width": 1100, "height": 700})
            context.close()


if __name__ == "__main__":
    main()
