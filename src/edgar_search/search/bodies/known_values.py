"""Request bodies for which values, and which words, occur at all."""

from collections.abc import Sequence

from edgar_search.search.clauses import Clause

# EDGAR has some 700 form types, with amendments.
MAX_FORM_TYPES = 5_000
# Of a word that is missing: how far away the words are that stand in for it.
_MAX_EDITS, _SAME_LETTERS, _MIN_LETTERS = 2, 1, 4
_OPTIONS = 10


def form_types_body() -> Clause:
    """All form types, each with its number."""
    return _counts("form_type", {"size": MAX_FORM_TYPES})


def document_types_body() -> Clause:
    """Types of documents, each with its number: the commonest of them."""
    return _counts("document_type", {"size": MAX_FORM_TYPES})


def ciks_body(ciks: Sequence[str]) -> Clause:
    """Those of these CIKs that occur."""
    among = {"size": len(ciks), "include": list(ciks)}
    return {"query": {"terms": {"ciks": list(ciks)}}, **_counts("ciks", among)}


def occurrences_body(clauses: Sequence[Clause], among: Clause | None = None) -> Clause:
    """How many documents each clause matches, in their order; of those that `among` matches."""
    return {
        **({"query": among} if among else {}),
        "size": 0,
        "track_total_hits": False,
        "aggs": {"matches": {"filters": {"filters": list(clauses)}}},
    }


def similar_words_body(words: Sequence[str]) -> Clause:
    """For each of these tokens, which no text has, the words of texts that are like it.

    By likeness, then by the number of documents that have them.
    """
    term = {
        "field": "text",
        # A token stays one.
        "analyzer": "keyword",
        "size": _OPTIONS,
        "max_edits": _MAX_EDITS,
        "prefix_length": _SAME_LETTERS,
        "min_word_length": _MIN_LETTERS,
    }
    suggest = {str(place): {"text": word, "term": term} for place, word in enumerate(words)}
    return {"size": 0, "track_total_hits": False, "suggest": suggest}


def _counts(field: str, among: Clause) -> Clause:
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"values": {"terms": {"field": field, **among}}},
    }
