"""Clauses that decide which documents match; pure.

A word or phrase is quoted, `~n` after it is its slop, and a wildcard word is bare. Before an
operand, `+` means that it must match, `-` that it must not, and no sign that it is an alternative.
Each group except the outermost has parentheses. No other syntax is ever written. A word, its forms
and related words are alternatives, in a group of their own.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, TypeAlias

from msgspec import json

from edgar_search.search.language import And, Leaf, Node, Or, Phrase, Wildcard, Word
from edgar_search.text.words import lower, token_spans, tokens

# Inside quotes only these two are special.
_SPECIAL_IN_QUOTES = re.compile(r'["\\]')


def compile_tree(node: Node) -> str:
    """Compile the tree to query string syntax, to be read with OR as the default operator."""
    if isinstance(node, And):
        # A repeated word requires nothing more, and must not count twice in the score.
        wanted = _once(f"+{_operand(operand)}" for operand in node.positive)
        return " ".join([*wanted, *(f"-{_operand(operand)}" for operand in node.negative)])
    if isinstance(node, Or):
        return " ".join(_once(map(_operand, node.operands)))
    if isinstance(node, Word):
        return " ".join(map(_quote, (node.text, *node.alternatives)))
    return _leaf(node)


def _operand(node: Node) -> str:
    grouped = isinstance(node, And | Or) or (isinstance(node, Word) and node.alternatives)
    return f"({compile_tree(node)})" if grouped else compile_tree(node)


def _leaf(leaf: Phrase | Wildcard) -> str:
    if isinstance(leaf, Wildcard):
        return "".join(
            char if char in "*?" or char.isalnum() else f"\\{char}" for char in leaf.pattern
        )
    quoted = _quote(leaf.text)
    return f"{quoted}~{leaf.slop}" if leaf.slop else quoted


def _quote(text: str) -> str:
    return '"' + _SPECIAL_IN_QUOTES.sub(r"\\\g<0>", text) + '"'


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


Clause: TypeAlias = dict[str, Any]

_WILDCARD_SPECIAL = str.maketrans({"\\": "\\\\", "*": "\\*", "?": "\\?"})


def document_clause(node: Node, field: str = "text") -> Clause:
    """Match the documents that the tree describes."""
    return {
        "query_string": {
            "query": compile_tree(node),
            "fields": [field],
            # A cluster or an index may have its own defaults for most of these.
            "default_operator": "OR",
            "allow_leading_wildcard": False,
            "analyze_wildcard": False,
            "auto_generate_synonyms_phrase_query": False,
            "lenient": False,
            # As for a `wildcard` query, so that the words are not all looked up before the search.
            "rewrite": "constant_score_blended",
        }
    }


def snippet_clauses(node: Node) -> list[Clause]:
    """Return clauses that each match a leaf that is not excluded."""
    return [_any_clause(positive_leaves(node))]


def word_clauses(node: Node) -> list[Clause]:
    """Return clauses that each match a single token that is not excluded.

    For a phrase that no passage contains as a whole.
    """
    return [_any_clause(positive_words(node))]


def positive_leaves(node: Node) -> list[Leaf]:
    """Return the leaves that are not excluded, in order."""
    if isinstance(node, And | Or):
        operands = node.positive if isinstance(node, And) else node.operands
        return [leaf for operand in operands for leaf in positive_leaves(operand)]
    return [node]


def positive_words(node: Node) -> list[Leaf]:
    """Return the wildcards and the single tokens that are not excluded, in order."""
    return [one for leaf in positive_leaves(node) for one in _single(leaf)]


def distinct(clauses: Iterable[Clause]) -> list[Clause]:
    """Drop duplicate clauses, which require nothing more and must not count twice."""
    return list({json.encode(clause): clause for clause in clauses}.values())


def constant_score(clause: Clause, score: float) -> Clause:
    """Give every match of the clause the same score."""
    return {"constant_score": {"filter": clause, "boost": score}}


def range_clause(field: str, least: date | Decimal | None, most: date | Decimal | None) -> Clause:
    """Match values within these bounds, both inclusive; None leaves a side open."""
    limits = {"gte": least, "lte": most}
    bounds = {name: str(value) for name, value in limits.items() if value is not None}
    return {"range": {field: bounds}}


def between(field: str, least: date | Decimal | None, most: date | Decimal | None) -> list[Clause]:
    """Return the range clause in a list, or an empty list without bounds."""
    return [] if least is None and most is None else [range_clause(field, least, most)]


def any_of(clauses: list[Clause]) -> Clause:
    """Match if any of these clauses does."""
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def term_in_any_case(field: str, text: str) -> Clause:
    """Match a whole value, ignoring case."""
    return {"term": {field: {"value": text, "case_insensitive": True}}}


def literal(text: str) -> str:
    """Escape a text for a `wildcard` clause."""
    return text.translate(_WILDCARD_SPECIAL)


def _any_clause(leaves: Sequence[Leaf]) -> Clause:
    return document_clause(Or(tuple(leaves)))


def _single(leaf: Leaf) -> list[Leaf]:
    if isinstance(leaf, Wildcard) or (isinstance(leaf, Word) and leaf.alternatives):
        return [leaf]
    return [Word(token, leaf.position) for token in tokens(leaf.text)]


NAME, FORMER_NAMES = "name", "former_names.name"

# EDGAR's names have at most 150 characters. For a longer text Elasticsearch may refuse to build an
# automaton.
MAX_CHARS = 300
# Texts with more words are searched only as a whole: each word takes a scan of all names.
MAX_WORDS = 4
# One of several former names must contain all words: an intersection of a pattern for each word,
# for which Elasticsearch needs the product of their sizes.
MAX_WORDS_OF_ONE, MAX_CHARS_OF_ONE = 3, 100

_REGEXP_SPECIAL = re.compile(r"""[.?+*|{}()\[\]\\"#@&<>~^-]""")
# A character between words; all beyond ASCII count as letters.
_BETWEEN = "[^a-zA-Z0-9\u0080-\U0010ffff]"
_NOTHING: Clause = {"match_none": {}}


def part_of_name(text: str) -> Clause:
    """Match entities with a name that contains this text, ignoring case."""
    return _part(NAME, text)


def name_clause(text: str) -> Clause:
    """Match entities with a current or former name that contains this text, or all its words."""
    alternatives = [_part(NAME, text), _part(FORMER_NAMES, text), *_words_in_any_order(text)]
    return any_of(alternatives)


def _words_in_any_order(text: str) -> list[Clause]:
    """Match names that contain all words of the text, as whole words.

    Returns no clauses for one word, which `part_of_name` already matches.
    """
    spelled = [text[start:end] for start, end in token_spans(text)]
    words = list({lower(word): word for word in spelled}.values())
    if not 1 < len(words) <= MAX_WORDS or len(text) > MAX_CHARS:
        return []
    clauses: list[Clause] = [{"bool": {"filter": [_with_words(NAME, [word]) for word in words]}}]
    if len(words) <= MAX_WORDS_OF_ONE and len(text) <= MAX_CHARS_OF_ONE:
        clauses.append(_with_words(FORMER_NAMES, words))
    return clauses


def _with_words(field: str, words: Sequence[str]) -> Clause:
    value = "&".join(map(_word, words))
    return {"regexp": {field: {"value": value, "flags": "INTERSECTION", "case_insensitive": True}}}


def _word(word: str) -> str:
    """Return the pattern for names that contain the word."""
    plain = _REGEXP_SPECIAL.sub(r"\\\g<0>", word)
    return f"((.*{_BETWEEN})?{plain}({_BETWEEN}.*)?)"


def _part(field: str, text: str) -> Clause:
    if len(text) > MAX_CHARS:
        return _NOTHING
    pattern = f"*{literal(text)}*"
    return {"wildcard": {field: {"value": pattern, "case_insensitive": True}}}
