"""How many documents several searches find, asked for at once."""

from collections.abc import Sequence

from msgspec import Struct, structs

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.documents import count_body
from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import DocumentSearch, FilingCriteria
from edgar_search.search.entities import Directory, cik_lists
from edgar_search.search.filters import CikLists, document_query
from edgar_search.search.operands import FEW, all_but_one, loosened


async def count_documents(directory: Directory, searches: Sequence[DocumentSearch]) -> list[int]:
    """The total of each search, in order.

    One engine request for all of them, one more for those of which few documents have all
    operands, and those for criteria of entities, once for the same criteria.
    """
    known: dict[FilingCriteria, CikLists] = {}
    asked: list[tuple[DocumentSearch, CikLists]] = []
    for search in searches:
        entities = _of_entities(search.criteria.filings)
        if entities not in known:
            known[entities] = await cik_lists(directory, entities)
        asked.append((search, known[entities]))
    queries = [document_query(search.criteria, ciks) for search, ciks in asked]
    numbers = await _counted(directory.engine, queries)
    few = {
        place: {"bool": {"should": [query, others], "minimum_should_match": 1}}
        for place, query in enumerate(queries)
        if numbers[place] < FEW and (others := _others(*asked[place])) is not None
    }
    either = await _counted(directory.engine, list(few.values()))
    return [dict(zip(few, either, strict=True)).get(*each) for each in enumerate(numbers)]


def _of_entities(filings: FilingCriteria) -> FilingCriteria:
    """What of the criteria entities are looked for by."""
    return structs.replace(
        FilingCriteria(),
        tickers=filings.tickers,
        company=filings.company,
        entities=filings.entities,
    )


def _others(search: DocumentSearch, ciks: CikLists) -> Clause | None:
    """Documents with all operands but one, where they are among what is found."""
    node = loosened(search.criteria.query) if search.operands == "most" else None
    return None if node is None else document_query(search.criteria, ciks, all_but_one(node))


async def _counted(engine: Engine, queries: Sequence[Clause]) -> list[int]:
    replies = await engine.search_many("documents", list(map(count_body, queries)), Struct)
    return [reply.total for reply in replies]
