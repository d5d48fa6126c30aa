"""A journey over real filings: what the pages show is what the API answers."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from bench.installation import Installation
from bench.service import running_service
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.session import load
from ingest.sources.paths import Sources
from tests.browser.conftest import CHROMIUM, Visit, launched
from tests.browser.figures import figures_under_years
from tests.support.engines import installation

# Of the corpus every so many filings: of all kinds, and loaded in seconds; more for the long test.
_EVERY, _OFTEN = 12, 3
ASKED = {"word_forms": "related", "operands": "most"}
QUERIES = ["impairment", '"risk factors" OR dividend', "net income share"]


class Filed(NamedTuple):
    """A service over real filings, the API of it, and a window of a browser."""

    url: str
    http: httpx.Client
    visit: Visit

    def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        """Return an answer of the API."""
        reply = self.http.get(path, params=parameters)
        assert reply.status_code == 200, reply.text
        found: dict[str, Any] = reply.json()
        return found


async def _loaded(settings: Settings, files: list[Path]) -> str:
    """Load filings; an API key."""
    engine = Engine.from_settings(settings)
    try:
        await Indices(engine, settings).set_up()
        summary = await load(engine, settings, Sources(files), 2)
        assert summary.loaded == len(files)
        return await Installation(settings, engine).key()
    finally:
        await engine.close()


@contextmanager
def _served(settings: Settings, files: list[Path]) -> Iterator[Filed]:
    """Yield a service over these filings, and a window of a browser."""
    if CHROMIUM is None:
        pytest.skip("chromium is missing: `make browser` installs it")
    settings = msgspec.structs.replace(settings, es_timeout=60.0, pages="open", pages_rate=1_000)
    key = asyncio.run(_loaded(settings, files))
    with running_service(settings) as service, launched() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        with httpx.Client(base_url=service.url, headers={"X-API-Key": key}, timeout=60) as http:
            yield Filed(service.url, http, Visit(context, service.url))


@pytest.fixture(scope="module")
def filed(
    corpus: Path, engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Filed]:
    settings = installation(engine_settings, "filed", tmp_path_factory.mktemp("home"))
    with _served(settings, sorted(corpus.glob("filings/*.gz"))[::_EVERY]) as served:
        yield served


STATEMENTS = '"total assets" OR "net income per share" OR "total current liabilities"'


def statements(filed: Filed, most: int) -> list[str]:
    """Return documents that have a balance sheet or an income statement, at most this many."""
    reply = filed.get("/v1/search", query=STATEMENTS, form_type="10-K,10-Q,10-K405", limit=100)
    return [each["document_id"] for each in reply["items"]][:most]


def assert_figures_are_under_their_years(filed: Filed, most: int) -> None:
    """Compare figures in `most` documents with statements, as text and in their layout."""
    compared = dict.fromkeys(("text", "layout"), 0)
    wrong: list[str] = []
    documents = statements(filed, most)
    assert len(documents) == most
    for document_id in documents:
        asked = httpx.QueryParams({"query": STATEMENTS})
        page = filed.visit.go(f"/document/{document_id}?{asked}")
        text = figures_under_years(page)
        page = filed.visit.go(f"/document/{document_id}/as-filed?{asked}")
        page.frame_locator("iframe").locator("body").wait_for()
        layout = figures_under_years(page.frames[1])
        compared["text"] += text.compared
        compared["layout"] += layout.compared
        for kind, found in (("text", text), ("layout", layout)):
            print(document_id, kind, found.compared, len(found.wrong))
            wrong += [f"{document_id} {kind} {each}" for each in found.wrong]
    print(compared, len(wrong))
    assert min(compared.values()) > 10 * most
    assert wrong == []


def test_figures_are_under_their_years_in_text_and_layout(filed: Filed) -> None:
    assert_figures_are_under_their_years(filed, 4)


@pytest.mark.long
def test_figures_of_forty_documents_are_under_their_years(
    corpus: Path, engine_settings: Settings, tmp_path: Path
) -> None:
    settings = installation(engine_settings, "often-filed", tmp_path)
    with _served(settings, sorted(corpus.glob("filings/*.gz"))[::_OFTEN]) as served:
        assert_figures_are_under_their_years(served, 40)


def matches_of(page: Page) -> list[str]:
    """The text of each match in the part that is shown, by number, joined over cells and lines."""
    found: list[str] = []
    for identity, text in page.eval_on_selector_all(
        ".text mark", "all => all.map(each => [each.id, each.textContent])"
    ):
        if identity:
            found.append(text)
        else:
            found[-1] += f" {text}"
    return [" ".join(text.split()) for text in found]


def _text(found: Locator) -> str:
    return (found.text_content() or "").strip()


@pytest.mark.parametrize("query", QUERIES)
def test_facets_have_the_counts_of_the_api(filed: Filed, query: str) -> None:
    page = filed.visit.go(f"/search?{httpx.QueryParams({'query': query})}")
    reply = filed.get(
        "/v1/facets", query=query, by="form_type,document_type,sic", limit=500, **ASKED
    )
    expect(page.locator(".sum strong")).to_have_text(f"{reply['total_count']:,} documents")
    compared = 0
    for name, title in (("form_type", "Form"), ("document_type", "Document"), ("sic", "Industry")):
        rows = page.locator(f".facet:has(h2:text-is('{title}')) li:has(a)").all()
        # Values after the first ones are hidden until they are opened.
        shown = [(_text(row.locator("a")), _text(row.locator("span"))) for row in rows]
        if name == "sic":
            # The code has the industry's name after it.
            shown = [(text.partition(" ")[0], count) for text, count in shown]
        values = [(v["value"], f"{v['count']:,}") for v in reply["facets"][name]["values"]]
        assert shown == values[: len(shown)]
        compared += len(shown)
    assert compared > 5
    assert filed.visit.wrong == []


@pytest.mark.parametrize("query", QUERIES)
def test_matches_in_the_viewer_are_those_of_the_api(filed: Filed, query: str) -> None:
    page = filed.visit.go(f"/search?{httpx.QueryParams({'query': query})}")
    page.locator(".hit h2 a").first.click()
    page.wait_for_url(re.compile("/document/"))
    found = re.search(r"/document/([^?]+)\?.*at=(\d+)", page.url)
    assert found is not None
    document_id, place = found[1], int(found[2])
    reply = filed.get("/v1/matches", document_id=document_id, query=query, limit=1_000, **ASKED)
    total = reply["total_count"]
    expect(page.locator(".bar [data-count]")).to_have_attribute("data-count", str(total))
    # A long document is read in parts: those of this part follow each other.
    first = int((page.locator(".text mark[id]").first.get_attribute("id") or "m1")[1:])
    shown = matches_of(page)
    wanted = [" ".join(each["text"].split()) for each in reply["items"]]
    assert shown == wanted[first - 1 : first - 1 + len(shown)]
    now = int((page.locator("mark.now").first.get_attribute("id") or "")[1:])
    assert reply["items"][now - 1]["start"] == place
    expect(page.locator("mark.now").first).to_be_in_viewport()


def test_link_to_match_3_opens_at_match_3(filed: Filed) -> None:
    query = QUERIES[0]
    for item in filed.get("/v1/search", query=query, limit=100, **ASKED)["items"]:
        sent = {"document_id": item["document_id"], "query": query, **ASKED}
        if filed.get("/v1/matches", **sent)["total_count"] > 3:
            break
    page = filed.visit.go(f"/document/{item['document_id']}?query={query}&match=3#m3")
    expect(page.locator("#m3")).to_be_in_viewport()
    expect(page.locator("mark.now").first).to_have_attribute("id", "m3")
    expect(page.locator(".bar [data-count]")).to_have_text(re.compile("^3 / "))
    assert filed.visit.wrong == []
