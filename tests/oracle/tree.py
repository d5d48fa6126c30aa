"""The meaning of a made query: a tree of its own, so that the service's parser is tested too."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Term:
    """A word as written; its tokens follow each other. `forms` and `related` match too if true."""

    text: str
    forms: bool = False
    related: bool = False


@dataclass(frozen=True)
class Quoted:
    """Words in quotes, `slop` moves apart."""

    text: str
    slop: int = 0


@dataclass(frozen=True)
class Wild:
    """A word with `*` and `?`."""

    pattern: str


@dataclass(frozen=True)
class All:
    """Every one of `wanted`, none of `unwanted`."""

    wanted: "tuple[Tree, ...]"
    unwanted: "tuple[Tree, ...]" = ()


@dataclass(frozen=True)
class Any:
    """At least one."""

    of: "tuple[Tree, ...]"


Leaf: TypeAlias = Term | Quoted | Wild
Tree: TypeAlias = Leaf | All | Any


def query_text(tree: Tree, implied: bool) -> str:
    """Return the tree in the query language.

    `implied` leaves out every AND that may be left out.
    """
    if isinstance(tree, Term):
        return tree.text
    if isinstance(tree, Quoted):
        return f'"{tree.text}"' + (f"~{tree.slop}" if tree.slop else "")
    if isinstance(tree, Wild):
        return tree.pattern
    if isinstance(tree, Any):
        return " OR ".join(_operand(operand, implied) for operand in tree.of)
    join = " " if implied else " AND "
    wanted = [_operand(operand, implied) for operand in tree.wanted]
    unwanted = [f"NOT {_operand(operand, implied)}" for operand in tree.unwanted]
    return join.join(wanted + unwanted)


def with_forms(tree: Tree, related: bool = False) -> Tree:
    """Return the tree with words that ask for their forms too, and for related words."""
    match tree:
        case Term(text):
            return Term(text, forms=True, related=related)
        case All(wanted, unwanted):
            found = tuple(with_forms(each, related) for each in wanted)
            return All(found, tuple(with_forms(each, related) for each in unwanted))
        case Any(of):
            return Any(tuple(with_forms(each, related) for each in of))
        case _:
            return tree


def leaves(tree: Tree) -> list[Leaf]:
    """Return the leaves that a hit may show: those not under a NOT."""
    if isinstance(tree, All):
        return [leaf for operand in tree.wanted for leaf in leaves(operand)]
    if isinstance(tree, Any):
        return [leaf for operand in tree.of for leaf in leaves(operand)]
    return [tree]


def _operand(tree: Tree, implied: bool) -> str:
    text = query_text(tree, implied)
    return f"({text})" if isinstance(tree, All | Any) else text
