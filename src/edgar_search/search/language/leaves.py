"""From a lexeme to a leaf of the tree."""

import re

from edgar_search.search.language.lexer import Lexeme, LexemeKind, letter_or_digit
from edgar_search.search.language.refusal import QueryError
from edgar_search.search.language.tree import Leaf, Phrase, Wildcard, Word
from edgar_search.text.rules import lower, normalise, token_spans

MIN_LITERALS = 3  # a shorter beginning makes the engine read too much of its dictionary
# After a `*` each `?` can double the states of the engine's automaton, whose size it bounds.
MAX_MARKS, MAX_AFTER_STAR = 5, 50

_STARS = re.compile(r"\*+")
_WILDCARDS = re.compile(r"[*?]+")
_FEW = f"at least {MIN_LITERALS} characters come before the first wildcard, as in `abc*`"
_FEW_MARKS = f"at most {MAX_MARKS} `?` in {MAX_AFTER_STAR} characters come after a `*`"
_WHERE = "`*` stands between letters or digits, or at the end of a word, as in `impair*`"


def leaf(lexeme: Lexeme) -> Leaf | None:
    """Return what the word or phrase asks for, None where it yields no token.

    Raises QueryError for a wildcard that cannot be served.
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
    """The wildcard pattern that the word is, None if it has no wildcard."""
    text = _STARS.sub("*", text)
    inner = _inner_wildcards(text)
    stars = [at for at, char in enumerate(text) if char == "*"]
    wildcards = inner.union(stars)
    if not wildcards:
        return None
    # What the tokenizer makes of the word is what it makes of one that the wildcards stand for.
    sample = "".join(["x" if at in wildcards else char for at, char in enumerate(text)])
    spans = list(token_spans(sample))
    start, end = spans[0][0], spans[-1][1]
    for at, written in zip(stars, _STARS.finditer(lexeme.text), strict=True):
        if at not in inner and not start < at == end - 1:
            position = lexeme.positions[written.start()]
            raise QueryError("`*` in the wrong place", _WHERE, position)
    if len(spans) > 1:
        wrong = "a wildcard in what is more than one word"
        raise QueryError(wrong, "write the words apart", lexeme.position)
    if min(wildcards) - start < MIN_LITERALS:
        raise QueryError("too little before a wildcard", _FEW, lexeme.position)
    after = text[start:end].partition("*")[2]
    if "?" in after and (after.count("?") > MAX_MARKS or len(after) > MAX_AFTER_STAR):
        raise QueryError("too much after a wildcard", _FEW_MARKS, lexeme.position)
    return lower(text[start:end])


def _inner_wildcards(text: str) -> set[int]:
    """Where `text` has a `*` or `?` between letters or digits."""
    inner: set[int] = set()
    for run in _WILDCARDS.finditer(text):
        before, after = text[: run.start()][-1:], text[run.end() :][:1]
        if before and after and letter_or_digit(before) and letter_or_digit(after):
            inner.update(range(*run.span()))
    return inner
