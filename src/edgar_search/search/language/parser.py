"""Parses lexemes into the tree: NOT binds first, then AND (also if implied), then OR.

The parser keeps its own stack, so that deeply nested parentheses cannot exhaust Python's. A tree
depends on its cache key alone, and never changes. Refused queries are not cached.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter

from msgspec import Struct

from edgar_search.search.language.lexer import Lexeme, LexemeKind, letter_or_digit, lexemes
from edgar_search.search.language.tree import (
    And,
    Leaf,
    Node,
    Or,
    Phrase,
    QueryError,
    Wildcard,
    Word,
    check_cost,
)
from edgar_search.search.language.word_forms import EXACT, with_forms
from edgar_search.text.words import lower, normalise, token_spans

MAX_DEPTH = 20  # the engine limits how deeply boolean queries nest


class Operand(Struct, frozen=True):
    """A part of the tree, its levels of AND and OR, and its position in the user's text."""

    node: Node
    depth: int
    position: int


def conjunction(positive: Sequence[Operand], negative: Sequence[Operand]) -> Operand:
    """Combine `positive`, at least one, by AND, excluding `negative`.

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
    """Combine `operands`, at least one, by OR.

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
        raise QueryError(wrong, "use fewer parentheses", deepest.position)
    return Operand(node, depth, levels[0][1].position)


MIN_LITERALS = 3  # a shorter prefix makes the engine read too much of its dictionary
# After a `*` each `?` can double the states of the engine's automaton, whose size is limited.
MAX_MARKS, MAX_AFTER_STAR = 5, 50

_STARS = re.compile(r"\*+")
_WILDCARDS = re.compile(r"[*?]+")
_FEW = f"at least {MIN_LITERALS} characters come before the first wildcard, as in `abc*`"
_FEW_MARKS = f"at most {MAX_MARKS} `?` in {MAX_AFTER_STAR} characters come after a `*`"
_WHERE = "write `*` between letters or digits, or at the end of a word, as in `impair*`"


def leaf(lexeme: Lexeme) -> Leaf | None:
    """Return the leaf for a word or phrase, or None if it yields no token.

    Raises QueryError for a wildcard that is not supported.
    """
    text = normalise(lexeme.text)
    if lexeme.kind is LexemeKind.WORD:
        pattern = _pattern(text, lexeme)
        if pattern is not None:
            return Wildcard(pattern, lexeme.position)
    if next(token_spans(text), None) is None:
        return None
    if lexeme.kind is LexemeKind.WORD:
        return Word(text, lexeme.position)
    return Phrase(text, lexeme.slop, lexeme.position)


def _pattern(text: str, lexeme: Lexeme) -> str | None:
    """Return the word as a wildcard pattern, or None if it has no wildcard."""
    text = _STARS.sub("*", text)
    inner = _inner_wildcards(text)
    stars = [at for at, char in enumerate(text) if char == "*"]
    wildcards = inner.union(stars)
    if not wildcards:
        return None
    # The tokenizer splits this sample as it splits any word that the wildcards match.
    sample = "".join(["x" if at in wildcards else char for at, char in enumerate(text)])
    spans = list(token_spans(sample))
    start, end = spans[0][0], spans[-1][1]
    # A sign such as ½ is not part of a token, so a `?` before it is not inside one.
    while end - 1 in wildcards and text[end - 1] == "?":
        wildcards.remove(end - 1)
        end -= 1
    if not wildcards:
        return None
    for at, written in zip(stars, _STARS.finditer(lexeme.text), strict=True):
        if at not in inner and not start < at == end - 1:
            position = lexeme.positions[written.start()]
            raise QueryError("`*` in the wrong place", _WHERE, position)
    if len(spans) > 1:
        wrong = "a wildcard in more than one word"
        raise QueryError(wrong, "write the words apart", lexeme.position)
    if min(wildcards) - start < MIN_LITERALS:
        raise QueryError("too little before a wildcard", _FEW, lexeme.position)
    after = text[start:end].partition("*")[2]
    if "?" in after and (after.count("?") > MAX_MARKS or len(after) > MAX_AFTER_STAR):
        raise QueryError("too much after a wildcard", _FEW_MARKS, lexeme.position)
    return lower(text[start:end])


def _inner_wildcards(text: str) -> set[int]:
    """Return where `text` has a `*` or `?` between letters or digits."""
    inner: set[int] = set()
    for run in _WILDCARDS.finditer(text):
        before, after = text[: run.start()][-1:], text[run.end() :][:1]
        if before and after and letter_or_digit(before) and letter_or_digit(after):
            inner.update(range(*run.span()))
    return inner


MAX_WILDCARDS = 5  # the engine looks up every term that a wildcard matches

_OPERAND = "write a word, a phrase or a group there"
_POSITIVE = "write a word to find beside it, as in `a NOT b`"


class _Group(Struct):
    """A group, or the whole query, as parsed so far; a branch is an operand of OR."""

    position: int
    operator: Lexeme | None = None  # the operator that waits for its operand
    branches: list[Operand] = []
    begun: bool = False  # the branch has an operand, even a dropped one
    positive: list[Operand] = []
    negative: list[Operand] = []
    excluded_at: int = 0  # the first NOT of the branch


def parse(query: str, *, signs: bool = False) -> Node:
    """Parse `query`; with `signs` it may have `+` and `-` before operands.

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
    operand = _finish(stack[0])
    if operand is None:
        raise QueryError("no letters or digits", "write at least one word", position)
    return operand.node


def _close_group(stack: list[_Group], closing: Lexeme) -> None:
    if len(stack) == 1:
        wrong = "a closing parenthesis that was never opened"
        raise QueryError(wrong, "parentheses come in pairs", closing.position)
    group = stack.pop()
    if not group.begun and group.operator is None:
        raise QueryError("nothing between the parentheses", _OPERAND, group.position)
    operand = _finish(group)
    # To the user, a group begins at its parenthesis.
    _add(stack[-1], operand and Operand(operand.node, operand.depth, group.position))


def _add(group: _Group, operand: Operand | None) -> None:
    """Add an operand; None means that nothing in it yields a token."""
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


def _finish(group: _Group) -> Operand | None:
    """Close the group and return it, or None if nothing in it yields a token."""
    _close_branch(group)
    return disjunction(group.branches) if group.branches else None


# The tree for a query of this length takes some kilobytes.
_REMEMBERED, _LONGEST = 500, 200
# With all its forms a tree takes at most 100 kB.
_FORMED = 100

_parsed = lru_cache(_REMEMBERED)(parse)
_formed = lru_cache(_FORMED)(with_forms)


def parse_query(query: str) -> Node:
    """Parse `query`; raises QueryError as `parse`."""
    return _parsed(query) if len(query) <= _LONGEST else parse(query)


def add_word_forms(node: Node, word_forms: str) -> Node:
    """Add the requested word forms to the tree; raises QueryError as `with_forms`."""
    return node if word_forms == EXACT else _formed(node, word_forms)
