"""The forms of a query's words: the inflections that satisfy a word too, where they are asked for.

Exact stay phrases, wildcards, words that begin with a capital, and compounds: whatever is not one
word of small English letters.
"""

import re
from typing import Literal, TypeAlias

from msgspec import structs

from edgar_search.search.language.cost import check_cost
from edgar_search.search.language.inflections import MIN_LETTERS, inflections
from edgar_search.search.language.tree import And, Node, Or, Word
from edgar_search.text.rules import token_spans

WordForms: TypeAlias = Literal["exact", "all"]
EXACT: WordForms = "exact"
ALL: WordForms = "all"
WORD_FORMS = (EXACT, ALL)

_INFLECTED = re.compile(f"[a-z][A-Za-z]{{{MIN_LETTERS - 1},}}")


def with_forms(node: Node, word_forms: str) -> Node:
    """Return the tree, where all are asked for with the forms of its words, excluded ones too.

    Raises QueryError where that costs too much.
    """
    if word_forms == EXACT:
        return node
    tree = _with_forms(node)
    check_cost(tree)
    return tree


def _with_forms(node: Node) -> Node:
    if isinstance(node, And):
        return And(tuple(map(_with_forms, node.positive)), tuple(map(_with_forms, node.negative)))
    if isinstance(node, Or):
        return Or(tuple(map(_with_forms, node.operands)))
    return structs.replace(node, forms=_forms(node.text)) if isinstance(node, Word) else node


def _forms(text: str) -> tuple[str, ...]:
    words = [text[start:end] for start, end in token_spans(text)]
    if len(words) > 1 or not _INFLECTED.fullmatch(words[0]):
        return ()
    return inflections().forms(words[0].lower())
