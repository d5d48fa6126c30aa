"""One search: parameters in, a page out; the only place that sequences its engine requests."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from edgar_search.alerts.watching import WatchParams, watched_body
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import decode
from edgar_search.search.clauses import snippet_clauses, word_clauses
from edgar_search.search.hits import (
    BeginningHit,
    DocumentHit,
    FilingHit,
    PassageHit,
    WatchedAggregations,
)
from edgar_search.search.language import Node
from edgar_search.search.snippet import snippet
from edgar_search.search.tickers import TickerTable
from edgar_search.search.v1_bodies import (
    MARK_END,
    MARK_START,
    beginnings_body,
    documents_body,
    filings_body,
    passages_body,
)
from edgar_search.stored.filing import StoredFiling
from edgar_search.web.v1.coverage import PAGE, CoverageParams, coverage_body
from edgar_search.web.v1.coverage_answers import CoverageAggregations, PairBucket
from edgar_search.web.v1.parameters import LookupParams, SearchParams

_log = logging.getLogger(__name__)


class FilingPage(NamedTuple):
    """Filings, newest first; `total` counts all that match."""

    total: int
    filings: list[StoredFiling]


class DocumentPage(NamedTuple):
    """Hits, best first, each with its snippet; `total` counts all that match."""

    total: int
    hits: list[DocumentHit]
    snippets: list[str]


class DayCount(Struct, frozen=True):
    """A day (UTC), as `YYYY-MM-DD`, and the number of documents of that day."""

    date: str
    count: int


class WatchedPage(NamedTuple):
    """What became searchable and matches, newest first; `days` has every day of the time."""

    page: DocumentPage
    days: list[DayCount]


class Window(NamedTuple):
    """A time, the first moment excluded, and a page of what came in it."""

    since: datetime
    until: datetime
    limit: int
    offset: int


async def look_up(
    engine: Engine, params: LookupParams, table: TickerTable, account: str
) -> FilingPage:
    """The filings that match; one engine request."""
    body = filings_body(params, ticker_ciks(params.filters.tickers, table))
    reply = await engine.search("filings", body, FilingHit, account=account)
    return FilingPage(reply.total, [hit.source for hit in reply.hits.hits])


async def search(
    engine: Engine, params: SearchParams, table: TickerTable, account: str
) -> DocumentPage:
    """A page of the documents that match; two engine requests where it has hits."""
    body = documents_body(params, ticker_ciks(params.filters.tickers, table))
    reply = await engine.search("documents", body, DocumentHit, account=account)
    hits = reply.hits.hits
    return DocumentPage(reply.total, hits, await snippets(engine, params.query, hits, account))


async def snippets(
    engine: Engine, query: Node, hits: Sequence[DocumentHit], account: str
) -> list[str]:
    """The snippet of each hit of a search for `query`; one engine request where there are hits."""
    found = await _passages(engine, query, [hit.document_id for hit in hits], account)
    return [passage_snippet(hit, found) for hit in hits]


async def watch(
    engine: Engine, params: WatchParams, window: Window, table: TickerTable, account: str
) -> WatchedPage:
    """A page of the documents that became searchable in a time and match what a trigger does."""
    ciks = ticker_ciks(params.filters.tickers, table)
    body = watched_body(params, ciks, **window._asdict())
    reply = await engine.search("documents", body, DocumentHit, account=account)
    counts = decode(bytes(reply.aggregations), WatchedAggregations).days.buckets
    days = [DayCount(bucket.date, bucket.count) for bucket in counts]
    hits = reply.hits.hits
    snippets = await _watched_snippets(engine, params.query, hits, account)
    return WatchedPage(DocumentPage(reply.total, hits, snippets), days)


async def _watched_snippets(
    engine: Engine, query: Node | None, hits: Sequence[DocumentHit], account: str
) -> list[str]:
    if query is not None:
        return await snippets(engine, query, hits, account)
    beginnings = await _beginnings(engine, [hit.document_id for hit in hits], account)
    return [beginning_snippet(hit, beginnings.get(hit.document_id, "")) for hit in hits]


async def _beginnings(engine: Engine, document_ids: Sequence[str], account: str) -> dict[str, str]:
    """The text of each document's first passage."""
    if not document_ids:
        return {}
    body = beginnings_body(document_ids)
    reply = await engine.search("passages", body, BeginningHit, account=account)
    return {hit.source.document_id: hit.source.text for hit in reply.hits.hits}


def beginning_snippet(hit: DocumentHit, text: str) -> str:
    """The beginning of a document, `text` being its first passage."""
    ends = hit.fields.passages[0] == 1
    return snippet(text, MARK_START, MARK_END, begins=True, ends=ends)


async def coverage(engine: Engine, params: CoverageParams) -> list[PairBucket]:
    """What the ledger has of each day and form, in that order."""
    buckets: list[PairBucket] = []
    after: dict[str, Any] | None = None
    while True:
        body = coverage_body(params, after)
        pairs = (await engine.aggregate("ledger", body, CoverageAggregations)).pairs
        buckets += pairs.buckets
        after = pairs.after_key
        if after is None or len(pairs.buckets) < PAGE:
            return buckets


async def _passages(
    engine: Engine, query: Node, document_ids: Sequence[str], account: str
) -> dict[str, PassageHit]:
    """The best passage of each document."""
    found = await _matching(engine, snippet_clauses(query), document_ids, account)
    missing = [key for key in document_ids if key not in found]
    if missing:
        # A phrase may stand across two passages: then the one with most of its words is shown.
        found |= await _matching(engine, word_clauses(query), missing, account)
        missing = [key for key in missing if key not in found]
    if missing:
        # The two indices refresh apart: a document may be visible before its passages are.
        await engine.refresh("passages")
        found |= await _matching(engine, word_clauses(query), missing, account)
    return found


async def _matching(
    engine: Engine, clauses: list[dict[str, Any]], document_ids: Sequence[str], account: str
) -> dict[str, PassageHit]:
    if not document_ids:
        return {}
    body = passages_body(clauses, document_ids)
    reply = await engine.search("passages", body, PassageHit, account=account)
    return {hit.fields.document_id[0]: hit for hit in reply.hits.hits}


def passage_snippet(hit: DocumentHit, found: dict[str, PassageHit]) -> str:
    """The marked part of a hit's best passage."""
    passage = found.get(hit.document_id)
    if passage is None or passage.highlight is None:
        # Replaced or deleted between the two requests: the next search will not find it here.
        _log.warning("no passage of %s matches any more", hit.document_id)
        return ""
    number = passage.fields.number[0]
    return snippet(
        passage.highlight.text[0],
        MARK_START,
        MARK_END,
        begins=number == 0,
        ends=number == hit.fields.passages[0] - 1,
    )


def ticker_ciks(tickers: Sequence[str], table: TickerTable) -> list[str]:
    """The CIKs that have these tickers now."""
    return [cik for ticker in tickers for cik in table.ciks(ticker)]
