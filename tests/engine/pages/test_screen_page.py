"""The page of screens: its rows are those of the API, and each part of its address has a link."""

import html
import re
from decimal import Decimal

import httpx
import pytest

from edgar_search.api.screen import ScreenHead
from edgar_search.web.pages.screens import READY_MADE, number_text
from tests.support.asking import Client

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.one_client,
    pytest.mark.usefixtures("samples"),
]
REVENUE = ScreenHead("revenue", "figure", "amount")
CHANGE = ScreenHead("revenue_change", "figure", "ratio")


def links(text: str) -> dict[str, str]:
    """The addresses of links by their texts, without marks."""
    found = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>([^<]+)', text)
    return {html.unescape(name).strip(): html.unescape(place) for place, name in found}


async def test_page_has_the_rows_of_the_api(browser: httpx.AsyncClient, client: Client) -> None:
    asked = {"figures": "revenue>0", "columns": "accnum,revenue,net_income"}
    page = await browser.get("/screen", params=asked)
    reply = await client.get("/v1/screen", **asked)

    rows = re.findall(r'<th scope="row"[^>]*>([0-9-]+)</th>', page.text)
    assert rows == [each["accnum"] for each in reply["items"]]
    assert rows
    first = reply["items"][0]["cells"]["revenue"]["value"]
    assert f">{number_text(REVENUE, Decimal(str(first)), 10**6)}</a>" in page.text


async def test_links_change_one_part_of_the_address(browser: httpx.AsyncClient) -> None:
    asked = {"figures": "revenue>0,total_assets>1", "columns": "company,revenue"}
    page = links((await browser.get("/screen", params=asked)).text)

    assert httpx.URL(page["revenue"]).params["sort"] == "revenue"
    again = links((await browser.get(page["revenue"])).text)
    assert httpx.URL(again["revenue"]).params["sort"] == "revenue:asc"
    assert httpx.URL(page["revenue>0"]).params["figures"] == "total_assets>1"
    assert httpx.URL(page["companies"]).params["group"] == "company"
    assert httpx.URL(page["thousands"]).params["scale"] == "thousands"


async def test_words_are_a_chip_that_takes_them_off(browser: httpx.AsyncClient) -> None:
    asked = {"query": "goodwill", "figures": "revenue>0", "columns": "company"}
    page = links((await browser.get("/screen", params=asked)).text)
    there = httpx.URL(page["words: goodwill"])
    assert (there.path, dict(there.params)) == (
        "/screen",
        {"figures": "revenue>0", "columns": "company"},
    )


async def test_form_adds_a_condition_and_a_column(browser: httpx.AsyncClient) -> None:
    asked: dict[str, list[str]] = {
        "figures": ["revenue>0", "net_income<1bn"],
        "columns": ["company", 'match:"going concern"'],
        "query": [""],
    }
    page = await browser.get("/screen", params=asked)
    assert page.status_code == 200
    assert {"revenue>0", "net_income<1bn"} <= links(page.text).keys()
    assert "“going concern”" in page.text


@pytest.mark.parametrize("ready", READY_MADE, ids=lambda each: each.title)
async def test_ready_made_screens_are_linked_and_answer(
    browser: httpx.AsyncClient, ready: tuple[str, str]
) -> None:
    title, place = ready
    assert links((await browser.get("/screen")).text)[title] == place
    assert (await browser.get(place)).status_code == 200


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"figures": "revenu>0"}, "no figure has this name"),
        ({"figures": "revenue>0", "columns": "revenu"}, "no column is"),
        ({"figures": "revenue>0", "scale": "x"}, "must be one of millions, thousands, units"),
    ],
)
async def test_wrong_screens_are_explained(
    browser: httpx.AsyncClient, parameters: dict[str, str], words: str
) -> None:
    page = await browser.get("/screen", params=parameters)
    assert (page.status_code, words in html.unescape(page.text)) == (400, True)


async def test_search_is_shown_as_a_screen(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/search", params={"query": "goodwill", "form_type": "10-K"})
    there = httpx.URL(links(page.text)["screen"])
    assert (there.path, dict(there.params)) == (
        "/screen",
        {"query": "goodwill", "form_type": "10-K"},
    )


@pytest.mark.parametrize(
    ("column", "value", "scale", "text"),
    [
        (REVENUE, "1234567890", 10**6, "1,235"),
        (REVENUE, "-1234567890", 1, "-1,234,567,890"),
        (REVENUE, "250000", 10**6, "0.25"),
        (ScreenHead("eps_basic", "figure", "amount"), "1.25", 10**6, "1.25"),
        (CHANGE, "-0.125", 10**6, "-12.5%"),
        (ScreenHead("debt_to_equity", "figure", "ratio"), "1.5", 10**6, "1.50"),
        (ScreenHead('table:"a"', "table", "amount"), "1250", 1, "1,250"),
        (ScreenHead('table:"a"', "table", "amount"), "1250000000", 10**6, "1,250"),
    ],
)
def test_number_is_shown_in_its_unit(column: ScreenHead, value: str, scale: int, text: str) -> None:
    assert number_text(column, Decimal(value), scale) == text


async def test_heads_have_the_distribution_and_fields_that_become_conditions(
    browser: httpx.AsyncClient, client: Client
) -> None:
    asked = {"figures": "revenue>0", "columns": "company,revenue,revenue_change,eps_basic"}
    page = await browser.get("/screen", params=asked)
    heads = (await client.get("/v1/screen", include="histograms", **asked))["columns"]
    shown = [each for each in heads if len(each.get("histogram", {"edges": ()})["edges"]) > 1]
    assert page.text.count('<details class="hist"') == len(shown) > 0
    assert 'name="least.revenue"' in page.text

    given = {**asked, "least.revenue": "1", "most.revenue": "2.5bn", "most.revenue_change": "10"}
    moved = await browser.get("/screen", params=given, follow_redirects=False)
    there = httpx.URL(moved.headers["location"]).params
    assert moved.status_code == 303
    assert there["figures"] == "revenue>0,revenue>=1m,revenue<=2.5bn,revenue_change<=10%"
    again = {**dict(there), "least.revenue": "3", "least.eps_basic": "1.5"}
    moved = await browser.get("/screen", params=again, follow_redirects=False)
    figures = httpx.URL(moved.headers["location"]).params["figures"].split(",")
    assert figures[1:] == ["revenue<=2.5bn", "revenue_change<=10%", "revenue>=3m", "eps_basic>=1.5"]
    for name, value in (("least.revenue", "x"), ("most.revenu", "1")):
        wrong = await browser.get("/screen", params={name: value}, follow_redirects=True)
        assert wrong.status_code == 400
        assert value in html.unescape(wrong.text)
