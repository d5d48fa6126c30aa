"""Pictures of the ready-made screens over made reports: `python -m tests.browser.ready_made`.

Into `.edgar/ready-made`, to be looked at: 1,280 and 390 pixels wide, light and dark.
"""

import asyncio
import tempfile
from pathlib import Path

import msgspec

from bench.screens import write_reports
from bench.service import running_service
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.web.pages.screens import READY_MADE
from tests.browser.conftest import launched
from tests.conftest import remove_everything
from tests.support.engines import CHECKOUT, installation, test_engine

FOLDER = CHECKOUT / ".edgar" / "ready-made"
REPORTS = 2_000
VIEWPORTS = {"wide": (1280, 900), "narrow": (390, 844)}


def main() -> None:
    """Take all pictures, and print the numbers of rows."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with test_engine() as engine_settings, tempfile.TemporaryDirectory() as home:
        settings = installation(engine_settings, "ready", Path(home))
        settings = msgspec.structs.replace(settings, es_timeout=60.0)
        try:
            asyncio.run(_write(settings))
            opened = msgspec.structs.replace(settings, pages="open", pages_rate=1_000)
            with running_service(opened) as service:
                _pictures(service.url)
        finally:
            asyncio.run(remove_everything(engine_settings))


async def _write(settings: Settings) -> None:
    engine = Engine.from_settings(settings)
    try:
        await write_reports(engine, settings, REPORTS)
    finally:
        await engine.close()


def _pictures(url: str) -> None:
    with launched() as browser:
        for name, (width, height) in VIEWPORTS.items():
            for dark in (False, True):
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if dark else "light",
                )
                page = context.new_page()
                for number, ready in enumerate(READY_MADE):
                    page.goto(url + ready.address)
                    scheme = "dark" if dark else "light"
                    page.screenshot(path=FOLDER / f"{number}-{name}-{scheme}.png")
                    if (name, dark) == ("wide", False):
                        print(page.locator("[role=status]").inner_text(), ready.title)
                context.close()


if __name__ == "__main__":
    main()
