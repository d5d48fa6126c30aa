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
    described,
    is_cheap,
    leaves,
    query_places,
    written,
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
    "described",
    "add_word_forms",
    "is_cheap",
    "leaves",
    "parse",
    "query_places",
    "parse_query",
    "with_forms",
    "written",
]
