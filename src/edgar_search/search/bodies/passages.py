"""Request bodies for passages of documents."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from edgar_search.search.clauses import (
    Clause,
    snippet_clauses,
    wanted_leaves,
    wanted_words,
    word_clauses,
)
from edgar_search.search.closeness import preferences
from edgar_search.search.language import Node
from edgar_search.search.snippet import MARK_END, MARK_START
from edgar_search.stored.passage import passage_id

# What the passages of one document are called in a reply.
SEVERAL = "several"
# Of so many queries it is remembered what they come to, some kilobytes each.
_QUERIES = 200


def leaves_body(query: Node, document_ids: Sequence[str]) -> Clause:
    """Of each document the passage that shows most of the query close together."""
    return passages_body(_leaf_clauses(query), document_ids, _leaf_preferences(query))


@lru_cache(_QUERIES)
def _leaf_clauses(query: Node) -> Sequence[Clause]:
    return snippet_clauses(query)


@lru_cache(_QUERIES)
def _leaf_preferences(query: Node) -> Sequence[Clause]:
    return preferences(wanted_leaves(query))


def words_body(query: Node, document_ids: Sequence[str]) -> Clause:
    """The same of the query's single words, for a phrase of which no passage has the whole."""
    return passages_body(word_clauses(query), document_ids, preferences(wanted_words(query)))


def passages_body(
    clauses: Sequence[Clause], document_ids: Sequence[str], preferences: Sequence[Clause] = ()
) -> Clause:
    """Of each document the passage to show, whole and with marks.

    It matches one of the clauses, and of those that do it has the highest score with that of the
    preferences, which mark nothing.
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
            # Without it the highlighter looks for the whole query, filter and all.
            "highlight_query": matching,
        },
    }


def several_body(body: Clause, most: int) -> Clause:
    """The same, and of each document so many passages, the best first, with their places."""
    shown = {
        "name": SEVERAL,
        "size": most,
        "sort": body["sort"],
        "version": True,
        "_source": False,
        "docvalue_fields": ["document_id", "number", "start"],
        "highlight": body["highlight"],
    }
    several = {**body, "collapse": {**body["collapse"], "inner_hits": shown}}
    del several["highlight"]
    return several


def beginnings_body(counts: Mapping[str, int]) -> Clause:
    """Of each document so many of its first passages."""
    ids = [passage_id(key, number) for key, count in counts.items() for number in range(count)]
    return {
        "query": {"ids": {"values": ids}},
        "size": len(ids),
        "sort": ["_doc"],
        "track_total_hits": False,
    }
