"""Clauses that decide how documents that match are ranked.

An `intervals` clause looks at all places of all its words in a document, so it is asked of few.

Words with forms: a word counts full and each of its forms half, and only the best of them counts,
never a sum. A form that fewer documents have than the word counts less than half, so that its
rarity gives it no more than the word has; so does a related word or phrase. Phrases with several
of the commonest words: to count how often they occur is to read all places of words that are
everywhere, so their other words score for them. The clauses follow the tree, AND and OR as they add
up in one `query_string`.

Of a wildcard with many words Elasticsearch would have to count each in every document, and beyond
a number that depends on its memory it answers with an error.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from math import log1p

from msgspec import structs

from edgar_search.search.language import (
    And,
    Leaf,
    Node,
    Or,
    Phrase,
    Wildcard,
    Word,
    is_cheap,
    leaves,
)
from edgar_search.search.query.matching import (
    Clause,
    distinct,
    document_clause,
    positive_leaves,
)
from edgar_search.search.reading.question import Boosts, Person
from edgar_search.text.words import lower, tokens

# The number of other words between all of them: a sentence or two, or some rows of a table.
MAX_GAPS = 50
# Fewer are a sentence, which counts as often as it is there; the more often, the less each time.
_SENTENCE_GAPS, _SENTENCE_BOOST = 15, 3.0
# A document's gain by it, however often they are close: in a long one that happens by chance too.
CLOSE_BOOST = 4.0
MAX_LEAVES = 8
# The most that a document can gain if two operands that follow each other in the query are
# neighbours in it, in this order: `interest rate swap` is meant so, if not written as a phrase.
NEIGHBOURS_BOOST = 3.0
# English words that are beside anything: Lucene's `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET`, which
# is Elasticsearch's `_english_`. How common a word is in an index would not be the same tomorrow.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with".split()
)


def proximity_clause(node: Node, broad: Collection[str] = ()) -> Clause | None:
    """Return the clause that scores documents in which all operands of an AND are close together.

    It also scores how often two that follow each other in the query do so in the text. None if the
    query is not an AND, or if fewer than two of its operands can be looked for so: words that are
    beside anything are left out, and so are `broad` wildcards, and groups other than an OR of
    leaves. None also for more than MAX_LEAVES leaves, and for expensive phrases: all their places
    would be looked at once more.
    """
    if not isinstance(node, And) or not is_cheap(node):
        return None
    operands = [each for each in node.positive if _is_sought(each, broad)]
    sources = distinct(map(_source, operands))
    if len(sources) < 2 or sum(1 for each in operands for _ in leaves(each)) > MAX_LEAVES:
        return None
    return {"bool": {"should": [*_close(sources), *_neighbours(node, broad)]}}


def score_all_but_one(node: And, broad: Collection[str] = ()) -> Clause | None:
    """Return the clause that scores documents in which all operands but one are close together.

    For documents that lack one operand each. None as `proximity_clause`.
    """
    without_one = [
        proximity_clause(And((*node.positive[:place], *node.positive[place + 1 :])), broad)
        for place in range(len(node.positive))
    ]
    clauses = [clause for clause in without_one if clause is not None]
    return {"dis_max": {"queries": clauses}} if clauses else None


def _close(sources: list[Clause]) -> list[Clause]:
    together = {"intervals": sources, "ordered": False, "max_gaps": MAX_GAPS}
    sentence = {**together, "max_gaps": _SENTENCE_GAPS}
    return [
        _constant({"intervals": {"text": {"all_of": together}}}, CLOSE_BOOST),
        {"intervals": {"text": {"all_of": sentence, "boost": _SENTENCE_BOOST}}},
    ]


def _neighbours(node: And, broad: Collection[str]) -> Iterator[Clause]:
    for pair in pairwise(node.positive):
        if all(_is_sought(each, broad) for each in pair):
            beside = {"intervals": [*map(_source, pair)], "ordered": True, "max_gaps": 0}
            yield {"intervals": {"text": {"all_of": beside, "boost": NEIGHBOURS_BOOST}}}


def _is_sought(operand: Node, broad: Collection[str]) -> bool:
    if isinstance(operand, And):
        return False
    if isinstance(operand, Or):
        # An alternative that is not looked for would be one that is never close.
        return all(
            not isinstance(each, And | Or) and _is_sought(each, broad) for each in operand.operands
        )
    if isinstance(operand, Wildcard):
        return operand.pattern not in broad
    return lower(operand.text) not in STOP_WORDS


def _source(operand: Node) -> Clause:
    alternatives = operand.operands if isinstance(operand, Or) else (operand,)
    return _any_of([source for each in alternatives for source in leaf_sources(_own(each))])


def _own(leaf: Node) -> Node:
    """Return the leaf without related words: a document close to what is asked has the words."""
    return structs.replace(leaf, related=()) if isinstance(leaf, Word) and leaf.related else leaf


def leaf_sources(leaf: Leaf | Node) -> Iterator[Clause]:
    """Yield the sources that find a leaf in a text."""
    if isinstance(leaf, Wildcard):
        yield {"wildcard": {"pattern": leaf.pattern.replace("\\", "\\\\")}}
    elif isinstance(leaf, Phrase):
        # Two moves let neighbours change places.
        yield _match(leaf.text, ordered=leaf.slop < 2, max_gaps=leaf.slop)
    elif isinstance(leaf, Word):
        yield from (_match(lower(text)) for text in (leaf.text, *leaf.alternatives))


def _match(text: str, *, ordered: bool = True, max_gaps: int = 0) -> Clause:
    return {"match": {"query": text, "ordered": ordered, "max_gaps": max_gaps}}


def _any_of(sources: list[Clause]) -> Clause:
    return sources[0] if len(sources) == 1 else {"any_of": {"intervals": sources}}


FORM_BOOST = 0.5
# Of the commonest words, in a phrase that scores by its other ones.
_COMMON = 2


def scores_apart(node: Node) -> bool:
    """Say whether a query is a filter with clauses beside it that score."""
    return any(_has_forms(leaf) or scoring_words(leaf) for leaf in leaves(node))


def scoring_words(leaf: Leaf) -> Sequence[str]:
    """Return the words that score for a phrase; none if it scores by itself."""
    if isinstance(leaf, Wildcard) or _has_forms(leaf):
        return ()
    words = tokens(leaf.text)
    if sum(word in STOP_WORDS for word in words) < _COMMON:
        return ()
    distinct_words = dict.fromkeys(words)
    return [word for word in distinct_words if word not in STOP_WORDS] or list(distinct_words)


def scoring_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return the clauses whose scores add up to that of a document which the tree matches."""
    if isinstance(node, And):
        return distinct(_sure_clause(operand, field) for operand in node.positive)
    return [_sure_clause(node, field)]


def _sure_clause(node: Node, field: str) -> Clause:
    """Score a node that is known to match, without a look at the places of its words."""
    if not isinstance(node, And | Or) and (words := scoring_words(node)):
        return _sum(words, field)
    return operand_clause(node, field)


def operand_clause(node: Node, field: str = "text") -> Clause:
    """Return the clause that matches a node and scores it, whatever else a document has."""
    if isinstance(node, Or):
        should = distinct(operand_clause(operand, field) for operand in node.operands)
        return {"bool": {"should": should, "minimum_should_match": 1}}
    if not isinstance(node, And):
        return _leaf_clause(node, field)
    unwanted = [document_clause(operand, field) for operand in node.negative]
    must = distinct(operand_clause(operand, field) for operand in node.positive)
    return {"bool": {"must": must, "must_not": unwanted}}


def _leaf_clause(leaf: Leaf, field: str) -> Clause:
    if words := scoring_words(leaf):
        return {"bool": {"filter": [document_clause(leaf, field)], "must": [_sum(words, field)]}}
    if not (isinstance(leaf, Word) and leaf.alternatives):
        return document_clause(leaf, field)
    (word,) = tokens(leaf.text)
    weights = leaf.weights or [FORM_BOOST] * len(leaf.alternatives)
    others = [_term(*each, field) for each in zip(leaf.alternatives, weights, strict=True)]
    return {"dis_max": {"queries": [_term(word, 1.0, field), *others]}}


def _sum(words: Sequence[str], field: str) -> Clause:
    return {"bool": {"should": [_term(word, 1.0, field) for word in words]}}


def _term(text: str, boost: float, field: str) -> Clause:
    """Score a token, or tokens that follow each other."""
    if " " in text:
        return {"match_phrase": {field: {"query": text, "boost": boost}}}
    return {"term": {field: {"value": text, "boost": boost}}}


def form_weights(node: Node, counts: Mapping[str, int], documents: int) -> list[float]:
    """Return the weights of all forms and related words of a query, in its order.

    Each counts half of what its word does at most: by its own rarity a rare form would decide the
    order. `counts` are the numbers of documents that have each token, of `documents`.
    """

    def rarity(text: str) -> float:
        found = (min(counts[token], documents) for token in tokens(text))
        return sum(log1p((documents - count + 0.5) / (count + 0.5)) for count in found)

    return [
        round(FORM_BOOST * min(1.0, rarity(leaf.text) / rarity(other)), 3)
        for leaf in leaves_with_forms(node)
        for other in leaf.alternatives
    ]


def leaves_with_forms(node: Node) -> list[Word]:
    """Return the words of a query that have forms or related words, in its order."""
    return [leaf for leaf in leaves(node) if isinstance(leaf, Word) and leaf.alternatives]


def weigh_forms(node: Node, weights: Iterator[float]) -> Node:
    """Return the query whose forms have these weights, in its order."""
    if isinstance(node, And):
        positive = tuple(weigh_forms(each, weights) for each in node.positive)
        return And(positive, tuple(weigh_forms(each, weights) for each in node.negative))
    if isinstance(node, Or):
        return Or(tuple(weigh_forms(each, weights) for each in node.operands))
    if isinstance(node, Word) and node.alternatives:
        return structs.replace(node, weights=tuple(islice(weights, len(node.alternatives))))
    return node


def _has_forms(leaf: Leaf) -> bool:
    return isinstance(leaf, Word) and bool(leaf.alternatives)


# The limit of Lucene's intervals by default. The words that people look for have 3 to 20 forms in
# an index of filings, misspelt ones among them; five such wildcards are far below what a query may
# have in the smallest Elasticsearch.
MAX_WORDS = 128


def patterns(node: Node) -> list[str]:
    """Return the wildcards that are not excluded, each once."""
    found = [leaf.pattern for leaf in positive_leaves(node) if isinstance(leaf, Wildcard)]
    return list(dict.fromkeys(found))


def scoring_clauses_with_wildcards(node: Node, broad: Collection[str]) -> list[Clause]:
    """Return a clause for each wildcard but `broad` ones that scores the words it stands for."""
    rewrite = f"top_terms_{MAX_WORDS}"
    return [rewritten_wildcard(each, rewrite) for each in patterns(node) if each not in broad]


# A document's gain if its headings have all of a query.
_HEADINGS_BOOST = 4.0
# Words looked up in headings; the headings of a document hardly have as many.
_MOST_IN_HEADINGS = 16


def heading_clauses(node: Node) -> list[Clause]:
    """Return the clause that scores documents whose headings have all words and phrases of a query.

    None for a query of one leaf or too many; wildcards and the commonest words do not count.
    """
    sought = [
        leaf for leaf in distinctive_leaves(positive_leaves(node)) if not isinstance(leaf, Wildcard)
    ]
    if not 1 < len(sought) <= _MOST_IN_HEADINGS:
        return []
    every = {"bool": {"filter": [document_clause(leaf, "headings") for leaf in sought]}}
    return [_constant(every, _HEADINGS_BOOST)]


def add_scores(query: Clause, scores: list[Clause]) -> Clause:
    """Return the clause that matches as `query` does and adds these scores."""
    return {"bool": {"must": [query], "should": scores}} if scores else query


def rewritten_wildcard(pattern: str, rewrite: str) -> Clause:
    value = pattern.replace("\\", "\\\\")
    return {"wildcard": {"text": {"value": value, "rewrite": rewrite}}}


# Scores beside that of BM25, which is below 100 and breaks ties: two leaves
# close together are more than another leaf somewhere else in the passage, and prose is more than
# that too, but less than both.
_LEAF, _CLOSE, _PROSE, _LITTLE = 400, 600, 500, 100
# A passage without any of the leaves that are meant is worse than any other, even in prose.
_ANY = 700
# If no passage has any, the first one says what the document is, more than prose somewhere.
_FIRST = 650
# Words between two leaves that 300 characters can show together.
_MAX_GAPS = 35
# Up to the first number of leaves, neighbours of the query count, and all together; up to the
# second each leaf by itself. For more leaves BM25 alone is good enough.
_MOST_CLOSE, _COUNTED = 8, 16
# Words of sentences that signatures, lists of exhibits, contents and tables of figures lack: a text
# with this many different ones is prose. More words take more time and are no better.
_OF_SENTENCES = ("are", "be", "is", "not", "that", "was", "which", "will")
_LEAST_OF_SENTENCES = 2


def distinctive_leaves(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Return the leaves, each once, without the commonest words if there are others."""
    each = list({_meaning(leaf): leaf for leaf in leaves}.values())
    return [leaf for leaf in each if _meaning(leaf) not in STOP_WORDS] or each


def preferences(
    leaves: Iterable[Leaf],
    field: str = "text",
    *,
    prose: bool = True,
    every: bool = True,
    little: Collection[Leaf] = (),
    begins: bool = False,
) -> list[Clause]:
    """Return clauses that a passage need not match, with a constant score for each that it does.

    They are: `prose` if it is wanted; each of several leaves; two leaves that are close together.
    Any of them, if they are not `every` leaf that a passage may match by; `little` is that of
    leaves that tell little, unless there are no others. If no passage has any, the first one if
    the document is shown by how it `begins`.
    """
    wanted = distinctive_leaves(leaves)
    telling = telling_leaves(wanted, little)
    clauses = [_constant(_prose(field), _PROSE)] if prose else []
    if not every or len(telling) < len(wanted):
        anything = _constant(document_clause(Or(tuple(telling)), field), _ANY)
        first = _constant({"term": {"number": 0}}, _FIRST)
        clauses.append({"dis_max": {"queries": [anything, first]}} if begins else anything)
    if 1 < len(wanted) <= _COUNTED:
        clauses += [
            _constant(document_clause(leaf, field), _LEAF if leaf in telling else _LITTLE)
            for leaf in wanted
        ]
    close = (few for few in _groups(wanted) if not set(few).isdisjoint(telling))
    clauses += [_constant({"intervals": {field: _near(few)}}, _CLOSE) for few in close]
    return clauses


def telling_leaves(leaves: Sequence[Leaf], little: Collection[Leaf]) -> Sequence[Leaf]:
    """Return the leaves that tell more than a little; all, if there are none."""
    return [leaf for leaf in leaves if leaf not in little] or leaves


def _constant(clause: Clause, score: float) -> Clause:
    return {"constant_score": {"filter": clause, "boost": score}}


def _prose(field: str) -> Clause:
    words = [{"term": {field: word}} for word in _OF_SENTENCES]
    return {"bool": {"should": words, "minimum_should_match": _LEAST_OF_SENTENCES}}


def _groups(leaves: Sequence[Leaf]) -> Iterator[tuple[Word | Phrase, ...]]:
    """The groups of leaves that score if they are close.

    Not those with wildcards: one that stands for too many words is an error in an interval. Nor
    loose phrases, which may themselves be longer than what is shown.
    """
    firm = [leaf for leaf in leaves if not isinstance(leaf, Wildcard) and not _is_loose(leaf)]
    if len(firm) <= _MOST_CLOSE:
        yield from pairwise(firm)
        if len(firm) > 2:
            yield tuple(firm)


def _near(leaves: Sequence[Word | Phrase]) -> Clause:
    each = [{"any_of": {"intervals": list(leaf_sources(leaf))}} for leaf in leaves]
    return {"all_of": {"intervals": each, "max_gaps": _MAX_GAPS, "ordered": False}}


def _is_loose(leaf: Leaf) -> bool:
    return isinstance(leaf, Phrase) and leaf.slop > 0


def _meaning(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return leaf.pattern
    text = " ".join(tokens(leaf.text))
    return f"{text} ~{leaf.slop}" if isinstance(leaf, Phrase) and leaf.slop else text


# Scores by what a question names, beside those of words, of which its best documents have 10 to 30.
_COMPANY, _PERSON, _FORM, _PERIOD, _WORD = 12.0, 8.0, 3.0, 5.0, 1.0
# An initial or a second given name between a person's names.
_BETWEEN_NAMES = 2


def boost_clauses(boosts: Boosts) -> list[Clause]:
    """Return the clauses, none of which a document must match."""
    clauses: list[Clause] = []
    if boosts.ciks:
        clauses.append(_constant({"terms": {"ciks": list(boosts.ciks)}}, _COMPANY))
    if boosts.root_forms:
        clauses.append(_constant({"terms": {"root_form": list(boosts.root_forms)}}, _FORM))
    for first, last in boosts.periods:
        days = {"gte": first.isoformat(), "lte": last.isoformat()}
        clauses.append(_constant({"range": {"period": days}}, _PERIOD))
    clauses += [_constant(_name(person), _PERSON) for person in boosts.persons]
    clauses += [{"term": {"text": {"value": word, "boost": _WORD}}} for word in boosts.words]
    return clauses


def _name(person: Person) -> Clause:
    given = [{"match": {"query": each}} for each in person.given]
    sources = [{"any_of": {"intervals": given}}, {"match": {"query": person.family}}]
    together = {"intervals": sources, "ordered": False, "max_gaps": _BETWEEN_NAMES}
    return {"intervals": {"text": {"all_of": together}}}
