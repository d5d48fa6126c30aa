"""Request bodies for documents: from criteria to one literal; pure."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

from edgar_search.edgar.identifiers import parse_accession_number
from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentField,
    DocumentSearch,
    EntityCriteria,
    FacetSearch,
    FilingCriteria,
    Order,
)
from edgar_search.search.filters import filter_clauses
from edgar_search.search.language import Node
from edgar_search.search.query.boosts import boost_clauses, heading_clauses
from edgar_search.search.query.matching import (
    Clause,
    any_of,
    document_clause,
    name_clause,
    part_of_name,
    term_in_any_case,
)
from edgar_search.search.query.operands import match_any
from edgar_search.search.query.proximity import proximity_clause
from edgar_search.search.query.scoring import (
    add_scores,
    scores_apart,
    scoring_clauses,
    scoring_clauses_with_wildcards,
)
from edgar_search.search.results import DetailedHit, DocumentHit
from edgar_search.search.tickers import IndexMembers, TickerTable

# The CIKs to which a search's tickers, entity criteria and events resolve: one list for each
# criterion. A filing must have a CIK from every list, and with a `cik_window` a filing date within
# it. Filings near an event may be listed by their accession numbers instead. All entries are texts,
# because snapshots store these lists.
CikLists = Sequence[Sequence[str]]
_WINDOW_PARTS = "/"

_NOTHING: Clause = {"match_none": {}}


def ticker_ciks(tickers: Iterable[str], table: TickerTable) -> list[str]:
    """Return the CIKs that currently hold these tickers."""
    return [cik for ticker in tickers for cik in table.ciks(ticker)]


def ticker_lists(criteria: FilingCriteria, table: TickerTable) -> CikLists:
    """Return the CIKs of the tickers, if any are given."""
    return [ticker_ciks(criteria.ticker, table)] if criteria.ticker else []


def cik_window(cik: str, first: date, last: date) -> str:
    """Return the entry of a list that matches a CIK's filings between two dates, both inclusive."""
    return _WINDOW_PARTS.join((cik, first.isoformat(), last.isoformat()))


def _of_list(entries: Sequence[str]) -> Clause:
    """Match filings with a listed CIK, within its window if it has one, or with a listed number."""
    if entries and parse_accession_number(entries[0]):
        return _one_of("accession_number", entries)
    by_days: dict[str, list[str]] = {}
    for entry in entries:
        cik, _, days = entry.partition(_WINDOW_PARTS)
        by_days.setdefault(days, []).append(cik)
    clauses = [_filed_within(days, ciks) for days, ciks in by_days.items()]
    if len(clauses) == 1:
        return clauses[0]
    return any_of(clauses) if clauses else _NOTHING


def _filed_within(days: str, ciks: Sequence[str]) -> Clause:
    """Match these companies' filings within a window of days, or of all days for ""."""
    clause = _one_of("ciks", ciks)
    if not days:
        return clause
    first, _, last = days.partition(_WINDOW_PARTS)
    return {"bool": {"filter": [clause, {"range": {"filing_date": {"gte": first, "lte": last}}}]}}


def document_query(
    criteria: DocumentCriteria, ciks: CikLists, text: Clause | None = None
) -> Clause:
    """Match documents; one `query_string` decides, and usually scores by itself.

    `text` replaces the clause for the query.
    """
    query = filing_query(criteria.filings, ciks)["bool"]
    if criteria.ids:
        query["filter"].append({"terms": {"document_id": list(criteria.ids)}})
    first = criteria.query is None and not criteria.all_documents
    if first and not criteria.filings.primary:
        query["filter"].append({"term": {"first": True}})
    if criteria.query is None:
        return {"bool": query}
    clause = text or document_clause(criteria.query)
    if text or not scores_apart(criteria.query):
        return {"bool": {"must": [clause], **query}}
    query["filter"].append(clause)
    return {"bool": {"should": scoring_clauses(criteria.query), **query}}


def filing_query(criteria: FilingCriteria, ciks: CikLists) -> Clause:
    """Match filings, or documents by their filings."""
    query: Clause = {"filter": _filters(criteria, ciks)}
    if criteria.excluded_form_types:
        query["must_not"] = [_one_of("form_type", criteria.excluded_form_types)]
    return {"bool": query}


def entity_clauses(
    criteria: EntityCriteria,
    table: TickerTable,
    members: IndexMembers,
    named: Sequence[Sequence[str]] = (),
) -> list[Clause]:
    """Return a clause for each criterion that is set; its items are alternatives.

    `named` lists the companies that each of `name_includes` means, which match too. Raises
    BadRequest for `index_tickers` if the operator has supplied no members.
    """
    clauses: list[Clause] = []
    if criteria.ciks:
        clauses.append(_one_of("cik", criteria.ciks))
    if criteria.tickers:
        clauses.append(_ticker_clause(criteria.tickers, table))
    if criteria.index_tickers:
        clauses.append(_one_of("cik", members.ciks(criteria.index_tickers, table)))
    if criteria.exchanges:
        listed = _one_of("cik", (cik for e in criteria.exchanges for cik in table.listed(e)))
        known = [term_in_any_case("exchanges", exchange) for exchange in criteria.exchanges]
        clauses.append(any_of([listed, *known]))
    if criteria.sics:
        clauses.append(_one_of("sic", criteria.sics))
    if criteria.states:
        clauses.append(_one_of("state_of_incorporation", criteria.states))
    if criteria.eins:
        clauses.append(_one_of("ein", criteria.eins))
    if criteria.entity_types:
        clauses.append(any_of([term_in_any_case("entity_type", t) for t in criteria.entity_types]))
    return clauses + _name_clauses(criteria, named)


def _name_clauses(criteria: EntityCriteria, named: Sequence[Sequence[str]]) -> list[Clause]:
    clauses = [name_clause(text) for text in criteria.name_includes]
    if named:
        meant = zip(clauses, named, strict=True)
        clauses = [any_of([each, _one_of("cik", ciks)]) if ciks else each for each, ciks in meant]
    if criteria.name_excludes:
        clauses.append({"bool": {"must_not": list(map(part_of_name, criteria.name_excludes))}})
    return clauses


def _ticker_clause(tickers: Sequence[str], table: TickerTable) -> Clause:
    """Match the holders of tickers.

    A ticker that is in no ticker file may be known from elsewhere.
    """
    holders = _one_of("cik", ticker_ciks(tickers, table))
    others = [ticker for ticker in tickers if not table.ciks(ticker)]
    return any_of([holders, _one_of("tickers", others)]) if others else holders


def _filters(criteria: FilingCriteria, ciks: CikLists) -> list[Clause]:
    clauses = [*filter_clauses(criteria), *map(_of_list, ciks)]
    if criteria.numbers or criteria.number_prefixes:
        clauses.append(_number_clause(criteria))
    return clauses


def _number_clause(criteria: FilingCriteria) -> Clause:
    clauses: list[Clause] = [
        {"prefix": {"accession_number": text}} for text in criteria.number_prefixes
    ]
    if criteria.numbers:
        clauses.append(_one_of("accession_number", criteria.numbers))
    return any_of(clauses)


def _one_of(field: str, values: Iterable[str]) -> Clause:
    """Match any of these values; no values match nothing."""
    distinct = list(dict.fromkeys(values))
    return {"terms": {field: distinct}} if distinct else _NOTHING


_FILING_DATE = {"field": "filing_date", "format": "strict_date"}
_ACCEPTED_AT = {"field": "accepted_at", "format": "strict_date_time_no_millis"}
# The fields of a document and its filing in a hit.
HIT_FIELDS: list[Any] = [
    "document_id",
    "accession_number",
    "form_type",
    _FILING_DATE,
    "entities",
    "file_name",
    "passages",
]
# The same, with everything stored about a document except its text.
FULL_HIT_FIELDS: list[Any] = [
    *HIT_FIELDS,
    "document_type",
    "description",
    "size",
    "sics",
    _ACCEPTED_AT,
]

# Further fields of a document and its filing that an answer may include.
DETAIL_FIELDS: list[Any] = [
    *HIT_FIELDS,
    "document_type",
    "description",
    "size",
    _ACCEPTED_AT,
    {"field": "period", "format": "strict_date"},
    "items",
    "first",
    "archived",
    "text_sha256",
    "auditor",
    "auditor_location",
    "auditor_firm_id",
    "_version",
]


def shown_fields(search: DocumentSearch) -> tuple[list[Any], type[DocumentHit]]:
    """Return the fields that hits of a search show, and the type to decode them as."""
    detailed = search.details or search.places
    return (DETAIL_FIELDS, DetailedHit) if detailed else (HIT_FIELDS, DocumentHit)


_ORDERS: dict[DocumentField, Callable[[Order], list[Clause]]] = {
    "_score": lambda order: [{"_score": order}, {"filing_date": "desc"}],
    "filing_date": lambda order: [{"filing_date": order}],
    "filing": lambda order: [{"filing_date": order}, {"accession_number": order}],
}


def _order(search: DocumentSearch) -> list[Clause]:
    if search.sorted_by is None:
        return _ORDERS[search.sort_by](search.order)
    # Documents of an older version lack such a field.
    how = {"order": search.order, "missing": "_last", "unmapped_type": "double"}
    return [{search.sorted_by: how}, {"filing_date": "desc"}]


def page_body(query: Clause, search: DocumentSearch, fields: Sequence[Any]) -> Clause:
    """Build the request for a search's window, with `query` and these fields of each hit."""
    return {
        "query": query,
        "from": search.window.start,
        "size": search.window.size,
        "sort": [*_order(search), {"document_id": "asc"}],
        # Every hit needs its score, whatever the order.
        "track_scores": not search.by_score,
        "track_total_hits": True,
        # Even an id is a stored field, and reading it decompresses its neighbour, the recovery copy
        # of whole texts. Without stored fields a page takes a quarter of the time.
        "stored_fields": "_none_",
        "docvalue_fields": list(fields),
    }


# How many of the documents with any operand are scored by proximity: two pages.
FIRST = 20


class ScoredQuery(NamedTuple):
    """A clause that matches and scores, and one that adds to the score of some matches.

    `whole` matches the documents with all operands if others match too.
    """

    query: Clause
    proximity: Clause | None = None
    whole: Clause | None = None

    def clause(self, close: bool) -> Clause:
        """Return the clause that matches and scores, by proximity too if `close`."""
        if not close or self.proximity is None:
            return self.query
        return {"bool": {"must": [self.query], "should": [self.proximity]}}

    def is_near(self, row: int) -> bool:
        """True if a row is among the first documents with any operand, scored by proximity."""
        return self.whole is not None and self.proximity is not None and row < FIRST


def matching_query(search: DocumentSearch | FacetSearch, ciks: CikLists) -> Clause:
    """Return the query that matches the documents of a search."""
    return document_query(search.criteria, ciks, _any_clause(search))


def _any_clause(search: DocumentSearch | FacetSearch) -> Clause | None:
    """Match documents with any operand; None if all operands are required."""
    criteria = search.criteria
    if search.operands == "all":
        return None
    return match_any(criteria.query, *([criteria.reading.boosts] if criteria.reading else []))


def score_query(search: DocumentSearch, ciks: CikLists, broad: Collection[str]) -> ScoredQuery:
    """Build the scoring query of a search; wildcards that are not `broad` score as words."""
    criteria, node, some = search.criteria, search.criteria.query, _any_clause(search)
    query = document_query(criteria, ciks, some)
    if node is None:
        return ScoredQuery(query)
    scored = ScoredQuery(_add_scoring(criteria, node, query, broad), proximity_clause(node, broad))
    if some is None:
        return scored
    # Any other order has no first documents.
    close = scored.proximity if search.by_score else None
    return scored._replace(proximity=close, whole=document_query(criteria, ciks))


def _add_scoring(
    criteria: DocumentCriteria, node: Node, query: Clause, broad: Collection[str]
) -> Clause:
    """Add clauses to the query that only score."""
    boosts = boost_clauses(criteria.reading.boosts) if criteria.reading else []
    words = [*scoring_clauses_with_wildcards(node, broad), *heading_clauses(node)]
    return add_scores(query, [*words, *boosts])
