"""Searches and look-ups of Version 2: parameters to bodies, the engine's replies to results."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search import v2_bodies
from edgar_search.search.hits import (
    CikHit,
    EntityHit,
    FilingHit,
    FoundHit,
    FoundPage,
    SectionHit,
    StoredPassageHit,
)
from edgar_search.search.index_members import IndexMembers
from edgar_search.search.searching import FilingPage, snippets
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.filing import StoredFiling
from edgar_search.stored.section import StoredSection
from edgar_search.web.v2.entity_parameters import EntityFilters, EntityParams
from edgar_search.web.v2.filing_parameters import FilingParams, FullTextParams

# Rows of a window that show text: each costs the engine about as much as a hit itself.
SHOWN_ROWS = 200
TEXT_CHARS = 2_000


class Directory(NamedTuple):
    """By what names and numbers are resolved to entities: all as it is now."""

    engine: Engine
    table: TickerTable
    members: IndexMembers


class EntityPage(NamedTuple):
    """A window of entities; `total` counts all that match."""

    total: int
    entities: list[StoredEntity]


async def look_up_entities(directory: Directory, params: EntityParams, account: str) -> EntityPage:
    """The entities that match; one engine request."""
    clauses = v2_bodies.entity_clauses(params.filters, directory.table, directory.members)
    body = v2_bodies.entities_body(clauses, params.window)
    reply = await directory.engine.search("entities", body, EntityHit, account=account)
    return EntityPage(reply.total, [hit.source for hit in reply.hits.hits])


async def look_up_filings(directory: Directory, params: FilingParams, account: str) -> FilingPage:
    """The filings that match; one engine request, and one for entity filters."""
    ciks = await _ciks(directory, params.entities)
    body = v2_bodies.filings_body(params, ciks)
    reply = await directory.engine.search("filings", body, FilingHit, account=account)
    return FilingPage(reply.total, [hit.source for hit in reply.hits.hits])


async def full_text(directory: Directory, params: FullTextParams, account: str) -> FoundPage:
    """A window of the documents that match, with the entities of their filings."""
    engine = directory.engine
    ciks = await _ciks(directory, [params.entities])
    body = v2_bodies.documents_body(params, ciks)
    reply = await engine.search("documents", body, FoundHit, account=account)
    hits = reply.hits.hits
    shown = hits[:SHOWN_ROWS]
    marked, texts, entities = await asyncio.gather(
        snippets(engine, params.query, shown, account),
        _texts(engine, shown, account),
        entities_of(engine, (cik for hit in hits for cik in hit.ciks), account),
    )
    return FoundPage(reply.total, hits, marked, texts, entities)


async def filings_of(engine: Engine, numbers: Sequence[str], account: str) -> list[StoredFiling]:
    """The filings of these accession numbers, as far as they are here."""
    body = v2_bodies.numbers_body(numbers)
    reply = await engine.search("filings", body, FilingHit, account=account)
    return [hit.source for hit in reply.hits.hits]


async def filing_of(engine: Engine, number: str, account: str) -> StoredFiling:
    """The filing of this accession number; NotFound where it is not here."""
    for filing in await filings_of(engine, [number], account):
        return filing
    raise NotFound(f"there is no filing {number}")


async def sections_of(engine: Engine, field: str, value: str, account: str) -> list[StoredSection]:
    """The sections of a document (`document_id`) or a filing (`accession_number`), in order."""
    body = v2_bodies.sections_body(field, value)
    reply = await engine.search("sections", body, SectionHit, account=account)
    return [hit.source for hit in reply.hits.hits]


async def entities_of(engine: Engine, ciks: Iterable[str], account: str) -> list[StoredEntity]:
    """The entities of these CIKs, by CIK; at most as many as a filter may come to."""
    wanted = list(dict.fromkeys(ciks))[: v2_bodies.MAX_CIKS]
    if not wanted:
        return []
    body = v2_bodies.known_body(wanted)
    reply = await engine.search("entities", body, EntityHit, account=account)
    return [hit.source for hit in reply.hits.hits]


async def _texts(engine: Engine, hits: Sequence[FoundHit], account: str) -> list[str]:
    """The beginning of each document's text."""
    if not hits:
        return []
    body = v2_bodies.beginnings_body({hit.document_id: hit.fields.passages[0] for hit in hits})
    reply = await engine.search("passages", body, StoredPassageHit, account=account)
    pieces: dict[str, dict[int, str]] = {}
    for passage in (hit.source for hit in reply.hits.hits):
        pieces.setdefault(passage.document_id, {})[passage.number] = passage.text
    return [_beginning(pieces.get(hit.document_id, {})) for hit in hits]


def _beginning(pieces: dict[int, str]) -> str:
    return "".join(pieces[number] for number in sorted(pieces))[:TEXT_CHARS]


async def _ciks(directory: Directory, parts: Iterable[EntityFilters]) -> list[str] | None:
    """The CIKs of the entities that match all parts; None where none asks for anything.

    Raises BadRequest where they are too many for the engine.
    """
    asked = [filters for filters in parts if filters]
    if not asked:
        return None
    if len(asked) == 1 and asked[0] == EntityFilters(ciks=asked[0].ciks):
        return list(asked[0].ciks)  # Nothing to resolve.
    table, members = directory.table, directory.members
    clauses = [c for filters in asked for c in v2_bodies.entity_clauses(filters, table, members)]
    reply = await directory.engine.search("entities", v2_bodies.ciks_body(clauses), CikHit)
    if len(reply.hits.hits) > v2_bodies.MAX_CIKS:
        raise BadRequest(
            f"the filters of entities match more than {v2_bodies.MAX_CIKS} entities; narrow them"
        )
    return [hit.fields.cik[0] for hit in reply.hits.hits]
