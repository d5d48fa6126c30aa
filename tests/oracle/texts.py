"""Texts and what matches in them, by tokens and positions alone."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from edgar_search.text.words import lower, normalise, tokens
from tests.oracle.forms import forms, related
from tests.oracle.tree import All, Any, Quoted, Term, Tree, Wild

Positions = Mapping[str, Sequence[int]]


class Texts:
    """Documents by id; `matching` gives the ids of those that a tree matches."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        # Token to document to the positions at which it stands there.
        self._places: dict[str, dict[str, array[int]]] = defaultdict(dict)
        for document, text in texts.items():
            for position, token in enumerate(tokens(text)):
                places = self._places[token]
                if document not in places:
                    places[document] = array("I")
                places[document].append(position)
        self.vocabulary = sorted(self._places, key=lambda token: (-len(self._places[token]), token))
        # Each mark of a snippet is held against what the query's leaves stand for.
        self.expanded = lru_cache(maxsize=100)(self._expanded)

    def matching(self, tree: Tree) -> frozenset[str]:
        """Return the ids of the documents that the tree matches."""
        if isinstance(tree, All):
            found = frozenset.intersection(*map(self.matching, tree.wanted))
            return found.difference(*map(self.matching, tree.unwanted))
        if isinstance(tree, Any):
            return frozenset().union(*map(self.matching, tree.of))
        if isinstance(tree, Wild):
            return frozenset(d for token in self.expanded(tree) for d in self._places[token])
        if isinstance(tree, Term) and tree.forms:
            inflected = (frozenset(self._places.get(form, ())) for form in forms(tree.text))
            others = related(tree.text) if tree.related else []
            named = (self._with_phrase(tuple(other), 0) for other in others)
            return self.matching(Term(tree.text)).union(*inflected, *named)
        slop = tree.slop if isinstance(tree, Quoted) else 0
        return self._with_phrase(tuple(tokens(normalise(tree.text))), slop)

    def _expanded(self, wild: Wild) -> tuple[str, ...]:
        """Return the tokens that a wildcard stands for."""
        literal = re.escape(lower(wild.pattern)).replace(r"\*", ".*").replace(r"\?", ".")
        matches = re.compile(literal, re.DOTALL).fullmatch
        return tuple(token for token in self.vocabulary if matches(token))

    def _with_phrase(self, words: tuple[str, ...], slop: int) -> frozenset[str]:
        nowhere: dict[str, array[int]] = {}
        holders = [self._places.get(word, nowhere) for word in words]
        candidates = frozenset(sorted(holders, key=len)[0])
        for holder in holders:
            candidates = candidates.intersection(holder)
        if len(words) == 1:
            return candidates
        return frozenset(
            document
            for document in candidates
            if _in_order([holder[document] for holder in holders], slop)
        )


def _in_order(places: Sequence[Sequence[int]], slop: int) -> bool:
    """Return True if positions p_i, each used once, have max(p_i - i) - min(p_i - i) <= slop."""
    # Where a phrase stands, its rarest word stands too.
    rare = min(range(len(places)), key=lambda number: len(places[number]))
    if slop == 0:
        return any(
            all(_has(positions, place - rare + number) for number, positions in enumerate(places))
            for place in places[rare]
        )
    shifted = [[p - i for p in positions] for i, positions in enumerate(places)]
    lows = {
        low
        for place in shifted[rare]
        for row in shifted
        for low in row[bisect_left(row, place - slop) : bisect_right(row, place)]
    }
    return any(_fits(shifted, low, slop) for low in sorted(lows))


def _has(positions: Sequence[int], place: int) -> bool:
    at = bisect_left(positions, place)
    return at < len(positions) and positions[at] == place


def _fits(shifted: Sequence[Sequence[int]], low: int, slop: int) -> bool:
    """True if one shifted position of each row lies in [low, low + slop], no position twice."""
    rows = [row[bisect_left(row, low) : bisect_right(row, low + slop)] for row in shifted]
    return all(rows) and any(True for _ in _choices(rows, 0, frozenset()))


def _choices(rows: Sequence[Sequence[int]], row: int, used: frozenset[int]) -> Iterator[None]:
    if row == len(rows):
        yield
        return
    for shifted in rows[row]:
        if shifted + row not in used:
            yield from _choices(rows, row + 1, used | {shifted + row})
