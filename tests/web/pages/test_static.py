"""The style sheet, the scripts and the templates."""

import re
from importlib.resources import files

import httpx
import pytest

from edgar_search.web.pages.templates import environment, static_address, static_files
from tests.support.waiting import until
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
NAMES = sorted(static_files())


@pytest.mark.parametrize("name", NAMES)
async def test_file_may_be_kept_for_ever_at_its_address(
    browser: httpx.AsyncClient, name: str
) -> None:
    reply = await browser.get(static_address(name))
    again = await browser.get(
        static_address(name), headers={"If-None-Match": reply.headers["etag"]}
    )
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (reply.content, again.status_code) == (static_files()[name].content, 304)


async def test_file_at_an_old_address_is_not_kept(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/static/0123456789ab/style.css")
    assert (reply.status_code, reply.headers["cache-control"]) == (200, "no-cache")


@pytest.mark.parametrize("name", ["nope.css", "..%2fstatic.py", "static.py", "__init__.py"])
async def test_other_files_are_not_there(browser: httpx.AsyncClient, name: str) -> None:
    assert (await browser.get(f"/static/x/{name}")).status_code == 404


def test_style_sheet_is_small_and_loads_nothing() -> None:
    sheet = static_files()["style.css"].content.decode()
    assert len(sheet) < 28_000
    assert re.findall(r"url\(|@import", sheet) == []


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".mjs")])
def test_scripts_load_only_each_other_and_make_no_html(name: str) -> None:
    script = static_files()[name].content.decode()
    assert [found for found in re.findall(r'from "([^"]+)"', script) if found[:2] != "./"] == []
    assert re.findall(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script) == []


async def test_all_templates_are_ready_soon_after_the_start(stub: StubEngine) -> None:
    folder = files("edgar_search.web.pages").joinpath("templates")
    names = {each.name for each in folder.iterdir() if each.is_file()}
    names |= {f"account/{each.name}" for each in folder.joinpath("account").iterdir()}
    environment.cache_clear()

    async def is_ready() -> bool:
        return {name for _, name in environment().cache or ()} == names

    async with serving(stub.url, pages="open"):
        await until(is_ready)


async def test_without_pages_no_template_is_read(stub: StubEngine) -> None:
    environment.cache_clear()
    async with serving(stub.url, pages="off") as client:
        await client.get("/health/live")
    assert environment.cache_info().currsize == 0
