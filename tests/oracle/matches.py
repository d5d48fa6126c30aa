"""The matches of a tree's leaves in a text, found by looking at every position."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from edgar_search.text.words import lower, normalise, token_spans, tokens
from tests.oracle.forms import forms, related
from tests.oracle.texts import Texts
from tests.oracle.tree import Leaf, Quoted, Term, Tree, Wild, leaves

Place = tuple[int, int]


def places(texts: Texts, document: str, tree: Tree) -> list[Place]:
    """Return each place once, by start and then end, of the leaves that are not under a NOT."""
    spans, words = _split(texts.texts[document])
    found = {place for leaf in leaves(tree) for place in _windows(texts, words, leaf)}
    return sorted((spans[first][0], spans[last][1]) for first, last in found)


@lru_cache(8)
def _split(text: str) -> tuple[list[Place], list[str]]:
    """Return the tokens of a text, and their places."""
    spans = list(token_spans(text))
    return spans, [lower(text[start:end]) for start, end in spans]


def _windows(texts: Texts, words: Sequence[str], leaf: Leaf) -> Iterator[Place]:
    if isinstance(leaf, Wild):
        wanted = set(texts.expanded(leaf))
        yield from ((at, at) for at, word in enumerate(words) if word in wanted)
        return
    phrase = tokens(normalise(leaf.text))
    for other in related(leaf.text) if isinstance(leaf, Term) and leaf.related else ():
        for at in range(len(words)):
            if words[at : at + len(other)] == other:
                yield at, at + len(other) - 1
    if isinstance(leaf, Quoted) and leaf.slop and len(phrase) > 1:
        yield from smallest_windows(words, phrase, leaf.slop)
        return
    for at in range(len(words) - len(phrase) + 1):
        if words[at] == phrase[0] and words[at : at + len(phrase)] == phrase:
            yield at, at + len(phrase) - 1
    if isinstance(leaf, Term) and leaf.forms:
        inflected = set(forms(leaf.text))
        yield from ((at, at) for at, word in enumerate(words) if word in inflected)


def smallest_windows(words: Sequence[str], phrase: Sequence[str], slop: int) -> list[Place]:
    """Return the windows with no other one in them.

    Of those with one beginning the shortest is found.
    """
    where = [at for at, word in enumerate(words) if word in phrase]
    farthest = len(phrase) - 1 + slop
    shortest = []
    for number, first in enumerate(where):
        for last in where[number : bisect_left(where, first + farthest + 1)]:
            if _fits(words[first : last + 1], phrase, slop):
                shortest.append((first, last))
                break
    # Beginnings rise, so a window has another one in it where a later one ends no later.
    return [
        window
        for number, window in enumerate(shortest)
        if all(later[1] > window[1] for later in shortest[number + 1 : number + 2 + farthest])
    ]


def _fits(words: Sequence[str], phrase: Sequence[str], slop: int) -> bool:
    """True if the phrase's words are at positions p_i of which all p_i - i differ by the slop."""
    rows = [
        [at - i for at, word in enumerate(words) if word == wanted]
        for i, wanted in enumerate(phrase)
    ]
    return any(_fits_from(rows, low, slop) for low in sorted({s for row in rows for s in row}))


def _fits_from(rows: Sequence[Sequence[int]], low: int, slop: int) -> bool:
    near = [[s + i for s in row if low <= s <= low + slop] for i, row in enumerate(rows)]
    return all(near) and _each_its_own(near, frozenset())


def _each_its_own(rows: Sequence[Sequence[int]], used: frozenset[int]) -> bool:
    """Return True if each row has a position that no other one takes."""
    if not rows:
        return True
    return any(
        _each_its_own(rows[1:], used | {position}) for position in rows[0] if position not in used
    )
