"""AND and OR of finished operands: flattened, collapsed, and not too deep."""

from collections.abc import Sequence
from operator import itemgetter

from msgspec import Struct

from edgar_search.search.language.refusal import QueryError
from edgar_search.search.language.tree import And, Node, Or

MAX_DEPTH = 20  # the engine bounds how deep boolean queries nest


class Operand(Struct, frozen=True):
    """A part of the tree, its levels of AND and OR, and where the user began it."""

    node: Node
    depth: int
    position: int


def conjunction(positive: Sequence[Operand], negative: Sequence[Operand]) -> Operand:
    """Return `positive`, of which there is at least one, without `negative`.

    Raises QueryError for a tree that is too deep.
    """
    if len(positive) == 1 and not negative:
        return positive[0]
    wanted: list[Node] = []
    unwanted: list[Node] = []
    for operand in positive:
        node = operand.node
        wanted.extend(node.positive if isinstance(node, And) else (node,))
        unwanted.extend(node.negative if isinstance(node, And) else ())
    unwanted.extend(operand.node for operand in negative)
    levels = [(one.depth + (not isinstance(one.node, And)), one) for one in positive]
    levels += [(one.depth + 1, one) for one in negative]
    return _level(And(tuple(wanted), tuple(unwanted)), levels)


def disjunction(operands: Sequence[Operand]) -> Operand:
    """Return any of `operands`, of which there is at least one.

    Raises QueryError for a tree that is too deep.
    """
    if len(operands) == 1:
        return operands[0]
    wanted: list[Node] = []
    for operand in operands:
        wanted.extend(operand.node.operands if isinstance(operand.node, Or) else (operand.node,))
    levels = [(one.depth + (not isinstance(one.node, Or)), one) for one in operands]
    return _level(Or(tuple(wanted)), levels)


def _level(node: Node, levels: list[tuple[int, Operand]]) -> Operand:
    depth, deepest = max(levels, key=itemgetter(0))
    if depth > MAX_DEPTH:
        wrong = f"AND and OR nested more than {MAX_DEPTH} deep"
        raise QueryError(wrong, "fewer parentheses are needed", deepest.position)
    return Operand(node, depth, levels[0][1].position)
