"""Searches for documents: one request for documents, one for passages, snippets and warnings."""

import asyncio
from collections.abc import Sequence
from datetime import date
from typing import Any, TypeVar

from msgspec import Struct, field, structs

from edgar_search.engine.replies import Buckets, decode
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import (
    ANY_FILING,
    DocumentCriteria,
    DocumentSearch,
    Interval,
    Window,
)
from edgar_search.search.entities import cik_lists, entities_of
from edgar_search.search.filings import WITHDRAWN, withdrawn_since
from edgar_search.search.groups import MOST_SHOWN, find_groups
from edgar_search.search.index_versions import require_for_documents
from edgar_search.search.language import Node, query_slots
from edgar_search.search.query.body import (
    FULL_HIT_FIELDS,
    HIT_FIELDS,
    CikLists,
    document_query,
    score_query,
    shown_fields,
)
from edgar_search.search.query.matching import Clause
from edgar_search.search.ranking import Ranked, weigh_search
from edgar_search.search.respelling import find_respelling
from edgar_search.search.results import (
    DayCount,
    DocumentHit,
    DocumentPage,
    FoundDocument,
    FullHit,
    FullPage,
    NewDocumentPage,
    tell_lacks,
)
from edgar_search.search.snippets.openings import beginnings, filed_of
from edgar_search.search.snippets.passages import make_snippets, snippets
from edgar_search.search.warnings.filter_values import Found
from edgar_search.search.warnings.warnings import or_default, search_warnings

H = TypeVar("H", bound=DocumentHit)

# The most rows of a window with text, because each costs the engine about as much as a hit.
SHOWN_ROWS = 200
TEXT_CHARS = 2_000
# Passages have about 2,000 characters, except one before a long run without white space.
_BEGINNING_PASSAGES = 3


def new_documents_body(
    criteria: DocumentCriteria, ciks: CikLists, interval: Interval, window: Window
) -> Clause:
    """Build the request for matching documents that became searchable in an interval.

    The newest come first; each day's documents are counted.
    """
    bounds = {"gt": interval.since, "lte": interval.until}
    moments = {name: moment.isoformat(timespec="milliseconds") for name, moment in bounds.items()}
    loaded = {"range": {"loaded_at": moments}}
    return {
        "query": {
            "bool": {
                "must": [document_query(criteria, ciks)],
                "filter": [loaded],
            }
        },
        "from": window.start,
        "size": window.size,
        "sort": [{"loaded_at": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
        "aggs": {"days": _days(interval.since.date(), interval.until.date())},
    }


def _days(first: date, last: date) -> Clause:
    """Count the documents of each day (UTC), including days without any."""
    return {
        "date_histogram": {
            "field": "loaded_at",
            "calendar_interval": "day",
            "format": "strict_date",
            "min_doc_count": 0,
            "extended_bounds": {"min": first.isoformat(), "max": last.isoformat()},
        }
    }


class DayBucket(Struct):
    date: str = field(name="key_as_string")
    count: int = field(name="doc_count")


class DayAggregations(Struct):
    """The number of documents that became searchable on each day."""

    days: Buckets[DayBucket]


async def search_documents(context: SearchContext, search: DocumentSearch) -> DocumentPage:
    """Search a window of documents, or of filings if grouped; each hit with its snippet.

    With details the hits are DetailedHit. The page has all warnings. Makes two engine requests if
    there are hits, and one for criteria of entities; warnings need none if something was found and
    all values are known. Filings need two more (`groups`), and word forms that were not searched
    lately one. A question that finds nothing is searched in its closest spelling too.
    """
    await require_for_documents(context.engine, search)
    page = await _find_and_warn(context, search)
    if page.total:
        return page
    other = await or_default(None, find_respelling, context, search.criteria)
    if other is None:
        return page
    respelled = structs.replace(search, criteria=other.criteria)
    again = await _find_and_warn(context, respelled)
    if not again.total:
        return page
    return again._replace(respelling=other)


async def _find_and_warn(context: SearchContext, search: DocumentSearch) -> DocumentPage:
    filings = search.criteria.filings
    ciks = await cik_lists(context, filings) if filings.names_entities else ()
    weights = await context.ranking.find_weights(context.engine, search.criteria.query)
    weighed = weigh_search(search, weights)
    if search.grouped:
        page = await find_groups(context, weighed, ciks)
    else:
        page = await _find_documents(context, weighed, ciks)
    return await add_warnings(context, search, page, ciks)


async def _find_documents(
    context: SearchContext, search: DocumentSearch, ciks: CikLists
) -> DocumentPage:
    ranked = await _rank(context, search, ciks, *shown_fields(search))
    if ranked.whole is not None:
        tell_lacks(ranked.hits, search.criteria.query)
    documents = await make_snippets(context.engine, search, ranked.hits)
    return DocumentPage(ranked.total, documents, whole=ranked.whole)


async def add_warnings(
    context: SearchContext, search: DocumentSearch, page: DocumentPage, ciks: CikLists
) -> DocumentPage:
    """Add warnings to a page of results, and withdrawals if the search asks for them.

    `ciks` are those that its criteria were resolved to.

    Makes no engine request if something was found and all values are known; one for withdrawals.
    """
    # The values of the hits matter only to filters of filings.
    hits = page.hits if search.criteria.filings != ANY_FILING else []
    result = Found(
        page.total,
        frozenset(hit.fields.form_type[0] for hit in hits),
        frozenset(cik for hit in hits for cik in hit.ciks),
        page.whole,
    )
    warnings = await search_warnings(context, search.criteria, result, ciks)
    if WITHDRAWN in search.details:
        numbers = (hit.fields.accession_number[0] for hit in page.hits)
        page = page._replace(withdrawn=await withdrawn_since(context.engine, numbers))
    all_warnings = (*warnings.warnings, *page.warnings)
    return page._replace(warnings=all_warnings, missing=warnings.missing)


async def find_hits(
    context: SearchContext,
    search: DocumentSearch,
    ciks: CikLists,
    weights: Sequence[float],
) -> Ranked[DocumentHit]:
    """Find a search's window, in its order, without snippets."""
    return await _rank(context, weigh_search(search, weights), ciks, *shown_fields(search))


async def search_fields(
    context: SearchContext, search: DocumentSearch, fields: Sequence[Any], hit: type[H]
) -> Sequence[H]:
    """Read only some fields of a window of documents; no snippets, no warnings.

    Makes one or two engine requests, and one for criteria of entities.
    """
    await require_for_documents(context.engine, search)
    filings = search.criteria.filings
    ciks = await cik_lists(context, filings) if filings.names_entities else ()
    weights = await context.ranking.find_weights(context.engine, search.criteria.query)
    return (await _rank(context, weigh_search(search, weights), ciks, fields, hit)).hits


async def search_full_documents(context: SearchContext, search: DocumentSearch) -> FullPage:
    """Search a window of documents, with texts and the entities of their filings."""
    engine = context.engine
    ciks = await cik_lists(context, search.criteria.filings)
    weights = await context.ranking.find_weights(engine, search.criteria.query)
    search = weigh_search(search, weights)
    ranked = await _rank(context, search, ciks, FULL_HIT_FIELDS, FullHit)
    total, hits = ranked.total, ranked.hits
    shown_hits = hits[:SHOWN_ROWS]
    marked, texts, entities = await asyncio.gather(
        snippets(engine, search.criteria, shown_hits),
        _texts(context, shown_hits),
        entities_of(engine, (cik for hit in hits for cik in hit.ciks)),
    )
    return FullPage(total, hits, marked, texts, entities)


async def search_new_documents(
    context: SearchContext,
    criteria: DocumentCriteria,
    interval: Interval,
    window: Window,
) -> NewDocumentPage:
    """Search a window of documents that became searchable in an interval."""
    engine = context.engine
    body = new_documents_body(
        criteria, await cik_lists(context, criteria.filings), interval, window
    )
    reply = await engine.search("documents", body, DocumentHit)
    counts = decode(bytes(reply.aggregations), DayAggregations).days.buckets
    days = [DayCount(bucket.date, bucket.count) for bucket in counts]
    hits = reply.hits.hits
    texts = await snippets(engine, criteria, hits)
    documents = list(map(FoundDocument, hits, texts))
    return NewDocumentPage(DocumentPage(reply.total, documents), days)


async def _rank(
    context: SearchContext,
    search: DocumentSearch,
    ciks: CikLists,
    fields: Sequence[Any],
    hit: type[H],
) -> Ranked[H]:
    """Return a search's window, ranked."""
    engine, ranking = context.engine, context.ranking
    broad = await ranking.find_broad_wildcards(engine, search.criteria.query)
    scored = score_query(search, ciks, broad)
    return await ranking.find_page(engine, scored, search, fields, hit)


async def _texts(context: SearchContext, hits: Sequence[FullHit]) -> list[str]:
    """Return the beginning of each document's text."""
    counts = {hit.document_id: min(hit.fields.passages[0], _BEGINNING_PASSAGES) for hit in hits}
    texts = await beginnings(context.engine, counts, filed_of(hits))
    return [texts.get(hit.document_id, "")[:TEXT_CHARS] for hit in hits]


# Marking and showing this many passages takes as long as a page of 20 hits with its search.
_SHOWN_OF_A_SLOT = 50
# The cost of finding an event's windows, and of matching filings within as many as allowed.
_SLOTS_OF_EVENT = 2


def search_slots(search: DocumentSearch, most_shown: int | None = None) -> int:
    """Return how many search slots a search takes: one, or more if it is expensive.

    That depends on the query, on the events near its filings and on the shown shown: for at most
    `most_shown` hits, or for all if it is None.
    """
    hits = search.window.size * (MOST_SHOWN if search.grouped else 1)
    hits = hits if most_shown is None else min(hits, most_shown)
    passages = hits * max(1, search.snippets)
    of_events = _SLOTS_OF_EVENT * len(search.criteria.filings.events)
    return shown_slots(search.criteria.query, passages) + of_events


def shown_slots(query: Node | None, passages: int) -> int:
    """Return how many search slots a query takes if it returns this many passages."""
    return query_slots(query) + passages // _SHOWN_OF_A_SLOT
