"""The query language of `/v1/search`: from what the user wrote to a tree."""

from edgar_search.search.language.cost import check_cost, is_cheap
from edgar_search.search.language.parser import parse
from edgar_search.search.language.refusal import QueryError
from edgar_search.search.language.tree import And, Leaf, Node, Or, Phrase, Wildcard, Word, leaves

__all__ = [
    "And",
    "Leaf",
    "Node",
    "Or",
    "Phrase",
    "QueryError",
    "Wildcard",
    "Word",
    "check_cost",
    "is_cheap",
    "leaves",
    "parse",
]
