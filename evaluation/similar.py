"""The share of passages found for 44 clauses that are the same kind of clause.

    python -m evaluation.similar [--each]

`evaluation/judged_clauses.json` has a clause of an exhibit or report for each kind, by its place,
and the telling words of its kind, which were widened by reading what all ways below had found.
A passage of another filing that has them is right. Of every second kind nothing was looked at
when the numbers of words and runs were chosen: these are held out. The telling words of 14 `fresh`
kinds were written before any way was run on them, and nothing was changed after it; their clauses
were drawn by chance from the paragraphs of exhibits that begin with them.

It reads the installation that the settings name, into which the filings of `shared/edgar` must be
loaded, as `python -m evaluation.ranking` does.
"""

import argparse
import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Struct, field

from edgar_search.document.similar import (
    SimilarSearch,
    Wording,
    find_similar,
    similar_body,
    weigh_words,
    wording_clause,
)
from edgar_search.document.text import Passages, document_text
from edgar_search.edgar.identifiers import accession_of
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.settings import Settings
from edgar_search.stored.filings import StoredPassage

JUDGED = Path(__file__).parent / "judged_clauses.json"
# Filings that are looked at for each clause.
_SHOWN = 10


class JudgedClause(Struct, frozen=True):
    """A clause by its place; `filings` is the number of other filings that have its kind."""

    name: str
    part: Literal["tuned", "held out", "fresh"]
    document_id: str
    start: int
    length: int
    telling: str
    filings: int

    def is_right(self, text: str) -> bool:
        """Return True if a text has the telling words of this kind, whatever is between them."""
        return re.search(self.telling.replace(" ", r"\s+"), text, re.I | re.S) is not None


class Found(NamedTuple):
    """A passage as judging needs it."""

    accession_number: str
    text: str


# Finds passages for the text of a clause of a document, the best first.
Way = Callable[[JudgedClause, str], Awaitable[Sequence[Found]]]


class _Hit(Struct):
    source: StoredPassage = field(name="_source")


def judged_clauses() -> list[JudgedClause]:
    """Return the judged clauses."""
    return msgspec.json.decode(JUDGED.read_bytes(), type=list[JudgedClause])


def rights(clause: JudgedClause, found: Sequence[Found]) -> list[bool]:
    """Return the judgement of the first passage of each other filing, of the best ten filings."""
    seen = {accession_of(clause.document_id)}
    judged = []
    for each in found:
        if each.accession_number not in seen:
            seen.add(each.accession_number)
            judged.append(clause.is_right(each.text))
    return judged[:_SHOWN]


def precision(clause: JudgedClause, judged: Sequence[bool]) -> float:
    """Return the share of the best ten filings that are right, or of all that can be."""
    return sum(judged) / min(_SHOWN, clause.filings)


def ways(context: SearchContext) -> dict[str, Way]:
    """Return the ways to find, with what is served last."""
    engine = context.engine

    def asking(clause_of: Callable[[str, Wording], dict[str, Any]]) -> Way:
        async def find(clause: JudgedClause, text: str) -> list[Found]:
            query = clause_of(text, await weigh_words(engine, text))
            body = similar_body(query, clause.document_id)
            hits = (await engine.search("passages", body, _Hit)).hits.hits
            return [Found(accession_of(hit.source.document_id), hit.source.text) for hit in hits]

        return find

    async def served(clause: JudgedClause, text: str) -> list[Found]:
        search = SimilarSearch(text, _ANYTHING, 2 * _SHOWN, clause.document_id)
        found = (await find_similar(context, search)).passages
        return [Found(accession_of(each.hit.document_id), each.text) for each in found]

    return {
        "more_like_this, 25 words": asking(lambda text, _: _more_like(text, 25, "30%")),
        "more_like_this, 100 words": asking(lambda text, _: _more_like(text, 100, "15%")),
        "rarer words alone": asking(lambda _, wording: wording_clause(wording._replace(runs=[]))),
        "runs alone": asking(lambda _, wording: wording_clause(wording._replace(weights={}))),
        "words and runs": asking(lambda _, wording: wording_clause(wording)),
        "served, the part alone": served,
    }


_ANYTHING = DocumentCriteria(None, all_documents=True)


def _more_like(text: str, words: int, least: str) -> dict[str, Any]:
    return {
        "more_like_this": {
            "fields": ["text"],
            "like": text,
            "min_term_freq": 1,
            "min_doc_freq": 2,
            "max_query_terms": words,
            "minimum_should_match": least,
        }
    }


async def _text_of(engine: Engine, clause: JudgedClause) -> str:
    passages = Passages(engine, await document_text(engine, clause.document_id))
    return await passages.piece(clause.start, clause.start + clause.length)


async def _print(settings: Settings, *, each: bool) -> None:
    engine = Engine.from_settings(settings)
    try:
        clauses = judged_clauses()
        texts = [await _text_of(engine, clause) for clause in clauses]
        for name, way in ways(SearchContext.from_settings(engine, settings)).items():
            judged = [
                rights(clause, await way(clause, text))
                for clause, text in zip(clauses, texts, strict=True)
            ]
            line = [f"{name:26}"]
            for part in get_args(JudgedClause.__annotations__["part"]):
                rows = [
                    (precision(clause, found), float(found[:1] == [True]))
                    for clause, found in zip(clauses, judged, strict=True)
                    if clause.part == part
                ]
                best_ten, first = (sum(column) / len(rows) for column in zip(*rows, strict=True))
                line.append(f"{part}: best ten {best_ten:.3f}, first {first:.3f}")
            print("  ".join(line))
            for clause, found in zip(clauses, judged, strict=True) if each else ():
                print(f"    {clause.name:22} {''.join('x' if right else '.' for right in found)}")
    finally:
        await engine.close()


def main() -> None:
    """Print the figures of each way, of each part of the clauses."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", action="store_true", help="the judgements of each clause")
    options = parser.parse_args()
    asyncio.run(_print(resolve(Settings.from_environ(os.environ)), each=options.each))


if __name__ == "__main__":
    main()
