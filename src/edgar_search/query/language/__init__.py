"""The query language of `/v1/search`: from what the user wrote to a tree."""

from edgar_search.query.language.parser import parse
from edgar_search.query.language.refusal import QueryError
from edgar_search.query.language.tree import And, Leaf, Node, Or, Phrase, Wildcard, Word

__all__ = ["And", "Leaf", "Node", "Or", "Phrase", "QueryError", "Wildcard", "Word", "parse"]
