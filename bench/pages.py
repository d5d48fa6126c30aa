"""The cost of pages: beside the API calls that they make, while a name is typed, and in bytes.

Works on an installation that is loaded: `python -m bench.pages` with the settings of the service.
"""

import argparse
import asyncio
import os
import re
import statistics
import time
from collections.abc import Mapping
from typing import NamedTuple

import httpx
import msgspec
from msgspec import Struct

from bench.installation import Installation
from bench.service import running_service
from edgar_search.document.text import TextFields
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.web.pages.links import DEFAULTS
from edgar_search.web.pages.search_results import NAMES

QUERIES = ("revenue", "goodwill impairment", '"risk factors"', "net income per share", "cyber*")
# While a name is typed an answer is to be there within so many milliseconds.
TYPEAHEAD_BOUND = 30.0
_ENCODINGS = ("identity", "gzip")


class _Longest(Struct):
    fields: TextFields


class Known(NamedTuple):
    """A key, and the document with the longest text with its length in code points."""

    key: str
    longest: str
    length: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30, help="repetitions of each page")
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    known = asyncio.run(_find_known(settings))
    opened = msgspec.structs.replace(settings, pages="open", pages_rate=10_000)
    with running_service(opened) as service:
        with httpx.Client(base_url=service.url, timeout=120) as http:
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
        return Known(key, hit.fields.document_id[0], hit.fields.text_length[0])
    finally:
        await engine.close()


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
    held = "held" if p99 <= TYPEAHEAD_BOUND else "broken"
    print(
        f"typeahead, {len(took)} times: p50 {p50:.1f} ms, p99 {p99:.1f} ms;"
        f" the bound of {TYPEAHEAD_BOUND:.0f} ms is {held}"
    )


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
    """Milliseconds until the whole answer is there; with a key for what needs one."""
    headers = {"X-API-Key": key} if path.startswith("/v1/") else {}
    began = time.perf_counter()
    http.get(path, params=params, headers=headers).raise_for_status()
    return (time.perf_counter() - began) * 1_000


if __name__ == "__main__":
    main()
