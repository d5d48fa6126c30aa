"""From a query's tree to one text in a small part of Lucene's query syntax; pure.

A word or phrase is quoted, `~n` after it is its slop, and a wildcard word stands bare. Before an
operand `+` says that it must match, `-` that it must not, and nothing that it is an alternative.
Parentheses are around each group but the outermost. Nothing else of the syntax is ever written.
A word and its forms are alternatives, in a group of their own.
"""

import re
from collections.abc import Iterable

from edgar_search.search.language import And, Node, Or, Phrase, Wildcard, Word

# Inside quotes only these two mean something.
_SPECIAL_IN_QUOTES = re.compile(r'["\\]')


def compiled(node: Node) -> str:
    """Return the text that means what the tree means; it is read with OR as default operator."""
    if isinstance(node, And):
        # A word twice asks for nothing more than once, and must not count twice in the score.
        wanted = _once(f"+{_operand(operand)}" for operand in node.positive)
        return " ".join([*wanted, *(f"-{_operand(operand)}" for operand in node.negative)])
    if isinstance(node, Or):
        return " ".join(_once(map(_operand, node.operands)))
    if isinstance(node, Word):
        return " ".join(map(_quoted, (node.text, *node.forms)))
    return _leaf(node)


def _operand(node: Node) -> str:
    grouped = isinstance(node, And | Or) or (isinstance(node, Word) and node.forms)
    return f"({compiled(node)})" if grouped else compiled(node)


def _leaf(leaf: Phrase | Wildcard) -> str:
    if isinstance(leaf, Wildcard):
        return "".join(
            char if char in "*?" or char.isalnum() else f"\\{char}" for char in leaf.pattern
        )
    quoted = _quoted(leaf.text)
    return f"{quoted}~{leaf.slop}" if leaf.slop else quoted


def _quoted(text: str) -> str:
    return '"' + _SPECIAL_IN_QUOTES.sub(r"\\\g<0>", text) + '"'


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
