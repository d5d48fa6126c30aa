"""Companies that a question names, as the entities of this installation; one engine request."""

from msgspec import Struct

from edgar_search.search.context import SearchContext
from edgar_search.search.query.matching import Clause
from edgar_search.search.reading.names import (
    NO_NAMES,
    Names,
    holders,
    is_ordinary,
    name_candidates,
    names_clause,
    ticker_of,
)

# Names that begin with a candidate; of more it is not known which is meant.
_MOST_ENTITIES = 500


class _Fields(Struct):
    cik: list[str]
    name: list[str] = []


class _Hit(Struct):
    fields: _Fields


def companies_body(clause: Clause) -> Clause:
    """The names of the entities that a clause matches, by CIK."""
    return {
        "query": {"bool": {"filter": [clause]}},
        "size": _MOST_ENTITIES,
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik", "name"],
    }


async def find_names(context: SearchContext, query: str) -> Names:
    """Find the companies that a question names; no request if no word may be one.

    Of an ordinary word the companies count that have tickers.
    """
    candidates = name_candidates(query)
    if not candidates:
        return NO_NAMES
    table = await context.tickers.table()
    found: dict[str, tuple[str, ...]] = {}
    for each in candidates:
        ticker = ticker_of(each, query)
        if ticker and (each.startswith("$") or table.is_large(ticker)) and not is_ordinary(each):
            found[each] = tuple(table.ciks(ticker))
    others = [each for each in candidates if not found.get(each) and not each.startswith("$")]
    if others:
        body = companies_body(names_clause(others))
        reply = await context.engine.search("entities", body, _Hit)
        entities = [
            (hit.fields.cik[0], name) for hit in reply.hits.hits for name in hit.fields.name
        ]
        for each in others:
            known = holders(each, entities)
            if is_ordinary(each):
                known = tuple(cik for cik in known if table.tickers(cik))
            found[each] = known
    return {name: ciks for name, ciks in found.items() if ciks}
