"""Snippets that people have judged, counted, and as the service cuts them now.

    python -m evaluation.snippets

Readable is a snippet by which one decides whether the document answers the query; by a poor one
one decides with effort or by half, by a useless one not at all. They were read as version 1 cut
them at first, and again later; a snippet whose text has changed since is marked, so that a reader
can judge once more.

It searches the installation that the settings name, as `python -m evaluation.ranking` does.
"""

import asyncio
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from edgar_search.engine.embedded import resolve
from edgar_search.settings import Settings
from evaluation.installed import Installed, installed
from evaluation.judged_queries import JudgedQuery, judged_queries

JUDGED = Path(__file__).parent / "judged_snippets.json"
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


def judged_snippets() -> list[JudgedSnippet]:
    """All of them."""
    return msgspec.json.decode(JUDGED.read_bytes(), type=list[JudgedSnippet])


def digest(snippet: str) -> str:
    """A digest that tells texts apart."""
    return sha256(snippet.encode()).hexdigest()[:12]


async def snippet_now(installation: Installed, query: JudgedQuery, document_id: str) -> str:
    """The snippet of this document; empty where the query does not find it."""
    parameters = {"query": query.query, **query.parameters, "ids": document_id}
    return "".join((await installation.search(parameters)).snippets)


def _counted(judgements: Iterable[Judgement]) -> str:
    counts = Counter(judgements)
    return ", ".join(f"{count} {judgement}" for judgement, count in counts.most_common())


async def _print(settings: Settings, judged: Sequence[JudgedSnippet]) -> None:
    queries = {query.id: query for query in judged_queries()}
    print(f"at first: {_counted(each.judgement for each in judged)}")
    print(f"again: {_counted(each.again for each in judged)}")
    async with installed(settings) as installation:
        for each in judged:
            query = queries[each.query]
            snippet = await snippet_now(installation, query, each.document_id)
            changed = "" if digest(snippet) == each.again_digest else " (changed since)"
            print(f"\n[{query.query}] {each.document_id}{changed}")
            print(f"{each.judgement}: {each.reason}; again {each.again}")
            print(_SPACE.sub(" ", snippet))


def main() -> None:
    """Print the counts and the snippets."""
    settings = resolve(Settings.from_environ(os.environ))
    asyncio.run(_print(settings, judged_snippets()))


if __name__ == "__main__":
    main()
