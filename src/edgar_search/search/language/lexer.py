"""Splits a query into words, phrases, parentheses and operators."""

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from edgar_search.search.language.tree import QueryError
from edgar_search.text.words import INVISIBLE, token_spans

MAX_QUERY_CHARS = 1_000
MAX_SLOP = 50  # the cost of a sloppy phrase grows with the slop and the length of the document

_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_PLAIN = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\uff02", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
_SLOP = re.compile("~([0-9]+)")


class LexemeKind(Enum):
    """The kind of a lexeme; an operator's value is its spelling."""

    WORD = "word"
    PHRASE = "phrase"
    OPEN = "("
    CLOSE = ")"
    AND = "AND"
    OR = "OR"
    NOT = "NOT"


OPERATORS = {kind.value: kind for kind in (LexemeKind.AND, LexemeKind.OR, LexemeKind.NOT)}


class Lexeme(Struct, frozen=True):
    """A piece of a query; `positions[i]` is where the user wrote `text[i]`.

    A phrase's text is between the quotes, and its position is the opening quote's.
    """

    kind: LexemeKind
    position: int
    text: str = ""
    positions: tuple[int, ...] = ()
    slop: int = 0


class _Source(Struct, frozen=True):
    text: str
    positions: list[int]


def lexemes(query: str, *, signs: bool = False) -> Iterator[Lexeme]:
    """Split a query into lexemes; raises QueryError if one is malformed.

    With `signs`, a `-` before a word, a phrase or a group means NOT, and a `+` is ignored.
    """
    source = _source(query)
    text, start = source.text, 0
    while start < len(text):
        position = source.positions[start]
        if text[start] == " ":
            start += 1
        elif signs and (end := _signs_end(text, start)):
            if "-" in text[start:end]:
                yield Lexeme(LexemeKind.NOT, position)
            start = end
        elif text[start] == '"':
            phrase, start = _phrase(source, start)
            yield phrase
        elif text[start] in "()":
            yield Lexeme(LexemeKind(text[start]), position)
            start += 1
        else:
            end = _word_end(text, start)
            yield _word(source, start, end)
            start = end


def letter_or_digit(char: str) -> bool:
    """Return True if `char` is a letter, a mark on a letter, or a digit."""
    return unicodedata.category(char)[0] in "LMN"


def _source(query: str) -> _Source:
    if len(query) > MAX_QUERY_CHARS:
        raise QueryError(
            f"longer than {MAX_QUERY_CHARS:,} characters",
            "shorten it",
            MAX_QUERY_CHARS + 1,
        )
    chars, positions = [], []
    for position, char in enumerate(query, start=1):
        category = unicodedata.category(char)
        if category == "Cs":
            raise QueryError("half of a surrogate pair", "send whole characters", position)
        if not _INVISIBLE.match(char):
            chars.append(" " if char.isspace() or category == "Cc" else char)
            positions.append(position)
    return _Source("".join(chars).translate(_PLAIN), positions)


def _signs_end(text: str, start: int) -> int:
    """Return where the signs at `start` end; 0 if there are none, or they are punctuation."""
    end = start
    while end < len(text) and text[end] in "+-":
        end += 1
    word = text[end : _word_end(text, end)]
    return end if end > start and _excludes(word, text[end : end + 1]) else 0


def _phrase(source: _Source, start: int) -> tuple[Lexeme, int]:
    text, position = source.text, source.positions[start]
    end = text.find('"', start + 1)
    if end < 0:
        raise QueryError("a quote that is never closed", "quotes come in pairs", position)
    inside = text[start + 1 : end]
    if not inside.strip():
        raise QueryError("nothing between the quotes", "write a word or a phrase in them", position)
    if "*" in inside:
        star = source.positions[text.index("*", start)]
        raise QueryError("`*` inside quotes", "write a wildcard outside of quotes", star)
    slop, after = _slop(source, end + 1)
    return Lexeme(LexemeKind.PHRASE, position, inside, slop=slop), after


def _slop(source: _Source, start: int) -> tuple[int, int]:
    match = _SLOP.match(source.text, start)
    if match is None:
        return 0, start
    slop = int(match[1])
    if slop > MAX_SLOP:
        wrong = f"the number after `~` is more than {MAX_SLOP}"
        raise QueryError(wrong, f"0 to {MAX_SLOP} is possible", source.positions[start])
    return slop, match.end()


def _word_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] not in ' ")':
        if text[end] == "(":
            close = _close_in_word(text, start, end)
            if close is None:
                break
            end = close
        end += 1
    return end


def _close_in_word(text: str, start: int, opening: int) -> int | None:
    """Return where the parenthesis at `opening` closes within its word: `401(k)`, `13(a)(1)`."""
    if opening == start or text[start:opening] in OPERATORS:
        return None
    # A parenthesis that closes within a word belongs to it, and so does one that opens right after.
    if not (letter_or_digit(text[opening - 1]) or text[opening - 1] == ")"):
        return None
    depth = 0
    for at in range(opening, len(text)):
        if text[at] in ' "':
            return None
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return None


def _word(source: _Source, start: int, end: int) -> Lexeme:
    text, position = source.text[start:end], source.positions[start]
    if text in OPERATORS:
        return Lexeme(OPERATORS[text], position)
    if text.startswith("-") and _excludes(text.lstrip("-"), source.text[end : end + 1]):
        raise QueryError("`-` before a word, a phrase or a group", "use NOT to exclude", position)
    return Lexeme(LexemeKind.WORD, position, text, tuple(source.positions[start:end]))


def _excludes(rest: str, after: str) -> bool:
    """Return True if a dash excludes the text after it; a lone dash is punctuation."""
    if rest:
        return next(token_spans(rest), None) is not None
    return after in ('"', "(")
