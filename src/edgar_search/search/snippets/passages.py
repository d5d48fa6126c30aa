"""The passages of a hit: requests for its snippets and its beginning."""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Buckets, TopHits, decode
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch
from edgar_search.search.language import Leaf, Node
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.query.matching import (
    Clause,
    positive_leaves,
    positive_words,
    snippet_clauses,
    word_clauses,
)
from edgar_search.search.results import DetailedHit, DocumentHit, FilingDates, FoundDocument
from edgar_search.search.snippets.marks import (
    MARK_END,
    MARK_START,
    Span,
    unmark,
    without_marks,
    without_other_years,
)
from edgar_search.search.snippets.meant import (
    Leaves,
    asked_years,
    little_words,
    meant_leaves,
    small_words,
)
from edgar_search.search.snippets.openings import (
    Opening,
    asked_openings,
    filed_of,
    find_openings,
)
from edgar_search.search.snippets.parts import BY_NUMBER, BY_QUESTION, BY_WORDS, Wanted
from edgar_search.search.snippets.preferences import preferences, telling_leaves
from edgar_search.search.snippets.snippet import (
    LocatedSnippet,
    SnippetRequest,
    leaves_of,
    snippets_of,
)
from edgar_search.search.turns import in_turns

# The name of a document's passages in a reply.
SEVERAL = "several"
# The name of the number of passages of each document that match.
COUNTS = "counts"
# The fields of a passage with its position.
_PLACED = ["document_id", "number", "start"]
# How many queries have their clauses cached, some kilobytes each.
_QUERIES = 200
_leaf_clauses = lru_cache(_QUERIES)(snippet_clauses)
_preferences = lru_cache(_QUERIES)(preferences)
# Covers of forms end in this passage at the latest; counted from 0.
_LAST_OF_COVER = 1


class Meant(NamedTuple):
    """The leaves to show of each document, by id; `figures` if the question asks for a number.

    With `heads`, a table row is shown below its column headings. `unmarked` words are never marked,
    nor are days of other years than `years`. `every` is the number of leaves of the query, if a
    document without any meant leaf, except words that say `little`, is shown by its beginning.
    """

    leaves: Mapping[str, Leaves]
    figures: bool = False
    heads: bool = False
    unmarked: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    every: int = 0
    little: frozenset[Leaf] = frozenset()

    @classmethod
    def all_of(cls, query: Node, document_ids: Iterable[str]) -> "Meant":
        """Return all leaves of a query for each document."""
        leaves = tuple(distinctive_leaves(positive_leaves(query)))
        return cls(dict.fromkeys(document_ids, leaves))

    def of(self, document_ids: Iterable[str]) -> "Meant":
        """Return the same for some of the documents."""
        return self._replace(leaves={key: self.leaves[key] for key in document_ids})


def leaves_body(query: Node, meant: Meant) -> Clause:
    """Build the request for each document's passage with most meant leaves close together."""
    return passages_body(
        _leaf_clauses(query), list(meant.leaves), _preference_clauses(query, meant)
    )


def _preference_clauses(query: Node, meant: Meant) -> Sequence[Clause]:
    """Return the preferences for documents that share their meant leaves."""
    every = len(distinctive_leaves(positive_leaves(query)))
    together: dict[Leaves, list[str]] = {}
    for document_id, leaves in meant.leaves.items():
        together.setdefault(leaves, []).append(document_id)
    of_some = [
        (
            _preferences(
                leaves,
                prose=not meant.figures,
                every=len(leaves) == every,
                little=meant.little,
                question=meant.every > 0,
                years=meant.years,
            ),
            ids,
        )
        for leaves, ids in together.items()
    ]
    if len(of_some) == 1:
        return of_some[0][0]
    return [
        {"bool": {"filter": [{"terms": {"document_id": ids}}], "should": clauses}}
        for clauses, ids in of_some
    ]


def words_body(query: Node, meant: Meant) -> Clause:
    """Build the same request for single words, for a phrase that no passage has as a whole."""
    return passages_body(
        word_clauses(query), list(meant.leaves), preferences(positive_words(query))
    )


def passages_body(
    clauses: Sequence[Clause], document_ids: Sequence[str], preferences: Sequence[Clause] = ()
) -> Clause:
    """Build the request for the passage of each document to show, whole and with marks.

    It matches one of the clauses and scores highest, including the scores of the preferences, which
    mark nothing.
    """
    matching = {"bool": {"should": list(clauses), "minimum_should_match": 1}}
    return {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": list(document_ids)}}],
                "must": [matching],
                "should": list(preferences),
            }
        },
        "collapse": {"field": "document_id"},
        "size": len(document_ids),
        "sort": [{"_score": "desc"}, {"number": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["document_id", "number"],
        "highlight": {
            "type": "unified",
            "number_of_fragments": 0,
            "pre_tags": [MARK_START],
            "post_tags": [MARK_END],
            "fields": {"text": {}},
            # Otherwise the highlighter would look for the whole query, filter and all.
            "highlight_query": matching,
        },
    }


def counted_passages_body(body: Clause) -> Clause:
    """Build the request for the best passage of each document, and for the number that match.

    Elasticsearch searches once for it; for several passages it searches once more for each
    document, in every segment.
    """
    # Without the hint it would number the documents of all passages after each refresh.
    numbers = {"field": "document_id", "size": body["size"], "execution_hint": "map"}
    return {
        **body,
        "version": True,
        "docvalue_fields": _PLACED,
        "aggs": {COUNTS: {"terms": numbers}},
    }


def top_passages_body(body: Clause, most: int) -> Clause:
    """Build the request for up to `most` passages of each document, the best first."""
    inner_hits = {
        "name": SEVERAL,
        "size": most,
        "sort": body["sort"],
        "version": True,
        "_source": False,
        "docvalue_fields": _PLACED,
        "highlight": body["highlight"],
    }
    several = {**body, "collapse": {**body["collapse"], "inner_hits": inner_hits}}
    del several["highlight"]
    return several


_log = logging.getLogger(__name__)


class PassageFields(Struct):
    document_id: list[str]
    number: list[int]


class PassageHighlight(Struct):
    text: list[str]


class PassageHit(Struct):
    fields: PassageFields
    highlight: PassageHighlight | None = None


class PlacedFields(PassageFields):
    start: list[int]


class PlacedPassageHit(PassageHit):
    fields: PlacedFields
    version: int = field(name="_version", default=0)


class InnerHits(Struct):
    several: TopHits[PlacedPassageHit]


class TopPassagesHit(Struct):
    """The best passages of one document, as a reply has them."""

    fields: PassageFields
    inner: InnerHits = field(name="inner_hits")


class TopPassages(NamedTuple):
    """The best passages of one document, and the number of all that match; 0 if not counted."""

    passages: Sequence[PlacedPassageHit]
    number: int


class DocumentCount(Struct):
    """The number of passages of a document that match."""

    document_id: str = field(name="key")
    number: int = field(name="doc_count")


P = TypeVar("P")
# By document id.
Passages = Mapping[str, PassageHit]


class QueryHits(NamedTuple):
    """Hits of one search, which may have no query."""

    criteria: DocumentCriteria
    hits: Sequence[DocumentHit]


class BestPassages(NamedTuple, Generic[P]):
    """The best passage of each document, by id.

    `whole` are passages that show a leaf of the query. A phrase may span two passages, so `parts`
    are passages with some of its words, from documents without a whole one.
    """

    whole: dict[str, P]
    parts: dict[str, P]

    @property
    def all(self) -> dict[str, P]:
        return self.whole | self.parts


async def snippets(
    engine: Engine, criteria: DocumentCriteria, hits: Sequence[DocumentHit]
) -> list[str]:
    """Return the snippet of each hit of a search; one engine request if there are hits.

    Without a query it is the document's opening.
    """
    query = criteria.query
    if query is None:
        found_openings = await find_openings(engine, asked_openings(criteria, hits))
        return [opening.html for opening in found_openings]
    find = partial(_match_passages, engine)
    openings = await _openings_of_named(engine, criteria, hits)
    matching = [hit for hit in hits if hit.has_some]
    meant = _find_meant(criteria, matching)
    best = (await best_passages(engine, query, matching, meant, find)).all
    marked = iter(await in_turns(lambda hit: _passage_snippet(hit, best, meant), matching))
    return [next(marked) if hit.has_some else openings[hit.document_id] for hit in hits]


async def _openings_of_named(
    engine: Engine, criteria: DocumentCriteria, hits: Sequence[DocumentHit]
) -> dict[str, str]:
    """Return the openings of hits that contain no word of the query, by id."""
    wordless = [hit for hit in hits if not hit.has_some]
    openings = await find_openings(engine, asked_openings(criteria, wordless), below=True)
    return {hit.document_id: opening.html for hit, opening in zip(wordless, openings, strict=True)}


def _find_meant(criteria: DocumentCriteria, hits: Sequence[DocumentHit]) -> Meant:
    leaves = {hit.document_id: meant_leaves(criteria, hit) for hit in hits}
    assert criteria.query is not None
    reading = criteria.reading
    if reading is None:
        return Meant(leaves)
    return Meant(
        leaves,
        reading.asks_number,
        heads=True,
        unmarked=small_words(criteria.query),
        years=asked_years(reading),
        little=little_words(criteria.query, reading.boosts),
        every=len(distinctive_leaves(positive_leaves(criteria.query))),
    )


async def snippets_of_many(engine: Engine, searches: Sequence[QueryHits]) -> list[list[str]]:
    """Return the snippets of the hits of several searches, whose passages are already visible.

    Makes one engine request for all of them.
    """
    queried = [
        (search.criteria.query, _find_meant(*search), search.hits)
        for search in searches
        if search.criteria.query is not None
    ]
    best = iter(zip(await _passages_of_many(engine, queried), queried, strict=True))
    plain = [
        to_open
        for criteria, hits in searches
        if criteria.query is None
        for to_open in asked_openings(criteria, hits)
    ]
    openings = iter(await find_openings(engine, plain))
    rows = []
    for criteria, hits in searches:
        if criteria.query is None:
            rows.append([opening.html for opening in islice(openings, len(hits))])
        else:
            passages, (_, meant, _) = next(best)
            make = partial(_passage_snippet, found=passages, meant=meant)
            rows.append(await in_turns(make, hits))
    return rows


async def best_passages(
    engine: Engine,
    query: Node,
    hits: Sequence[DocumentHit],
    meant: Meant,
    find: Callable[[Clause, FilingDates], Awaitable[dict[str, P]]],
) -> BestPassages[P]:
    """Find the best passage of each document by `find`, which receives a request body.

    It also receives the filing dates of these documents.
    """
    body = leaves_body(query, meant)
    whole, parts = await find(body, filed_of(hits)), dict[str, P]()
    missing = [hit for hit in hits if hit.document_id not in whole]
    if missing:
        # For a phrase that spans two passages, the passage with most of its words is shown.
        body = words_body(query, meant.of(hit.document_id for hit in missing))
        parts |= await find(body, filed_of(missing))
        missing = [hit for hit in missing if hit.document_id not in parts]
    if missing:
        # The two indices refresh separately: a document may be visible before its passages are, and
        # before its old version under another date is removed.
        await engine.refresh("passages")
        parts |= await find(words_body(query, meant.of(hit.document_id for hit in missing)), None)
    return BestPassages(whole, parts)


async def _match_passages(
    engine: Engine, body: Clause, filed: FilingDates
) -> dict[str, PassageHit]:
    if not body["size"]:
        return {}
    # All passages of a document are in one partition, and only they are compared.
    reply = await engine.search("passages", body, PassageHit, filed=filed, per_partition=True)
    return {hit.fields.document_id[0]: hit for hit in reply.hits.hits}


async def _passages_of_many(
    engine: Engine, searches: Sequence[tuple[Node, Meant, Sequence[DocumentHit]]]
) -> list[Passages]:
    """Find the best passage of each document of each search."""
    best: list[dict[str, PassageHit]] = [{} for _ in searches]
    # As for one search, but the passages are already visible.
    for body in (leaves_body, words_body):
        missing = [
            (place, query, {hit.document_id: hit for hit in hits if hit.document_id not in known})
            for place, ((query, _, hits), known) in enumerate(zip(searches, best, strict=True))
        ]
        missing = [search for search in missing if search[2]]
        bodies = [body(query, searches[place][1].of(hits)) for place, query, hits in missing]
        filed = [filed_of(list(hits.values())) for _, _, hits in missing]
        replies = await engine.search_many(
            "passages", bodies, PassageHit, filed=filed, per_partition=True
        )
        for (place, _, _), reply in zip(missing, replies, strict=True):
            best[place] |= {hit.fields.document_id[0]: hit for hit in reply.hits.hits}
    return list(best)


def _passage_snippet(hit: DocumentHit, found: Passages, meant: Meant) -> str:
    """Return the marked part of a hit's best passage."""
    passage = found.get(hit.document_id)
    if passage is None or passage.highlight is None:
        # Replaced or deleted between the two requests: the next search will not find it here.
        _log.warning("no passage of %s matches any more", hit.document_id)
        return ""
    number = passage.fields.number[0]
    return snippets_of(_request(hit, passage, number, meant))[0].html


def _request(
    hit: DocumentHit, passage: PassageHit, number: int, meant: Meant, most: int = 1
) -> SnippetRequest:
    """Make the snippet request for the passage with this number."""
    return SnippetRequest(
        _marked(hit, passage, meant),
        begins=number == 0,
        ends=number == hit.fields.passages[0] - 1,
        leaves=leaves_of(meant.leaves[hit.document_id], meant.little),
        wanted=_wanted(meant),
        heads=meant.heads,
        most=most,
        below=meant.every > 0 and number <= _LAST_OF_COVER,
    )


def _wanted(meant: Meant) -> Wanted:
    if not meant.every:
        return BY_WORDS
    return BY_NUMBER if meant.figures else BY_QUESTION


def _marked(hit: DocumentHit, passage: PassageHit, meant: Meant) -> str:
    """Return the text of a passage with the marks to show."""
    assert passage.highlight is not None
    text = without_marks(passage.highlight.text[0], meant.unmarked)
    text = without_other_years(text, meant.years)
    leaves = meant.leaves[hit.document_id]
    telling = tuple(telling_leaves(leaves, meant.little))
    if passage.fields.number[0] <= _LAST_OF_COVER and len(telling) < meant.every:
        plain, _, words = unmark(text)
        return text if any(map(leaves_of(telling), words)) else plain
    return text


# Extra passages that replace others with the same text.
_SPARE = 2
_SEVERAL = 3
# By document id.
Several = Mapping[str, TopPassages]


async def make_snippets(
    engine: Engine, search: DocumentSearch, hits: Sequence[DocumentHit]
) -> list[FoundDocument]:
    """Make the snippets of a search's hits; engine requests as `snippets`."""
    criteria, most = search.criteria, max(1, search.snippets)
    if criteria.query is None:
        found_openings = await find_openings(engine, asked_openings(criteria, hits))
        return [
            FoundDocument(hit, opening.html, _opened(opening))
            for hit, opening in zip(hits, found_openings, strict=True)
        ]
    if not search.places:
        plain = await snippets(engine, criteria, hits)
        return list(map(FoundDocument, hits, plain))
    find = partial(_several, engine, most=most + (_SPARE if most > 1 else 0))
    openings = await _openings_of_named(engine, criteria, hits)
    matching = [hit for hit in hits if hit.has_some]
    meant = _find_meant(criteria, matching)
    best = await best_passages(engine, criteria.query, matching, meant, find)
    located = iter(await in_turns(lambda hit: _of_hit(hit, best.all, meant, most), matching))
    numbers = {key: opening.number for key, opening in best.whole.items()}
    return [
        FoundDocument(
            hit,
            row[0][0].html if row else openings.get(hit.document_id, ""),
            _of_one_load(hit, row),
            numbers.get(hit.document_id, 0),
        )
        for hit in hits
        for row in [next(located) if hit.has_some else []]
    ]


def _opened(opening: Opening) -> list[LocatedSnippet]:
    """Return the position of an opening, if it begins with an item."""
    if opening.place is None:
        return []
    return [LocatedSnippet(opening.html, Span(opening.place, opening.place), [])]


async def _several(
    engine: Engine, body: Clause, filed: FilingDates, *, most: int
) -> dict[str, TopPassages]:
    if not body["size"]:
        return {}
    if most == 1:
        return await _counted(engine, body, filed)
    several = top_passages_body(body, most)
    reply = await engine.search(
        "passages", several, TopPassagesHit, filed=filed, per_partition=True
    )
    return {
        hit.fields.document_id[0]: TopPassages(
            inner.hits, inner.total.value if inner.total and inner.total.relation == "eq" else 0
        )
        for hit in reply.hits.hits
        for inner in [hit.inner.several.hits]
    }


async def _counted(engine: Engine, body: Clause, filed: FilingDates) -> dict[str, TopPassages]:
    counted = counted_passages_body(body)
    reply = await engine.search(
        "passages", counted, PlacedPassageHit, filed=filed, per_partition=True
    )
    counts = decode(bytes(reply.aggregations), dict[str, Buckets[DocumentCount]])[COUNTS].buckets
    numbers = {document.document_id: document.number for document in counts}
    return {
        key: TopPassages([hit], numbers[key])
        for hit in reply.hits.hits
        for key in hit.fields.document_id
    }


def _of_hit(
    hit: DocumentHit, found: Several, meant: Meant, most: int
) -> list[tuple[LocatedSnippet, PlacedPassageHit]]:
    """Return the best snippet of each passage, then further ones from the best passages.

    No text is repeated.
    """
    passages = found[hit.document_id].passages if hit.document_id in found else ()
    rows = [
        (_locate(hit, one_passage, meant, most), one_passage)
        for one_passage in passages
        if one_passage.highlight
    ]
    # The last one often comes from the best passage again, which most often holds the answer.
    last = most - 1 if most >= _SEVERAL else most
    firsts = [(parts[0], passage) for parts, passage in rows]
    further = [(part, passage) for parts, passage in rows for part in parts[1:]]
    distinct: dict[str, tuple[LocatedSnippet, PlacedPassageHit]] = {}
    for part, passage in (*firsts[:last], *further[:1], *firsts[last:], *further[1:]):
        distinct.setdefault(part.html.strip("."), (part, passage))
    return list(distinct.values())[:most]


def _locate(
    hit: DocumentHit, passage: PlacedPassageHit, meant: Meant, most: int
) -> list[LocatedSnippet]:
    assert passage.highlight is not None
    number = passage.fields.number[0]
    located = snippets_of(_request(hit, passage, number, meant, most))
    return [snippet.shift(passage.fields.start[0]) for snippet in located]


def _of_one_load(
    hit: DocumentHit, row: Sequence[tuple[LocatedSnippet, PlacedPassageHit]]
) -> list[LocatedSnippet]:
    """Keep only snippets from the same load as the hit's document."""
    versions = hit.fields.version if isinstance(hit, DetailedHit) else []
    return [snippet for snippet, passage in row if passage.version in versions]
