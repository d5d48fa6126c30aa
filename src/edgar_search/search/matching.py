"""Many searches over the same few documents: each matches what it would find among them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineFault
from edgar_search.search.bodies.documents import dates_body, matching_body
from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.filters import document_query, ticker_lists
from edgar_search.search.hits import DatedHit, DocumentHit, Filed, NamedHit
from edgar_search.search.language import Node, Word, leaves
from edgar_search.search.tickers import TickerTable

# One request looks up the documents once, whatever the number of its queries; but the engine bounds
# the clauses of a request, and no reply should be longer than some megabytes.
MAX_QUERIES = 250
MAX_LEAVES = 1_000


class Pair(NamedTuple):
    """A document that the criteria at a place in the row match; the hit has that match's score."""

    place: int
    hit: DocumentHit


class Matches(NamedTuple):
    """What criteria match: pairs, the documents that were there all the while, and the places of
    criteria whose query the engine refuses."""

    pairs: list[Pair]
    present: frozenset[str]
    refused: list[int]


async def match_documents(
    engine: Engine,
    criteria: Sequence[DocumentCriteria],
    document_ids: Sequence[str],
    table: TickerTable,
    most: int = MAX_QUERIES,
) -> Matches:
    """Match all these criteria against these documents, `most` of them in a request.

    They ask nothing of entities but tickers. Where years are apart, scores are those of a search
    of the document's year.
    """
    clauses = [document_query(each, ticker_lists(each.filings, table)) for each in criteria]
    rows = list(groups([leaf_count(each.query) for each in criteria], most))
    found = [
        await _matched(engine, clauses, rows, ids, filed)
        for filed, ids in await _by_years(engine, document_ids)
    ]
    pairs = sorted((pair for each in found for pair in each.pairs), key=lambda pair: pair.place)
    present = frozenset(key for each in found for key in each.present)
    return Matches(pairs, present, sorted({place for each in found for place in each.refused}))


async def _by_years(
    engine: Engine, document_ids: Sequence[str]
) -> list[tuple[Filed, Sequence[str]]]:
    """The documents that are there, by the year of their dates of filing; all, where it is one."""
    if not await engine.is_partitioned("documents"):
        return [(None, document_ids)]
    reply = await engine.search("documents", dates_body(document_ids), DatedHit)
    dates = {hit.fields.document_id[0]: hit.fields.filing_date[0] for hit in reply.hits.hits}
    years: dict[str, list[str]] = {}
    for key in document_ids:
        if key in dates:
            years.setdefault(dates[key][:4], []).append(key)
    return [(frozenset(dates[key] for key in ids), ids) for ids in years.values()]


async def _matched(
    engine: Engine,
    clauses: Sequence[Clause],
    rows: Sequence[range],
    document_ids: Sequence[str],
    filed: Filed,
) -> Matches:
    """What the clauses match of documents of these dates, asked in these rows."""
    present = frozenset(document_ids)
    pairs: list[Pair] = []
    refused: list[int] = []
    pending = list(rows)
    while pending:
        places = pending.pop()
        body = matching_body([clauses[place] for place in places], document_ids)
        try:
            reply = await engine.search("documents", body, NamedHit, named_scores=True, filed=filed)
        except EngineFault:
            # One of them is more than the engine takes; the others must not suffer for it.
            if len(places) == 1:
                refused.append(places[0])
            else:
                middle = len(places) // 2
                pending += [places[:middle], places[middle:]]
            continue
        hits = reply.hits.hits
        present &= {hit.document_id for hit in hits}
        pairs += (
            Pair(places[int(number)], DocumentHit(hit.fields, score))
            for hit in hits
            for number, score in hit.matched.items()
        )
    return Matches(pairs, present, refused)


def groups(sizes: Sequence[int], most: int = MAX_QUERIES) -> Iterator[range]:
    """Places of queries that go into one request, where `sizes` are their numbers of leaves."""
    begin = leaves = 0
    for place, size in enumerate(sizes):
        if place > begin and (place - begin >= most or leaves + size > MAX_LEAVES):
            yield range(begin, place)
            begin, leaves = place, 0
        leaves += size
    if begin < len(sizes):
        yield range(begin, len(sizes))


def leaf_count(node: Node | None) -> int:
    """The number of leaves of a query; without one it counts as one.

    The forms of a word count twice, as they are sent twice: to match, and to score.
    """
    if node is None:
        return 1
    return sum(1 + 2 * len(leaf.forms) if isinstance(leaf, Word) else 1 for leaf in leaves(node))
