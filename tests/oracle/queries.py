"""Queries made from a corpus' own words, as hypothesis strategies."""

import re
from collections.abc import Sequence

from hypothesis import strategies as st

from edgar_search.text.words import tokens
from tests.oracle.texts import Texts
from tests.oracle.tree import All, Any, Quoted, Term, Tree, Wild

# Words of the corpus that queries are made of: the frequent ones and a spread of the others.
FREQUENT, OTHERS = 2_000, 4_000
MAX_PHRASE = 6
# What the language takes for quotes, and for a dash at a word's start.
QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a\uff02'
# Parentheses that are the word's own.
_PARAGRAPH = re.compile(r"[0-9A-Za-z]+(?:\([0-9A-Za-z]+\))+")
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"


def trees(texts: Texts, words: Sequence[str] = ()) -> st.SearchStrategy[Tree]:
    """Return trees that a user might mean, from one word to a few nested groups.

    Some of these words.
    """
    more = [st.sampled_from(words).map(Term)] * 3 if words else []
    leaf = st.one_of(_terms(texts), _terms(texts), _quotes(texts), _wild(texts), *more)
    return st.recursive(leaf, _groups, max_leaves=6)


def _groups(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    few = st.lists(inner, min_size=1, max_size=2).map(tuple)
    return st.one_of(st.builds(All, several), st.builds(Any, several), st.builds(All, some, few))


def _words(texts: Texts) -> st.SearchStrategy[str]:
    rare = texts.vocabulary[FREQUENT:]
    return st.one_of(
        st.sampled_from(texts.vocabulary[:FREQUENT]),
        st.sampled_from(rare[:: max(1, len(rare) // OTHERS)]),
    )


def _terms(texts: Texts) -> st.SearchStrategy[Tree]:
    """Return a word in any case, or a piece of text without blanks, such as `10-K/A`."""
    word = _words(texts).flatmap(lambda w: st.sampled_from([w, w.capitalize(), w.upper()]))
    return st.one_of(word.filter(_plain), _pieces(texts).filter(_plain)).map(Term)


def _plain(word: str) -> bool:
    """Return True if a word means itself: no operator, no mark of the language in it."""
    return (
        word not in ("AND", "OR", "NOT")
        and word[0] not in DASHES
        and not any(mark in word for mark in f"*?{QUOTES}")
        and (_PARAGRAPH.fullmatch(word) is not None or "(" not in word and ")" not in word)
        and bool(tokens(word))
    )


def _pieces(texts: Texts) -> st.SearchStrategy[str]:
    def piece(place: tuple[str, int]) -> str:
        text = texts.texts[place[0]]
        return text[place[1] % len(text) :][:200].partition(" ")[2].split(maxsplit=1)[0:1][0]

    places = st.tuples(st.sampled_from(sorted(texts.texts)), st.integers(0, 10**7))
    return places.filter(lambda p: len(_window(texts, p)) > 1).map(piece)


def _window(texts: Texts, place: tuple[str, int]) -> list[str]:
    text = texts.texts[place[0]]
    return text[place[1] % len(text) :][:200].partition(" ")[2].split()


def _quotes(texts: Texts) -> st.SearchStrategy[Tree]:
    """Return a phrase of a text, or one with its words moved; with slop or without."""

    def phrase(draw: st.DrawFn) -> Tree:
        document = draw(st.sampled_from(sorted(texts.texts)))
        words = _window(texts, (document, draw(st.integers(0, 10**7))))
        count = draw(st.integers(1, MAX_PHRASE))
        words = [word for word in words if not any(mark in word for mark in f"*{QUOTES}")]
        words = words[:count]
        if draw(st.booleans()):
            words = draw(st.permutations(words))
        text = " ".join(words)
        return Quoted(text if tokens(text) else "of the", draw(st.sampled_from([0, 0, 1, 3, 10])))

    return st.composite(phrase)()


def _wild(texts: Texts) -> st.SearchStrategy[Tree]:
    """Return a word of letters with `*` or `?` somewhere after its third letter."""

    def pattern(draw: st.DrawFn) -> Tree:
        word = draw(_words(texts).filter(lambda w: len(w) > 4 and w.isalnum() and w.isascii()))
        place = draw(st.integers(3, len(word) - 1))
        if draw(st.booleans()):
            return Wild(f"{word[:place]}*")
        if place == len(word) - 1:
            return Wild(f"{word[: place - 1]}?{word[place:]}" if place > 3 else f"{word}*")
        return Wild(word[:place] + draw(st.sampled_from("*?")) + word[place + 1 :])

    return st.composite(pattern)()
