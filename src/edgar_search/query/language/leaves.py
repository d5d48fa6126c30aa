"""From a lexeme to a leaf of the tree."""

import re

from edgar_search.query.language.lexer import Kind, Lexeme, letter_or_digit
from edgar_search.query.language.refusal import QueryError
from edgar_search.query.language.tree import Leaf, Phrase, Wildcard, Word
from edgar_search.text import lower, normalise, token_spans

MIN_LITERALS = 3  # a shorter beginning makes the engine read too much of its dictionary

_STARS = re.compile(r"\*+")
_WILDCARDS = re.compile(r"[*?]+")
_FEW = f"at least {MIN_LITERALS} characters come before the first wildcard, as in `abc*`"
_WHERE = "`*` stands between letters or digits, or at the end of a word, as in `impair*`"


def leaf(lexeme: Lexeme) -> Leaf | None:
    """Return what the word or phrase asks for, None where it yields no token.

    Raises QueryError for a wildcard that cannot be served.
    """
    text = normalise(lexeme.text)
    if lexeme.kind is Kind.WORD:
        pattern = _pattern(text, lexeme)
        if pattern is not None:
            return Wildcard(pattern, lexeme.position)
    if next(token_spans(text), None) is None:
        return None
    if lexeme.kind is Kind.WORD:
        return Word(text, lexeme.position)
    return Phrase(text, lexeme.slop, lexeme.position)


def _pattern(text: str, lexeme: Lexeme) -> str | None:
    """The wildcard pattern that the word is, None if it has no wildcard."""
    text = _STARS.sub("*", text)
    marks = _wildcards(text)
    if not marks:
        return None
    # What the tokenizer makes of the word is what it makes of one that the wildcards stand for.
    sample = "".join(["x" if at in marks else char for at, char in enumerate(text)])
    spans = list(token_spans(sample))
    _check_stars(text, spans[0][0], spans[-1][1], lexeme)
    if len(spans) > 1:
        wrong = "a wildcard in what is more than one word"
        raise QueryError(wrong, "write the words apart", lexeme.position)
    if min(marks) - spans[0][0] < MIN_LITERALS:
        raise QueryError("too little before a wildcard", _FEW, lexeme.position)
    return lower(text[slice(*spans[0])])


def _wildcards(text: str) -> set[int]:
    """Where `text` has wildcards: every `*`, and `?` between letters or digits."""
    marks: set[int] = set()
    for run in _WILDCARDS.finditer(text):
        between = _between(text, run.start(), run.end())
        marks.update(at for at in range(*run.span()) if between or text[at] == "*")
    return marks


def _between(text: str, start: int, end: int) -> bool:
    inside = 0 < start and end < len(text)
    return inside and letter_or_digit(text[start - 1]) and letter_or_digit(text[end])


def _check_stars(text: str, first: int, end: int, lexeme: Lexeme) -> None:
    """Refuse a `*` that is neither between letters or digits nor at the end of the word."""
    starts = [match.start() for match in _STARS.finditer(lexeme.text)]
    for run in _WILDCARDS.finditer(text):
        stars = [at for at in range(*run.span()) if text[at] == "*"]
        for at in stars:
            position = lexeme.positions[starts.pop(0)]
            at_end = first < at == end - 1
            if not at_end and not _between(text, *run.span()):
                raise QueryError("`*` in the wrong place", _WHERE, position)
