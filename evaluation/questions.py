"""The quality of answers to people's questions, beside plain BM25.

    python -m evaluation.questions [--held-out] [--each] [--keep FILE] [--against FILE]

Half of the questions are held out: nobody looks at them while the service is tuned. Without
`--held-out` the others are measured. The installation is that of `python -m evaluation.ranking`;
plain BM25 is left out without tantivy, which the extra `bench` has. `--keep` writes the figures of
each question into a file, `--against` prints those that changed since one was written.

Evidence is looked for among five snippets of the right document, for plain BM25 among its five
best passages, which are six times as long.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol

from edgar_search.engine.embedded import resolve
from edgar_search.errors import BadRequest
from edgar_search.settings import Settings
from evaluation.before_after import Kept, before_and_after, keep, read
from evaluation.evidence import (
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
        """The ids of the best documents."""

    async def shown(self, question: str, document_id: str) -> list[str]:
        """The texts that are shown of a document."""


class Service(NamedTuple):
    """The service with some parameters."""

    installation: Installed
    added: Mapping[str, str]

    async def documents(self, question: str) -> list[str]:
        """The hits; none if the question is refused."""
        try:
            page = await self.installation.search(
                {"query": question, "limit": str(DEEP), **self.added}
            )
        except BadRequest:
            return []
        return [hit.document_id for hit in page.hits]

    async def shown(self, question: str, document_id: str) -> list[str]:
        """The snippets; none if the question does not find the document."""
        only = {"ids": document_id, "limit": "1", "snippets": str(SHOWN)}
        try:
            page = await self.installation.search({"query": question, **only, **self.added})
        except BadRequest:
            return []
        return [shown.html for placed in page.placed for shown in placed]


class Plain(NamedTuple):
    """Plain BM25 over documents, or over passages."""

    texts: PlainBM25
    by_passages: bool

    async def documents(self, question: str) -> list[str]:
        """The best documents."""
        find = self.texts.documents_by_passages if self.by_passages else self.texts.documents
        return find(question, DEEP)

    async def shown(self, question: str, document_id: str) -> list[str]:
        """The best passages."""
        return self.texts.passages_of(question, document_id, SHOWN)


class Measured(NamedTuple):
    """The figures of a system, for each question in order."""

    judged: Sequence[Figures]
    evidence: Sequence[EvidenceFigures]

    def __str__(self) -> str:
        judged = means(self.judged)
        first, in_ten, shown, zeros = shares(self.evidence)
        return (
            f"{judged.ndcg:8.3f}{judged.recall:10.3f}{judged.zeros:6}{judged.unjudged:9}"
            f"{first:10.2f}{in_ten:7.2f}{shown:9.2f}{zeros:6}"
        )


async def measure(
    system: System, judged: Sequence[JudgedQuery], sought: Sequence[EvidenceQuestion]
) -> Measured:
    """The figures of a system."""
    return Measured(
        [figures(each, await system.documents(each.query)) for each in judged],
        [
            evidence_figures(
                each,
                await system.documents(each.query),
                await system.shown(each.query, each.document_id),
            )
            for each in sought
        ],
    )


async def _systems(installation: Installed) -> dict[str, System]:
    found: dict[str, System] = {
        name: Service(installation, added) for name, added in VARIANTS.items()
    }
    if find_spec("tantivy"):
        plain = PlainBM25()
        await plain.fill(installation.service.engine)
        found |= {"BM25 of documents": Plain(plain, False), "BM25 of passages": Plain(plain, True)}
    return found


async def _print(
    settings: Settings, held_out: bool, each: bool, kept: Path | None, against: Path | None
) -> None:
    before = read(against) if against else None
    judged = [query for query in judged_queries(QUESTIONS) if query.held_out == held_out]
    sought = [question for question in evidence_questions() if question.held_out == held_out]
    judgements = sum(len(query.judgements) for query in judged)
    print(
        f"{len(judged)} questions with {judgements} judgements, {len(sought)} with evidence,"
        f" {'held out' if held_out else 'to tune by'}"
    )
    print(f"{'':20} nDCG@{FIRST} recall@{DEEP} zeros unjudged     first in {FIRST} evidence zeros")
    measured = {}
    async with installed(settings) as installation:
        for name, system in (await _systems(installation)).items():
            measured[name] = await measure(system, judged, sought)
            print(f"{name:20}{measured[name]}")
    if each:
        _print_each(judged, sought, list(measured.values()))
    figures_now = _to_keep(judged, sought, measured)
    if before is not None:
        print(f"\n{before_and_after(before, figures_now)}")
    if kept:
        keep(kept, figures_now)


def _to_keep(
    judged: Sequence[JudgedQuery],
    sought: Sequence[EvidenceQuestion],
    measured: Mapping[str, Measured],
) -> Kept:
    ids = [query.id for query in judged]
    others = [question.id for question in sought]
    kept = {}
    for name, each in measured.items():
        ndcg = (one.ndcg for one in each.judged)
        kept[f"{name}, nDCG@{FIRST}"] = dict(zip(ids, ndcg, strict=True))
        for figure in ("first", "in_ten", "shown"):
            values = (float(getattr(one, figure)) for one in each.evidence)
            label = f"{name}, {figure.replace('_', ' ')}"
            kept[label] = dict(zip(others, values, strict=True))
    return kept


def _print_each(
    judged: Sequence[JudgedQuery],
    sought: Sequence[EvidenceQuestion],
    measured: Sequence[Measured],
) -> None:
    print("\nnDCG of each system")
    for place, query in enumerate(judged):
        shown = "".join(f"{each.judged[place].ndcg:6.2f}" for each in measured)
        print(f"{query.id:34}{shown}")
    print("\nfirst, in ten, evidence of each system")
    for place, question in enumerate(sought):
        rows = (each.evidence[place] for each in measured)
        shown = "".join(f"  {row.first:d}{row.in_ten:d}{row.shown:d}" for row in rows)
        print(f"{question.id:34}{shown}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="the questions held out")
    parser.add_argument("--each", action="store_true", help="the figures of each question too")
    parser.add_argument("--keep", type=Path, help="a file for the figures of each question")
    parser.add_argument("--against", type=Path, help="such a file, of before")
    options = parser.parse_args()
    settings = resolve(Settings.from_environ(os.environ))
    work = _print(settings, options.held_out, options.each, options.keep, options.against)
    asyncio.run(work)


if __name__ == "__main__":
    main()
