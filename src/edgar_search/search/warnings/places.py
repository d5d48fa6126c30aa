"""A query as it was written: word after word, each with what stands around it; pure."""

from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.search.language import Leaf, Node, Wildcard, Word, leaves

OPERATORS = ("and", "or", "not")
# Beside one of these an operator in small letters belongs to a sentence: `and the`, `but not`.
_PROSE = frozenset(
    "a about after all an and any are as at be been before both but by did do does either for from"
    " had has have how if in into is it its may more neither no nor not of on one or other our out"
    " shall should so such than that the their them there these they this those to under was we"
    " were what when where whether which who will with without would you your".split()
)


class Written(NamedTuple):
    """All that a query has, in order; whether it is in capitals, and has words of sentences."""

    leaves: Sequence[Leaf]
    capitals: bool
    prose: bool

    @classmethod
    def of(cls, node: Node) -> "Written":
        written = sorted(leaves(node), key=lambda leaf: leaf.position)
        return cls(
            written,
            capitals=not any(char.islower() for leaf in written for char in text_of(leaf)),
            prose=any(is_prose(leaf) and text_of(leaf) not in OPERATORS for leaf in written),
        )


class Place(NamedTuple):
    """A word of a query as written, with what stands around it."""

    query: Written
    at: int

    @property
    def word(self) -> Word:
        leaf = self.query.leaves[self.at]
        assert isinstance(leaf, Word)
        return leaf

    @property
    def before(self) -> Leaf | None:
        return self.query.leaves[self.at - 1] if self.at else None

    @property
    def after(self) -> Leaf | None:
        following = self.query.leaves[self.at + 1 : self.at + 2]
        return following[0] if following else None


def is_prose(leaf: Leaf) -> bool:
    """Whether it is a word that sentences are made of, in small letters."""
    return isinstance(leaf, Word) and leaf.text in _PROSE


def text_of(leaf: Leaf) -> str:
    """What a leaf says, without quotes and slop."""
    return leaf.pattern if isinstance(leaf, Wildcard) else leaf.text
