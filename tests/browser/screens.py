"""Pictures of every page over the samples: `python -m tests.browser.screens`.

Into `.edgar/screens`, to be looked at; a number of a statement, marked in its filing, into docs/.
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
from tests.browser.conftest import VIEWPORTS, launched, press
from tests.browser.test_every_page import OPEN
from tests.conftest import remove_everything
from tests.support.engines import CHECKOUT, installation, test_engine
from tests.support.samples import install_samples

FOLDER = CHECKOUT / ".edgar" / "screens"
STATEMENT = "/filing/0009990102-21-000044#statements"
PICTURE = CHECKOUT / "docs" / "statement.png"
# A number of the statement, which its page links to the number in the filing.
NUMBER = "74,496"


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
                _picture_number(page, url)
            context.close()


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
