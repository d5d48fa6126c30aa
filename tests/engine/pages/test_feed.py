"""Feeds over the samples: read by a feed reader, and their keys, which read nothing else."""

import html
import re
from collections.abc import AsyncIterator
from typing import Any

import feedparser
import httpx
import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.atom import schema_errors
from tests.support.pages import BASE, Browser, open_pages

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.one_client,
    pytest.mark.usefixtures("samples"),
]
EVERY_KIND = [
    "query=goodwill+impairment",
    "form_type=10-K",
    "cik=9990101",
    "query=paper*&form_type=8-K,10-K&from_date=2024-01-01",
    "cik=9990202",
    "figures=revenue%3E0&primary=true",
]


@pytest.fixture(scope="module")
async def app(anyio_backend: str, settings: Settings, samples: None) -> AsyncIterator[Any]:
    """One service for all tests here, with users of its own issuer."""
    async with open_pages(settings) as app:
        yield app


@pytest.fixture
async def user(app: Any, new_number: Any) -> AsyncIterator[Browser]:
    """A user who has signed in."""
    browser = Browser(app)
    await browser.sign_in(f"subscriber {new_number()}")
    yield browser
    await browser.http.aclose()


@pytest.mark.parametrize("asked", EVERY_KIND)
async def test_feed_is_atom_that_a_reader_reads(browser: httpx.AsyncClient, asked: str) -> None:
    reply = await browser.get(f"/search.atom?{asked}")
    read = feedparser.parse(reply.content, response_headers=dict(reply.headers))
    assert reply.status_code == 200
    assert (schema_errors(reply.content), read.bozo, read.version) == ([], False, "atom10")
    days = [entry.title.rpartition("filed ")[2] for entry in read.entries]
    assert len(days) == len({entry.id for entry in read.entries}) > 0


async def test_feed_has_the_newest_documents_of_the_search(
    browser: httpx.AsyncClient, client: Client
) -> None:
    asked = {"sort": "newest", "limit": "50", "word_forms": "related", "reading": "person"}
    wanted = await client.search("goodwill impairment", **asked)
    read = feedparser.parse((await browser.get("/search.atom?query=goodwill+impairment")).content)
    found = [re.findall("/document/([^?#]+)", entry.link)[0] for entry in read.entries]
    assert found == [each["document_id"] for each in wanted["items"]]
    assert read.entries[0].link.startswith(f"{BASE}/document/")


async def test_known_version_is_not_sent_again(browser: httpx.AsyncClient) -> None:
    first = await browser.get("/search.atom?form_type=10-K")
    known = {"If-None-Match": first.headers["etag"]}
    again = await browser.get("/search.atom?form_type=10-K", headers=known)
    other = await browser.get("/search.atom?form_type=8-K", headers=known)
    assert (again.status_code, again.content, other.status_code) == (304, b"", 200)


SCREEN = "/screen?figures=revenue%3E0&query=revenue"


@pytest.mark.parametrize(
    "page",
    [
        "/search?query=paper&form_type=10k&sort=oldest",
        "/company/9990101",
        "/company/9990202",
        SCREEN,
    ],
)
async def test_page_names_its_feed(browser: httpx.AsyncClient, page: str) -> None:
    text = (await browser.get(page)).text
    (place,) = re.findall(
        r'<link rel="alternate" type="application/atom\+xml"[^>]+href="([^"]+)"', text
    )
    assert f'<a href="{place}">feed</a>' in text
    assert (await browser.get(html.unescape(place))).status_code == 200


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "reading=exact",
        "query=a+AND&reading=exact",
        "form_type=10-K&sort=oldest",
        "cursor=*&cik=1",
    ],
)
async def test_what_is_no_feed_is_refused_in_json(browser: httpx.AsyncClient, asked: str) -> None:
    reply = await browser.get(f"/search.atom?{asked}")
    assert (reply.status_code, list(reply.json())) == (400, ["error"])


async def subscribe(user: Browser, page: str) -> str:
    """Press "feed" on a page, and return the address that is then shown."""
    text = (await user.get(page)).text
    sent = dict(
        re.findall(r'name="(name|scope)" value="([^"]*)"', text.partition('"subscribe"')[0][-600:])
    )
    await user.post("/account", do="subscribe", **{k: html.unescape(v) for k, v in sent.items()})
    (place,) = re.findall('<code id="key">([^<]+)</code>', (await user.get("/account")).text)
    return html.unescape(place)


@pytest.fixture
async def stranger(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A program without cookies."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=BASE) as http:
        yield http


async def test_feed_of_a_screen_has_its_reports(browser: httpx.AsyncClient, client: Client) -> None:
    text = (await browser.get(SCREEN)).text
    (place,) = re.findall(r'type="application/atom\+xml"[^>]+href="([^"]+)"', text)
    read = feedparser.parse((await browser.get(html.unescape(place))).content)
    rows = await client.get("/v1/screen", figures="revenue>0", query="revenue", limit="50")
    found = [re.findall("/document/([^?#]+)", entry.link)[0] for entry in read.entries]
    assert found == [each["document_id"] for each in rows["items"]] != []


@pytest.mark.parametrize(
    "page", ["/search?query=paper&form_type=10-K,8-K", "/company/9990101", SCREEN]
)
async def test_key_of_a_feed_reads_this_feed(
    user: Browser, stranger: httpx.AsyncClient, page: str
) -> None:
    place = await subscribe(user, page)
    reply = await stranger.get(place)
    assert (reply.status_code, schema_errors(reply.content)) == (200, [])
    assert "sk_live_" not in reply.text
    turned = httpx.URL(place)
    pairs = list(reversed(turned.params.multi_items()))
    assert (await stranger.get(turned.copy_with(params=pairs))).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/search.atom?query=paper",
        "/search.atom?query=paper&form_type=8-K",
        "/search.atom?query=paper&form_type=10-K&cik=9990101",
        "/v1/search?query=paper&form_type=10-K",
        "/v1/lookup?form_type=10-K",
        "/v2/document?document_id=0009990101-25-000004-1",
    ],
)
async def test_key_of_a_feed_reads_nothing_else(
    user: Browser, stranger: httpx.AsyncClient, path: str
) -> None:
    key = httpx.URL(await subscribe(user, "/search?query=paper&form_type=10-K")).params["api_key"]
    reply = await stranger.get(path, headers={"X-API-Key": key})
    assert reply.status_code == 403


async def test_revoked_address_is_refused(user: Browser, stranger: httpx.AsyncClient) -> None:
    place = await subscribe(user, "/company/9990101")
    (key_id,) = set(re.findall(r'name="id" value="(\w+)"', (await user.get("/account")).text))
    await user.post("/account", do="revoke", id=key_id)
    assert (await stranger.get(place)).status_code == 401


async def test_key_of_searches_reads_every_feed(user: Browser, stranger: httpx.AsyncClient) -> None:
    await user.post("/account", do="create", name="all")
    (key,) = set(re.findall(r"sk_live_\w{28}", (await user.get("/account")).text))
    reply = await stranger.get("/search.atom?form_type=10-K", headers={"X-API-Key": key})
    assert reply.status_code == 200
