"""The pages in a real browser: Debian's Chromium, driven by Playwright, over the samples."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec
import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, BrowserType, Error, Page, sync_playwright

from bench.service import running_service
from edgar_search.settings import Settings
from tests.support.engines import installation
from tests.support.samples import install_samples

CHROMIUM = shutil.which("chromium")
CLOSE_SECONDS = 30.0
# The provider's own pages name a font of the net, for which a page would wait.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
VIEWPORTS = {"narrow": (360, 780), "wide": (1440, 1000)}
# What a page must never do, seen from outside of it.
NOISE = "Failed to load resource: the server responded with a status of 4"


class Visit:
    """A page of the service in the browser, and all that it did which it should not."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.url = url
        self.page: Page = context.new_page()
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self._asked(request.url))

    def go(self, path: str) -> Page:
        """Open a page and wait until all of it is there: no script asks for more by itself."""
        self.page.goto(self.url + path)
        return self.page

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(NOISE):
            self.wrong.append(message.text)

    def _asked(self, address: str) -> None:
        self.requests.append(address)
        if not address.startswith(self.url):
            self.wrong.append(f"asked {address}")


def press(page: Page, selector: str) -> None:
    """Click what leads to another page, and wait until that is there.

    Chromium forgets to close a page that is told to while it continues to another one, and then
    Playwright waits for the page's end without end.
    """
    with page.expect_navigation():
        page.click(selector)


def launch(kind: BrowserType, *switches: str) -> Browser:
    """Start Debian's Chromium with these switches beside its own."""
    # As root Chromium has no sandbox of its own; it only sees this service.
    return kind.launch(executable_path=CHROMIUM, args=["--no-sandbox", ALONE, *switches])


@contextmanager
def launched() -> Iterator[Browser]:
    """Yield a browser without a window; raises RuntimeError if it had to be killed at the end.

    Playwright has an event loop of its own in this thread while it is there, and nothing else may.
    """
    others = set(psutil.Process().children())
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        (driver,) = set(psutil.Process().children()) - others
        try:
            yield browser
        finally:
            with killing(driver):
                browser.close()


@contextmanager
def killing(driver: psutil.Process) -> Iterator[None]:
    """Kill a driver and its browser if what is done here takes too long; raises RuntimeError then.

    Playwright waits for a browser's end without a time-out, except for none whose driver has ended.
    """
    killed: list[int] = []

    def kill() -> None:
        for each in [*driver.children(recursive=True), driver]:
            with suppress(psutil.NoSuchProcess):
                each.kill()
                killed.append(each.pid)

    late = threading.Timer(CLOSE_SECONDS, kill)
    late.start()
    try:
        with suppress(Error):  # of a driver that was killed
            yield
    finally:
        late.cancel()
        late.join()
    if killed:
        raise RuntimeError(f"the browser did not close in {CLOSE_SECONDS:g} s and was killed")


@pytest.fixture(scope="session")
def url(engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The service over the samples, with the local issuer; skips if no browser is installed."""
    if CHROMIUM is None:
        pytest.skip("chromium is missing: `make browser` installs it")
    settings = installation(engine_settings, "browser", tmp_path_factory.mktemp("home"))
    # What is tested is not how fast a busy machine is.
    settings = msgspec.structs.replace(settings, es_timeout=60.0)
    asyncio.run(install_samples(settings))
    with running_service(opened(settings)) as service:
        yield service.url


def opened(settings: Settings) -> Settings:
    """Settings of a service that anybody may read and sign in to, with webhooks and mail.

    Nothing is sent, since no alerts run.
    """
    return msgspec.structs.replace(
        settings,
        pages="open",
        pages_rate=1_000,
        auth_rate=1_000,
        local_issuer=True,
        secrets_key="a-key-of-thirty-two-characters-or-more",
        service_url="https://search.example",
        smtp_host="127.0.0.1",
        mail_from="alerts@search.example",
    )


@pytest.fixture(scope="module")
def chromium(url: str) -> Iterator[Browser]:
    """A browser, over the service."""
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(chromium: Browser, url: str) -> Iterator[Visit]:
    """A wide window, with JavaScript."""
    context = chromium.new_context(viewport={"width": 1440, "height": 1000})
    yield Visit(context, url)
    context.close()
