"""Request bodies for Elasticsearch: parameters in, one literal out; pure."""

from collections.abc import Sequence
from typing import Any

from edgar_search.search.clauses import document_clause
from edgar_search.stored.passage import passage_id
from edgar_search.web.v1.parameters import Filters, LookupParams, SearchParams

Clause = dict[str, Any]

# Around marked text in a reply: noncharacters, which no text in Unicode holds.
MARK_START, MARK_END = "\ufdd0", "\ufdd1"

# What a search item shows of a document and its filing.
HIT_FIELDS = [
    "document_id",
    "accession_number",
    "form_type",
    {"field": "filing_date", "format": "strict_date"},
    "entities",
    "file_name",
    "passages",
]


def filings_body(params: LookupParams, ticker_ciks: Sequence[str]) -> Clause:
    """Filings that match, newest first; `ticker_ciks` are the CIKs of `params`' tickers."""
    return {
        "query": {"bool": {"filter": filter_clauses(params.filters, ticker_ciks)}},
        "size": params.limit,
        "sort": [{"filing_date": "desc"}, {"accession_number": "desc"}],
        "track_total_hits": True,
    }


def documents_body(params: SearchParams, ticker_ciks: Sequence[str]) -> Clause:
    """Documents that match, best first, with what a search item shows of their filing."""
    filters = filter_clauses(params.filters, ticker_ciks)
    if params.ids:
        filters.append({"terms": {"document_id": list(params.ids)}})
    return {
        "query": {"bool": {"must": [document_clause(params.query)], "filter": filters}},
        "from": params.offset,
        "size": params.limit,
        "sort": [{"_score": "desc"}, {"filing_date": "desc"}, {"document_id": "asc"}],
        "track_total_hits": True,
        # Even an id is a stored field, and reading it unpacks what stands beside it: the recovery
        # copy of whole texts. Without stored fields a page takes a quarter of the time.
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
    }


def passages_body(clauses: Sequence[Clause], document_ids: Sequence[str]) -> Clause:
    """Of each document the passage that matches the clauses best, whole and with marks."""
    return {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": list(document_ids)}}],
                "should": list(clauses),
                "minimum_should_match": 1,
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
        },
    }


def beginnings_body(document_ids: Sequence[str]) -> Clause:
    """Of each document the first passage."""
    return {
        "query": {"ids": {"values": [passage_id(key, 0) for key in document_ids]}},
        "size": len(document_ids),
        "track_total_hits": False,
        "_source": ["document_id", "text"],
    }


def filter_clauses(filters: Filters, ticker_ciks: Sequence[str]) -> list[Clause]:
    """One clause for each filter that asks something; values inside one are alternatives.

    Tickers that nobody has leave `ticker_ciks` empty, and their clause matches nothing.
    """
    clauses: list[Clause] = []
    if filters.ciks:
        clauses.append({"terms": {"ciks": list(filters.ciks)}})
    if filters.tickers:
        clauses.append({"terms": {"ciks": list(ticker_ciks)}})
    if filters.sics:
        clauses.append({"terms": {"sics": list(filters.sics)}})
    if filters.form_types:
        clauses.append({"terms": {"form_type": list(filters.form_types)}})
    bounds = {"gte": filters.from_date, "lte": filters.to_date}
    days = {name: day.isoformat() for name, day in bounds.items() if day}
    if days:
        clauses.append({"range": {"filing_date": days}})
    return clauses
