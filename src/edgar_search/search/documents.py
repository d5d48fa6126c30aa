"""Which requests are made for documents."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from edgar_search.engine.replies import decode
from edgar_search.search.bodies.documents import (
    DETAIL_FIELDS,
    FULL_HIT_FIELDS,
    HIT_FIELDS,
    documents_body,
    new_documents_body,
)
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Interval, Window
from edgar_search.search.entities import Directory, cik_lists, entities_of
from edgar_search.search.hits import DayAggregations, DetailedHit, DocumentHit, FullHit
from edgar_search.search.passages import beginnings, snippets
from edgar_search.search.stored_versions import require_for_documents
from edgar_search.stored.entity import StoredEntity

# Rows of a window that show text: each costs the engine about as much as a hit itself.
SHOWN_ROWS = 200
TEXT_CHARS = 2_000
# Passages have about 2,000 characters, but for one before a long run without white space.
_BEGINNING_PASSAGES = 3


class DocumentPage(NamedTuple):
    """A window of hits, each with its snippet; `total` counts all that match."""

    total: int
    hits: list[DocumentHit]
    snippets: list[str]


class FullPage(NamedTuple):
    """A window of hits; `total` counts all that match.

    Snippets and texts are those of the first hits. `entities` are those of all hits' filings.
    """

    total: int
    hits: list[FullHit]
    snippets: list[str]
    texts: list[str]
    entities: list[StoredEntity]


class DayCount(Struct, frozen=True):
    """A day (UTC), as `YYYY-MM-DD`, and the number of documents of that day."""

    date: str
    count: int


class NewDocumentPage(NamedTuple):
    """What became searchable and matches, newest first; `days` has every day of the time."""

    page: DocumentPage
    days: list[DayCount]


async def search_documents(
    directory: Directory, search: DocumentSearch, account: str
) -> DocumentPage:
    """A window of the documents that match; with details the hits are DetailedHit.

    Two engine requests where it has hits, and one for criteria of entities.
    """
    engine = directory.engine
    await require_for_documents(engine, search)
    ciks = await cik_lists(directory, search.criteria.filings)
    body = documents_body(search, ciks, DETAIL_FIELDS if search.details else HIT_FIELDS)
    hit = DetailedHit if search.details else DocumentHit
    reply = await engine.search("documents", body, hit, account=account)
    hits = list[DocumentHit](reply.hits.hits)
    shown = await snippets(engine, search.criteria.query, hits, account)
    return DocumentPage(reply.total, hits, shown)


async def search_full_documents(
    directory: Directory, search: DocumentSearch, account: str
) -> FullPage:
    """A window of the documents that match, with texts and the entities of their filings."""
    engine = directory.engine
    ciks = await cik_lists(directory, search.criteria.filings)
    body = documents_body(search, ciks, FULL_HIT_FIELDS)
    reply = await engine.search("documents", body, FullHit, account=account)
    hits = reply.hits.hits
    shown = hits[:SHOWN_ROWS]
    marked, texts, entities = await asyncio.gather(
        snippets(engine, search.criteria.query, shown, account),
        _texts(directory, shown, account),
        entities_of(engine, (cik for hit in hits for cik, _ in hit.entities), account),
    )
    return FullPage(reply.total, hits, marked, texts, entities)


async def search_new_documents(
    directory: Directory,
    criteria: DocumentCriteria,
    interval: Interval,
    window: Window,
    account: str,
) -> NewDocumentPage:
    """A window of the documents that match and became searchable in a time."""
    engine = directory.engine
    body = new_documents_body(
        criteria, await cik_lists(directory, criteria.filings), interval, window
    )
    reply = await engine.search("documents", body, DocumentHit, account=account)
    counts = decode(bytes(reply.aggregations), DayAggregations).days.buckets
    days = [DayCount(bucket.date, bucket.count) for bucket in counts]
    hits = reply.hits.hits
    shown = await snippets(engine, criteria.query, hits, account)
    return NewDocumentPage(DocumentPage(reply.total, hits, shown), days)


async def _texts(directory: Directory, hits: Sequence[FullHit], account: str) -> list[str]:
    """The beginning of each document's text."""
    counts = {hit.document_id: min(hit.fields.passages[0], _BEGINNING_PASSAGES) for hit in hits}
    found = await beginnings(directory.engine, counts, account)
    return [found.get(hit.document_id, "")[:TEXT_CHARS] for hit in hits]
