"""Parses queries the way EDGAR's full-text search does, which never refuses one; pure.

All words must occur, in any order; quotes make a phrase; `-` or `NOT` excludes; `OR` in capitals
separates alternatives; `*` at the end of a word stands for any letters. Everything else is
punctuation. The result is a query in our language.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from edgar_search.search.language.lexer import MAX_QUERY_CHARS, OPERATORS
from edgar_search.search.language.parser import MIN_LITERALS
from edgar_search.search.language.tree import QueryError
from edgar_search.text.words import tokens

_PLAIN = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("()[]{}~^:?", " ")
)
_ENCODED = re.compile("%[0-9A-Fa-f]{2}")
_PIECE = re.compile(r'(-?)"([^"]*)"|(\S+)')


def read_leniently(query: str) -> str:
    """Translate a query of EDGAR's search into our language; "" for a blank one.

    It may be percent-encoded twice, as EDGAR's page sends it. Raises QueryError for one that is too
    long, or that only excludes.
    """
    text = unquote(query) if _ENCODED.search(query) else query
    if len(text) > MAX_QUERY_CHARS:
        wrong = f"longer than {MAX_QUERY_CHARS:,} characters"
        raise QueryError(wrong, "shorten it", MAX_QUERY_CHARS + 1)
    if text.lstrip().startswith("*"):
        return ""  # EDGAR calls this a blank search.
    plain = text.translate(_PLAIN)
    pieces = list(_without_loose_operators(_pieces(plain + '"' * (plain.count('"') % 2))))
    if pieces and all(piece.startswith("NOT ") for piece in pieces if piece not in OPERATORS):
        raise QueryError("nothing is wanted, only excluded", "add a word that documents must have")
    return " ".join(pieces)


def _pieces(text: str) -> Iterator[str]:
    """Yield words, phrases, their exclusions, and operators."""
    excluded = False
    for minus, phrase, word in _PIECE.findall(text):
        if word in ("AND", "OR"):
            yield word
            continue
        if word == "NOT":
            excluded = True
            continue
        if minus or (word.startswith("-") and tokens(word)):
            excluded = True
        operand = _word(word.lstrip("-+")) if word else _phrase(phrase)
        if operand:
            yield f"NOT {operand}" if excluded else operand
            excluded = False


def _phrase(text: str) -> str:
    inside = text.replace("*", " ").strip()
    return f'"{inside}"' if tokens(inside) else ""


def _word(text: str) -> str:
    """Return the word, keeping the `*` at its end if the word is long enough."""
    stem = text.replace("*", "").replace('"', "")
    stem_tokens = tokens(stem)
    if not stem_tokens:
        return ""
    begins = text.endswith("*") and len(stem_tokens) == 1 and len(stem_tokens[0]) >= MIN_LITERALS
    plain = f"{stem_tokens[0]}*" if begins else stem
    return plain.lower() if plain in OPERATORS else plain


def _without_loose_operators(pieces: Iterator[str]) -> Iterator[str]:
    """Drop operators at either end or next to another operator."""
    operator = ""
    begun = False
    for piece in pieces:
        if piece in OPERATORS:
            operator = operator or piece
            continue
        if begun and operator and not (operator == "OR" and piece.startswith("NOT ")):
            yield operator
        yield piece
        operator, begun = "", True
