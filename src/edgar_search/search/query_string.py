"""From a query's tree to one text in a small part of Lucene's query syntax; pure.

A word or phrase is quoted, `~n` after it is its slop, and a wildcard word stands bare. Before an
operand `+` says that it must match, `-` that it must not, and nothing that it is an alternative.
Parentheses are around each group but the outermost. Nothing else of the syntax is ever written.
"""

import re
from collections.abc import Iterable

from edgar_search.search.language import And, Leaf, Node, Or, Phrase, Wildcard

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
    return _leaf(node)


def _operand(node: Node) -> str:
    return f"({compiled(node)})" if isinstance(node, And | Or) else _leaf(node)


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return "".join(
            char if char in "*?" or char.isalnum() else f"\\{char}" for char in leaf.pattern
        )
    quoted = '"' + _SPECIAL_IN_QUOTES.sub(r"\\\g<0>", leaf.text) + '"'
    return f"{quoted}~{leaf.slop}" if isinstance(leaf, Phrase) and leaf.slop else quoted


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
