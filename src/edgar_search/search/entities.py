"""Lookups of entities by criteria, by the words of a name, and by its prefix."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import FieldsHit, SourceHit
from edgar_search.errors import BadRequest
from edgar_search.search.company_names import MAX_CIKS, NamesHit, company_ciks, nearest_company
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import EntityCriteria, EntitySearch, FilingCriteria, Window
from edgar_search.search.joined_events import near_filings
from edgar_search.search.query.body import CikLists, entity_clauses, ticker_lists
from edgar_search.search.query.matching import Clause
from edgar_search.search.reading.companies import find_companies
from edgar_search.search.tickers import Tickers, TickerTable
from edgar_search.stored.entities import StoredEntity
from edgar_search.text.words import lower, normalise, tokens


def entities_body(clauses: Sequence[Clause], window: Window) -> Clause:
    """Build the request for matching entities, ordered by CIK."""
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "from": window.start,
        "size": window.size,
        "sort": [{"cik": "asc"}],
        "track_total_hits": True,
    }


def known_entities_body(ciks: Sequence[str]) -> Clause:
    """Build the request for the entities with these CIKs, at most `MAX_CIKS`, ordered by CIK."""
    return {
        "query": {"bool": {"filter": [{"terms": {"cik": list(ciks)}}]}},
        "size": len(ciks),
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
    }


def entities_after_body(cik: str, size: int) -> Clause:
    """Build the request for entities after this CIK, ordered by CIK."""
    return {
        "query": {"bool": {"filter": [{"range": {"cik": {"gt": cik}}}]}},
        "size": size,
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
    }


def known_names_body(ciks: Sequence[str]) -> Clause:
    """Build the request for the names of the entities with these CIKs, at most `MAX_CIKS`."""
    return {
        "query": {"bool": {"filter": [{"terms": {"cik": list(ciks)}}]}},
        "size": len(ciks),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik", "name"],
    }


def ciks_body(clauses: Sequence[Clause]) -> Clause:
    """Build the request for the CIKs of matching entities, one more than a clause may contain."""
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "size": MAX_CIKS + 1,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik"],
    }


def suggestions_body(
    words: Sequence[str], ciks: Sequence[str], known: Sequence[str], size: int
) -> Clause:
    """Build the request for entities by CIK, and by a name with these words, the last one a prefix.

    `ciks` come first, then `known` companies, then entities whose current name matches, each
    ordered by name.
    """
    fields_of_names = [
        {"constant_score": {"filter": {"terms": {"cik": list(ciks)}}, "boost": 8}},
        {"constant_score": {"filter": _name_clause("name.words", words), "boost": 2}},
        {"constant_score": {"filter": _name_clause("former_names.name.words", words)}},
    ]
    return {
        "query": {
            "bool": {
                "must": [{"bool": {"should": fields_of_names, "minimum_should_match": 1}}],
                "should": [
                    {"constant_score": {"filter": {"terms": {"cik": list(known)}}, "boost": 4}}
                ],
            }
        },
        "size": size,
        "sort": [{"_score": "desc"}, {"name": "asc"}, {"cik": "asc"}],
        "track_total_hits": True,
    }


def _name_clause(field: str, words: Sequence[str]) -> Clause:
    clauses: list[Clause] = [{"term": {field: {"value": word}}} for word in words[:-1]]
    return {"bool": {"filter": [*clauses, {"prefix": {field: {"value": words[-1]}}}]}}


class CikFields(Struct):
    cik: list[str]


class EntityPage(NamedTuple):
    """A window of entities; `total` counts all that match."""

    total: int
    entities: list[StoredEntity]


async def look_up_entities(context: SearchContext, search: EntitySearch) -> EntityPage:
    """Find the entities that match; one engine request, two with names."""
    body = entities_body(await _clauses(context, search.criteria), search.window)
    reply = await context.engine.search("entities", body, SourceHit[StoredEntity])
    return EntityPage(reply.total, [hit.source for hit in reply.hits.hits])


async def entities_of(engine: Engine, ciks: Iterable[str]) -> list[StoredEntity]:
    """Return the entities of these CIKs, ordered by CIK; at most as many as a clause may have."""
    wanted = list(dict.fromkeys(ciks))[:MAX_CIKS]
    if not wanted:
        return []
    body = known_entities_body(wanted)
    reply = await engine.search("entities", body, SourceHit[StoredEntity])
    return [hit.source for hit in reply.hits.hits]


async def entities_after(engine: Engine, cik: str, size: int) -> list[StoredEntity]:
    """Return the entities after this CIK, ordered by CIK."""
    reply = await engine.search("entities", entities_after_body(cik, size), SourceHit[StoredEntity])
    return [hit.source for hit in reply.hits.hits]


async def names_of(engine: Engine, ciks: Sequence[str]) -> dict[str, str]:
    """Return these entities' current names by CIK, as far as they are known."""
    reply = await engine.search("entities", known_names_body(ciks), NamesHit)
    entities = [hit.fields for hit in reply.hits.hits]
    return {fields.cik[0]: fields.name[0] for fields in entities if fields.name}


async def cik_lists(context: SearchContext, criteria: FilingCriteria) -> CikLists:
    """Resolve the tickers, entity criteria and events to CIKs.

    Makes at most three engine requests, two for each event, and up to six for a company name.
    Raises BadRequest if there are too many for the engine.
    """
    criteria_of_entities = [entities for entities in criteria.entities if entities]
    lists = await named_ciks(context.engine, context.tickers, criteria)
    if criteria_of_entities:
        lists = [*lists, await _ciks(context, criteria_of_entities)]
    near = [await near_filings(context.engine, event, criteria, lists) for event in criteria.events]
    return [*lists, *near]


async def named_ciks(engine: Engine, tickers: Tickers, criteria: FilingCriteria) -> CikLists:
    """Resolve the tickers and the company name of these criteria to CIKs."""
    lists = ticker_lists(criteria, await tickers.table()) if criteria.ticker else []
    if criteria.company:
        lists = [*lists, await company_ciks(engine, tickers, criteria.company)]
    return lists


async def _clauses(context: SearchContext, criteria: EntityCriteria) -> list[Clause]:
    """Return the clauses for these criteria; one engine request if they include names."""
    table, texts = await context.tickers.table(), criteria.name_includes
    companies = await find_companies(context.engine, table, texts) if texts else []
    return entity_clauses(criteria, table, context.members, companies)


async def _ciks(context: SearchContext, criteria: list[EntityCriteria]) -> list[str]:
    """Find the CIKs of the entities that match all of these criteria."""
    if len(criteria) == 1 and criteria[0] == EntityCriteria(ciks=criteria[0].ciks):
        return list(criteria[0].ciks)  # Nothing to resolve.
    clauses = [
        clause for one_criteria in criteria for clause in await _clauses(context, one_criteria)
    ]
    reply = await context.engine.search("entities", ciks_body(clauses), FieldsHit[CikFields])
    if len(reply.hits.hits) > MAX_CIKS:
        raise BadRequest(
            f"the filters of entities match more than {MAX_CIKS} entities; narrow them"
        )
    return [hit.fields.cik[0] for hit in reply.hits.hits]


MOST_SUGGESTED = 8
# Companies read to find the largest.
_READ_FOR_MOST = 40
# A text with more or longer words than this is not a name.
_MAX_WORDS, _MAX_CHARS = 8, 100


class SuggestedCompany(Struct, omit_defaults=True):
    """A company with its current tickers; `former` is the former name that matched, if any.

    `nearest` is set if no name is as typed and this is only the closest.
    """

    cik: str
    name: str
    tickers: list[str]
    former: str | None
    nearest: bool = False


class Suggestions(NamedTuple):
    """The best known companies for a name or ticker, and the number of all that match."""

    total: int
    companies: list[SuggestedCompany]


async def suggested_companies(
    engine: Engine, table: TickerTable, text: str, most: int = MOST_SUGGESTED
) -> Suggestions:
    """Suggest companies whose names begin with the text, or the closest name if none does.

    Makes one engine request, and up to three more for the closest name. Returns none for a text
    with no words or too many.
    """
    words = [lower(token) for token in tokens(normalise(text))]
    if not words or len(words) > _MAX_WORDS or len(text) > _MAX_CHARS:
        return Suggestions(0, [])
    ciks = table.ciks(text.strip())
    body = suggestions_body(words, ciks, table.large_ciks, _READ_FOR_MOST)
    reply = await engine.search("entities", body, SourceHit[StoredEntity])
    # A ticker typed whole comes first, then the largest companies.
    ranks = table.ranks | dict.fromkeys(ciks, -1)
    hits = [hit.source for hit in reply.hits.hits]
    best = sorted(hits, key=lambda each: ranks.get(each.cik, len(ranks)))[:most]
    nearest = None if best else await nearest_company(engine, text)
    if nearest:
        best = await entities_of(engine, [nearest.cik])
    companies = [
        SuggestedCompany(
            each.cik,
            each.name or "",
            table.tickers(each.cik),
            _former([former.name for former in each.former_names or []], each.name or "", words),
            nearest is not None,
        )
        for each in best
    ]
    return Suggestions(reply.total or len(companies), companies)


def _former(former: list[str], name: str, words: list[str]) -> str | None:
    """Return the former name that contains the words, if the current name does not."""
    if _has_typed_words(name, words):
        return None
    return next(
        (former_name for former_name in former if _has_typed_words(former_name, words)), None
    )


def _has_typed_words(name: str, words: list[str]) -> bool:
    own = [lower(token) for token in tokens(normalise(name))]
    return all(word in own for word in words[:-1]) and any(w.startswith(words[-1]) for w in own)
