"""The time of each endpoint of Version 2 at one client, and memory while a document streams.

Works on an installation that is loaded: `python -m bench.v2` with the settings of the service.
"""

import argparse
import asyncio
import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import msgspec

from bench.installation import Installation
from bench.service import RunningService, running_service
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings

Fields = dict[str, Any]
Ask = Callable[[str, Fields], httpx.Response]
_SEED = 7
_LARGEST = 10_000
_WORDS = ("revenue", "merger agreement", "interest rate swap", "risk", "common stock")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200, help="calls of each endpoint")
    options = parser.parse_args()
    settings = embedded.resolve(Settings.from_environ(os.environ))
    key = asyncio.run(_key(settings))
    with running_service(settings) as service:
        with httpx.Client(base_url=f"{service.url}/v2", timeout=60) as http:

            def ask(path: str, fields: Fields) -> httpx.Response:
                reply = http.post(f"/{path}", json={"api_key": key, **fields})
                reply.raise_for_status()
                return reply

            _measure(ask, options.calls)
            _windows(ask, service, options.calls)
            _stream(http, service, key, _largest(ask))


async def _key(settings: Settings) -> str:
    engine = Engine.from_settings(settings)
    try:
        return await Installation(settings, engine).key()
    finally:
        await engine.close()


def _measure(ask: Ask, calls: int) -> None:
    filings = ask("filing_lookup", {"to": _LARGEST}).json()["filings"]
    entities = ask("entity_lookup", {"to": _LARGEST}).json()["entities"]
    chance = random.Random(_SEED)
    for name, fields in (_lookups(chance, entities) | _of_filings(chance, filings)).items():
        path = name.partition(",")[0]
        times = [_time(ask, path, fields()) for _ in range(calls)]
        print(f"{name}: p50 {_percentile(times, 50):.1f} ms, p99 {_percentile(times, 99):.1f} ms")


def _windows(ask: Ask, service: RunningService, calls: int) -> None:
    """Print what the largest windows take, and of it the worker's CPU."""
    for path in ("filing_lookup", "entity_lookup", "fulltext_search"):
        fields = {"to": _LARGEST} | ({"query": "company"} if path == "fulltext_search" else {})
        size = len(ask(path, fields).content)
        rounds = max(calls // 10, 3)
        before = sum(service.process.cpu_times()[:2])
        times = [_time(ask, path, fields) for _ in range(rounds)]
        cpu = (sum(service.process.cpu_times()[:2]) - before) / rounds * 1000
        print(f"{path}, up to {_LARGEST:,} rows, {size / 1e6:.1f} MB: ", end="")
        print(f"p50 {statistics.median(times):.1f} ms, CPU of the worker {cpu:.1f} ms")


def _lookups(chance: random.Random, entities: list[Fields]) -> dict[str, Callable[[], Fields]]:
    """Return requests by what they are, the endpoint first, with what makes their parameters."""

    def entity() -> Fields:
        return chance.choice(entities)

    def query() -> str:
        return chance.choice(_WORDS)

    return {
        "entity_lookup, by CIK": lambda: {"ciks": [entity()["cik"]]},
        "entity_lookup, by a part of a name": lambda: {
            "name_includes": [entity()["name"][:6].strip() or "a"]
        },
        "filing_lookup, of a company": lambda: {"ciks": [entity()["cik"]]},
        "filing_lookup, by state": lambda: {"states": ["DE"], "to": 100},
        "fulltext_search, 100 rows by date": lambda: {"query": query()},
        "fulltext_search, 20 rows by score": lambda: {
            "query": query(),
            "sort_by": "_score",
            "to": 20,
        },
        "health": dict,
    }


def _of_filings(chance: random.Random, filings: list[Fields]) -> dict[str, Callable[[], Fields]]:
    """Return the same for what is asked of filings and documents that are known."""

    def of(form: str) -> list[Fields]:
        return [filing for filing in filings if filing["form"] == form]

    def document(form: str = "") -> str:
        return str(chance.choice(of(form) if form else filings)["documents"][0]["id"])

    return {
        "filing_info": lambda: {"accession_number": chance.choice(filings)["accessionNumber"]},
        "document, raw": lambda: {"document_id": document()},
        "document, json": lambda: {"document_id": document(), "output_format": "json"},
        "8k_items, of 20 filings": lambda: {
            "accession_numbers": [f["accessionNumber"] for f in chance.sample(of("8-K"), 20)]
        },
        "filing_sections, of a 10-K": lambda: {"document_id": document("10-K")},
    }


def _time(ask: Ask, path: str, fields: Fields) -> float:
    """Return milliseconds until the whole answer is here."""
    began = time.perf_counter()
    ask(path, fields)
    return (time.perf_counter() - began) * 1000


def _percentile(times: Sequence[float], percent: int) -> float:
    return statistics.quantiles(times, n=100, method="inclusive")[percent - 1]


def _largest(ask: Ask) -> Fields:
    filings = ask("filing_lookup", {"to": _LARGEST}).json()["filings"]
    documents: list[Fields] = [each for filing in filings for each in filing["documents"]]
    return max(documents, key=lambda each: int(each["size"]))


def _stream(http: httpx.Client, service: RunningService, key: str, document: Fields) -> None:
    """Print how much the service grows while the document is read slowly."""
    fields = {"document_id": document["id"]}
    before = highest = service.rss()
    headers = {"X-API-Key": key}
    with http.stream("GET", "/document", params=fields, headers=headers) as reply:
        received = 0
        for chunk in reply.iter_raw(65_536):
            received += len(chunk)
            highest = max(highest, service.rss())
            time.sleep(0.002)
    assert received == document["size"], msgspec.json.encode(document)
    print(f"the largest document, {received / 1e6:.1f} MB, streamed: ", end="")
    print(f"the service grew by {(highest - before) / 1e6:.1f} MB from {before / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
