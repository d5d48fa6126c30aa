"""Clauses for names of entities, current and former; pure."""

import re
from collections.abc import Sequence

from edgar_search.search.clauses import Clause, literal
from edgar_search.text.rules import lower, token_spans

NAME, FORMER_NAMES = "name", "former_names.name"

# EDGAR's names have 150 characters at most. Of a longer text Elasticsearch may refuse to make an
# automaton.
MAX_CHARS = 300
# Texts of more words are looked for as they stand only: each word is a look through all names.
MAX_WORDS = 4
# Former names are several, and one of them is to have all words: a pattern for each word, and what
# they have in common. Elasticsearch reckons with the product of their sizes.
MAX_WORDS_OF_ONE, MAX_CHARS_OF_ONE = 3, 100

_SPECIAL = re.compile(r"""[.?+*|{}()\[\]\\"#@&<>~^-]""")
# What is no part of a word; what is beyond ASCII counts as letters.
_BETWEEN = "[^a-zA-Z0-9\u0080-\U0010ffff]"
_NOTHING: Clause = {"match_none": {}}


def part_of_name(text: str) -> Clause:
    """Entities whose name has this text, in any case."""
    return _part(NAME, text)


def name_clause(text: str) -> Clause:
    """Entities that have, or had, a name with this text, or with all its words in any order."""
    alternatives = [_part(NAME, text), _part(FORMER_NAMES, text), *_words_in_any_order(text)]
    return {"bool": {"should": alternatives, "minimum_should_match": 1}}


def _words_in_any_order(text: str) -> list[Clause]:
    """Clauses for names that have all words of the text, as whole words.

    None for one word, which is a part of a name wherever it is a word of it.
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
    """The pattern of names that have the word."""
    plain = _SPECIAL.sub(r"\\\g<0>", word)
    return f"((.*{_BETWEEN})?{plain}({_BETWEEN}.*)?)"


def _part(field: str, text: str) -> Clause:
    if len(text) > MAX_CHARS:
        return _NOTHING
    pattern = f"*{literal(text)}*"
    return {"wildcard": {field: {"value": pattern, "case_insensitive": True}}}
