"""Matches in a text, by its tokens; for a loose phrase, the smallest windows.

A loose phrase matches if its tokens are at different positions p_0, p_1 ... of which the largest
p_i - i is at most its slop above the smallest, as in Lucene's sloppy phrases.

White space ends every token, so a part between white space has the same tokens as in the whole
text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from itertools import islice, pairwise
from typing import TypeAlias, TypeVar

from msgspec import Struct

from edgar_search.search.language import Leaf, Node, Wildcard, Word
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.snippets.marks import Span
from edgar_search.text.words import lower, token_spans, tokens

T = TypeVar("T")
Tokens = tuple[str, ...]


class LoosePhrase(Struct, frozen=True):
    """At least two tokens; their order may differ by up to `slop` moves, more than zero."""

    tokens: Tokens
    slop: int


class SearchTerms(Struct, frozen=True):
    """Terms to find in a text, each once.

    `words` are single tokens, `patterns` tokens with wildcards, and `phrases` two or more adjacent
    tokens.
    """

    words: frozenset[str]
    patterns: tuple[str, ...]
    phrases: tuple[Tokens, ...]
    loose: tuple[LoosePhrase, ...]

    @property
    def reach(self) -> int:
        """The greatest distance, in tokens, within a match."""
        exact = [len(phrase) - 1 for phrase in self.phrases]
        return max([*exact, *(len(each.tokens) - 1 + each.slop for each in self.loose)], default=0)

    @property
    def all_phrases(self) -> tuple[Tokens, ...]:
        """The tokens of every phrase."""
        return (*self.phrases, *(phrase.tokens for phrase in self.loose))


def search_terms(node: Node) -> SearchTerms:
    """Return the words and phrases that a query looks for, without excluded ones."""
    leaves = positive_leaves(node)
    exact = [alternative for leaf in leaves for alternative in _exact(leaf)]
    return SearchTerms(
        words=frozenset(alternative[0] for alternative in exact if len(alternative) == 1),
        patterns=_once(leaf.pattern for leaf in leaves if isinstance(leaf, Wildcard)),
        phrases=_once(alternative for alternative in exact if len(alternative) > 1),
        loose=_once(alternative for leaf in leaves for alternative in _loose(leaf)),
    )


def _exact(leaf: Leaf) -> Sequence[Tokens]:
    """Return the alternatives of adjacent tokens."""
    if isinstance(leaf, Wildcard) or any(True for _ in _loose(leaf)):
        return ()
    others = leaf.alternatives if isinstance(leaf, Word) else ()
    return tuple(tuple(tokens(text)) for text in (leaf.text, *others))


def _loose(leaf: Leaf) -> Iterator[LoosePhrase]:
    if not isinstance(leaf, Wildcard | Word) and leaf.slop:
        words = tuple(tokens(leaf.text))
        if len(words) > 1:
            yield LoosePhrase(words, leaf.slop)


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


Positions: TypeAlias = Sequence[int]


def smallest_windows(phrase: LoosePhrase, places: Sequence[Positions]) -> list[tuple[int, int]]:
    """Return the first and last position of each match that contains no smaller one, in order.

    `places` has the positions of each token of the phrase, ascending.
    """
    if not all(places):
        return []
    alike = _alike(phrase.tokens)
    if len(places) == len(alike) == 2:
        return _match_two_words(places[0], places[1], phrase.slop)
    windows = {
        window
        for low in _lows(places, phrase.slop)
        if (rows := _rows(places, low, phrase.slop))
        for window in _windows(rows, alike)
    }
    return _smallest(windows)


def _match_two_words(first: Positions, second: Positions, slop: int) -> list[tuple[int, int]]:
    """Find neighbouring pairs of two words: most loose phrases have two words."""
    merged = sorted(
        [*((position, 0) for position in first), *((position, 1) for position in second)]
    )
    return [
        (position, other)
        for (position, word), (other, other_word) in pairwise(merged)
        # In order they may have `slop` other words between them, in reverse order two fewer.
        if word != other_word and other - position - 1 <= (slop - 2 if word else slop)
    ]


def _alike(words: Sequence[str]) -> list[list[int]]:
    """Group the numbers of the tokens by word."""
    numbers: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        numbers.setdefault(word, []).append(number)
    return list(numbers.values())


def _lows(places: Sequence[Positions], slop: int) -> set[int]:
    """Return candidates for the smallest p_i - i of a match, near positions of the rarest token."""
    number = min(range(len(places)), key=lambda number: len(places[number]))
    lows: set[int] = set()
    for position in places[number]:
        high = position - number
        for other, positions in enumerate(places):
            begin = bisect_left(positions, high - slop + other)
            end = bisect_right(positions, high + other, begin)
            lows.update(position - other for position in positions[begin:end])
    return lows


def _rows(places: Sequence[Positions], low: int, slop: int) -> list[Positions]:
    """Return each token's positions for which `low` <= p_i - i <= `low` + `slop`.

    Empty if a token has no such position.
    """
    rows = []
    for number, positions in enumerate(places):
        begin = bisect_left(positions, low + number)
        end = bisect_right(positions, low + number + slop, begin)
        if begin == end:
            return []
        rows.append(positions[begin:end])
    return rows


def _windows(
    rows: Sequence[Positions], alike: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """Yield each last position of a match with the latest first position for it."""
    points = sorted({position for row in rows for position in row})
    first = 0
    for last in points:
        if not _fits(rows, alike, points[first], last):
            continue
        while points[first] < last and _fits(rows, alike, points[first + 1], last):
            first += 1
        yield points[first], last
        first += 1
        if first == len(points):
            return


def _fits(rows: Sequence[Positions], alike: Sequence[Sequence[int]], first: int, last: int) -> bool:
    """Return True if each token has its own position from `first` to `last`."""
    for numbers in alike:
        # Positions of equal words begin and end later with each number: the first free one is
        # right.
        least = first
        for number in numbers:
            row = rows[number]
            index = bisect_left(row, least)
            if index == len(row) or row[index] > last:
                return False
            least = row[index] + 1
    return True


def _smallest(windows: set[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for first, last in sorted(windows, key=lambda window: (-window[0], window[1])):
        if not kept or last < kept[-1][1]:
            kept.append((first, last))
    return kept[::-1]


class TokenMatcher:
    """Finds terms by splitting a whole text into tokens."""

    def __init__(self, terms: SearchTerms) -> None:
        self._wanted = terms
        self._patterns = compile_patterns(terms.patterns)
        words = (word for phrase in terms.all_phrases for word in phrase)
        self._of_phrases = frozenset(words)
        # True for wanted tokens; tokens that match wildcards are added when they occur.
        self._known: dict[str, bool] = {}

    def spans(self, text: str) -> set[Span]:
        """Find matches in a text in its indexed form."""
        lowered = lower(text)
        places = list(token_spans(text))
        words = [lowered[start:end] for start, end in places]
        spans = {
            Span(*position) for position, word in zip(places, words, strict=True) if self._is(word)
        }
        if self._of_phrases:
            positions = self._positions(words)
            windows = [*self._exact(words, positions), *self._loose(positions)]
            spans.update(Span(places[first][0], places[last][1]) for first, last in windows)
        return spans

    def _is(self, word: str) -> bool:
        if not self._patterns:
            return word in self._wanted.words
        known = self._known.get(word)
        if known is None:
            known = word in self._wanted.words or any(
                pattern.match(word) for pattern in self._patterns
            )
            if len(self._known) > _MOST_TOKENS_KNOWN:
                self._known.clear()
            self._known[word] = known
        return known

    def _positions(self, words: Sequence[str]) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {word: [] for word in self._of_phrases}
        for position, word in enumerate(words):
            if word in positions:
                positions[word].append(position)
        return positions

    def _exact(
        self, words: Sequence[str], positions: dict[str, list[int]]
    ) -> Iterator[tuple[int, int]]:
        for phrase in self._wanted.phrases:
            terms, length = list(phrase), len(phrase)
            for first in positions[phrase[0]]:
                if words[first : first + length] == terms:
                    yield first, first + length - 1

    def _loose(self, positions: dict[str, list[int]]) -> Iterator[tuple[int, int]]:
        for phrase in self._wanted.loose:
            yield from smallest_windows(phrase, [positions[word] for word in phrase.tokens])


_MOST_TOKENS_KNOWN = 100_000


def compile_patterns(patterns: Iterable[str]) -> list[re.Pattern[str]]:
    """Compile each pattern to an expression for a token."""
    return [re.compile(translate(pattern)) for pattern in patterns]


# With more, searching for each takes longer than splitting the whole text.
_MOST_WORDS, _MOST_PHRASES = 20, 8
# A longer part, without white space or between two words, is not prose, and may be most of the
# text.
_LONGEST_PART = 1_000
_LONGEST_KNOWN, _MOST_KNOWN = 40, 100_000
# Adjacent tokens have no ASCII letters or digits between them.
_BETWEEN, _FIRST = "[^0-9a-z]*+", re.compile("[0-9a-z]")
_BEFORE_WILDCARD = re.compile(r"[*?].*", re.DOTALL)


class NeedsTokenMatcher(Exception):
    """The parts of a text that could match are too long: it must be split as a whole."""


class FastMatcher:
    """Finds terms by splitting only the parts of a text that could match."""

    def __init__(self, terms: SearchTerms) -> None:
        self._tokenised = TokenMatcher(terms)
        beginnings = {_BEFORE_WILDCARD.sub("", term) for term in (*terms.words, *terms.patterns)}
        self._words = re.compile("|".join(map(re.escape, beginnings))) if beginnings else None
        self._phrases = list(map(_phrase, terms.phrases))
        # Matches in short parts, most of which occur many times in a text.
        self._known: dict[str, set[Span]] = {}

    @staticmethod
    def serves(terms: SearchTerms) -> bool:
        """Return True if these terms are few and simple enough."""
        return (
            not terms.loose
            and len(terms.words) + len(terms.patterns) <= _MOST_WORDS
            and len(terms.phrases) <= _MOST_PHRASES
            and all(_FIRST.match(word) for phrase in terms.phrases for word in phrase)
        )

    def spans(self, text: str) -> set[Span]:
        """Find matches in a text in its indexed form; raises NeedsTokenMatcher."""
        flat = lower(text).replace("\t", " ").replace("\n", " ")
        spans: set[Span] = set()
        for begin, end in self._parts(flat):
            for start, after in self._match_part(text[begin:end]):
                spans.add(Span(begin + start, begin + after))
        return spans

    def _parts(self, flat: str) -> Iterator[Span]:
        """Yield the parts that could match, each extended to white space on both sides."""
        at = 0
        while self._words is not None and (match := self._words.search(flat, at)) is not None:
            part = _part(flat, match, at)
            yield part
            at = part.end
        for phrase in self._phrases:
            at = 0
            while (match := phrase.search(flat, at)) is not None:
                part = _part(flat, match, 0)
                if part.end - part.start > _LONGEST_PART:
                    raise NeedsTokenMatcher
                yield part
                at = match.start() + 1

    def _match_part(self, part: str) -> set[Span]:
        if len(part) > _LONGEST_KNOWN:
            return self._tokenised.spans(part)
        known = self._known.get(part)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            known = self._known[part] = self._tokenised.spans(part)
        return known


def _phrase(words: Tokens) -> re.Pattern[str]:
    """Compile a phrase to a pattern that matches at every occurrence, and perhaps elsewhere."""
    return re.compile(_BETWEEN.join(map(re.escape, words)))


def _part(flat: str, match: re.Match[str], earliest: int) -> Span:
    end = flat.find(" ", match.end())
    start = flat.rfind(" ", earliest, match.start()) + 1
    return Span(max(start, earliest), end if end >= 0 else len(flat))


# How many characters are searched first for a token at the end of a text: a long word and more.
_CHARS_OF_A_TOKEN = 16


class Scanner:
    """Returns matches by start, then by end, as soon as they are final.

    Matches are positions in the whole text, in code points.
    """

    def __init__(self, terms: SearchTerms) -> None:
        self._reach = terms.reach
        self._spans = finder(terms)
        self._carried = ""
        self._end = 0
        self._waiting: set[Span] = set()

    def feed(self, start: int, text: str) -> list[Span]:
        """Take the next piece of the text, which begins at `start` and has whole tokens only.

        Text left out between two pieces must be too far from any match to matter.
        """
        settled = [] if start == self._end else self.finish()
        whole = self._carried + text
        base = start - len(self._carried)
        new = len(self._carried)
        self._waiting.update(
            Span(base + first, base + after) for first, after in self._spans(whole) if after > new
        )
        # Once the piece has enough tokens, even if they are all one word, nothing older is kept.
        last = text if token_count(text, self._reach) == self._reach else whole
        self._carried, self._end = tail(last, self._reach), start + len(text)
        # A later match begins in the carried text at the earliest.
        return settled + self._take_before(self._end - len(self._carried))

    def finish(self) -> list[Span]:
        """Return the matches held back, at the end of the text or before a gap."""
        settled = sorted(self._waiting)
        self._carried, self._waiting = "", set()
        return settled

    def _take_before(self, position: int) -> list[Span]:
        settled = sorted(span for span in self._waiting if span.start < position)
        self._waiting.difference_update(settled)
        return settled


def finder(terms: SearchTerms) -> Callable[[str], set[Span]]:
    """Return a function that finds search terms in a text."""
    whole = TokenMatcher(terms)
    if not FastMatcher.serves(terms):
        return whole.spans
    quick = FastMatcher(terms)

    def spans(text: str) -> set[Span]:
        try:
            return quick.spans(text)
        except NeedsTokenMatcher:
            return whole.spans(text)

    return spans


def tail(text: str, count: int) -> str:
    """Return the end of a text, beginning between tokens, with `count` tokens or all."""
    size = count * _CHARS_OF_A_TOKEN
    while count and size < len(text):
        begin = _white_space_before(text, len(text) - size)
        if token_count(text[begin:], count) == count:
            return text[begin:]
        size = 2 * (len(text) - begin)
    return text if count else ""


def token_count(text: str, most: int) -> int:
    """Count the tokens in a text, up to `most`."""
    return sum(1 for _ in islice(token_spans(text), most))


def _white_space_before(text: str, position: int) -> int:
    return max(text.rfind(blank, 0, position) for blank in " \t\n") + 1
