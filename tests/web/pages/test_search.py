"""The first page and the search page."""

import asyncio
import re
from copy import deepcopy
from html.parser import HTMLParser

import httpx
import pytest

from tests.web import canned
from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
SCRIPT = "<script>alert(1)</script>"
ADDRESSES = ["/", "/search", "/search?query=sales", "/search?query=sales+AND"]


class Tags(HTMLParser):
    """Parts of a page that could run or be styled: tags with attributes, and texts of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.inline: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside and data.strip():
            self.inline.append(data)


def links(text: str) -> list[str]:
    return [str(attrs["href"]) for tag, attrs in Tags(text).found if tag == "a"]


async def test_first_page_says_what_is_loaded(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/")
    assert reply.status_code == 200
    assert "41 documents in 1 filing, filed 1996 to January 31, 2024" in reply.text


async def test_search_page_shows_hits_with_marks(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/search?query=sales")
    assert reply.status_code == 200
    assert "41 documents</strong>" in reply.text
    assert "matches in 3 passages" in reply.text
    assert "Apple Inc." in reply.text
    assert "&lt;b&gt;net&lt;/b&gt; <mark>sales</mark> rose…" in reply.text


async def test_search_page_without_a_query_is_the_first_page(browser: httpx.AsyncClient) -> None:
    first, empty = await browser.get("/"), await browser.get("/search?query=+")
    assert (empty.status_code, empty.text) == (200, first.text)


async def test_call_of_the_page_is_the_api_with_its_parameters(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/search?query=net+sales&form_type=10-K&sort=newest")
    call = "http://service.test/v1/search?query=net+sales&amp;form_type=10-K&amp;sort=newest"
    assert f"{call}&amp;word_forms=related&amp;reading=person&amp;operands=all" in reply.text
    assert "$EDGAR_SEARCH_KEY" in reply.text


@pytest.mark.parametrize("address", ADDRESSES)
async def test_pages_run_nothing_and_load_nothing_of_elsewhere(
    browser: httpx.AsyncClient, address: str
) -> None:
    reply = await browser.get(address)
    tags = Tags(reply.text)
    policy = reply.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= set(policy)
    assert "frame-ancestors 'none'" in policy
    assert reply.headers["cache-control"] == "private, no-store"
    assert tags.inline == []
    assert [attrs for _, attrs in tags.found if any(n.startswith("on") for n in attrs)] == []
    assert [attrs for _, attrs in tags.found if "style" in attrs] == []
    # A feed is named for programs; no browser loads it.
    loaded = [
        attrs.get("src") or attrs["href"]
        for tag, attrs in tags.found
        if tag in ("script", "link", "img") and attrs.get("rel") != "alternate"
    ]
    assert [each for each in loaded if not str(each).startswith("/static/")] == []


async def test_refused_query_has_the_wrong_character_marked(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/search?query=net+AND+AND+sales&reading=exact")
    assert reply.status_code == 400
    assert '<p class="query err">net AND <u>A</u>ND sales</p>' in reply.text


async def test_wrong_parameter_is_said(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/search?query=sales&from_date=soon")
    assert reply.status_code == 400
    assert "from_date must be a date in the format YYYY-MM-DD, not soon" in reply.text


@pytest.mark.parametrize("name", ["query", "company", "ticker", "form_type", "from_date"])
async def test_script_in_a_parameter_is_text(browser: httpx.AsyncClient, name: str) -> None:
    reply = await browser.get("/search", params={"query": "sales", name: SCRIPT})
    assert "<script>alert" not in reply.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in reply.text


@pytest.mark.parametrize("field", ["form_type", "file_name", "document_type", "description"])
async def test_script_in_a_field_of_a_filing_is_text(
    browser: httpx.AsyncClient, stub: StubEngine, field: str
) -> None:
    hit = deepcopy(canned.DOCUMENT_HIT)
    hit["fields"] |= {field: [SCRIPT], "entities": [f"0000 0000320193 {SCRIPT}"]}
    stub.searches["documents"] = canned.search_reply([hit], 1)
    reply = await browser.get("/search?query=sales")
    assert reply.status_code == 200
    assert "<script>alert" not in reply.text


async def test_filter_is_a_chip_that_takes_it_away(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/search?query=sales&form_type=10-K,8-K&offset=20")
    assert "/search?query=sales&form_type=8-K" in links(reply.text)
    assert "/search?query=sales&form_type=10-K" in links(reply.text)


async def test_what_pages_ask_for_of_themselves_is_switched_off_by_the_address(
    browser: httpx.AsyncClient,
) -> None:
    reply = await browser.get("/search?query=sales&word_forms=exact&operands=all")
    assert "/search?query=sales&operands=all" in links(reply.text)
    assert "/search?query=sales&word_forms=exact" in links(reply.text)
    assert "word_forms=exact&amp;operands=all" in reply.text
    read = [link for link in links(reply.text) if link.startswith("/document/")]
    assert read[0].endswith("?query=sales&word_forms=exact&operands=all&at=11#at")


async def test_filters_stay_when_the_form_of_filters_is_sent(browser: httpx.AsyncClient) -> None:
    document = "0000320193-24-000001-1"
    asked = f"document_ids={document}&form_types=10-K&form_types=8-K&ciks=320193"
    reply = await browser.get(
        f"/search?query=sales&{asked}&document_type=EX-10&document_type=EX-99"
    )
    (form,) = re.findall('<form class="filters".*?</form>', reply.text, re.DOTALL)
    inputs = [attrs for tag, attrs in Tags(form).found if tag == "input"]
    sent = {each["name"]: each.get("value") for each in inputs if each.get("type") != "checkbox"}
    assert {name: value for name, value in sent.items() if value} == {
        "query": "sales",
        "ids": document,
        "cik": "320193",
        "form_type": "10-K,8-K",
        "document_type": "EX-10, EX-99",
    }


async def test_pages_follow_each_other(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/search?query=sales&offset=20")
    found = [link for link in links(reply.text) if "query=sales" in link]
    assert "/search?query=sales&offset=40" in found
    assert "/search?query=sales" in found


async def test_page_past_the_last_is_said(browser: httpx.AsyncClient, stub: StubEngine) -> None:
    stub.searches["documents"] = canned.search_reply([], 41)
    reply = await browser.get("/search?query=sales&offset=60")
    assert "There are no more documents on this page." in reply.text


async def test_nothing_found_says_so_without_each_filter_in_few_requests(
    browser: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.searches["documents"] = canned.search_reply([], 0)
    before = len(stub.asked)
    reply = await browser.get(
        "/search?query=net+sales+rose&form_type=10-K&state=NY&primary=true&from_date=2020-01-01"
    )
    assert "without all of them, nothing matches either" in reply.text
    asked = [each.operation for each in stub.asked[before:]]
    # All of them at once.
    assert asked.count("_msearch/") == 1


async def test_key_in_the_address_is_refused_and_not_shown(browser: httpx.AsyncClient) -> None:
    reply = await browser.get(f"/search?query=sales&api_key={KEY}")
    assert reply.status_code == 400
    assert KEY not in reply.text


@pytest.mark.parametrize("more", ["cursor=*", "snapshot=true"])
async def test_what_is_only_of_the_api_is_refused(browser: httpx.AsyncClient, more: str) -> None:
    reply = await browser.get(f"/search?query=sales&{more}")
    assert reply.status_code == 400
    assert f"{more.partition('=')[0]} is a parameter of /v1/search" in reply.text


async def test_page_of_any_name_is_come_back_to(stub: StubEngine) -> None:
    async with serving(stub.url, pages="signed-in") as client:
        reply = await client.get("/document/%E6%97%A5")
    assert reply.status_code == 303
    assert reply.headers["location"] == "/sign-in?next=%2Fdocument%2F%E6%97%A5"


async def test_client_behind_a_proxy_may_use_its_name(stub: StubEngine) -> None:
    settings = {"pages": "open", "trusted_proxies": "127.0.0.1"}
    headers = {"Host": "filings.example", "X-Forwarded-For": "203.0.113.7"}
    async with serving(stub.url, **settings) as client:
        seen = await client.get("http://127.0.0.1:8000/", headers=headers)
        status = await client.get("http://127.0.0.1:8000/status", headers=headers)
    assert (seen.status_code, status.status_code) == (200, 403)


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        ("/nothing/here", "text/html,*/*;q=0.8", "text/html; charset=utf-8"),
        ("/nothing/here", "application/json", "application/json"),
        ("/nothing/here", "*/*", "application/json"),
        ("/v1/nothing", "text/html,*/*;q=0.8", "application/json"),
        ("/auth/nothing", "text/html", "application/json"),
    ],
)
async def test_unknown_path_is_a_page_for_browsers_only(
    stub: StubEngine, path: str, accept: str, kind: str
) -> None:
    async with serving(stub.url, pages="open") as client:
        reply = await client.get(path, headers={"Accept": accept})
    assert (reply.status_code, reply.headers["content-type"]) == (404, kind)
    shown = "This page does not exist" if kind.startswith("text/html") else "no such path"
    assert shown in reply.text


async def test_pages_are_off_unless_asked_for(stub: StubEngine) -> None:
    async with serving(stub.url) as client:
        reply = await client.get("/search?query=sales", headers={"Accept": "text/html"})
    assert (reply.status_code, reply.json()) == (404, {"error": "no such path"})


@pytest.mark.usefixtures("rate_clock")
async def test_many_pages_at_once_from_one_address_are_refused(stub: StubEngine) -> None:
    async with serving(stub.url, pages="open", pages_rate=1) as client:
        replies = await asyncio.gather(*(client.get("/") for _ in range(20)))
    assert {reply.status_code for reply in replies} == {200, 429}
    assert {reply.headers.get("retry-after") for reply in replies} == {None, "2"}


@pytest.mark.parametrize(
    ("base", "host", "status"),
    [
        ("http://127.0.0.1:8000", "rebound.example", 403),
        ("http://127.0.0.1:8000", "localhost:8000", 200),
        ("http://127.0.0.1:8000", "[::1]:8000", 200),
        ("http://service.test", "any.example", 200),
    ],
)
async def test_other_names_of_a_loopback_address_are_refused(
    browser: httpx.AsyncClient, base: str, host: str, status: int
) -> None:
    assert (await browser.get(f"{base}/", headers={"Host": host})).status_code == status


async def test_other_origins_may_not_read_pages(browser: httpx.AsyncClient) -> None:
    origin = {"Origin": "http://other.example"}
    page = await browser.get("/search?query=sales", headers=origin)
    data = await browser.get("/health/live", headers=origin)
    assert "access-control-allow-origin" not in page.headers
    assert data.headers["access-control-allow-origin"] == "*"


async def test_elasticsearch_away_is_a_page_too(
    browser: httpx.AsyncClient, stub: StubEngine
) -> None:
    await browser.get("/")
    stub.faults["documents/_search"] = Reply(503, b"{}")
    reply = await browser.get("/search?query=sales")
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
