"""Snippets that were made lately, for searches that are repeated and pages that overlap.

A snippet is made of nothing but what its key holds, the whole marked passage among it, so one that
is remembered is never stale. Which leaves a text shows is told by a function, of which
`leaves_of` has the same one for the same query.
"""

from functools import lru_cache

from edgar_search.search.clauses import wanted_leaves
from edgar_search.search.language import Node
from edgar_search.search.marks import Shown, leaves_shown, own_leaf
from edgar_search.search.snippet import (
    MARK_END,
    MARK_START,
    PlacedSnippet,
    placed_snippet,
    snippet,
)

# Passages have about 2,000 characters, and with marks some more; at four bytes for each these are
# 20 MB for each of the two kinds at the very most, and 4 MB in practice.
_REMEMBERED, _LONGEST = 1_000, 5_000
# What leaves are is a few kilobytes for each query.
_QUERIES = 200


@lru_cache(_QUERIES)
def leaves_of(query: Node) -> Shown:
    """Return what says which of the query's wanted leaves a marked text shows."""
    return leaves_shown(wanted_leaves(query))


def made_snippet(marked: str, *, begins: bool, ends: bool, leaves: Shown = own_leaf) -> str:
    """The snippet of a passage as it comes back from the engine; as `snippet`."""
    make = _snippet if len(marked) <= _LONGEST else _snippet.__wrapped__
    return make(marked, begins, ends, leaves)


def made_placed_snippet(marked: str, *, begins: bool, ends: bool, leaves: Shown) -> PlacedSnippet:
    """The same with its places in the passage."""
    make = _placed if len(marked) <= _LONGEST else _placed.__wrapped__
    return make(marked, begins, ends, leaves)


@lru_cache(_REMEMBERED)
def _snippet(marked: str, begins: bool, ends: bool, leaves: Shown) -> str:
    return snippet(marked, MARK_START, MARK_END, begins=begins, ends=ends, leaves=leaves)


@lru_cache(_REMEMBERED)
def _placed(marked: str, begins: bool, ends: bool, leaves: Shown) -> PlacedSnippet:
    return placed_snippet(marked, MARK_START, MARK_END, begins=begins, ends=ends, leaves=leaves)
