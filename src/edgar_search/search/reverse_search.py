"""Reverse search: many queries over the same few documents."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineFault
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Leaf, Node, Word, leaves
from edgar_search.search.query.body import HIT_FIELDS, CikLists, document_query
from edgar_search.search.query.matching import Clause
from edgar_search.search.query.scoring import scoring_words
from edgar_search.search.results import DocumentFields, DocumentHit

# One request looks up the documents once, whatever the number of queries; but the engine limits the
# clauses of a request, and a reply should not exceed some megabytes.
MAX_QUERIES = 250
MAX_LEAVES = 1_000


def matching_body(clauses: Sequence[Clause], document_ids: Sequence[str]) -> Clause:
    """Build the search for the documents that names the clauses matching each.

    The clauses are compound ones. They are under `should`, so that their scores equal a search's,
    over several shards too.
    """
    named_clauses = [
        {kind: {**inner, "_name": str(number)}}
        for number, clause in enumerate(clauses)
        for kind, inner in clause.items()
    ]
    return {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": list(document_ids)}}],
                "should": named_clauses,
                "minimum_should_match": 0,
            }
        },
        "size": len(document_ids),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
    }


class NamedHit(Struct):
    """A document with the names of its matching queries, each with a score."""

    fields: DocumentFields
    matched: dict[str, float] = field(name="matched_queries", default_factory=dict)

    @property
    def document_id(self) -> str:
        return self.fields.document_id[0]


class TriggerMatch(NamedTuple):
    """A document, and the index of criteria that match it; the hit has that match's score."""

    place: int
    hit: DocumentHit


class Matches(NamedTuple):
    """Pairs of criteria and matching documents.

    Also the documents that existed throughout, and the indices of criteria whose query the engine
    refuses.
    """

    pairs: list[TriggerMatch]
    present: frozenset[str]
    refused: list[int]


async def match_documents(
    engine: Engine,
    criteria: Sequence[DocumentCriteria],
    document_ids: Sequence[str],
    ciks: Sequence[CikLists] | None = None,
    most: int = MAX_QUERIES,
) -> Matches:
    """Match all these criteria against these documents, `most` of them in a request.

    `ciks` are the entities that each of the criteria names; by default they name none.
    """
    cik_lists: Sequence[CikLists] = ciks or [[] for _ in criteria]
    clauses = [
        document_query(one_criteria, lists)
        for one_criteria, lists in zip(criteria, cik_lists, strict=True)
    ]
    present = frozenset(document_ids)
    pairs: list[TriggerMatch] = []
    refused: list[int] = []
    pending = list(groups([leaf_count(one_criteria.query) for one_criteria in criteria], most))
    while pending:
        places = pending.pop()
        body = matching_body([clauses[place] for place in places], document_ids)
        try:
            reply = await engine.search("documents", body, NamedHit, named_scores=True)
        except EngineFault:
            # One of them is more than the engine accepts; the others must not suffer for it.
            if len(places) == 1:
                refused.append(places[0])
            else:
                middle = len(places) // 2
                pending += [places[:middle], places[middle:]]
            continue
        hits = reply.hits.hits
        present &= {hit.document_id for hit in hits}
        pairs += (
            TriggerMatch(places[int(number)], DocumentHit(hit.fields, score))
            for hit in hits
            for number, score in hit.matched.items()
        )
    return Matches(sorted(pairs, key=lambda pair: pair.place), present, refused)


def groups(sizes: Sequence[int], most: int = MAX_QUERIES) -> Iterator[range]:
    """Yield index ranges of queries, one for each request; `sizes` are their leaf counts."""
    begin = leaves = 0
    for place, size in enumerate(sizes):
        if place > begin and (place - begin >= most or leaves + size > MAX_LEAVES):
            yield range(begin, place)
            begin, leaves = place, 0
        leaves += size
    if begin < len(sizes):
        yield range(begin, len(sizes))


def leaf_count(node: Node | None) -> int:
    """Count the leaves of a query; no query counts as one.

    Word forms and related words count twice, because they are sent twice: to match, and to score.
    So does a phrase that is scored by other words, and so do these words.
    """
    return 1 if node is None else sum(map(_size, leaves(node)))


def _size(leaf: Leaf) -> int:
    if isinstance(leaf, Word) and leaf.alternatives:
        return 1 + 2 * len(leaf.alternatives)
    words = len(scoring_words(leaf))
    return 2 + words if words else 1
