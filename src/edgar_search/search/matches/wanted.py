"""What of a query is looked for in a text: its wanted leaves as tokens."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct

from edgar_search.search.clauses import wanted_leaves
from edgar_search.search.language import Leaf, Node, Wildcard, Word
from edgar_search.text.rules import tokens

T = TypeVar("T")
Tokens = tuple[str, ...]


class LoosePhrase(Struct, frozen=True):
    """At least two tokens, `slop` moves apart, which is more than none."""

    tokens: Tokens
    slop: int


class Wanted(Struct, frozen=True):
    """Each is there once. `words` are tokens, `patterns` those with wildcards, `phrases` have two
    tokens or more, which follow each other.
    """

    words: frozenset[str]
    patterns: tuple[str, ...]
    phrases: tuple[Tokens, ...]
    loose: tuple[LoosePhrase, ...]

    @property
    def reach(self) -> int:
        """So many tokens beside any one of a match the rest of it may stand, at most."""
        exact = [len(phrase) - 1 for phrase in self.phrases]
        return max([*exact, *(len(each.tokens) - 1 + each.slop for each in self.loose)], default=0)

    @property
    def all_phrases(self) -> tuple[Tokens, ...]:
        """The tokens of every phrase."""
        return (*self.phrases, *(each.tokens for each in self.loose))


def wanted(node: Node) -> Wanted:
    """Return what the query looks for; what it excludes is not part of it."""
    leaves = wanted_leaves(node)
    exact = [each for leaf in leaves for each in _exact(leaf)]
    return Wanted(
        words=frozenset(each[0] for each in exact if len(each) == 1),
        patterns=_once(leaf.pattern for leaf in leaves if isinstance(leaf, Wildcard)),
        phrases=_once(each for each in exact if len(each) > 1),
        loose=_once(each for leaf in leaves for each in _loose(leaf)),
    )


def _exact(leaf: Leaf) -> Sequence[Tokens]:
    """The alternatives of tokens that follow each other."""
    if isinstance(leaf, Wildcard) or any(True for _ in _loose(leaf)):
        return ()
    forms = leaf.forms if isinstance(leaf, Word) else ()
    return (tuple(tokens(leaf.text)), *((form,) for form in forms))


def _loose(leaf: Leaf) -> Iterator[LoosePhrase]:
    if not isinstance(leaf, Wildcard | Word) and leaf.slop:
        words = tuple(tokens(leaf.text))
        if len(words) > 1:
            yield LoosePhrase(words, leaf.slop)


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))
