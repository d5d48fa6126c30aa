"""Forms of words: the inflections and related words that also satisfy a word of a query.

Each line of `related.txt` is a group of words that mean the same in filings, separated by ` / `.
Some are phrases, without punctuation. Each word of a group has the others as related words; single
words count in all their forms.

Only single words of lower-case English letters have forms: phrases, wildcards, capitalized words
and compounds stay exact.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from msgspec import structs

from edgar_search.search.language.tree import And, Node, Or, Word, check_cost
from edgar_search.text.inflections import REPLACING, bases, form_word, inflections
from edgar_search.text.words import token_spans

# Shorter words are forms of too many others: `it` of `its`, `on` of `one`.
MIN_LETTERS = 3
_OF_NOUNS = ("s", "es", f"{REPLACING}ies")


def number_forms(word: str) -> tuple[str, ...]:
    """Return the plural or singular of a lower-case word, if it is known."""
    forms = inflections().forms(word) if _INFLECTED.fullmatch(word) else ()
    singular = [base for base, ending in bases(word) if ending in _OF_NOUNS and base in forms]
    plural = [form_word(word, ending) for ending in _OF_NOUNS]
    return tuple(singular) or tuple(form for form in forms if form in plural)


_BETWEEN_MEMBERS = " / "


def related_groups() -> list[list[str]]:
    """Return the built-in groups of related words, as they are listed."""
    text = files("edgar_search.search.language").joinpath("related.txt").read_text()
    return [line.split(_BETWEEN_MEMBERS) for line in text.splitlines()]


@cache
def _related() -> Mapping[str, tuple[str, ...]]:
    """Return the related words of each word of the groups, in all its forms."""
    related: dict[str, tuple[str, ...]] = {}
    for group in related_groups():
        members = {word: (word, *inflections().forms(word)) for word in group}
        for member in group:
            others = (text for word in group if word != member for text in members[word])
            related |= dict.fromkeys(members[member], tuple(dict.fromkeys(others)))
    return related


def has_related(text: str) -> bool:
    """Return True if a word, as it is spelled, has related words."""
    return _inflected_word(text) in _related()


WordForms: TypeAlias = Literal["exact", "all", "related"]
EXACT: WordForms = "exact"
ALL: WordForms = "all"
RELATED: WordForms = "related"
WORD_FORMS = (EXACT, ALL, RELATED)

_INFLECTED = re.compile(f"[a-z][A-Za-z]{{{MIN_LETTERS - 1},}}")


def with_forms(node: Node, word_forms: str) -> Node:
    """Return the tree with the requested forms of its words, including excluded ones.

    Adds their related words too, if requested. Raises QueryError if that costs too much.
    """
    if word_forms == EXACT:
        return node
    tree = _with_forms(node, word_forms == RELATED)
    check_cost(tree)
    return tree


def _with_forms(node: Node, related: bool) -> Node:
    if isinstance(node, And):
        positive = tuple(_with_forms(child, related) for child in node.positive)
        return And(positive, tuple(_with_forms(child, related) for child in node.negative))
    if isinstance(node, Or):
        return Or(tuple(_with_forms(operand, related) for operand in node.operands))
    if not isinstance(node, Word) or (word := _inflected_word(node.text)) is None:
        return node
    forms = tuple(dict.fromkeys((*node.forms, *inflections().forms(word))))
    return structs.replace(node, forms=forms, related=_related().get(word, ()) if related else ())


def _inflected_word(text: str) -> str | None:
    """Return the word in lower case, or None if it has no forms."""
    words = [text[start:end] for start, end in token_spans(text)]
    return words[0].lower() if len(words) == 1 and _INFLECTED.fullmatch(words[0]) else None
