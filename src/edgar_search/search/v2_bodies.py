"""Request bodies of Version 2 for Elasticsearch: parameters in, one literal out; pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from edgar_search.search.clauses import document_clause
from edgar_search.search.index_members import IndexMembers
from edgar_search.search.tickers import TickerTable
from edgar_search.search.v1_bodies import HIT_FIELDS
from edgar_search.stored.passage import passage_id
from edgar_search.web.v2.entity_parameters import EntityFilters, Window
from edgar_search.web.v2.filing_parameters import FilingFilters, FilingParams, FullTextParams

Clause = dict[str, Any]

# Elasticsearch takes 65,536 terms for one clause.
MAX_CIKS = 65_000

_FILING_SORT_FIELDS = {
    "filing_date": "filing_date",
    "acceptance_date_time": "accepted_at",
    "report_date": "period",
    "form": "form_type",
    "size": "size",
    "entity_name": "entity_name",
}
_SPECIAL = str.maketrans({"\\": "\\\\", "*": "\\*", "?": "\\?"})
_NOTHING: Clause = {"match_none": {}}
_DATE_TIME = "strict_date_time_no_millis"
# What a hit of Version 2 shows of a document beside what one of Version 1 does.
_FOUND_FIELDS = [
    *HIT_FIELDS,
    "document_type",
    "description",
    "size",
    "sics",
    {"field": "accepted_at", "format": _DATE_TIME},
]
# A form has some twenty items.
_MAX_SECTIONS = 1_000
# Passages have about 2,000 characters, but for one before a long run without white space.
_BEGINNING_PASSAGES = 3
# Facts of a filing that no answer of Version 2 has, or has by other ways.
_UNREAD = ["series", "others", "group_members"]


def entities_body(clauses: Sequence[Clause], window: Window) -> Clause:
    """Entities that match, by CIK."""
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "from": window.start,
        "size": window.size,
        "sort": [{"cik": "asc"}],
        "track_total_hits": True,
    }


def known_body(ciks: Sequence[str]) -> Clause:
    """The entities of these CIKs, at most `MAX_CIKS`, by CIK."""
    return {
        "query": {"bool": {"filter": [{"terms": {"cik": list(ciks)}}]}},
        "size": len(ciks),
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
    }


def ciks_body(clauses: Sequence[Clause]) -> Clause:
    """The CIKs of the entities that match, one more than a filter may come to."""
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "size": MAX_CIKS + 1,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik"],
    }


def filings_body(params: FilingParams, ciks: Sequence[str] | None) -> Clause:
    """Filings that match; `ciks` are those that the entity filters come to, None without any."""
    field = _FILING_SORT_FIELDS[params.sort_by]
    order = {"order": params.sort_order, "missing": "_last"}
    return {
        "query": {"bool": _filing_query(params.filters, ciks)},
        "from": params.window.start,
        "size": params.window.size,
        "sort": [{field: order}, {"accession_number": params.sort_order}],
        "track_total_hits": True,
        "_source": {"excludes": _UNREAD},
    }


def numbers_body(numbers: Sequence[str]) -> Clause:
    """The filings of these accession numbers."""
    return {
        "query": {"bool": {"filter": [{"terms": {"accession_number": list(numbers)}}]}},
        "size": len(numbers),
        "track_total_hits": False,
        "_source": {"excludes": _UNREAD},
    }


def sections_body(field: str, value: str) -> Clause:
    """The sections of a document (`document_id`) or of a filing (`accession_number`), in order."""
    return {
        "query": {"bool": {"filter": [{"term": {field: value}}]}},
        "size": _MAX_SECTIONS,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "track_total_hits": False,
    }


def documents_body(params: FullTextParams, ciks: Sequence[str] | None) -> Clause:
    """Documents that match; `ciks` are those that `entity_query` comes to, None without it."""
    query = _filing_query(params.filters, ciks)
    filters = query["filter"]
    if params.ciks:
        filters.append({"terms": {"ciks": list(params.ciks)}})
    if params.numbers or params.prefixes:
        filters.append(_number_clause(params))
    first = {params.sort_by: params.sort_order}
    second = [] if params.sort_by == "filing_date" else [{"filing_date": "desc"}]
    return {
        "query": {"bool": {"must": [document_clause(params.query)], **query}},
        "from": params.window.start,
        "size": params.window.size,
        "sort": [first, *second, {"document_id": "asc"}],
        # Also by date: the score is a field of every hit.
        "track_scores": True,
        "track_total_hits": True,
        # As in Version 1: reading any stored field would unpack whole texts.
        "stored_fields": "_none_",
        "docvalue_fields": _FOUND_FIELDS,
    }


def beginnings_body(passages: Mapping[str, int]) -> Clause:
    """The first passages of documents, which have so many of them."""
    ids = [
        passage_id(key, number)
        for key, count in passages.items()
        for number in range(min(count, _BEGINNING_PASSAGES))
    ]
    return {
        "query": {"ids": {"values": ids}},
        "size": len(ids),
        "sort": ["_doc"],
        "track_total_hits": False,
    }


def entity_clauses(
    filters: EntityFilters, table: TickerTable, members: IndexMembers
) -> list[Clause]:
    """One clause for each filter that asks something; values inside one are alternatives.

    Raises BadRequest for `index_tickers` where the operator has supplied no members.
    """
    clauses: list[Clause] = []
    if filters.ciks:
        clauses.append({"terms": {"cik": list(filters.ciks)}})
    if filters.tickers:
        clauses.append(_ticker_clause(filters.tickers, table))
    if filters.index_tickers:
        clauses.append(_ciks_clause(members.ciks(filters.index_tickers, table)))
    if filters.exchanges:
        listed = _ciks_clause(cik for e in filters.exchanges for cik in table.listed(e))
        known = [_term_in_any_case("exchanges", exchange) for exchange in filters.exchanges]
        clauses.append(_any([listed, *known]))
    if filters.sics:
        clauses.append({"terms": {"sic": list(filters.sics)}})
    if filters.states:
        clauses.append({"terms": {"state_of_incorporation": list(filters.states)}})
    if filters.eins:
        clauses.append({"terms": {"ein": list(filters.eins)}})
    if filters.entity_types:
        clauses.append(_any([_term_in_any_case("entity_type", t) for t in filters.entity_types]))
    names = ("name", "former_names.name")
    clauses += [_any([_part(name, text) for name in names]) for text in filters.name_includes]
    if filters.name_excludes:
        excluded = [_part("name", text) for text in filters.name_excludes]
        clauses.append({"bool": {"must_not": excluded}})
    return clauses


def _ticker_clause(tickers: Sequence[str], table: TickerTable) -> Clause:
    """Who has the tickers now; one that no ticker file has may be known from elsewhere."""
    holders = _ciks_clause(cik for ticker in tickers for cik in table.ciks(ticker))
    others = [ticker for ticker in tickers if not table.ciks(ticker)]
    return _any([holders, {"terms": {"tickers": others}}]) if others else holders


def _filing_query(filters: FilingFilters, ciks: Sequence[str] | None) -> dict[str, list[Clause]]:
    """What a boolean query of filings, or of documents by their filings, holds."""
    wanted: list[Clause] = []
    if ciks is not None:
        wanted.append(_ciks_clause(ciks, "ciks"))
    if filters.form_types:
        wanted.append({"terms": {"form_type": list(filters.form_types)}})
    if filters.items:
        wanted.append(_any([_item_clause(item) for item in filters.items]))
    bounds = {"gte": filters.first_day, "lte": filters.last_day}
    days = {name: day.isoformat() for name, day in bounds.items() if day}
    if days:
        wanted.append({"range": {"filing_date": days}})
    unwanted: list[Clause] = []
    if filters.excluded_form_types:
        unwanted.append({"terms": {"form_type": list(filters.excluded_form_types)}})
    if filters.exclude_amendments:
        unwanted.append({"wildcard": {"form_type": {"value": "*/A"}}})
    return {"filter": wanted, "must_not": unwanted}


def _item_clause(item: str) -> Clause:
    return {"term": {"items": item}}


def _number_clause(params: FullTextParams) -> Clause:
    clauses: list[Clause] = [{"prefix": {"accession_number": text}} for text in params.prefixes]
    if params.numbers:
        clauses.append({"terms": {"accession_number": list(params.numbers)}})
    return _any(clauses)


def _ciks_clause(ciks: Iterable[str], field: str = "cik") -> Clause:
    found = list(dict.fromkeys(ciks))
    return {"terms": {field: found}} if found else _NOTHING


def _any(clauses: list[Clause]) -> Clause:
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def _term_in_any_case(field: str, text: str) -> Clause:
    return {"term": {field: {"value": text, "case_insensitive": True}}}


def _part(field: str, text: str) -> Clause:
    pattern = f"*{text.translate(_SPECIAL)}*"
    return {"wildcard": {field: {"value": pattern, "case_insensitive": True}}}
