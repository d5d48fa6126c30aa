"""From lexemes to the tree: NOT binds first, then AND (also where nothing is written), then OR.

The parser keeps its own stack, so that no depth of parentheses exhausts Python's.
"""

from msgspec import Struct

from edgar_search.search.language.assembly import Operand, conjunction, disjunction
from edgar_search.search.language.cost import check_cost
from edgar_search.search.language.leaves import leaf
from edgar_search.search.language.lexer import Lexeme, LexemeKind, lexemes
from edgar_search.search.language.refusal import QueryError
from edgar_search.search.language.tree import Node, Wildcard

MAX_WILDCARDS = 5  # the engine looks up every term that a wildcard stands for

_OPERAND = "write a word, a phrase or a group there"
_POSITIVE = "what NOT excludes stands beside something that is wanted, as in `a NOT b`"


class _Group(Struct):
    """A group, or the whole query, as far as it has been read; a branch is an operand of OR."""

    position: int
    operator: Lexeme | None = None  # the one that waits for its operand
    branches: list[Operand] = []
    begun: bool = False  # the branch has an operand, be it one that is dropped
    positive: list[Operand] = []
    negative: list[Operand] = []
    excluded_at: int = 0  # the first NOT of the branch


def parse(query: str, *, signs: bool = False) -> Node:
    """Return the tree of `query`; with `signs` it may have `+` and `-` before its operands.

    Raises QueryError, whose message says what is wrong, what would be right, and where.
    """
    pieces = list(lexemes(query, signs=signs))
    if not pieces:
        raise QueryError("nothing to search for", "write at least one word")
    stack = [_Group(pieces[0].position)]
    wildcards = 0
    for piece in pieces:
        if piece.kind is LexemeKind.OPEN:
            stack.append(_Group(piece.position))
        elif piece.kind is LexemeKind.CLOSE:
            _close_group(stack, piece)
        elif piece.kind in (LexemeKind.WORD, LexemeKind.PHRASE):
            node = leaf(piece)
            wildcards += isinstance(node, Wildcard)
            if wildcards > MAX_WILDCARDS:
                wrong = f"more than {MAX_WILDCARDS} words with wildcards"
                raise QueryError(wrong, "fewer are needed", piece.position)
            _add(stack[-1], None if node is None else Operand(node, 0, piece.position))
        else:
            _take_operator(stack[-1], piece)
    tree = _whole(stack)
    check_cost(tree)
    return tree


def _whole(stack: list[_Group]) -> Node:
    position = stack[-1].position
    if len(stack) > 1:
        wrong = "a parenthesis that is never closed"
        raise QueryError(wrong, "parentheses come in pairs", position)
    whole = _finished(stack[0])
    if whole is None:
        raise QueryError("no letters or digits", "write at least one word", position)
    return whole.node


def _close_group(stack: list[_Group], closing: Lexeme) -> None:
    if len(stack) == 1:
        wrong = "a closing parenthesis that was never opened"
        raise QueryError(wrong, "parentheses come in pairs", closing.position)
    group = stack.pop()
    if not group.begun and group.operator is None:
        raise QueryError("nothing between the parentheses", _OPERAND, group.position)
    whole = _finished(group)
    # For the user a group begins at its parenthesis.
    _add(stack[-1], whole and Operand(whole.node, whole.depth, group.position))


def _add(group: _Group, operand: Operand | None) -> None:
    """Take an operand; None is one in which nothing yields a token."""
    operator, group.operator, group.begun = group.operator, None, True
    if operand is None:
        return
    if operator is not None and operator.kind is LexemeKind.NOT:
        group.negative.append(operand)
        group.excluded_at = group.excluded_at or operator.position
    else:
        group.positive.append(operand)


def _take_operator(group: _Group, operator: Lexeme) -> None:
    name, before = operator.kind.value, group.operator
    if operator.kind is LexemeKind.NOT:
        if before is not None and before.kind is LexemeKind.NOT:
            raise QueryError("NOT directly after NOT", _POSITIVE, operator.position)
    elif before is not None:
        wrong = f"{name} directly after {before.kind.value}"
        raise QueryError(wrong, _OPERAND, operator.position)
    elif not group.begun:
        raise QueryError(f"{name} with nothing before it", _OPERAND, operator.position)
    elif operator.kind is LexemeKind.OR:
        _close_branch(group)
    group.operator = operator


def _close_branch(group: _Group) -> None:
    if group.operator is not None:
        wrong = f"{group.operator.kind.value} with nothing after it"
        raise QueryError(wrong, _OPERAND, group.operator.position)
    if group.positive:
        group.branches.append(conjunction(group.positive, group.negative))
    elif group.negative:
        raise QueryError("NOT with nothing wanted beside it", _POSITIVE, group.excluded_at)
    group.begun, group.positive, group.negative, group.excluded_at = False, [], [], 0


def _finished(group: _Group) -> Operand | None:
    """The whole group, None where nothing in it yields a token."""
    _close_branch(group)
    return disjunction(group.branches) if group.branches else None
