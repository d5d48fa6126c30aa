"""Several snippets of each hit, with their places in the document's text."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.passages import several_body
from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.hits import DetailedHit, DocumentHit, Filed, PlacedPassageHit, SeveralHit
from edgar_search.search.made_snippets import leaves_of, made_placed_snippet
from edgar_search.search.marks import Shown
from edgar_search.search.passages import best_passages, snippets
from edgar_search.search.snippet import PlacedSnippet
from edgar_search.search.turns import in_turns

# By the ids of their documents.
Several = Mapping[str, SeveralHit]


class ShownHits(NamedTuple):
    """The snippet of each hit; and where that is asked for several, the best first, with places.

    Of a document that is being loaded again there may be none with a place. `passages` counts
    those of each hit that show a leaf of the query; 0 where that is not known.
    """

    snippets: list[str]
    placed: list[list[PlacedSnippet]]
    passages: Sequence[int] = ()


async def shown_hits(
    engine: Engine, search: DocumentSearch, hits: Sequence[DocumentHit], account: str
) -> ShownHits:
    """What is shown of the texts of a search's hits; engine requests as `snippets`."""
    query = search.criteria.query
    if query is None or not search.places:
        return ShownHits(await snippets(engine, query, hits, account), [[] for _ in hits])
    find = partial(_several, engine, most=max(1, search.snippets), account=account)
    found = await best_passages(engine, query, hits, find)
    leaves = leaves_of(query)
    rows = await in_turns(lambda hit: _of_hit(hit, found.all, leaves), hits)
    plain = [row[0][0].html if row else "" for row in rows]
    placed = [_of_one_load(hit, row) for hit, row in zip(hits, rows, strict=True)]
    numbers = {key: each.number for key, each in found.whole.items()}
    return ShownHits(plain, placed, [numbers.get(hit.document_id, 0) for hit in hits])


async def _several(
    engine: Engine, body: Clause, filed: Filed, *, most: int, account: str
) -> dict[str, SeveralHit]:
    if not body["size"]:
        return {}
    several = several_body(body, most)
    reply = await engine.search(
        "passages", several, SeveralHit, account=account, filed=filed, apart=True
    )
    return {hit.fields.document_id[0]: hit for hit in reply.hits.hits}


def _of_hit(
    hit: DocumentHit, found: Several, leaves: Shown
) -> list[tuple[PlacedSnippet, PlacedPassageHit]]:
    passages = found[hit.document_id].passages if hit.document_id in found else ()
    return [(_snippet(hit, passage, leaves), passage) for passage in passages if passage.highlight]


def _snippet(hit: DocumentHit, passage: PlacedPassageHit, leaves: Shown) -> PlacedSnippet:
    assert passage.highlight is not None
    number = passage.fields.number[0]
    found = made_placed_snippet(
        passage.highlight.text[0],
        begins=number == 0,
        ends=number == hit.fields.passages[0] - 1,
        leaves=leaves,
    )
    return found.moved(passage.fields.start[0])


def _of_one_load(
    hit: DocumentHit, row: Sequence[tuple[PlacedSnippet, PlacedPassageHit]]
) -> list[PlacedSnippet]:
    """Those from passages of the text that the hit's document has."""
    versions = hit.fields.version if isinstance(hit, DetailedHit) else []
    return [shown for shown, passage in row if passage.version in versions]
