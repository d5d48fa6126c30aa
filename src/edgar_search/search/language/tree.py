"""What a query means, as a tree.

NOT exists only as `And.negative`. An AND never holds an AND as an operand, an OR never an OR, and
neither has one operand only. Texts are normalised (`text.normalise`) and yield at least one token.
Positions count the user's own characters, from 1.
"""

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct


class Word(Struct, frozen=True):
    """A word; where the tokenizer splits it, a phrase of its parts.

    Each of `forms` is a token that satisfies the word too, in lower case and none of them the word.
    """

    text: str
    position: int
    forms: tuple[str, ...] = ()


class Phrase(Struct, frozen=True):
    """Words in order, `slop` moves apart."""

    text: str
    slop: int
    position: int


class Wildcard(Struct, frozen=True):
    """A lower-case token in which `*` is any run of characters and `?` any one."""

    pattern: str
    position: int


class And(Struct, frozen=True):
    """All of `positive`, of which there is at least one, and none of `negative`."""

    positive: "tuple[Node, ...]"
    negative: "tuple[Node, ...]" = ()


class Or(Struct, frozen=True):
    """At least one of `operands`."""

    operands: "tuple[Node, ...]"


Leaf: TypeAlias = Word | Phrase | Wildcard
Node: TypeAlias = Leaf | And | Or


def leaves(node: Node) -> Iterator[Leaf]:
    """All leaves in order, those of what is excluded too."""
    if isinstance(node, And):
        for operand in (*node.positive, *node.negative):
            yield from leaves(operand)
    elif isinstance(node, Or):
        for operand in node.operands:
            yield from leaves(operand)
    else:
        yield node
