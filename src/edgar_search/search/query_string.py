"""From a query's tree to one text in a small part of Lucene's query syntax; pure.

A word or phrase is quoted, `~n` after it is its slop, and a wildcard word stands bare. Before an
operand `+` says that it must match, `-` that it must not, and nothing that it is an alternative.
Parentheses are around each group but the outermost. Nothing else of the syntax is ever written.
A word and its forms are alternatives.
"""

import re
from collections.abc import Iterable

from edgar_search.search.language import And, Leaf, Node, Or, Phrase, Wildcard, Word

# Inside quotes only these two mean something.
_SPECIAL_IN_QUOTES = re.compile(r'["\\]')


def compiled(node: Node) -> str:
    """Return the text that means what the tree means; it is read with OR as default operator."""
    if isinstance(node, And):
        # A word twice asks for nothing more than once, and must not count twice in the score.
        wanted = _once(f"+{_operand(operand)}" for operand in node.positive)
        return " ".join([*wanted, *(f"-{_operand(operand)}" for operand in node.negative)])
    if isinstance(node, Or):
        return " ".join(_once(text for operand in node.operands for text in _alternatives(operand)))
    return " ".join(_alternatives(node))


def _operand(node: Node) -> str:
    single = not isinstance(node, And | Or) and len(_alternatives(node)) == 1
    return compiled(node) if single else f"({compiled(node)})"


def _alternatives(node: Node) -> list[str]:
    """What is written for an operand of an OR."""
    if isinstance(node, And | Or):
        return [_operand(node)]
    forms = node.forms if isinstance(node, Word) else ()
    return [_leaf(node), *(_quoted(form) for form in forms)]


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return "".join(
            char if char in "*?" or char.isalnum() else f"\\{char}" for char in leaf.pattern
        )
    quoted = _quoted(leaf.text)
    return f"{quoted}~{leaf.slop}" if isinstance(leaf, Phrase) and leaf.slop else quoted


def _quoted(text: str) -> str:
    return '"' + _SPECIAL_IN_QUOTES.sub(r"\\\g<0>", text) + '"'


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
