"""What alert triggers match among given documents: the same as searches would find."""

from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.alerts.watching import WatchParams, watch_clause
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineFault
from edgar_search.search.clauses import snippet_clauses, word_clauses
from edgar_search.search.hits import BeginningHit, DocumentHit, NamedHit, PassageHit
from edgar_search.search.language import Node
from edgar_search.search.matching import MAX_QUERIES, groups, leaf_count, matching_body
from edgar_search.search.searching import beginning_snippet, passage_snippet, ticker_ciks
from edgar_search.search.tickers import TickerTable
from edgar_search.search.v1_bodies import beginnings_body, passages_body
from edgar_search.web.v1.answers import SearchItem, search_reply, watched_items

# Snippets asked for in one request.
_SEARCHES = 50
_PAGE = 100


class Pair(NamedTuple):
    """A document that the trigger at a place in the row matches; the hit has that match's score."""

    place: int
    hit: DocumentHit


class Found(NamedTuple):
    """What triggers match: pairs, the documents that were there all the while, and the places of
    triggers whose query the search engine refuses."""

    pairs: list[Pair]
    present: frozenset[str]
    refused: list[int]


async def find(
    engine: Engine,
    watched: Sequence[WatchParams],
    document_ids: Sequence[str],
    table: TickerTable,
    most: int = MAX_QUERIES,
) -> Found:
    """Match all triggers against these documents, `most` of them in a request."""
    clauses = [watch_clause(each, ticker_ciks(each.filters.tickers, table)) for each in watched]
    present = frozenset(document_ids)
    pairs: list[Pair] = []
    refused: list[int] = []
    pending = list(groups([leaf_count(each.query) for each in watched], most))
    while pending:
        places = pending.pop()
        body = matching_body([clauses[place] for place in places], document_ids)
        try:
            reply = await engine.search("documents", body, NamedHit, named_scores=True)
        except EngineFault:
            # One of them is more than the engine takes; the others must not suffer for it.
            if len(places) == 1:
                refused.append(places[0])
            else:
                middle = len(places) // 2
                pending += [places[:middle], places[middle:]]
            continue
        hits = reply.hits.hits
        present &= {hit.document_id for hit in hits}
        pairs += (
            Pair(places[int(number)], DocumentHit(hit.fields, score))
            for hit in hits
            for number, score in hit.matched.items()
        )
    return Found(sorted(pairs, key=lambda pair: pair.place), present, refused)


async def items(
    engine: Engine, watched: Sequence[WatchParams], pairs: Sequence[Pair]
) -> list[SearchItem]:
    """What a notification of each pair shows: the search item with its snippet."""
    by_place: dict[int, list[DocumentHit]] = {}
    for pair in pairs:
        by_place.setdefault(pair.place, []).append(pair.hit)
    wanted = [
        (place, watched[place].query, hits[start : start + _PAGE])
        for place, hits in by_place.items()
        for start in range(0, len(hits), _PAGE)
    ]
    made: dict[tuple[int, str], SearchItem] = {}
    for start in range(0, len(wanted), _SEARCHES):
        for place, row in await _items(engine, wanted[start : start + _SEARCHES]):
            made |= {(place, item.document_id): item for item in row}
    return [made[pair.place, pair.hit.document_id] for pair in pairs]


_Wanted = tuple[int, Node | None, list[DocumentHit]]


async def _items(engine: Engine, wanted: Sequence[_Wanted]) -> list[tuple[int, list[SearchItem]]]:
    queried = [(query, hits) for _, query, hits in wanted if query is not None]
    found = iter(await _best_passages(engine, queried))
    plain = {hit.document_id for _, query, hits in wanted if query is None for hit in hits}
    texts = await _beginnings(engine, sorted(plain))
    rows = []
    for place, query, hits in wanted:
        if query is None:
            snippets = [beginning_snippet(hit, texts.get(hit.document_id, "")) for hit in hits]
            rows.append((place, watched_items(hits, snippets)))
        else:
            passages = next(found)
            snippets = [passage_snippet(hit, passages) for hit in hits]
            rows.append((place, search_reply(len(hits), hits, snippets).items))
    return rows


async def _best_passages(
    engine: Engine, wanted: Sequence[tuple[Node, list[DocumentHit]]]
) -> list[dict[str, PassageHit]]:
    """The best passage of each document; the passages are visible already."""
    found: list[dict[str, PassageHit]] = [{} for _ in wanted]
    # A phrase may stand across two passages: then the one with most of its words is shown.
    for clauses in (snippet_clauses, word_clauses):
        missing = [
            (place, query, [hit.document_id for hit in hits if hit.document_id not in found[place]])
            for place, (query, hits) in enumerate(wanted)
        ]
        missing = [each for each in missing if each[2]]
        bodies = [passages_body(clauses(query), keys) for _, query, keys in missing]
        replies = await engine.search_many("passages", bodies, PassageHit)
        for (place, _, _), reply in zip(missing, replies, strict=True):
            found[place] |= {hit.fields.document_id[0]: hit for hit in reply.hits.hits}
    return found


async def _beginnings(engine: Engine, document_ids: Sequence[str]) -> dict[str, str]:
    """The text of each document's first passage."""
    if not document_ids:
        return {}
    reply = await engine.search("passages", beginnings_body(document_ids), BeginningHit)
    return {hit.source.document_id: hit.source.text for hit in reply.hits.hits}
