"""Many queries over the same few documents in one request; pure."""

from collections.abc import Iterator, Sequence
from typing import Any

from edgar_search.search.language import And, Node, Or
from edgar_search.search.v1_bodies import HIT_FIELDS

Clause = dict[str, Any]

# One request looks up the documents once, whatever the number of its queries; but the engine bounds
# the clauses of a request, and no reply should be longer than some megabytes.
MAX_QUERIES = 250
MAX_LEAVES = 1_000


def matching_body(clauses: Sequence[Clause], document_ids: Sequence[str]) -> Clause:
    """Each of the documents that is there, with the numbers of the clauses that match it.

    The clauses are compound ones. They stand under `should`, so that their scores are those of a
    search, over several shards too.
    """
    named = [
        {kind: {**inner, "_name": str(number)}}
        for number, clause in enumerate(clauses)
        for kind, inner in clause.items()
    ]
    return {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": list(document_ids)}}],
                "should": named,
                "minimum_should_match": 0,
            }
        },
        "size": len(document_ids),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
    }


def groups(sizes: Sequence[int], most: int = MAX_QUERIES) -> Iterator[range]:
    """Places of queries that go into one request, where `sizes` are their numbers of leaves."""
    begin = leaves = 0
    for place, size in enumerate(sizes):
        if place > begin and (place - begin >= most or leaves + size > MAX_LEAVES):
            yield range(begin, place)
            begin, leaves = place, 0
        leaves += size
    if begin < len(sizes):
        yield range(begin, len(sizes))


def leaf_count(node: Node | None) -> int:
    """The number of leaves of a query; without one it counts as one."""
    if isinstance(node, And):
        return sum(map(leaf_count, (*node.positive, *node.negative)))
    if isinstance(node, Or):
        return sum(map(leaf_count, node.operands))
    return 1
