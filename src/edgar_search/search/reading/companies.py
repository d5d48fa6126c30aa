"""Companies and persons that a question names, resolved to stored entities; one engine request."""

from collections.abc import Sequence

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.search.context import SearchContext
from edgar_search.search.query.matching import Clause
from edgar_search.search.reading.names import (
    NO_NAMES,
    Names,
    holders,
    is_ordinary,
    is_person,
    name_candidates,
    name_clauses,
    person_candidates,
    person_clause,
    ticker_of,
    whole_name,
)
from edgar_search.search.reading.periods import YearEnd
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.entities import StoredFormerName

# The most names that begin with a candidate; with more it is unclear which one is meant.
_MOST_ENTITIES = 500


class _Entity(Struct):
    cik: str
    name: str | None = None
    former_names: list[StoredFormerName] | None = None
    fiscal_year_end: str | None = None


def companies_body(clauses: list[Clause]) -> Clause:
    """Build the request for names and fiscal year ends of entities that match a clause."""
    return {
        "query": {
            "bool": {
                "filter": [{"bool": {"should": clauses}}],
                "should": [{"constant_score": {"filter": {"exists": {"field": "tickers"}}}}],
            }
        },
        "size": _MOST_ENTITIES,
        # For common words, the companies most often meant come first.
        "sort": [{"_score": "desc"}, {"cik": "asc"}],
        "track_total_hits": False,
        "_source": ["cik", "name", "former_names.name", "fiscal_year_end"],
    }


async def find_names(context: SearchContext, query: str) -> Names:
    """Find the companies and persons that a question names; no request if no word may be a name.

    For an ordinary word, and for ordinary words in lower case, only companies with tickers count;
    if no tickers were loaded, only companies with a fiscal year end, which no person has.
    """
    candidates, persons = name_candidates(query), person_candidates(query)
    if not candidates and not persons:
        return NO_NAMES
    table = await context.tickers.table()
    holders_of_names: dict[str, tuple[str, ...]] = {}
    for name, _ in candidates:
        ticker = ticker_of(name, query)
        if ticker and (name.startswith("$") or table.is_large(ticker)) and not is_ordinary(name):
            holders_of_names[name] = tuple(table.ciks(ticker))
    others = [
        candidate
        for candidate in candidates
        if not holders_of_names.get(candidate.name) and "$" not in candidate.name
    ]
    known = sorted({cik for ciks in holders_of_names.values() for cik in ciks})
    clauses: list[Clause] = [{"terms": {"cik": known}}] if known else []
    clauses += [clause for other in others for clause in name_clauses(other.name)]
    clauses += [person_clause(*person) for person in persons]
    if not clauses:
        return NO_NAMES
    reply = await context.engine.search("entities", companies_body(clauses), SourceHit[_Entity])
    entities = [hit.source for hit in reply.hits.hits]
    named_entities = [(entity.cik, entity.name) for entity in entities if entity.name]
    former = [(e.cik, person.name) for e in entities for person in e.former_names or ()]
    companies = {
        entity.cik
        for entity in entities
        if table.tickers(entity.cik) or (table.is_empty and entity.fiscal_year_end)
    }
    for name, capital in others:
        # Words in lower case are a name if one of them is not an ordinary word.
        whole_only = " " in name and not capital and all(map(is_ordinary, name.split()))
        ciks = holders(name, named_entities, whole_only=whole_only) or holders(
            name, former, whole_only=whole_only
        )
        if is_ordinary(name):
            ciks = tuple(cik for cik in ciks if cik in companies)
        holders_of_names[name] = ciks
    ends = {entity.cik: end for entity in entities if (end := year_end_of(entity.fiscal_year_end))}
    filing = []
    for given, family in persons:
        own = {cik for cik, name in named_entities if is_person(given, family, name)}
        if own:
            filing.append(f"{given} {family}")
            # The family name alone would name a company.
            if own.issuperset(holders_of_names.get(family, ())):
                holders_of_names.pop(family, None)
    return Names({name: ciks for name, ciks in holders_of_names.items() if ciks}, ends, filing)


async def find_company(engine: Engine, table: TickerTable, text: str) -> tuple[str, ...]:
    """Find the companies with this ticker, short name or whole name; one engine request.

    Names are compared without their legal form: `Apple Incorporated` is Apple Inc.
    """
    (ciks,) = await find_companies(engine, table, [text])
    return ciks


async def find_companies(
    engine: Engine, table: TickerTable, texts: Sequence[str]
) -> list[tuple[str, ...]]:
    """Find the companies that each text names, as `find_company` does; one engine request."""
    names = [whole_name(text) for text in texts]
    clauses = [clause for name in names if name for clause in name_clauses(name)]
    if not clauses:
        return [() for _ in texts]
    reply = await engine.search("entities", companies_body(clauses), SourceHit[_Entity])
    entities = [hit.source for hit in reply.hits.hits]
    entity_names = [(entity.cik, entity.name) for entity in entities if entity.name]
    former = [(e.cik, former_name.name) for e in entities for former_name in e.former_names or ()]
    companies = []
    for name, text in zip(names, texts, strict=True):
        ticker = ticker_of(name, text) if name else None
        ciks = table.ciks(ticker) if ticker else []
        ciks = [*ciks, *holders(name, entity_names + former, whole_only=True)] if name else []
        companies.append(tuple(dict.fromkeys(ciks)))
    return companies


def year_end_of(text: str | None) -> YearEnd | None:
    """Parse a fiscal year end such as `0928`; None if there is no such day."""
    if text is None or len(text) != 4 or not text.isdigit():
        return None
    month, day = int(text[:2]), int(text[2:])
    return YearEnd(month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
