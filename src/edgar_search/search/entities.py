"""Which requests are made for entities, and what the entities of other criteria come to."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest
from edgar_search.search.bodies.entities import (
    MAX_CIKS,
    ciks_body,
    entities_body,
    known_entities_body,
    known_names_body,
)
from edgar_search.search.companies import company_ciks
from edgar_search.search.criteria import EntityCriteria, EntitySearch, FilingCriteria
from edgar_search.search.filters import CikLists, entity_clauses, ticker_lists
from edgar_search.search.hits import CikHit, EntityHit, NamesHit
from edgar_search.search.index_members import IndexMembers
from edgar_search.search.ranking import Ranking
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.entity import StoredEntity


class Directory(NamedTuple):
    """By what names and numbers are resolved to entities, all as it is now, and how to rank."""

    engine: Engine
    table: TickerTable
    members: IndexMembers
    ranking: Ranking


class EntityPage(NamedTuple):
    """A window of entities; `total` counts all that match."""

    total: int
    entities: list[StoredEntity]


async def look_up_entities(directory: Directory, search: EntitySearch, account: str) -> EntityPage:
    """The entities that match; one engine request."""
    clauses = entity_clauses(search.criteria, directory.table, directory.members)
    body = entities_body(clauses, search.window)
    reply = await directory.engine.search("entities", body, EntityHit, account=account)
    return EntityPage(reply.total, [hit.source for hit in reply.hits.hits])


async def entities_of(engine: Engine, ciks: Iterable[str], account: str) -> list[StoredEntity]:
    """The entities of these CIKs, by CIK; at most as many as a clause may have."""
    wanted = list(dict.fromkeys(ciks))[:MAX_CIKS]
    if not wanted:
        return []
    body = known_entities_body(wanted)
    reply = await engine.search("entities", body, EntityHit, account=account)
    return [hit.source for hit in reply.hits.hits]


async def names_of(engine: Engine, ciks: Sequence[str], account: str) -> dict[str, str]:
    """The names of these entities as known now, as far as they have one; by CIK."""
    reply = await engine.search("entities", known_names_body(ciks), NamesHit, account=account)
    named = [hit.fields for hit in reply.hits.hits]
    return {fields.cik[0]: fields.name[0] for fields in named if fields.name}


async def cik_lists(directory: Directory, criteria: FilingCriteria) -> CikLists:
    """What the tickers and the entities of these criteria come to; one engine request at most, and
    up to six for a company's name.

    Raises BadRequest where they are too many for the engine.
    """
    asked = [entities for entities in criteria.entities if entities]
    lists = ticker_lists(criteria, directory.table)
    if criteria.company:
        lists = [*lists, await company_ciks(directory.engine, criteria.company)]
    return [*lists, await _ciks(directory, asked)] if asked else lists


async def _ciks(directory: Directory, asked: list[EntityCriteria]) -> list[str]:
    """The CIKs of the entities that match all of these criteria."""
    if len(asked) == 1 and asked[0] == EntityCriteria(ciks=asked[0].ciks):
        return list(asked[0].ciks)  # Nothing to resolve.
    table, members = directory.table, directory.members
    clauses = [clause for each in asked for clause in entity_clauses(each, table, members)]
    reply = await directory.engine.search("entities", ciks_body(clauses), CikHit)
    if len(reply.hits.hits) > MAX_CIKS:
        raise BadRequest(
            f"the filters of entities match more than {MAX_CIKS} entities; narrow them"
        )
    return [hit.fields.cik[0] for hit in reply.hits.hits]
