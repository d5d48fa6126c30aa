"""From a query's tree to clauses of the engine: each one `query_string` of our own writing."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from msgspec import json

from edgar_search.search.language import And, Leaf, Node, Or, Wildcard, Word
from edgar_search.search.query_string import compiled
from edgar_search.text.rules import tokens

Clause: TypeAlias = dict[str, Any]

_SPECIAL = str.maketrans({"\\": "\\\\", "*": "\\*", "?": "\\?"})


def document_clause(node: Node, field: str = "text") -> Clause:
    """Return the clause that matches what the tree means."""
    return {
        "query_string": {
            "query": compiled(node),
            "fields": [field],
            # A cluster or an index may have defaults of its own for most of these.
            "default_operator": "OR",
            "allow_leading_wildcard": False,
            "analyze_wildcard": False,
            "auto_generate_synonyms_phrase_query": False,
            "lenient": False,
            # As a `wildcard` query does it: the words are not all looked up before the search.
            "rewrite": "constant_score_blended",
        }
    }


def snippet_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return the clauses that match any leaf that is wanted."""
    return [_any_clause(wanted_leaves(node), field)]


def word_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return the clauses that match any single token that is wanted.

    For a phrase of which no passage has the whole.
    """
    return [_any_clause(wanted_words(node), field)]


def wanted_leaves(node: Node) -> list[Leaf]:
    """Return the leaves of what is not excluded, in order."""
    if isinstance(node, And | Or):
        operands = node.positive if isinstance(node, And) else node.operands
        return [leaf for operand in operands for leaf in wanted_leaves(operand)]
    return [node]


def wanted_words(node: Node) -> list[Leaf]:
    """Return the wildcards, and as words the single tokens, of what is not excluded, in order."""
    return [one for leaf in wanted_leaves(node) for one in _single(leaf)]


def distinct(clauses: Iterable[Clause]) -> list[Clause]:
    """Return each clause once: what stands twice asks for no more, and must not count twice."""
    return list({json.encode(clause): clause for clause in clauses}.values())


def literal(text: str) -> str:
    """Return a part of a `wildcard` clause's value that stands for nothing but itself."""
    return text.translate(_SPECIAL)


def _any_clause(leaves: Sequence[Leaf], field: str) -> Clause:
    return document_clause(Or(tuple(leaves)), field)


def _single(leaf: Leaf) -> list[Leaf]:
    if isinstance(leaf, Wildcard) or (isinstance(leaf, Word) and leaf.forms):
        return [leaf]
    return [Word(token, leaf.position) for token in tokens(leaf.text)]
