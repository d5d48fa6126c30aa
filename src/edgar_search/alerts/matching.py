"""What alert triggers match, as their notifications keep it."""

from collections.abc import Sequence

from edgar_search.engine.chunks import chunks
from edgar_search.engine.engine import Engine
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.hits import DocumentHit, relevance
from edgar_search.search.matching import Pair
from edgar_search.search.passages import QueryHits, snippets_of_many
from edgar_search.stored.notification import DocumentMatch

# Snippets asked for in one request.
_SEARCHES = 50
_PAGE = 100


async def document_matches(
    engine: Engine, criteria: Sequence[DocumentCriteria], pairs: Sequence[Pair]
) -> list[DocumentMatch]:
    """What a notification of each pair keeps, with its snippet."""
    by_place: dict[int, list[DocumentHit]] = {}
    for pair in pairs:
        by_place.setdefault(pair.place, []).append(pair.hit)
    pages = [(place, page) for place, hits in by_place.items() for page in chunks(hits, _PAGE)]
    made: dict[tuple[int, str], DocumentMatch] = {}
    for some in chunks(pages, _SEARCHES):
        searches = [QueryHits(criteria[place].query, hits) for place, hits in some]
        rows = await snippets_of_many(engine, searches)
        for (place, hits), row in zip(some, rows, strict=True):
            for hit, snippet in zip(hits, row, strict=True):
                made[place, hit.document_id] = document_match(criteria[place], hit, snippet)
    return [made[pair.place, pair.hit.document_id] for pair in pairs]


def document_match(criteria: DocumentCriteria, hit: DocumentHit, snippet: str) -> DocumentMatch:
    """What a notification keeps; without a query nothing is asked of the text, so all score 1."""
    fields = hit.fields
    return DocumentMatch(
        related_company_names=[name for _, name in hit.entities],
        ciks=[cik for cik, _ in hit.entities],
        accnum=fields.accession_number[0],
        filename=fields.file_name[0],
        filing_date=fields.filing_date[0],
        form_type=fields.form_type[0],
        snippet=snippet,
        score=1.0 if criteria.query is None else relevance(hit.score),
        document_id=hit.document_id,
    )
