"""Whether a search needs scores at all; pure.

Shards that tell each other of their words first are asked twice. Where the answer has no score in
it, and is not in the order of scores, that is for nothing.
"""

from typing import Any

# What gives everything that matches the same score, whatever words there are.
_CONSTANT = frozenset(
    {"constant_score", "exists", "ids", "match_all", "match_none", "range", "terms"}
)


def is_scored(body: dict[str, Any]) -> bool:
    """Whether the scores of what a body matches matter, and depend on words."""
    query = body.get("query")
    if query is None or not _by_words(query):
        return False
    if _best_of_groups(body.get("aggs", {})):
        return True
    # As Elasticsearch has it: ten hits, the best first.
    if not body.get("size", 10):
        return False
    sort = body.get("sort", ["_score"])
    return bool(body.get("track_scores")) or any("_score" in each for each in sort)


def _by_words(query: dict[str, Any]) -> bool:
    (kind, inner), *_ = query.items()
    if kind != "bool":
        return kind not in _CONSTANT
    clauses = [inner.get(name, []) for name in ("must", "should")]
    return any(
        _by_words(clause)
        for some in clauses
        for clause in (some if isinstance(some, list) else [some])
    )


def _best_of_groups(aggregations: dict[str, Any]) -> bool:
    return any(
        "top_hits" in each or _best_of_groups(each.get("aggs", {}))
        for each in aggregations.values()
    )
