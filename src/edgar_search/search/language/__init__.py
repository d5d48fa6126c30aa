"""The query language of `/v1/search`: from what the user wrote to a tree."""

from edgar_search.search.language.cost import check_cost, cost_of, is_cheap, query_places
from edgar_search.search.language.forms import ALL, EXACT, WORD_FORMS, WordForms, with_forms
from edgar_search.search.language.parser import parse
from edgar_search.search.language.reading import formed, read
from edgar_search.search.language.refusal import QueryError
from edgar_search.search.language.tree import And, Leaf, Node, Or, Phrase, Wildcard, Word, leaves
from edgar_search.search.language.wording import described, written

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
    "formed",
    "is_cheap",
    "leaves",
    "parse",
    "query_places",
    "read",
    "with_forms",
    "written",
]
