"""Matches and text of the longest document of the corpus: their time at a client."""

import statistics
import time
from collections.abc import Mapping

import aiohttp
from msgspec import Struct

from bench.installation import Installation
from bench.service import RunningService
from edgar_search.engine.engine import Engine

MATCHES = ("company", "impairment", "the", '"of the company"', '"of the"~10', "compan*")
SLICE = 100_000
WARM_UP = 3


class _Fields(Struct):
    document_id: list[str]
    text_length: list[int]


class _Hit(Struct):
    fields: _Fields


async def measure_evidence(
    here: Installation, service: RunningService, key: str, rounds: int
) -> None:
    """Print the p50 of all matches of several queries, of a slice, and of a search beside them."""
    document = await longest(here.engine)
    name = document.document_id[0]
    print(f"the longest document, {name}: {document.text_length[0]} characters")
    asked: list[tuple[str, Mapping[str, str]]] = [("/v1/search", {"query": MATCHES[0]})]
    asked += (("/v1/matches", {"document_id": name, "query": query}) for query in MATCHES)
    asked.append(("/v1/text", {"document_id": name, "length": str(SLICE)}))
    async with aiohttp.ClientSession(headers={"X-API-Key": key}) as session:
        for path, params in asked:
            times = [
                await _time(session, service.url + path, params) for _ in range(rounds + WARM_UP)
            ]
            said = params.get("query", f"{SLICE} characters")
            print(f"  {path} {said}: {statistics.median(times[WARM_UP:]) * 1000:.1f} ms")


async def longest(engine: Engine) -> _Fields:
    """Return the document with the longest text."""
    body = {
        "size": 1,
        "sort": [{"text_length": "desc"}],
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id", "text_length"],
    }
    return (await engine.search("documents", body, _Hit)).hits.hits[0].fields


async def _time(session: aiohttp.ClientSession, url: str, params: Mapping[str, str]) -> float:
    began = time.perf_counter()
    async with session.get(url, params=params) as reply:
        assert reply.status == 200, await reply.text()
        await reply.read()
    return time.perf_counter() - began
