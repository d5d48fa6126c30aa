"""Request bodies for entities."""

from collections.abc import Sequence

from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import Window

# Elasticsearch takes 65,536 terms for one clause.
MAX_CIKS = 65_000


def entities_body(clauses: Sequence[Clause], window: Window) -> Clause:
    """Entities that match, by CIK."""
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "from": window.start,
        "size": window.size,
        "sort": [{"cik": "asc"}],
        "track_total_hits": True,
    }


def known_entities_body(ciks: Sequence[str]) -> Clause:
    """The entities of these CIKs, at most `MAX_CIKS`, by CIK."""
    return {
        "query": {"bool": {"filter": [{"terms": {"cik": list(ciks)}}]}},
        "size": len(ciks),
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
    }


def known_names_body(ciks: Sequence[str]) -> Clause:
    """The names of the entities of these CIKs, at most `MAX_CIKS`."""
    return {
        "query": {"bool": {"filter": [{"terms": {"cik": list(ciks)}}]}},
        "size": len(ciks),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik", "name"],
    }


def names_body(clauses: Sequence[Clause]) -> Clause:
    """Names of the entities that match one of the clauses, one more than a clause may have."""
    return {
        "query": {"bool": {"filter": [{"bool": {"should": list(clauses)}}]}},
        "size": MAX_CIKS + 1,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik", "name", "former_names.name"],
    }


def ciks_body(clauses: Sequence[Clause]) -> Clause:
    """The CIKs of the entities that match, one more than a clause may have."""
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "size": MAX_CIKS + 1,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik"],
    }


def any_filing_body(ciks: Sequence[str]) -> Clause:
    """One filing of these CIKs, at most `MAX_CIKS`, without its fields."""
    return {
        "query": {"bool": {"filter": [{"terms": {"ciks": list(ciks)}}]}},
        "size": 1,
        "terminate_after": 1,
        "track_total_hits": False,
        "stored_fields": "_none_",
    }
