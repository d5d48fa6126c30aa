"""The cost of phrases of the most common words, beside other indices and questions.

`python -m bench.stop_phrases [--copies N] [--rounds N]` indexes the texts of the corpus once for
each way to index them, N times over under other ids, and prints bytes on disk (merged to one
segment), the CPU seconds that indexing took Elasticsearch, and how long a page of each phrase
takes: at first, and the sixth time, when Elasticsearch may have kept what a filter matches. Totals
are compared before times count.
"""

import argparse
import asyncio
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any, NamedTuple

from msgspec import structs

from bench.corpus import CORPUS, Extracted, copied_id, extract
from bench.installation import Installation, engine_cpu, installed
from bench.markdown import table
from edgar_search.engine import embedded
from edgar_search.engine.bulk_lines import bodies, index
from edgar_search.engine.templates import load_templates
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Window
from edgar_search.search.language.parser import parse_query
from edgar_search.search.query.body import document_query, page_body
from edgar_search.search.query.matching import Clause, document_clause
from edgar_search.settings import Settings
from ingest.loading.bulk import BODY_BYTES

PHRASES = (
    '"of the company"',
    '"of the"',
    '"in the"',
    '"the company and the"',
    '"for the year"',
    '"end of the year"',
    '"in the united states of america"',
    '"end of the year"~5',
)
_MOST_SECONDS = 600
# Elasticsearch counts bytes on disk every ten seconds.
_BYTES_COUNTED = 11


class Variant(NamedTuple):
    """A way to index texts; its mapping and settings beside those of documents."""

    name: str
    mapping: dict[str, Any] = {}
    settings: dict[str, Any] = {}


VARIANTS = (
    Variant("as it is"),
    Variant("`index_phrases`", {"index_phrases": True}),
    Variant("sorted by date", {}, {"sort.field": "filing_date", "sort.order": "desc"}),
)


class Way(NamedTuple):
    """An index of the texts, and whether phrases score by themselves or as the service does it."""

    name: str
    variant: int
    by_itself: bool

    def query(self, phrase: str) -> Clause:
        node = parse_query(phrase)
        return document_query(
            DocumentCriteria(node), [], document_clause(node) if self.by_itself else None
        )


WAYS = (
    Way("by itself", 0, True),
    Way("by its other words", 0, False),
    *(
        Way(f"{each.name}, by itself", number, True)
        for number, each in enumerate(VARIANTS)
        if number
    ),
)


class Built(NamedTuple):
    """The cost of an index: CPU seconds of Elasticsearch, and bytes."""

    cpu: float
    size: int


class Bench:
    """Indices of the texts, one for each variant."""

    def __init__(self, at: Installation, prefix: str) -> None:
        self._ask = at.engine.administer
        self._at = at
        self._names = [f"{prefix}variant-{number}" for number in range(len(VARIANTS))]

    async def build(self, number: int, texts: Iterable[Extracted]) -> Built:
        """Index all texts, and merge them to one segment."""
        name = self._names[number]
        await self._at.engine.create_index(f"{name}-index", index_body(VARIANTS[number], name))
        before = await engine_cpu(self._at.engine)
        for lines in bodies((index(name, text.document_id, text) for text in texts), BODY_BYTES):
            assert not any(item.error for item in await self._at.engine.bulk_items(lines))
        taken = await engine_cpu(self._at.engine) - before
        await self._ask("POST", f"/{name}/_forcemerge?max_num_segments=1&wait_for_completion=false")
        for _ in range(_MOST_SECONDS):
            stats = await self._stats(name)
            if stats["segments"]["count"] == 1 and not stats["merges"]["current"]:
                break
            await asyncio.sleep(1)
        await self._ask("POST", f"/{name}/_flush?force=true")
        await self._ask("POST", f"/{name}/_refresh")
        await asyncio.sleep(_BYTES_COUNTED)
        return Built(taken, (await self._stats(name))["store"]["size_in_bytes"])

    async def times(self, way: Way, phrase: str) -> tuple[int, float, float]:
        """Return the total, and milliseconds of a page at first and the sixth time."""
        name = self._names[way.variant]
        await self._ask("POST", f"/{name}/_cache/clear")
        search = DocumentSearch(DocumentCriteria(parse_query(phrase)), Window(0, 20))
        body = page_body(way.query(phrase), search, ["document_id"])
        taken = []
        for _ in range(6):
            began = time.perf_counter()
            reply = await self._ask("POST", f"/{name}/_search?request_cache=false", body)
            taken.append(1000 * (time.perf_counter() - began))
        return reply["hits"]["total"]["value"], taken[0], taken[-1]

    async def _stats(self, name: str) -> Any:
        return (await self._ask("GET", f"/{name}/_stats"))["_all"]["primaries"]


def index_body(variant: Variant, alias: str) -> dict[str, Any]:
    """An index with the analysis of documents, and what of their mapping a page needs."""
    templates = load_templates("")
    text = {"type": "text", "analyzer": "filing_text", **variant.mapping}
    fields = {"document_id": {"type": "keyword"}, "filing_date": {"type": "date"}, "text": text}
    settings = {
        "number_of_shards": 1,
        "number_of_replicas": 0,
        "refresh_interval": "30s",
        "analysis": templates["shared"]["template"]["settings"]["analysis"],
        **variant.settings,
    }
    source = {"excludes": ["text"]}
    mappings = {"dynamic": False, "_source": source, "properties": fields}
    return {"aliases": {alias: {}}, "settings": settings, "mappings": mappings}


def _copies(texts: Sequence[Extracted], count: int) -> Iterable[Extracted]:
    for number in range(count):
        for text in texts:
            yield structs.replace(text, document_id=copied_id(text.document_id, number))


async def _run(copies: int, rounds: int, corpus: Path) -> None:
    texts = extract(corpus)
    found = embedded.resolve(Settings.from_environ(os.environ))
    settings = structs.replace(found, prefix="bench-phrases-")
    async with installed(settings, baseline=False) as at:
        bench = Bench(at, settings.prefix)
        built = [await bench.build(n, _copies(texts, copies)) for n in range(len(VARIANTS))]
        times: dict[tuple[Way, str], list[tuple[float, float]]] = {}
        for _ in range(rounds):
            for phrase in PHRASES:
                totals = set()
                for way in WAYS:
                    total, *taken = await bench.times(way, phrase)
                    totals.add(total)
                    times.setdefault((way, phrase), []).append((taken[0], taken[1]))
                assert len(totals) == 1, f"{phrase}: {totals}"
    print(f"{len(texts) * copies:,} documents, {rounds} rounds")
    print("milliseconds at first and the sixth time\n")
    print(_table(built, times))


def _table(built: Sequence[Built], times: dict[tuple[Way, str], list[tuple[float, float]]]) -> str:
    def middle(way: Way, phrase: str, place: int) -> float:
        return median(each[place] for each in times[way, phrase])

    def ratio(way: Way, place: int) -> float:
        return geometric_mean([middle(way, p, place) / middle(WAYS[0], p, place) for p in PHRASES])

    rows = [
        [f"`{p}`", *(f"{middle(way, p, 0):.1f} / {middle(way, p, 1):.1f}" for way in WAYS)]
        for p in PHRASES
    ]
    means = [f"{ratio(way, 0):.2f}x / {ratio(way, 1):.2f}x" for way in WAYS]
    cpu = [f"{built[way.variant].cpu / built[0].cpu:.2f}x" for way in WAYS]
    sizes = [f"{built[way.variant].size / built[0].size:.2f}x" for way in WAYS]
    rows += [["geometric mean", *means], ["CPU of indexing", *cpu], ["bytes", *sizes]]
    return table(["", *(way.name for way in WAYS)], rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    options = parser.parse_args()
    asyncio.run(_run(options.copies, options.rounds, options.corpus))


if __name__ == "__main__":
    main()
