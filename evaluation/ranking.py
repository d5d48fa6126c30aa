"""The quality of `/v1/search` on the judged queries, with and without its parameters of matching.

    python -m evaluation.ranking [--each] [--keep FILE] [--against FILE]

It searches the installation that the settings name, which has the real corpus and its tickers:
`edgar-ingest load FOLDER/filings`, then `edgar-ingest tickers` with the files
`company_tickers.2026.json.gz` and `company_tickers_exchange.2026.json.gz` of `FOLDER/reference`.

`--keep` writes the nDCG of each query into a file; `--against` prints those that changed since one
was written.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from edgar_search.api.search import SEARCH
from edgar_search.engine.embedded import resolve
from edgar_search.settings import Settings
from evaluation.before_after import before_and_after, keep, read
from evaluation.installed import Installed, installed
from evaluation.judged_queries import (
    DEEP,
    FIRST,
    Figures,
    JudgedQuery,
    figures,
    judged_queries,
)

# Each is what it adds to a query's own parameters.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "exact": {},
    "word_forms=all": {"word_forms": "all"},
    "operands=most": {"operands": "most"},
    "both": {"word_forms": "all", "operands": "most"},
    "both, reading=person": {"word_forms": "all", "operands": "most", "reading": "person"},
    "related, operands=most": {"word_forms": "related", "operands": "most"},
    "and reading=person": {"word_forms": "related", "operands": "most", "reading": "person"},
}


class Means(NamedTuple):
    """The means of the figures, and the numbers of zeros and of unjudged first hits."""

    ndcg: float
    recall: float
    zeros: int
    unjudged: int

    def __str__(self) -> str:
        return f"{self.ndcg:8.3f}{self.recall:10.3f}{self.zeros:7}{self.unjudged:10}"


def supported_variants() -> dict[str, Mapping[str, str]]:
    """Return the variants whose parameters the endpoint declares."""
    declared = {name for parameter in SEARCH.parameters for name in parameter.all_spellings}
    return {name: added for name, added in VARIANTS.items() if declared >= added.keys()}


def search_parameters(query: JudgedQuery, added: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of the search for a judged query."""
    return {"query": query.query, **query.parameters, "limit": str(DEEP), **added}


def means(measured: Sequence[Figures]) -> Means:
    """The means over all queries."""
    return Means(
        ndcg=mean(each.ndcg for each in measured),
        recall=mean(each.recall for each in measured),
        zeros=sum(each.zero for each in measured),
        unjudged=sum(each.unjudged for each in measured),
    )


async def measure(
    installation: Installed, queries: Sequence[JudgedQuery], added: Mapping[str, str]
) -> list[Figures]:
    """Return the figures of each query in one variant."""
    measured = []
    for query in queries:
        page = await installation.search(search_parameters(query, added))
        measured.append(figures(query, [hit.document_id for hit in page.hits]))
    return measured


async def _print(settings: Settings, each: bool, kept: Path | None, against: Path | None) -> None:
    before = read(against) if against else None
    queries = judged_queries()
    judgements = sum(len(query.judgements) for query in queries)
    print(f"{len(queries)} queries, {judgements} judgements")
    async with installed(settings) as installation:
        variants = {
            name: await measure(installation, queries, added)
            for name, added in supported_variants().items()
        }
    print(f"{'':26} nDCG@{FIRST} recall@{DEEP}  zeros  unjudged")
    for name, measured in variants.items():
        print(f"{name:26}{means(measured)}")
    if each:
        _print_each(queries, variants)
    figures_now = {
        f"{name}, nDCG@{FIRST}": {
            query.id: one.ndcg for query, one in zip(queries, measured, strict=True)
        }
        for name, measured in variants.items()
    }
    if before is not None:
        print(f"\n{before_and_after(before, figures_now)}")
    if kept:
        keep(kept, figures_now)


def _print_each(queries: Sequence[JudgedQuery], variants: Mapping[str, Sequence[Figures]]) -> None:
    print(f"\nnDCG@{FIRST} / recall@{DEEP}" + "".join(f"{name:>18}" for name in variants))
    for place, query in enumerate(queries):
        rows = (measured[place] for measured in variants.values())
        shown = "".join(f"{row.ndcg:11.2f} / {row.recall:.2f}" for row in rows)
        print(f"{query.id:26}{shown}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="the figures of each query too")
    parser.add_argument("--keep", type=Path, help="a file for the figures of each query")
    parser.add_argument("--against", type=Path, help="such a file, of before")
    options = parser.parse_args()
    settings = resolve(Settings.from_environ(os.environ))
    asyncio.run(_print(settings, options.each, options.keep, options.against))


if __name__ == "__main__":
    main()
