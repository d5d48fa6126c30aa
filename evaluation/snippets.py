"""Snippets that people have judged, counted, and as the service cuts them now.

    python -m evaluation.snippets [--fresh | --useless [--seed SEED]]

With `--fresh` they are a hundred that were drawn by a seed from the first ten hits of people's
questions, as pages ask; one of each of these, in order.

Readable is a snippet by which one decides whether the document answers the query; by a poor one
one decides with effort or by half, by a useless one not at all. They were read as version 1 cut
them at first, and again later; a snippet whose text has changed since is marked, so that a reader
can judge once more.

With `--useless` they are a hundred of the first five hits of questions of all kinds, half of them
held out, and it prints the share of those that show only a form's boilerplate, an address, a
signature, a list of contents or heads without rows, though their document has better. Those of the
seeds 50 and 61 are judged.

It searches the installation that the settings name, as `python -m evaluation.ranking` does.
"""

import argparse
import asyncio
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from random import Random
from typing import Literal

import msgspec
from msgspec import Struct

from edgar_search.engine.embedded import resolve
from edgar_search.settings import Settings
from evaluation.evidence import KINDS, EvidenceQuestion, evidence_questions
from evaluation.installed import Installed, installed
from evaluation.judged_queries import QUESTIONS, JudgedQuery, judged_queries
from evaluation.questions import PAGES

JUDGED = Path(__file__).parent / "judged_snippets.json"
FRESH = Path(__file__).parent / "judged_fresh_snippets.json"
USELESS = Path(__file__).parent / "judged_useless_snippets.json"
SEED, DRAWN = 30, 100
_SEED_OF_USELESS, _FIRST_HITS = 50, 5
_SPACE = re.compile(r"\s+")


Judgement = Literal["readable", "poor", "useless"]


class JudgedSnippet(Struct, frozen=True, forbid_unknown_fields=True):
    """A snippet of a hit of a judged query; `digest` is of its text, which is not kept here.

    `reason` is of the first judgement; `again` is the second, and `again_digest` of what it judges.
    """

    query: str
    document_id: str
    judgement: Judgement
    reason: str
    digest: str
    again: Judgement
    again_digest: str


class FreshSnippet(Struct, frozen=True, forbid_unknown_fields=True):
    """A drawn snippet of a question, as `JudgedSnippet`; judged once."""

    question: str
    document_id: str
    judgement: Judgement
    reason: str
    digest: str


class UselessSnippet(Struct, frozen=True, forbid_unknown_fields=True):
    """A drawn snippet of a question, and its fault; "" if it has none, or its document nothing."""

    question: str
    document_id: str
    fault: str
    digest: str


def useless_snippets() -> list[UselessSnippet]:
    """Return all that were drawn and judged, before and after changes of snippets."""
    return msgspec.json.decode(USELESS.read_bytes(), type=list[UselessSnippet])


def fresh_snippets() -> list[FreshSnippet]:
    """Return all that were drawn and judged."""
    return msgspec.json.decode(FRESH.read_bytes(), type=list[FreshSnippet])


def judged_snippets() -> list[JudgedSnippet]:
    """Return all of them."""
    return msgspec.json.decode(JUDGED.read_bytes(), type=list[JudgedSnippet])


def digest(snippet: str) -> str:
    """Return a digest that tells texts apart."""
    return sha256(snippet.encode()).hexdigest()[:12]


async def snippet_now(installation: Installed, query: JudgedQuery, document_id: str) -> str:
    """Return the snippet of this document; empty where the query does not find it."""
    parameters = {"query": query.query, **query.parameters, "ids": document_id}
    page = await installation.search(parameters)
    return "".join(each.snippet for each in page.found)


def _count(judgements: Iterable[Judgement]) -> str:
    counts = Counter(judgements)
    return ", ".join(f"{count} {judgement}" for judgement, count in counts.most_common())


async def _print(settings: Settings, judged: Sequence[JudgedSnippet]) -> None:
    queries = {query.id: query for query in judged_queries()}
    print(f"at first: {_count(each.judgement for each in judged)}")
    print(f"again: {_count(each.again for each in judged)}")
    async with installed(settings) as installation:
        for each in judged:
            query = queries[each.query]
            snippet = await snippet_now(installation, query, each.document_id)
            changed = "" if digest(snippet) == each.again_digest else " (changed since)"
            print(f"\n[{query.query}] {each.document_id}{changed}")
            print(f"{each.judgement}: {each.reason}; again {each.again}")
            print(_SPACE.sub(" ", snippet))


async def _print_fresh(settings: Settings, judged: Sequence[FreshSnippet]) -> None:
    print(f"drawn by seed {SEED}: {_count(each.judgement for each in judged)}")
    asked = {each.id: each.query for each in judged_queries(QUESTIONS)}
    asked |= {question.id: question.query for question in evidence_questions()}
    questions = sorted(asked.items())
    by_digest = {each.digest: each for each in judged}
    random = Random(SEED)
    async with installed(settings) as installation:
        for number in range(DRAWN):
            _, query = questions[number]
            page = await installation.search({"query": query, "limit": "10", **PAGES})
            drawn = page.found[random.randrange(len(page.found))]
            found = by_digest.get(digest(drawn.snippet))
            said = f"{found.judgement}: {found.reason}" if found else "not judged"
            print(f"\n[{query}] {drawn.hit.document_id}\n{said}")
            print(_SPACE.sub(" ", drawn.snippet))


async def _print_useless(settings: Settings, judged: Sequence[UselessSnippet], seed: int) -> None:
    asked: list[JudgedQuery | EvidenceQuestion]
    asked = [*judged_queries(QUESTIONS), *chain.from_iterable(map(evidence_questions, KINDS))]
    by_digest = {(each.document_id, each.digest): each for each in judged}
    faults: Counter[str] = Counter()
    async with installed(settings) as installation:
        for held_out in (False, True):
            half = sorted((q for q in asked if q.held_out == held_out), key=lambda each: each.id)
            random = Random(seed)
            random.shuffle(half)
            for question in half[: DRAWN // 2]:
                raw = {"query": question.query, "limit": str(_FIRST_HITS), **PAGES}
                page = await installation.search(raw)
                drawn = page.found[random.randrange(len(page.found))]
                found = by_digest.get((drawn.hit.document_id, digest(drawn.snippet)))
                faults[found.fault if found else "not judged"] += 1
                if found is None or found.fault:
                    fault = found.fault if found else "not judged"
                    print(f"[{question.query}] {drawn.hit.document_id}: {fault}")
                    print(_SPACE.sub(" ", drawn.snippet), end="\n\n")
    useless = faults.total() - faults[""] - faults["not judged"]
    print(
        f"{faults.total()} snippets, {faults['not judged']} not judged, {useless} useless:", end=" "
    )
    print(", ".join(f"{number} {fault}" for fault, number in faults.most_common() if fault))


def main() -> None:
    """Print the counts and the snippets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true", help="those drawn from people's questions")
    parser.add_argument("--useless", action="store_true", help="the share of useless ones")
    parser.add_argument("--seed", type=int, default=_SEED_OF_USELESS, help="draw others of these")
    options = parser.parse_args()
    settings = resolve(Settings.from_environ(os.environ))
    if options.useless:
        asyncio.run(_print_useless(settings, useless_snippets(), options.seed))
    elif options.fresh:
        asyncio.run(_print_fresh(settings, fresh_snippets()))
    else:
        asyncio.run(_print(settings, judged_snippets()))


if __name__ == "__main__":
    main()
