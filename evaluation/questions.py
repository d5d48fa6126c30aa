"""The quality of answers to people's questions, beside plain BM25.

    python -m evaluation.questions [--held-out] [--pages] [--each] [--keep FILE] [--against FILE]

Half of the questions are held out: nobody looks at them while the service is tuned. Without
`--held-out` the others are measured. With `--pages` only the service as pages ask is. The
installation is that of `python -m evaluation.ranking`; plain BM25 is left out without tantivy,
which the extra `bench` has. `--keep` writes the figures of each question into a file, `--against`
prints those that changed since one was written.

Evidence is looked for in the first, in three and in five snippets of the right document, for plain
BM25 in its best passages, which are five times as long. The time is that of a search that was not
asked before, with the snippets of its twenty hits.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import NamedTuple, Protocol

from edgar_search.engine.embedded import resolve
from edgar_search.errors import BadRequest
from edgar_search.settings import Settings
from evaluation.before_after import Kept, before_and_after, keep, read
from evaluation.evidence import (
    FEW,
    KINDS,
    SHOWN,
    EvidenceFigures,
    EvidenceQuestion,
    evidence_figures,
    evidence_questions,
    shares,
)
from evaluation.installed import Installed, installed
from evaluation.judged_queries import (
    DEEP,
    FIRST,
    QUESTIONS,
    Figures,
    JudgedQuery,
    figures,
    judged_queries,
)
from evaluation.plain_bm25 import PlainBM25
from evaluation.ranking import means

_FORGIVING = {"word_forms": "all", "operands": "most"}
_PERSON: Mapping[str, str] = _FORGIVING | {"reading": "person"}
# The parameters with which pages ask.
PAGES: Mapping[str, str] = {**_PERSON, "word_forms": "related"}
# Each is what it adds to the question.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "word_forms=all": {"word_forms": "all"},
    "and operands=most": _FORGIVING,
    "and reading=person": _PERSON,
    "and related words": PAGES,
}


class System(Protocol):
    """A search to be measured."""

    async def documents(self, question: str) -> list[str]:
        """Return the ids of the best documents."""

    async def shown(self, question: str, document_id: str, most: int) -> list[str]:
        """Return the texts that are shown of a document if `most` are requested."""


class Service(NamedTuple):
    """The service with some parameters."""

    installation: Installed
    added: Mapping[str, str]

    async def documents(self, question: str) -> list[str]:
        """Return the hits; none if the question is refused."""
        try:
            page = await self.installation.search(
                {"query": question, "limit": str(DEEP), **self.added}
            )
        except BadRequest:
            return []
        return [hit.document_id for hit in page.hits]

    async def shown(self, question: str, document_id: str, most: int) -> list[str]:
        """Return the snippets; none if the question does not find the document."""
        only = {"ids": document_id, "limit": "1", "snippets": str(most)}
        try:
            page = await self.installation.search({"query": question, **only, **self.added})
        except BadRequest:
            return []
        return [shown.html for each in page.found for shown in each.placed]


class Plain(NamedTuple):
    """Plain BM25 over documents, or over passages."""

    texts: PlainBM25
    by_passages: bool

    async def documents(self, question: str) -> list[str]:
        """Return the best documents."""
        find = self.texts.documents_by_passages if self.by_passages else self.texts.documents
        return find(question, DEEP)

    async def shown(self, question: str, document_id: str, most: int) -> list[str]:
        """Return the best passages."""
        return self.texts.passages_of(question, document_id, most)


class Measured(NamedTuple):
    """The figures of a system, for each question in order, and the seconds of each search."""

    judged: Sequence[Figures]
    evidence: Sequence[Sequence[EvidenceFigures]]
    seconds: Sequence[float]

    def __str__(self) -> str:
        judged = means(self.judged)
        cuts = quantiles(self.seconds, n=20)
        evidence = " |".join(str(shares(kind)) for kind in self.evidence)
        return (
            f"{judged.ndcg:8.3f}{judged.recall:7.3f}{judged.unjudged:6} |{evidence}"
            f" |{1_000 * cuts[9]:6.0f}{1_000 * cuts[18]:6.0f}"
        )


class Asked(NamedTuple):
    """The questions to measure by: judged ones, and each of KINDS with evidence."""

    judged: Sequence[JudgedQuery]
    sought: Sequence[Sequence[EvidenceQuestion]]

    @classmethod
    def of(cls, held_out: bool) -> "Asked":
        """Return the questions held out, or the others."""
        return cls(
            [query for query in judged_queries(QUESTIONS) if query.held_out == held_out],
            [[e for e in evidence_questions(kind) if e.held_out == held_out] for kind in KINDS],
        )


async def measure(system: System, asked: Asked) -> Measured:
    """Return the figures of a system."""
    seconds: list[float] = []

    async def documents(question: str) -> list[str]:
        start = perf_counter()
        found = await system.documents(question)
        seconds.append(perf_counter() - start)
        return found

    async def evidence(each: EvidenceQuestion) -> EvidenceFigures:
        found = await documents(each.query)
        few, shown = [await system.shown(each.query, each.document_id, n) for n in (FEW, SHOWN)]
        return evidence_figures(each, found, few, shown)

    return Measured(
        [figures(each, await documents(each.query)) for each in asked.judged],
        [[await evidence(each) for each in kind] for kind in asked.sought],
        seconds,
    )


async def _systems(installation: Installed, *, pages: bool) -> dict[str, System]:
    found: dict[str, System] = {
        name: Service(installation, added)
        for name, added in VARIANTS.items()
        if added is PAGES or not pages
    }
    if find_spec("tantivy") and not pages:
        plain = PlainBM25()
        await plain.fill(installation.service.engine)
        found |= {"BM25 of documents": Plain(plain, False), "BM25 of passages": Plain(plain, True)}
    return found


async def _print(
    settings: Settings,
    held_out: bool,
    pages: bool,
    each: bool,
    kept: Path | None,
    against: Path | None,
) -> None:
    before = read(against) if against else None
    asked = Asked.of(held_out)
    judgements = sum(len(query.judgements) for query in asked.judged)
    print(
        f"{'held out' if held_out else 'to tune by'}: {len(asked.judged)} questions with"
        f" {judgements} judgements, and with a report "
        + ", ".join(
            f"{len(found)} {path.stem}" for path, found in zip(KINDS, asked.sought, strict=True)
        )
    )
    evidence = f"  first  in {FIRST} snip.1 snip.{FEW} snip.{SHOWN} zeros |" * len(KINDS)
    print(f"{'':20} nDCG@{FIRST} r@{DEEP} unjud |{evidence}   p50   p95 ms")
    measured = {}
    async with installed(settings) as installation:
        for name, system in (await _systems(installation, pages=pages)).items():
            measured[name] = await measure(system, asked)
            print(f"{name:20}{measured[name]}")
    if each:
        _print_each(asked, list(measured.values()))
    figures_now = _to_keep(asked, measured)
    if before is not None:
        print(f"\n{before_and_after(before, figures_now)}")
    if kept:
        keep(kept, figures_now)


def _to_keep(asked: Asked, measured: Mapping[str, Measured]) -> Kept:
    kept = {}
    for name, each in measured.items():
        found = zip(asked.judged, each.judged, strict=True)
        kept[f"{name}, nDCG@{FIRST}"] = {query.id: one.ndcg for query, one in found}
        for figure in ("first", "in_ten", "shown_first", "shown_few", "shown"):
            kept[f"{name}, {figure.replace('_', ' ')}"] = {
                question.id: float(value)
                for question, one in _with_evidence(asked, each)
                if (value := getattr(one, figure)) is not None
            }
    return kept


def _with_evidence(
    asked: Asked, measured: Measured
) -> list[tuple[EvidenceQuestion, EvidenceFigures]]:
    return list(zip(chain(*asked.sought), chain(*measured.evidence), strict=True))


def _print_each(asked: Asked, measured: Sequence[Measured]) -> None:
    print("\nnDCG of each system")
    for place, query in enumerate(asked.judged):
        shown = "".join(f"{each.judged[place].ndcg:6.2f}" for each in measured)
        print(f"{query.id:34}{shown}")
    print("\nfirst, in ten, evidence in one snippet, three and five of each system")
    for rows in zip(*(_with_evidence(asked, each) for each in measured), strict=True):
        shown = "".join(
            f"  {one.first:d}{one.in_ten:d}"
            + "".join(f"{each or 0:d}" for each in (one.shown_first, one.shown_few, one.shown))
            for _, one in rows
        )
        print(f"{rows[0][0].id:34}{shown}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="the questions held out")
    parser.add_argument("--pages", action="store_true", help="only the service as pages ask")
    parser.add_argument("--each", action="store_true", help="the figures of each question too")
    parser.add_argument("--keep", type=Path, help="a file for the figures of each question")
    parser.add_argument("--against", type=Path, help="such a file, of before")
    options = parser.parse_args()
    settings = resolve(Settings.from_environ(os.environ))
    work = _print(
        settings, options.held_out, options.pages, options.each, options.keep, options.against
    )
    asyncio.run(work)


if __name__ == "__main__":
    main()
