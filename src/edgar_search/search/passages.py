"""Which requests are made for what a hit shows of its text: snippets and beginnings."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.passages import beginnings_body, leaves_body, words_body
from edgar_search.search.clauses import Clause
from edgar_search.search.hits import BeginningHit, DocumentHit, Filed, PassageHit
from edgar_search.search.language import Node
from edgar_search.search.made_snippets import leaves_of, made_snippet
from edgar_search.search.marks import Shown
from edgar_search.search.turns import in_turns

_log = logging.getLogger(__name__)

P = TypeVar("P")
# By the ids of their documents.
Passages = Mapping[str, PassageHit]


class QueryHits(NamedTuple):
    """Hits of one query; None is no query."""

    query: Node | None
    hits: Sequence[DocumentHit]


class BestPassages(NamedTuple, Generic[P]):
    """By the document's id the best passage: one that shows a leaf of the query, or of those that
    have none, for a phrase may stand across two passages, one with words of it.
    """

    whole: dict[str, P]
    parts: dict[str, P]

    @property
    def all(self) -> dict[str, P]:
        return self.whole | self.parts


async def snippets(
    engine: Engine, query: Node | None, hits: Sequence[DocumentHit], account: str
) -> list[str]:
    """The snippet of each hit of a search; one engine request where there are hits.

    Without a query it is the beginning of the document.
    """
    if query is None:
        texts = await beginnings(engine, _first_passages(hits), filed_of(hits), account)
        return await in_turns(lambda hit: _beginning_snippet(hit, texts), hits)
    find = partial(_matching, engine, account=account)
    found = (await best_passages(engine, query, hits, find)).all
    shown = leaves_of(query)
    return await in_turns(lambda hit: _passage_snippet(hit, found, shown), hits)


async def snippets_of_many(engine: Engine, searches: Sequence[QueryHits]) -> list[list[str]]:
    """The snippets of the hits of several searches, whose passages are visible already.

    The engine is asked for all of them at once.
    """
    queried = [(each.query, each.hits) for each in searches if each.query is not None]
    found = iter(await _passages_of_many(engine, queried))
    plain = [hit for each in searches if each.query is None for hit in each.hits]
    firsts = dict(sorted(_first_passages(plain).items()))
    texts = await beginnings(engine, firsts, filed_of(plain))
    rows = []
    for query, hits in searches:
        if query is None:
            make = partial(_beginning_snippet, texts=texts)
        else:
            make = partial(_passage_snippet, found=next(found), leaves=leaves_of(query))
        rows.append(await in_turns(make, hits))
    return rows


async def beginnings(
    engine: Engine, counts: Mapping[str, int], filed: Filed, account: str = ""
) -> dict[str, str]:
    """The text of so many first passages of each document, which are of these dates of filing."""
    if not counts:
        return {}
    reply = await engine.search(
        "passages", beginnings_body(counts), BeginningHit, account=account, filed=filed
    )
    pieces: dict[str, dict[int, str]] = {}
    for passage in (hit.source for hit in reply.hits.hits):
        pieces.setdefault(passage.document_id, {})[passage.number] = passage.text
    return {
        key: "".join(found[number] for number in sorted(found)) for key, found in pieces.items()
    }


def filed_of(hits: Sequence[DocumentHit]) -> frozenset[str]:
    """The dates of filing of these documents."""
    return frozenset(hit.filed for hit in hits)


def _first_passages(hits: Sequence[DocumentHit]) -> dict[str, int]:
    return {hit.document_id: 1 for hit in hits}


async def best_passages(
    engine: Engine,
    query: Node,
    hits: Sequence[DocumentHit],
    find: Callable[[Clause, Filed], Awaitable[dict[str, P]]],
) -> BestPassages[P]:
    """What `find` makes of a request for the best passage of each document.

    It is also given the dates of filing of these documents.
    """
    body = leaves_body(query, [hit.document_id for hit in hits])
    whole, parts = await find(body, filed_of(hits)), dict[str, P]()
    missing = [hit for hit in hits if hit.document_id not in whole]
    if missing:
        # Of a phrase across two passages the one with most of its words is shown.
        body = words_body(query, [hit.document_id for hit in missing])
        parts |= await find(body, filed_of(missing))
        missing = [hit for hit in missing if hit.document_id not in parts]
    if missing:
        # The two indices refresh apart: a document may be visible before its passages are, and
        # before it has gone from where it was under another date.
        await engine.refresh("passages")
        parts |= await find(words_body(query, [hit.document_id for hit in missing]), None)
    return BestPassages(whole, parts)


async def _matching(
    engine: Engine, body: Clause, filed: Filed, *, account: str
) -> dict[str, PassageHit]:
    if not body["size"]:
        return {}
    # The passages of a document are in one partition, and only they are compared.
    reply = await engine.search(
        "passages", body, PassageHit, account=account, filed=filed, apart=True
    )
    return {hit.fields.document_id[0]: hit for hit in reply.hits.hits}


async def _passages_of_many(
    engine: Engine, searches: Sequence[tuple[Node, Sequence[DocumentHit]]]
) -> list[Passages]:
    """The best passage of each document of each search."""
    found: list[dict[str, PassageHit]] = [{} for _ in searches]
    # As for one search; here the passages are visible already.
    for body in (leaves_body, words_body):
        missing = [
            (place, query, [hit for hit in hits if hit.document_id not in found[place]])
            for place, (query, hits) in enumerate(searches)
        ]
        missing = [each for each in missing if each[2]]
        bodies = [body(query, [hit.document_id for hit in hits]) for _, query, hits in missing]
        filed = [filed_of(hits) for _, _, hits in missing]
        replies = await engine.search_many("passages", bodies, PassageHit, filed=filed, apart=True)
        for (place, _, _), reply in zip(missing, replies, strict=True):
            found[place] |= {hit.fields.document_id[0]: hit for hit in reply.hits.hits}
    return list(found)


def _beginning_snippet(hit: DocumentHit, texts: Mapping[str, str]) -> str:
    """The beginning of a document, of which there is the first passage."""
    ends = hit.fields.passages[0] == 1
    return made_snippet(texts.get(hit.document_id, ""), begins=True, ends=ends)


def _passage_snippet(hit: DocumentHit, found: Passages, leaves: Shown) -> str:
    """The marked part of a hit's best passage."""
    passage = found.get(hit.document_id)
    if passage is None or passage.highlight is None:
        # Replaced or deleted between the two requests: the next search will not find it here.
        _log.warning("no passage of %s matches any more", hit.document_id)
        return ""
    number = passage.fields.number[0]
    return made_snippet(
        passage.highlight.text[0],
        begins=number == 0,
        ends=number == hit.fields.passages[0] - 1,
        leaves=leaves,
    )
