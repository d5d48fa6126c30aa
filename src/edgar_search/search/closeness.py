"""What makes one passage of a document better to show than another, as clauses of the engine."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from edgar_search.search.clauses import Clause, document_clause
from edgar_search.search.language import Leaf, Phrase, Wildcard, Word
from edgar_search.search.proximity import STOP_WORDS, leaf_sources
from edgar_search.text.rules import tokens

# How much each counts, beside the score of BM25, which is below 100 and breaks ties: two leaves
# close together are more than another leaf somewhere else in the passage, and prose is more than
# that too, but less than both.
_LEAF, _CLOSE, _PROSE = 400, 600, 500
# Words between two leaves that 300 characters can show together.
_MAX_GAPS = 35
# Up to so many leaves neighbours of the query are looked at, and all together; up to the next
# number each by itself. Then BM25 adds them up well enough.
_MOST_CLOSE, _COUNTED = 8, 16
# Words that sentences have and signatures, lists of exhibits, contents and tables of figures have
# not: so many different ones are prose. More of them cost more time and tell no better.
_OF_SENTENCES = ("are", "be", "is", "not", "that", "was", "which", "will")
_LEAST_OF_SENTENCES = 2


def telling(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Return the leaves, each once, without the commonest words if there are others."""
    each = list({_meaning(leaf): leaf for leaf in leaves}.values())
    return [leaf for leaf in each if _meaning(leaf) not in STOP_WORDS] or each


def preferences(leaves: Iterable[Leaf], field: str = "text") -> list[Clause]:
    """Return clauses that a passage need not match, with a constant score for each that it does.

    They are: prose; each of several leaves; two leaves that stand close together.
    """
    wanted = telling(leaves)
    clauses = [_constant(_prose(field), _PROSE)]
    if 1 < len(wanted) <= _COUNTED:
        clauses += [_constant(document_clause(leaf, field), _LEAF) for leaf in wanted]
    clauses += [_constant({"intervals": {field: _near(few)}}, _CLOSE) for few in _groups(wanted)]
    return clauses


def _constant(clause: Clause, score: int) -> Clause:
    return {"constant_score": {"filter": clause, "boost": score}}


def _prose(field: str) -> Clause:
    words = [{"term": {field: word}} for word in _OF_SENTENCES]
    return {"bool": {"should": words, "minimum_should_match": _LEAST_OF_SENTENCES}}


def _groups(leaves: Sequence[Leaf]) -> Iterator[tuple[Word | Phrase, ...]]:
    """The leaves of which it is asked whether they are close.

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
