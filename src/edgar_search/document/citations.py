"""Citations of a text, located in the document's present text.

A citation is a position in a text, with the words before and after it. White space does not count:
a new way of reading tables moves words without changing them.
"""

import asyncio
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.document.sections import Piece, part_of
from edgar_search.document.text import (
    MOST_CHARS,
    ContextNeeded,
    DocumentText,
    Passages,
    VersionedPassageHit,
    add_neighbours,
    covering_bodies,
    document_text,
    runs_of,
)
from edgar_search.engine.engine import Engine
from edgar_search.search.query.matching import Clause
from edgar_search.text.words import tokens

# Characters of text that a citation has before and after its position.
CITED = 40
# Characters of the cited words, at most.
MAX_QUOTE = 2_000
# A shorter text may be found by chance.
_SURE = 12
# By how much the words between prefix and suffix may have grown: as a factor and in characters.
_MOST_LONGER, _MOST_MORE = 2, 400
# Positions between both sides whose lines are compared: the nearest to the old position.
_MOST_BETWEEN = 100
# Passages with words of the citation that are searched; the right one is among the first.
_MOST_PASSAGES = 200
# Characters read around them; each gets at least as many as the citation may need.
_MOST_READ = 2_000_000
# Passages that a snippet and the text on both sides can span: a snippet comes from one.
_MOST_AROUND = 5
# Words at each end of a quotation that its passage must contain.
_WORDS_AT_AN_END = 8
_WORD = re.compile(r"\S+")
# Hyphens of a citation that the text may lack, more than a citation has lines that end in one.
_MOST_HYPHENS = 20
# Lines of a page's foot and the next page's head, which an older text had in the middle of a
# sentence.
_MOST_MOVED, _FARTHEST_MOVED = 12, 5_000
_BETWEEN_LETTERS = re.compile(r"[\s-]+")

CitationStatus: TypeAlias = Literal["same", "moved", "changed", "gone"]
# Pieces of a text in order, each with its start.
Pieces: TypeAlias = Iterable[tuple[int, str]]


class Citation(NamedTuple):
    """A position in a text, in code points, the cited words, and those around; "" if unknown."""

    start: int
    length: int
    prefix: str
    quote: str
    suffix: str


class CitedPlace(NamedTuple):
    """A position in the present text; start and end are None if the cited words are gone."""

    status: CitationStatus
    start: int | None = None
    end: int | None = None


class _Place(NamedTuple):
    """A position that may be meant; the surer it is, the lower its `rank`."""

    rank: int
    distance: int
    start: int
    end: int
    same_words: bool


def find_citation(pieces: Pieces, citation: Citation) -> CitedPlace:
    """Find the position that a citation means in pieces of a text.

    The surest is: the words with both sides, then with one side, then other words between both
    sides, then words that occur once. Among several, the nearest to the old position counts. The
    time is linear in the length of the pieces.
    """
    candidates: list[_Place] = []
    alone: list[_Place] = []
    for start, text in pieces:
        searched = _Piece(start, text, citation)
        candidates += [*searched.with_sides(), *searched.between_sides()]
        alone += searched.alone()
    if not candidates and len(alone) == 1:
        candidates = alone
    if not candidates:
        return CitedPlace("gone")
    best = min(candidates)
    if not best.same_words:
        return CitedPlace("changed", best.start, best.end)
    stays = (best.start, best.end) == (citation.start, citation.start + citation.length)
    return CitedPlace("same" if stays else "moved", best.start, best.end)


class _Piece:
    """Finds the positions that a citation may mean in a piece of text that begins at `base`.

    It searches the text without white space. A regular expression that allows white space between
    all characters would try all of them at each character of a text like `a a a`.
    """

    def __init__(self, base: int, text: str, citation: Citation) -> None:
        self._base, self._text, self._citation = base, text, citation
        self._letters = _Letters(text)
        self._before, self._after = _parts(citation.prefix), _parts(citation.suffix)
        self._is_sure = (_is_sure(citation.prefix), _is_sure(citation.suffix))
        self._quoted = list(_occurrences(_parts(citation.quote), self._letters.text))

    def with_sides(self) -> Iterator[_Place]:
        """Yield the positions of the words with both sides, or with one that is long enough."""
        first, second = self._is_sure
        for start, end in self._quoted:
            before = _start_of(self._before, self._letters.text, start) is not None
            after = _end_of(self._after, self._letters.text, end) is not None
            if before and after and (first or second):
                yield self._place(0, start, end)
            elif (first and before) or (second and after):
                yield self._place(1, start, end)

    def alone(self) -> Iterator[_Place]:
        """Yield the positions of the words, if they are too long to be found by chance."""
        if _is_sure(self._citation.quote):
            yield from (self._place(3, start, end) for start, end in self._quoted)

    def between_sides(self) -> Iterator[_Place]:
        """Yield the positions between both sides, nearest first, if the sides are long enough."""
        if not all(self._is_sure):
            return
        letters, citation = self._letters, self._citation
        longest = _MOST_LONGER * citation.length + _MOST_MORE
        ends = list(_occurrences(self._after, letters.text, overlapping=True))
        pairs = []
        for _, start in _occurrences(self._before, letters.text):
            number = bisect_left(ends, (start, start))
            if number < len(ends):
                end, behind = ends[number]
                span = letters.span(start, end)
                if letters.span(end, behind)[1] - letters.span(0, start)[1] <= longest:
                    pairs.append((abs(self._base + span[0] - citation.start), span))
        for distance, span in sorted(pairs)[:_MOST_BETWEEN]:
            same = (
                _is_in_another_order(citation.quote, self._text, *span)
                if citation.quote
                else span[1] - span[0] == citation.length
            )
            start, end = self._base + span[0], self._base + span[1]
            yield _Place(0 if same else 2, distance, start, end, same)

    def _place(self, rank: int, start: int, end: int) -> _Place:
        start, end = (self._base + position for position in self._letters.span(start, end))
        return _Place(rank, abs(start - self._citation.start), start, end, same_words=True)


class _Letters:
    """A text without white space, and the positions of its characters in the text."""

    def __init__(self, text: str) -> None:
        words = [word.span() for word in _WORD.finditer(text)]
        self.text = "".join(text[start:end] for start, end in words)
        self._starts = [start for start, _ in words]
        self._firsts = list(accumulate((end - start for start, end in words), initial=0))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the position in the text of a range, which may be empty except at its end."""
        if start == end:
            return self._place(start), self._place(start)
        return self._place(start), self._place(end - 1) + 1

    def _place(self, letter: int) -> int:
        word = bisect_right(self._firsts, letter) - 1
        return self._starts[word] + letter - self._firsts[word]


def _parts(text: str) -> list[str]:
    """Split words, without white space, where a hyphen may have ended a line."""
    parts = [""]
    for word in text.split():
        may_lack = word.endswith("-") and len(parts) <= _MOST_HYPHENS
        parts[-1] += word[:-1] if may_lack else word
        if may_lack:
            parts.append("")
    # Words of hyphens only are searched as they are.
    return parts if any(parts) else ["".join(text.split())]


def _occurrences(
    parts: Sequence[str], letters: str, *, overlapping: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield the positions of words, in order, searching for their longest part."""
    number = max(range(len(parts)), key=lambda number: len(parts[number]))
    longest = parts[number]
    if not longest:
        return
    pattern = re.escape(longest)
    for match in re.finditer(f"(?={pattern})" if overlapping else pattern, letters):
        start = _start_of(parts[: number + 1], letters, match.start() + len(longest))
        end = _end_of(parts[number:], letters, match.start())
        if start is not None and end is not None:
            yield start, end


def _start_of(parts: Sequence[str], letters: str, end: int) -> int | None:
    """Return the start of words that end at a position; None if they do not."""
    for number, part in enumerate(reversed(parts)):
        if number and letters.endswith(f"{part}-", 0, end):
            end -= 1
        if not letters.endswith(part, 0, end):
            return None
        end -= len(part)
    return end


def _end_of(parts: Sequence[str], letters: str, start: int) -> int | None:
    """Return the end of words that begin at a position; None if they do not."""
    for number, part in enumerate(parts):
        if number and letters.startswith("-", start):
            start += 1
        if not letters.startswith(part, start):
            return None
        start += len(part)
    return start


def _is_in_another_order(old: str, text: str, start: int, end: int) -> bool:
    """Return True if a position has the old lines, but some moved behind their paragraph."""
    now = _BETWEEN_LETTERS.sub("", text[start:end])
    at = 0
    moved: list[str] = []
    for line in old.split("\n"):
        letters = _BETWEEN_LETTERS.sub("", line)
        while moved and now.startswith(moved[0], at) and not now.startswith(letters, at):
            at += len(moved.pop(0))
        if now.startswith(letters, at):
            at += len(letters)
        else:
            moved.append(letters)
    behind = now[at:] + _BETWEEN_LETTERS.sub("", text[end : end + _FARTHEST_MOVED])
    is_moved = len(moved) <= _MOST_MOVED and all(line in behind for line in moved)
    return 0 < at and is_moved and len(now) - at <= len("".join(moved))


def _is_sure(text: str) -> bool:
    return len("".join(text.split())) >= _SURE


async def cited_piece(
    engine: Engine, document_id: str, citation: Citation, sha256: str
) -> tuple[Piece | None, DocumentText, CitationStatus]:
    """Read the cited part of a text, None if it is gone, and the status of the citation.

    `sha256` is the hash of the cited text: if the document still has it, the position is unchanged.
    Makes one engine request, or up to five. Raises NotFound, BadRequest for a start outside,
    StoredByOlderVersion, TextChanging.
    """
    text = await document_text(engine, document_id)
    place = await find_cited(Passages(engine, text), citation, sha256)
    if place.start is None or place.end is None:
        return None, text, place.status
    return part_of(text, place.start, place.end - place.start), text, place.status


async def find_cited(passages: Passages, citation: Citation, sha256: str) -> CitedPlace:
    """Find the position that was cited in the text with this hash.

    Makes no request if the document still has that text.
    """
    if passages.text.sha256 == sha256:
        return CitedPlace("same", citation.start, citation.start + citation.length)
    return await locate(passages, citation)


async def locate(passages: Passages, citation: Citation) -> CitedPlace:
    """Locate a citation in a document's text, with two to four engine requests.

    Of a long text it reads only passages with most words of a side or of an end of the quotation,
    the best 200 of them. Raises TextChanging.
    """
    body = _candidates_body(passages.text, citation)
    if body is None:
        return CitedPlace("gone")
    length = min(citation.length, MOST_CHARS) + len(citation.quote) + 4 * CITED
    candidates = (await passages.best(body))[: max(1, _MOST_READ // (2 * length))]
    near = {candidate.number: candidate for candidate in candidates}
    need = ContextNeeded(length, len)
    await add_neighbours(passages, near, list(near), need)
    pieces = runs_of([near[number] for number in sorted(near)])
    return await asyncio.to_thread(find_citation, pieces, citation)


class CitedSpan(NamedTuple):
    """A position in the text that a load of this version wrote."""

    document_id: str
    version: int
    start: int
    end: int


# The prefix and suffix of each position in a document.
Sides: TypeAlias = Mapping[tuple[str, int, int], tuple[str, str]]


async def read_sides(engine: Engine, spans: Sequence[CitedSpan]) -> Sides:
    """Read the characters on both sides of each position, with one engine request.

    Positions in documents that were loaded again meanwhile are left out.
    """
    bodies = [
        body
        for span in spans
        for body in covering_bodies(
            span.document_id, max(0, span.start - CITED), span.end + CITED, _MOST_AROUND
        )
    ]
    if not bodies:
        return {}
    replies = await engine.search_many("passages", bodies, VersionedPassageHit)
    sides_read: dict[tuple[str, int, int], tuple[str, str]] = {}
    for span, first, others in zip(spans, replies[::2], replies[1::2], strict=True):
        hits = [*first.hits.hits, *others.hits.hits]
        runs = runs_of([hit.source for hit in hits if hit.version == span.version])
        if len(runs) == 1 and runs[0][0] <= span.start:
            base, text = runs[0]
            start, end = span.start - base, span.end - base
            if end <= len(text):
                sides = text[max(0, start - CITED) : start], text[end : end + CITED]
                sides_read[span.document_id, span.start, span.end] = sides
    return sides_read


def _candidates_body(text: DocumentText, citation: Citation) -> Clause | None:
    """Build the search for passages with most of the words, then the nearest, if there are any."""
    prefix, quote, suffix = (
        tokens(part) for part in (citation.prefix, citation.quote, citation.suffix)
    )
    # The outermost words of the sides may be cut.
    ends = (prefix[1:], quote[:_WORDS_AT_AN_END], quote[-_WORDS_AT_AN_END:], suffix[:-1])
    clauses = [_most_of(dict.fromkeys(words)) for words in ends if words]
    if not clauses:
        return None
    return {
        "query": {
            "function_score": {
                "query": {
                    "bool": {
                        "filter": [{"term": {"document_id": text.document_id}}],
                        "should": clauses,
                        "minimum_should_match": 1,
                    }
                },
                "linear": {
                    "start": {"origin": citation.start, "scale": max(1, text.length), "decay": 0.5}
                },
                "boost_mode": "sum",
            }
        },
        "size": _MOST_PASSAGES,
        "sort": ["_score", {"number": "asc"}],
        "version": True,
        "track_total_hits": False,
    }


def _most_of(words: Iterable[str]) -> Clause:
    """Build a clause for passages with three of four of the words.

    Each word that a passage has adds 1 to its score.
    """
    clauses: Sequence[Clause] = [
        {"constant_score": {"filter": {"term": {"text": word}}}} for word in words
    ]
    return {"bool": {"should": clauses, "minimum_should_match": "75%"}}
