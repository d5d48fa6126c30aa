"""Which requests are made for documents."""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, structs

from edgar_search.engine.replies import decode
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Interval, Window
from edgar_search.search.entities import cik_lists, entities_of
from edgar_search.search.hits import DayAggregations, DetailedHit, DocumentHit, FullHit
from edgar_search.search.index_versions import require_for_documents
from edgar_search.search.query.body import (
    DETAIL_FIELDS,
    FULL_HIT_FIELDS,
    HIT_FIELDS,
    CikLists,
    new_documents_body,
)
from edgar_search.search.query.scoring import FEW, loosened, part_scores, warning, window_after
from edgar_search.search.questions import others_question, whole_question, wide_patterns
from edgar_search.search.ranking import Ranked
from edgar_search.search.snippets.passages import beginnings, filed_of, shown_hits, snippets
from edgar_search.search.snippets.snippet import PlacedSnippet
from edgar_search.stored.entities import StoredEntity

H = TypeVar("H", bound=DocumentHit)

# Rows of a window that show text: each costs the engine about as much as a hit itself.
SHOWN_ROWS = 200
TEXT_CHARS = 2_000
# Passages have about 2,000 characters, but for one before a long run without white space.
_BEGINNING_PASSAGES = 3


class Group(NamedTuple):
    """A filing: how many of its documents are shown, and how many match."""

    shown: int
    number: int


class DocumentPage(NamedTuple):
    """A window of hits, each with its snippet; `total` counts all that match.

    `warnings` are sentences on what of the search was probably meant otherwise, or not served.
    `placed` are the snippets of each hit with their places, where these are asked for, and
    `passages` counts those of each that match, 0 where that is not known.
    Where the window is one of filings `groups` are these, and the hits those of one filing after
    another; `total` counts filings then, and where it is not `exact` there are at least so many.
    `withdrawn` says since when filings are withdrawn, where that is asked for, by their number.
    """

    total: int
    hits: list[DocumentHit]
    snippets: list[str]
    warnings: tuple[str, ...] = ()
    placed: Sequence[Sequence[PlacedSnippet]] = ()
    groups: tuple[Group, ...] | None = None
    exact: bool = True
    passages: Sequence[int] = ()
    withdrawn: Mapping[str, str] = MappingProxyType({})


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
    context: SearchContext, search: DocumentSearch, account: str
) -> DocumentPage:
    """A window of the documents that match; with details the hits are DetailedHit.

    Two engine requests where it has hits, and one for criteria of entities.
    """
    await require_for_documents(context.engine, search)
    ciks = await cik_lists(context, search.criteria.filings)
    found = await _ranked(context, search, ciks, *shown_fields(search), account)
    warnings: tuple[str, ...] = ()
    if search.operands == "most" and found.total < FEW:
        found, warnings = await _and_others(context, search, ciks, found, account)
    shown = await shown_hits(context.engine, search, found.hits, account)
    page = DocumentPage(found.total, found.hits, shown.snippets, warnings, shown.placed)
    return page._replace(passages=shown.passages)


async def search_full_documents(
    context: SearchContext, search: DocumentSearch, account: str
) -> FullPage:
    """A window of the documents that match, with texts and the entities of their filings."""
    engine = context.engine
    ciks = await cik_lists(context, search.criteria.filings)
    total, hits = await _ranked(context, search, ciks, FULL_HIT_FIELDS, FullHit, account)
    shown = hits[:SHOWN_ROWS]
    marked, texts, entities = await asyncio.gather(
        snippets(engine, search.criteria.query, shown, account),
        _texts(context, shown, account),
        entities_of(engine, (cik for hit in hits for cik in hit.ciks), account),
    )
    return FullPage(total, hits, marked, texts, entities)


async def search_new_documents(
    context: SearchContext,
    criteria: DocumentCriteria,
    interval: Interval,
    window: Window,
    account: str,
) -> NewDocumentPage:
    """A window of the documents that match and became searchable in a time."""
    engine = context.engine
    body = new_documents_body(
        criteria, await cik_lists(context, criteria.filings), interval, window
    )
    reply = await engine.search("documents", body, DocumentHit, account=account)
    counts = decode(bytes(reply.aggregations), DayAggregations).days.buckets
    days = [DayCount(bucket.date, bucket.count) for bucket in counts]
    hits = reply.hits.hits
    shown = await snippets(engine, criteria.query, hits, account)
    return NewDocumentPage(DocumentPage(reply.total, hits, shown), days)


def shown_fields(search: DocumentSearch) -> tuple[list[Any], type[DocumentHit]]:
    """What hits of a search have, and what they are read as."""
    detailed = search.details or search.places
    return (DETAIL_FIELDS, DetailedHit) if detailed else (HIT_FIELDS, DocumentHit)


async def _ranked(
    context: SearchContext,
    search: DocumentSearch,
    ciks: CikLists,
    fields: Sequence[Any],
    hit: type[H],
    account: str,
) -> Ranked[H]:
    """The window of a search in its order."""
    wide = await wide_patterns(context, search.criteria.query)
    question = whole_question(search.criteria, ciks, wide)
    engine, ranking = context.engine, context.ranking
    return await ranking.page(engine, question, search, fields, hit, account)


async def _and_others(
    context: SearchContext,
    search: DocumentSearch,
    ciks: CikLists,
    whole: Ranked[DocumentHit],
    account: str,
) -> tuple[Ranked[DocumentHit], tuple[str, ...]]:
    """The window in which documents with all operands but one follow those with all."""
    node = loosened(search.criteria.query)
    if node is None:
        return whole, ()
    wide = await wide_patterns(context, node)
    question = others_question(search.criteria, ciks, node, wide)
    rest = structs.replace(search, window=window_after(search.window, whole.total))
    others = await context.ranking.page(
        context.engine, question, rest, *shown_fields(search), account
    )
    if not others.total:
        return whole, ()
    part_scores(whole.hits, others.hits)
    page = Ranked(whole.total + others.total, [*whole.hits, *others.hits])
    return page, (warning(node, whole.total, others.total),)


async def _texts(context: SearchContext, hits: Sequence[FullHit], account: str) -> list[str]:
    """The beginning of each document's text."""
    counts = {hit.document_id: min(hit.fields.passages[0], _BEGINNING_PASSAGES) for hit in hits}
    found = await beginnings(context.engine, counts, filed_of(hits), account)
    return [found.get(hit.document_id, "")[:TEXT_CHARS] for hit in hits]
