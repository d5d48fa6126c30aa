"""Clauses that say which passage of a document to show; pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from edgar_search.search.language import Leaf, Or, Phrase, Wildcard, Word
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.query.matching import Clause, constant_score, document_clause
from edgar_search.search.query.proximity import leaf_sources

# Scores added to BM25, which is below 100 and breaks ties: two leaves close together are worth more
# than another leaf elsewhere in the passage, and prose is worth more than that too, but less than
# both.
_LEAF, _CLOSE, _PROSE, _LITTLE = 400, 600, 500, 100
# A passage without any meant leaf is worse than any other, even in prose.
_ANY = 700
# If no passage has any, the first one says what the document is, better than prose elsewhere.
_FIRST = 650
# Words between two leaves that 300 characters can show together.
_MAX_GAPS = 35
# Up to the first number of leaves, neighbours in the query and all leaves together are scored; up
# to the second, each leaf by itself. For more leaves BM25 alone is good enough.
_MOST_CLOSE, _COUNTED = 8, 16
# Words of sentences that signatures, exhibit lists, contents and tables of figures lack: a text
# with this many different ones is prose. More words take more time without being better.
_OF_SENTENCES = ("are", "be", "is", "not", "that", "was", "which", "will")
_LEAST_OF_SENTENCES = 2


def preferences(
    leaves: Iterable[Leaf],
    field: str = "text",
    *,
    prose: bool = True,
    every: bool = True,
    little: Collection[Leaf] = (),
    begins: bool = False,
) -> list[Clause]:
    """Return optional clauses for passages, each with a constant score.

    They are: `prose` if it is wanted; each of several leaves; two leaves that are close together;
    and any of the leaves, if they are fewer than the `every` leaves that a passage may match.
    `little` is the number of leaves that tell little, unless there are no others. If no passage has
    any, the first one scores if `begins` says that a document is shown by its beginning.
    """
    wanted = distinctive_leaves(leaves)
    telling = telling_leaves(wanted, little)
    clauses = [constant_score(_prose(field), _PROSE)] if prose else []
    if not every or len(telling) < len(wanted):
        anything = constant_score(document_clause(Or(tuple(telling)), field), _ANY)
        first = constant_score({"term": {"number": 0}}, _FIRST)
        clauses.append({"dis_max": {"queries": [anything, first]}} if begins else anything)
    if 1 < len(wanted) <= _COUNTED:
        clauses += [
            constant_score(document_clause(leaf, field), _LEAF if leaf in telling else _LITTLE)
            for leaf in wanted
        ]
    close = (few for few in _groups(wanted) if not set(few).isdisjoint(telling))
    clauses += [constant_score({"intervals": {field: _near(few)}}, _CLOSE) for few in close]
    return clauses


def telling_leaves(leaves: Sequence[Leaf], little: Collection[Leaf]) -> Sequence[Leaf]:
    """Return the leaves that tell more than a little, or all if there are none."""
    return [leaf for leaf in leaves if leaf not in little] or leaves


def _prose(field: str) -> Clause:
    words = [{"term": {field: word}} for word in _OF_SENTENCES]
    return {"bool": {"should": words, "minimum_should_match": _LEAST_OF_SENTENCES}}


def _groups(leaves: Sequence[Leaf]) -> Iterator[tuple[Word | Phrase, ...]]:
    """Yield the groups of leaves that score if they are close.

    Without wildcards: one that stands for too many words is an error in an interval. Without loose
    phrases, which may themselves be longer than what is shown.
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
