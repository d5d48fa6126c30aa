"""A citation of a text, found again in the text that the document has now.

A citation is a position in a text, with the words before and after it. White space does not count:
another way to read tables moves words and leaves them as they are.
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

# Characters of the text before and after a position that a citation has.
CITED = 40
# Characters of the words of a citation.
MAX_QUOTE = 2_000
# A shorter piece of text is found by chance.
_SURE = 12
# Words between prefix and suffix may have become more: so much, in shares and in characters.
_MOST_LONGER, _MOST_MORE = 2, 400
# Positions between both sides of which the lines are compared: the nearest to the old position.
_MOST_BETWEEN = 100
# Passages with words of the citation that are looked through; the best are among the first.
_MOST_PASSAGES = 200
# Characters that are read around them, and of each at least what the citation itself may need.
_MOST_READ = 2_000_000
# Passages of the text from before a snippet to after it: it is cut out of one.
_MOST_AROUND = 5
# Words at each end of a quotation that its passage must have.
_WORDS_AT_AN_END = 8
_WORD = re.compile(r"\S+")
# Hyphens of a citation that the text may lack: more lines of it than end in one.
_MOST_HYPHENS = 20
# Lines of a page's foot and the next page's head, which an older text has in the middle of a
# sentence.
_MOST_MOVED, _FARTHEST_MOVED = 12, 5_000
_BETWEEN_LETTERS = re.compile(r"[\s-]+")

CitationStatus: TypeAlias = Literal["same", "moved", "changed", "gone"]
# Pieces of a text in order, each with its position.
Pieces: TypeAlias = Iterable[tuple[int, str]]


class Citation(NamedTuple):
    """A position in a text, in code points, and its words with those around it; "" is not known."""

    start: int
    length: int
    prefix: str
    quote: str
    suffix: str


class CitedPlace(NamedTuple):
    """A position in the text of now; start and end are None if the cited words are gone."""

    status: CitationStatus
    start: int | None = None
    end: int | None = None


class _Place(NamedTuple):
    """A position that may be meant; `rank` is lower the surer it is."""

    rank: int
    distance: int
    start: int
    end: int
    same_words: bool


def find_citation(pieces: Pieces, citation: Citation) -> CitedPlace:
    """Return the position that is meant by a citation in pieces of a text.

    The surest is: the words with both sides, with one side, other words between both sides, and
    words that the pieces have once. Of several the nearest to the old position counts. The time is
    linear in the length of the pieces.
    """
    found: list[_Place] = []
    alone: list[_Place] = []
    for start, text in pieces:
        here = _Piece(start, text, citation)
        found += [*here.with_sides(), *here.between_sides()]
        alone += here.alone()
    if not found and len(alone) == 1:
        found = alone
    if not found:
        return CitedPlace("gone")
    best = min(found)
    if not best.same_words:
        return CitedPlace("changed", best.start, best.end)
    stays = (best.start, best.end) == (citation.start, citation.start + citation.length)
    return CitedPlace("same" if stays else "moved", best.start, best.end)


class _Piece:
    """The positions that a citation may mean in a piece of a text that begins at `base`.

    They are looked for in the text without its white space. A regular expression with white space
    between all characters would try all of them at each character of a text of `a a a`.
    """

    def __init__(self, base: int, text: str, citation: Citation) -> None:
        self._base, self._text, self._citation = base, text, citation
        self._letters = _Letters(text)
        self._before, self._after = _parts(citation.prefix), _parts(citation.suffix)
        self._is_sure = (_is_sure(citation.prefix), _is_sure(citation.suffix))
        self._quoted = list(_occurrences(_parts(citation.quote), self._letters.text))

    def with_sides(self) -> Iterator[_Place]:
        """Yield the positions of the words with both sides, or with one that is sure."""
        first, second = self._is_sure
        for start, end in self._quoted:
            before = _start_of(self._before, self._letters.text, start) is not None
            after = _end_of(self._after, self._letters.text, end) is not None
            if before and after and (first or second):
                yield self._place(0, start, end)
            elif (first and before) or (second and after):
                yield self._place(1, start, end)

    def alone(self) -> Iterator[_Place]:
        """Yield the positions of the words, if these are too long to be anywhere by chance."""
        if _is_sure(self._citation.quote):
            yield from (self._place(3, start, end) for start, end in self._quoted)

    def between_sides(self) -> Iterator[_Place]:
        """Yield the positions between both sides, if these are sure, the nearest first."""
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
        start, end = (self._base + place for place in self._letters.span(start, end))
        return _Place(rank, abs(start - self._citation.start), start, end, same_words=True)


class _Letters:
    """A text without its white space, and where its parts are in the text."""

    def __init__(self, text: str) -> None:
        words = [word.span() for word in _WORD.finditer(text)]
        self.text = "".join(text[start:end] for start, end in words)
        self._starts = [start for start, _ in words]
        self._firsts = list(accumulate((end - start for start, end in words), initial=0))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the position in the text of a part, which may be empty but before its end."""
        if start == end:
            return self._place(start), self._place(start)
        return self._place(start), self._place(end - 1) + 1

    def _place(self, letter: int) -> int:
        word = bisect_right(self._firsts, letter) - 1
        return self._starts[word] + letter - self._firsts[word]


def _parts(text: str) -> list[str]:
    """Split words without their white space where a hyphen may be: it may have ended a line."""
    parts = [""]
    for word in text.split():
        may_lack = word.endswith("-") and len(parts) <= _MOST_HYPHENS
        parts[-1] += word[:-1] if may_lack else word
        if may_lack:
            parts.append("")
    # Words of hyphens alone are what is meant.
    return parts if any(parts) else ["".join(text.split())]


def _occurrences(
    parts: Sequence[str], letters: str, *, overlapping: bool = False
) -> Iterator[tuple[int, int]]:
    """Yield the positions of words, in order, by their longest part."""
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
    """The end of words that begin at a position; None if they do not."""
    for number, part in enumerate(parts):
        if number and letters.startswith("-", start):
            start += 1
        if not letters.startswith(part, start):
            return None
        start += len(part)
    return start


def _is_in_another_order(old: str, text: str, start: int, end: int) -> bool:
    """True if a position has the old lines, except for some after their paragraph."""
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
    there = len(moved) <= _MOST_MOVED and all(line in behind for line in moved)
    return 0 < at and there and len(now) - at <= len("".join(moved))


def _is_sure(text: str) -> bool:
    return len("".join(text.split())) >= _SURE


async def cited_piece(
    engine: Engine, document_id: str, citation: Citation, sha256: str
) -> tuple[Piece | None, DocumentText, CitationStatus]:
    """Return the part of a text that is cited, None if it is gone, and what became of the citation.

    `sha256` is the hash of the text that was cited: if the document still has it, the position is
    the old one. Makes one engine request, or up to five. Raises NotFound, BadRequest for a start
    outside, StoredByOlderVersion, TextChanging.
    """
    text = await document_text(engine, document_id)
    found = await find_cited(Passages(engine, text), citation, sha256)
    if found.start is None or found.end is None:
        return None, text, found.status
    return part_of(text, found.start, found.end - found.start), text, found.status


async def find_cited(passages: Passages, citation: Citation, sha256: str) -> CitedPlace:
    """Return the position that was cited in the text with this hash.

    No request if it is still that text.
    """
    if passages.text.sha256 == sha256:
        return CitedPlace("same", citation.start, citation.start + citation.length)
    return await locate(passages, citation)


async def locate(passages: Passages, citation: Citation) -> CitedPlace:
    """Find a citation in a document's text; two to four engine requests. Raises TextChanging.

    Of a long text only the passages are read that have most of the words of a side or of an end
    of the quotation, the best 200 of them.
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


# Prefix and suffix of positions in documents.
Sides: TypeAlias = Mapping[tuple[str, int, int], tuple[str, str]]


async def read_sides(engine: Engine, spans: Sequence[CitedSpan]) -> Sides:
    """Read the characters beside each position; one engine request.

    A position in a document that was loaded again meanwhile is left out.
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
    found: dict[tuple[str, int, int], tuple[str, str]] = {}
    for span, first, others in zip(spans, replies[::2], replies[1::2], strict=True):
        hits = [*first.hits.hits, *others.hits.hits]
        runs = runs_of([hit.source for hit in hits if hit.version == span.version])
        if len(runs) == 1 and runs[0][0] <= span.start:
            base, text = runs[0]
            start, end = span.start - base, span.end - base
            if end <= len(text):
                sides = text[max(0, start - CITED) : start], text[end : end + CITED]
                found[span.document_id, span.start, span.end] = sides
    return found


def _candidates_body(text: DocumentText, citation: Citation) -> Clause | None:
    """Ask for passages with the words, most words first, then by nearness; None without words."""
    prefix, quote, suffix = (
        tokens(part) for part in (citation.prefix, citation.quote, citation.suffix)
    )
    # Of the sides the outermost word may be cut.
    ends = (prefix[1:], quote[:_WORDS_AT_AN_END], quote[-_WORDS_AT_AN_END:], suffix[:-1])
    asked = [_most_of(dict.fromkeys(words)) for words in ends if words]
    if not asked:
        return None
    return {
        "query": {
            "function_score": {
                "query": {
                    "bool": {
                        "filter": [{"term": {"document_id": text.document_id}}],
                        "should": asked,
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
    """Return a clause for passages with three of four of the words.

    Each word that they have counts 1.
    """
    each: Sequence[Clause] = [
        {"constant_score": {"filter": {"term": {"text": word}}}} for word in words
    ]
    return {"bool": {"should": each, "minimum_should_match": "75%"}}
