"""The cost of pages: of each its time and weight, beside API calls, and bounds that are held.

Works on an installation that is loaded: `python -m bench.pages` with the settings of the service.
The first screen of a long document is timed in Chromium, if there is one and Playwright.
"""

import argparse
import asyncio
import os
import re
import shutil
import statistics
import time
from collections.abc import Mapping, Sequence
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

import httpx
import msgspec
import psutil
from msgspec import Struct

from bench.installation import Installation
from bench.page_addresses import Found, find_addresses
from bench.service import running_service
from edgar_search.document.text import TextFields
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.web.pages.links import DEFAULTS
from edgar_search.web.pages.search_results import NAMES

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUERIES = ("revenue", "goodwill impairment", '"risk factors"', "net income per share", "cyber*")
# Milliseconds: the first screen of a long document, risk factors of two annual reports compared.
FIRST_SCREEN_BOUND, COMPARED_BOUND = 400.0, 2_000.0
# While a name is typed an answer is to be there within so many milliseconds.
TYPEAHEAD_BOUND = 30.0
_POLL_MS = 5
_PAINTED = """() => {
  const [first] = performance.getEntriesByName("first-contentful-paint");
  return first ? performance.timeOrigin + first.startTime : null;
}"""
_ENCODINGS = ("identity", "gzip")


class _Longest(Struct):
    fields: TextFields


class Known(NamedTuple):
    """A key, addresses, and the document with the longest text with its length in code points."""

    key: str
    found: Found
    longest: str
    length: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="repetitions of each page")
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    known = asyncio.run(_find_known(settings))
    opened = msgspec.structs.replace(
        settings, pages="open", pages_rate=10_000, auth_rate=10_000, local_issuer=True
    )
    with running_service(opened) as service:
        with httpx.Client(base_url=service.url, timeout=120) as http:
            _every_page(service.url, known.found, options.rounds)
            _compared(http, known.found.compared)
            _first_screens(service.url, known.found.long)
            _searches(http, known.key, options.rounds)
            _typeahead(http, known.key, options.rounds)
            _longest(http, known)
            _weights(http)


async def _find_known(settings: Settings) -> Known:
    engine = Engine.from_settings(settings)
    body = {
        "size": 1,
        "sort": [{"text_length": "desc"}],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": list(TextFields.__struct_fields__),
    }
    try:
        key = await Installation(settings, engine).key()
        (hit,) = (await engine.search("documents", body, _Longest)).hits.hits
        return Known(
            key, await find_addresses(engine), hit.fields.document_id[0], hit.fields.text_length[0]
        )
    finally:
        await engine.close()


def _every_page(url: str, found: Found, rounds: int) -> None:
    """Time and weight of each page for who has signed in, a frame with its page."""
    print("| page | p50 ms | p90 ms | bytes | by gzip |")
    print("|---|---:|---:|---:|---:|")
    with httpx.Client(base_url=url, timeout=120, headers={"Accept": "text/html"}) as http:
        http.post("/sign-in/local", data={"name": "bench"}, headers={"Origin": url})
        for page in found.pages:
            path = _table_of(http, page.path) if page.route.endswith("/table") else page.path
            if not path:
                continue
            parts = [path, *_frames(http, path)]
            took = sorted(sum(_time(http, part, {}) for part in parts) for _ in range(rounds))
            plain, packed = (sum(_size(http, part, each) for part in parts) for each in _ENCODINGS)
            p50, p90 = took[len(took) // 2], took[int(len(took) * 0.9)]
            print(f"| `{path}` | {p50:.0f} | {p90:.0f} | {plain:,} | {packed:,} |")


def _table_of(http: httpx.Client, path: str) -> str:
    """Return the address of a table of a part of a document; "" if it has none."""
    table = re.search(r'href="(/document/[^"]+/table[?][^"]+)"', http.get(path).text)
    return unescape(table[1]) if table else ""


def _frames(http: httpx.Client, path: str) -> list[str]:
    return [
        unescape(each) for each in re.findall(r'<iframe[^>]+src="([^"]+)"', http.get(path).text)
    ]


def _compared(http: httpx.Client, path: str | None) -> None:
    """The longest risk factors of two annual reports of one company; each round compares anew."""
    if path is None:
        print("risk factors compared: there are no two annual reports of a company")
        return
    ms = [_time(http, path, {}) for _ in range(5)]
    print(f"risk factors compared, {path}: {_held(max(ms), COMPARED_BOUND)}")


def _first_screens(url: str, long: Sequence[str]) -> None:
    """Long documents as filed, in a browser that has the style sheet: at first, and again."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("first screen: Playwright is not installed")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.goto(f"{url}/")
        for document in long:
            place = f"{url}/document/{document}/as-filed"
            before = _cpu_ms()
            first = _first_screen(page, place)
            cpu, again = _cpu_ms() - before, _first_screen(page, place)
            held = _held(first, FIRST_SCREEN_BOUND)
            print(f"first screen of {document}: {held}, again {again:.0f} ms; CPU {cpu:.0f} ms")
        browser.close()


def _cpu_ms() -> float:
    """Return milliseconds of CPU that the service and the browser have taken, user and system."""
    times = [child.cpu_times() for child in psutil.Process().children(recursive=True)]
    return 1_000 * sum(each.user + each.system for each in times)


def _first_screen(page: "Page", address: str) -> float:
    """Milliseconds from the request of the page until its frame shows something of the document."""
    page.goto(address, wait_until="commit")
    began = page.evaluate("performance.timeOrigin")
    frame = page.locator("iframe").element_handle().content_frame()
    assert frame is not None
    # Nothing runs in the frame, timers neither.
    while (painted := frame.evaluate(_PAINTED)) is None:
        page.wait_for_timeout(_POLL_MS)
    return float(painted - began)


def _held(ms: float, bound: float) -> str:
    return f"{ms:.0f} ms; the bound of {bound:,.0f} ms is {'held' if ms <= bound else 'broken'}"


def _searches(http: httpx.Client, key: str, rounds: int) -> None:
    """The page beside the calls whose answers it shows, in turn."""
    for query in QUERIES:
        asked = {"query": query, **DEFAULTS}
        calls = {
            "/search": {"query": query},
            "/v1/search": {**asked, "include": "offsets"},
            "/v1/facets": {**asked, "by": ",".join(NAMES), "limit": "8"},
        }
        took: dict[str, list[float]] = {path: [] for path in calls}
        for _ in range(rounds):
            for path, params in calls.items():
                took[path].append(_time(http, path, params, key))
        page, search, facets = (statistics.median(each) for each in took.values())
        print(
            f"search page, {query}: {page:.1f} ms; /v1/search {search:.1f} ms,"
            f" /v1/facets {facets:.1f} ms; beyond the slower {page - max(search, facets):+.1f} ms"
        )


def _typeahead(http: httpx.Client, key: str, rounds: int) -> None:
    """Beginnings of names of companies that are here, as they are typed."""
    found = http.get(
        "/v1/search", params={"query": "company", "limit": "100"}, headers={"X-API-Key": key}
    )
    names = {name for item in found.json()["items"] for name in item["related_company_names"]}
    typed = [name[:length].lower() for name in sorted(names) for length in (2, 4, 7)]
    took = sorted(
        _time(http, "/companies", {"name": text}) for text in (typed * rounds)[: 20 * rounds]
    )
    p50, p99 = statistics.median(took), took[int(len(took) * 0.99) - 1]
    print(f"typeahead, {len(took)} times: p50 {p50:.1f} ms, p99 {_held(p99, TYPEAHEAD_BOUND)}")


def _longest(http: httpx.Client, known: Known) -> None:
    """The page of the longest document: its first part, its last, and with all its matches."""
    path = f"/document/{known.longest}"
    print(f"longest document: {known.longest}, {known.length:,} characters")
    asked: dict[str, dict[str, str]] = {
        "its first part": {},
        "its last part": {"start": str(known.length - 1)},
        "matches of the word the": {"query": "the"},
    }
    for name, params in asked.items():
        length = len(http.get(path, params=params).content)
        ms = statistics.median(_time(http, path, params) for _ in range(5))
        print(f"  {name}: {ms:.0f} ms, {length:,} bytes")


def _weights(http: httpx.Client) -> None:
    """Bytes of a search page and of what it loads, as sent."""
    page = "/search?query=revenue"
    html = http.get(page).text
    loaded = re.findall(r'(?:src|href)="(/static/[^"]+)"', html)
    total = dict.fromkeys(_ENCODINGS, 0)
    for address in dict.fromkeys([page, *loaded]):
        sizes = {each: _size(http, address, each) for each in _ENCODINGS}
        total = {each: total[each] + sizes[each] for each in _ENCODINGS}
        print(f"weight of {address}: {sizes['identity']:,} bytes, {sizes['gzip']:,} by gzip")
    print(f"all: {total['identity']:,} bytes, {total['gzip']:,} by gzip")


def _size(http: httpx.Client, address: str, encoding: str) -> int:
    with http.stream("GET", address, headers={"Accept-Encoding": encoding}) as reply:
        reply.raise_for_status()
        return sum(map(len, reply.iter_raw()))


def _time(http: httpx.Client, path: str, params: Mapping[str, str], key: str = "") -> float:
    """Return milliseconds until the whole answer is there; with a key for what needs one."""
    headers = {"X-API-Key": key} if path.startswith("/v1/") else {}
    began = time.perf_counter()
    # Empty parameters would take those of the path away.
    http.get(path, params=params or None, headers=headers).raise_for_status()
    return (time.perf_counter() - began) * 1_000


if __name__ == "__main__":
    main()
