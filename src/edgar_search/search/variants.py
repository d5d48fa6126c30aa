"""Similar queries that find more: spellings, plural and singular, distance, related words.

A reader whose query finds little sees exactly how many documents each of them finds.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, structs

from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.entities import cik_lists
from edgar_search.search.language import (
    ALL,
    RELATED,
    And,
    Leaf,
    Node,
    Or,
    Phrase,
    QueryError,
    Wildcard,
    Word,
    WordForms,
    add_word_forms,
    cost_of,
    leaves,
    parse_query,
    query_text,
)
from edgar_search.search.language.tree import MAX_COST
from edgar_search.search.language.word_forms import has_related, number_forms
from edgar_search.search.query.body import document_query
from edgar_search.search.query.matching import document_clause
from edgar_search.search.warnings.words import find_nearest_words
from edgar_search.text.words import tokens

# The most variants in an answer, and the most that are counted to choose them.
MOST_VARIANTS, _MOST_COUNTED = 5, 12
# Moves allowed between the words of a phrase that is not found as written.
_SLOP = 5

VariantKind: TypeAlias = Literal["spelling", "number", "hyphen", "proximity", "forms", "related"]
_FORMS_BY_KIND: Mapping[VariantKind, WordForms] = {"forms": ALL, "related": RELATED}


class NearVariant(Struct):
    """A query near the checked one, and how many documents it finds.

    It is read with these `word_forms`, whatever `reading` says.
    """

    kind: VariantKind
    query: str
    word_forms: WordForms
    hits: int


async def find_variants(
    context: SearchContext, criteria: DocumentCriteria, word_forms: WordForms, total: int
) -> list[NearVariant]:
    """Find similar queries that match more than `total` documents.

    Makes one engine request to count, two more if nothing matches, and one for entity criteria.
    """
    query = criteria.query
    assert query is not None
    near = list(near_queries(query))
    if not total:
        nearest = await find_nearest_words(context.engine, query)
        near[:0] = [("spelling", spelled) for spelled in _respelled(query, nearest)]
    distinct: dict[Node, NearVariant] = {}
    for kind, node in near:
        if (variant := _read(kind, node, word_forms)) is not None:
            distinct.setdefault(*variant)
    read = list(distinct.items())[:_MOST_COUNTED]
    if sum(map(cost_of, distinct)) > MAX_COST or not read:
        return []
    among = structs.replace(criteria, query=None, all_documents=True)
    filters = document_query(among, await cik_lists(context, criteria.filings))
    clauses = [document_clause(node) for node, _ in read]
    counts = await count_matches(context.engine, "documents", clauses, filters)
    variants = [
        structs.replace(variant, hits=hits) for (_, variant), hits in zip(read, counts, strict=True)
    ]
    return [variant for variant in variants if variant.hits > total][:MOST_VARIANTS]


def _read(kind: VariantKind, node: Node, word_forms: WordForms) -> tuple[Node, NearVariant] | None:
    """Return the tree of a similar query, and the query as a user would write it.

    None if it is refused.
    """
    forms = _FORMS_BY_KIND.get(kind, word_forms)
    text = query_text(node)
    try:
        return add_word_forms(parse_query(text), forms), NearVariant(kind, text, forms, 0)
    except QueryError:
        return None


def near_queries(query: Node) -> Iterator[tuple[VariantKind, Node]]:
    """Yield similar queries, the closest first; each changes one word or phrase, or all words.

    Excluded parts stay as they are.
    """
    changes: tuple[tuple[VariantKind, Callable[[Leaf], Iterator[Leaf]]], ...] = (
        ("number", _other_number),
        ("hyphen", _other_hyphen),
        ("proximity", _loose),
    )
    seen = {query}
    for kind, change in changes:
        for leaf in dict.fromkeys(_wanted(query)):
            for other in change(leaf):
                if (near := _with(query, leaf, other)) not in seen:
                    seen.add(near)
                    yield kind, near
    words = [leaf for leaf in leaves(query) if isinstance(leaf, Word)]
    if not any(word.alternatives for word in words):
        yield "forms", query
    if any(has_related(word.text) and not word.related for word in words):
        yield "related", query


def _respelled(query: Node, nearest: Mapping[str, str]) -> Iterator[Node]:
    """Replace each missing word by its closest spelling."""
    respelled = query
    for leaf in _wanted(query):
        words = [] if isinstance(leaf, Wildcard) else tokens(leaf.text)
        if not nearest.keys().isdisjoint(words):
            assert not isinstance(leaf, Wildcard)
            text = " ".join(nearest.get(word, word) for word in words)
            respelled = _with(respelled, leaf, _as_written(leaf, text))
    if respelled != query:
        yield respelled


def _other_number(leaf: Leaf) -> Iterator[Leaf]:
    """Yield a word, or a phrase by its last word, in the plural or singular."""
    if isinstance(leaf, Wildcard) or (isinstance(leaf, Word) and leaf.alternatives):
        return
    *before, last = tokens(leaf.text)
    for form in number_forms(last):
        yield _as_written(leaf, " ".join([*before, form]))


def _other_hyphen(leaf: Leaf) -> Iterator[Leaf]:
    """Yield two words as one, as in `e-mail` or `"health care"`."""
    if not isinstance(leaf, Wildcard):
        words = tokens(leaf.text)
        if len(words) == 2 and all(word.isalpha() for word in words):
            yield Word("".join(words), leaf.position)


def _loose(leaf: Leaf) -> Iterator[Leaf]:
    """Yield the phrase with other words allowed between its own."""
    if isinstance(leaf, Phrase) and leaf.slop < _SLOP and len(tokens(leaf.text)) > 1:
        yield structs.replace(leaf, slop=_SLOP)


def _as_written(leaf: Word | Phrase, text: str) -> Leaf:
    if isinstance(leaf, Phrase):
        return structs.replace(leaf, text=text)
    return Phrase(text, 0, leaf.position) if " " in text else Word(text, leaf.position)


def _wanted(query: Node) -> Iterator[Leaf]:
    if isinstance(query, And | Or):
        operands = query.positive if isinstance(query, And) else query.operands
        for operand in operands:
            yield from _wanted(operand)
    else:
        yield from leaves(query)


def _with(query: Node, leaf: Leaf, other: Leaf) -> Node:
    """Return the query with a leaf that is not excluded replaced by another."""
    if isinstance(query, And):
        return And(tuple(_with(child, leaf, other) for child in query.positive), query.negative)
    if isinstance(query, Or):
        return Or(tuple(_with(operand, leaf, other) for operand in query.operands))
    return other if query == leaf else query
