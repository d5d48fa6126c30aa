"""Request bodies for the text of one document: what it is, and passages of it."""

from collections.abc import Mapping, Sequence

from edgar_search.search.clauses import Clause, document_clause
from edgar_search.search.language import And, Node
from edgar_search.search.operands import all_but_one
from edgar_search.stored.passage import passage_id

# The names under which a hit says that the query matches it, or all but one of its operands do.
MATCHED, LACKS_ONE = "query", "others"
# What aggregations of passages are called.
VERSIONS, HOLDERS = "versions", "holders"


def text_body(document_id: str, query: Node | None = None, loose: And | None = None) -> Clause:
    """The document, with what its text is, and whether a query matches it, or all of `loose` but
    one operand.
    """
    asked = {} if query is None else {MATCHED: document_clause(query)}
    if loose is not None:
        asked[LACKS_ONE] = all_but_one(loose)
    named = [{"bool": {"must": clause, "_name": name}} for name, clause in asked.items()]
    return {
        "query": {
            "bool": {
                "filter": _of_document(document_id),
                "should": named,
                "minimum_should_match": 0,
            }
        },
        "size": 1,
        "sort": ["_doc"],
        "version": True,
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": [
            "document_id",
            {"field": "filing_date", "format": "strict_date"},
            "passages",
            "text_sha256",
            "text_length",
        ],
    }


def holders_body(document_id: str, words: Sequence[str]) -> Clause:
    """Of the document's passages the number and the versions, and how many hold each word."""
    holders = {word: {"term": {"text": word}} for word in words}
    counts = {HOLDERS: {"filters": {"filters": holders}}} if holders else {}
    return {
        "query": {"bool": {"filter": _of_document(document_id)}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {VERSIONS: {"stats": {"field": "_version"}}, **counts},
    }


def holding_body(document_id: str, holding: Sequence[Clause], after: int, size: int) -> Clause:
    """So many of the document's passages that match one of the clauses, from behind a number on."""
    among = {"bool": {"should": list(holding), "minimum_should_match": 1}}
    return {
        "query": {"bool": {"filter": [*_of_document(document_id), among]}},
        "search_after": [after],
        **_in_order(size),
    }


def numbered_body(document_id: str, numbers: Sequence[int]) -> Clause:
    """The document's passages of these numbers."""
    ids = [passage_id(document_id, number) for number in numbers]
    return {"query": {"ids": {"values": ids}}, **_in_order(len(ids))}


def covering_bodies(document_id: str, start: int, end: int, most: int) -> list[Clause]:
    """The passage in which a place lies; and those that begin behind it and before another one."""
    rows: list[tuple[Mapping[str, int], str, int]] = [
        ({"lte": start}, "desc", 1),
        ({"gt": start, "lt": end}, "asc", most),
    ]
    return [
        {
            "query": {"bool": {"filter": [*_of_document(document_id), {"range": {"start": span}}]}},
            **_in_order(size),
            "sort": [{"number": order}],
        }
        for span, order, size in rows
    ]


def _of_document(document_id: str) -> list[Clause]:
    return [{"term": {"document_id": document_id}}]


def _in_order(size: int) -> Clause:
    return {
        "size": size,
        "sort": [{"number": "asc"}],
        "version": True,
        "track_total_hits": False,
    }
