"""The query language of `/v1/search`: from the user's text to a tree."""

from edgar_search.search.language.parser import add_word_forms, parse, parse_query
from edgar_search.search.language.tree import (
    And,
    Leaf,
    Node,
    Or,
    Phrase,
    QueryError,
    Wildcard,
    Word,
    check_cost,
    cost_of,
    describe,
    is_cheap,
    leaves,
    query_places,
    query_text,
)
from edgar_search.search.language.word_forms import ALL, EXACT, WORD_FORMS, WordForms, with_forms

__all__ = [
    "ALL",
    "EXACT",
    "WORD_FORMS",
    "And",
    "Leaf",
    "Node",
    "Or",
    "Phrase",
    "QueryError",
    "Wildcard",
    "Word",
    "WordForms",
    "check_cost",
    "cost_of",
    "describe",
    "add_word_forms",
    "is_cheap",
    "leaves",
    "parse",
    "query_places",
    "parse_query",
    "with_forms",
    "query_text",
]
