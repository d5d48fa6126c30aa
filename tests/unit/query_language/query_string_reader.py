"""A reader of exactly what `compiled` may write; anything else is an AssertionError."""

import re

from edgar_search.search.language import And, Leaf, Node, Or, Phrase, Wildcard

_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"(?:~([1-9][0-9]*))?')
# Bare: letters and digits, wildcards, and whatever else is there after a backslash.
_BARE = re.compile(r"(?:[^\W_]|[*?]|\\(?:[\W_]))+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def read(text: str) -> Node:
    """Return the tree that the text says; words are phrases in it, and no leaf has a position.

    A word and its forms are alternatives. A group of one alternative is an Or of one.
    """
    node, end = _row(text, 0)
    assert end == len(text), text[end:]
    return node.operands[0] if isinstance(node, Or) and len(node.operands) == 1 else node


def _row(text: str, start: int) -> tuple[Node, int]:
    """Return the operands from `start` up to a closing parenthesis or the end."""
    signed: dict[str, list[Node]] = {"": [], "+": [], "-": []}
    while True:
        sign = text[start] if text[start] in "+-" else ""
        operand, start = _operand(text, start + len(sign))
        signed[sign].append(operand)
        if text[start : start + 1] != " ":
            break
        start += 1
    if signed["+"]:
        assert not signed[""]
        return And(tuple(signed["+"]), tuple(signed["-"])), start
    assert not signed["-"]
    assert signed[""]
    return Or(tuple(signed[""])), start


def _operand(text: str, start: int) -> tuple[Node, int]:
    if text[start] != "(":
        return _leaf(text, start)
    node, end = _row(text, start + 1)
    assert text[end] == ")"
    return node, end + 1


def _leaf(text: str, start: int) -> tuple[Leaf, int]:
    if quoted := _QUOTED.match(text, start):
        return Phrase(_ESCAPED.sub(r"\1", quoted[1]), int(quoted[2] or 0), 0), quoted.end()
    bare = _BARE.match(text, start)
    assert bare, text[start:]
    assert set(bare[0]) & set("*?")
    return Wildcard(_ESCAPED.sub(r"\1", bare[0]), 0), bare.end()
