"""Trees of queries that were read lately: the same text is asked again, for another page or filter.

A tree is made of nothing but what its key holds, and never changes. What is refused is not kept.
"""

from functools import lru_cache

from edgar_search.search.language.forms import EXACT, with_forms
from edgar_search.search.language.parser import parse
from edgar_search.search.language.tree import Node

# The tree of a query of so many characters has some kilobytes.
_REMEMBERED, _LONGEST = 500, 200
# With all its forms a tree has 100 kB at most.
_FORMED = 100

_parsed = lru_cache(_REMEMBERED)(parse)
_formed = lru_cache(_FORMED)(with_forms)


def read(query: str) -> Node:
    """Return the tree of `query`; raises QueryError as `parse`."""
    return _parsed(query) if len(query) <= _LONGEST else parse(query)


def formed(node: Node, word_forms: str) -> Node:
    """Return the tree with the forms that are asked for; raises QueryError as `with_forms`."""
    return node if word_forms == EXACT else _formed(node, word_forms)
