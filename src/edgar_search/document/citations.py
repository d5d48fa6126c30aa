"""A citation of a text, found again in the text that the document has now.

A citation is a place in a text, with the words before and after it. White space does not count:
another way to read tables moves words and leaves them as they are.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.document.sections import Piece, part_of
from edgar_search.document.text import (
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

# Characters of the text before and after a place that a citation has.
CITED = 40
# Characters of the words of a citation: its pattern is made anew for each request.
MAX_QUOTE = 2_000
# A shorter piece of text is found by chance.
_SURE = 12
# Words between prefix and suffix may have become more: so much, in shares and in characters.
_MOST_LONGER, _MOST_MORE = 2, 400
# Passages with words of the citation that are looked through; the best are among the first.
_MOST_PASSAGES = 200
# Passages of the text from before a snippet to behind it: it is cut out of one.
_MOST_AROUND = 5
# Words at each end of a quotation that its passage must have.
_WORDS_AT_AN_END = 8
_BLANKS = r"\s*+"
# Lines of a page's foot and the next page's head, which an older text has amid a sentence.
_MOST_MOVED, _FARTHEST_MOVED = 12, 5_000
_BETWEEN_LETTERS = re.compile(r"[\s-]+")

CitationStatus: TypeAlias = Literal["same", "moved", "changed", "gone"]
# Pieces of a text in order, each with its place.
Pieces: TypeAlias = Iterable[tuple[int, str]]


class Citation(NamedTuple):
    """A place in a text, in code points, and its words with those around it; "" is not known."""

    start: int
    length: int
    prefix: str
    quote: str
    suffix: str


class CitedPlace(NamedTuple):
    """A place in the text of now; start and end are None if the cited words are gone."""

    status: CitationStatus
    start: int | None = None
    end: int | None = None


class _Place(NamedTuple):
    """A place that may be meant; `rank` is lower the surer it is."""

    rank: int
    distance: int
    start: int
    end: int
    same_words: bool


def find_citation(pieces: Pieces, citation: Citation) -> CitedPlace:
    """The place that is meant by a citation in pieces of a text.

    The surest is: the words with both sides, with one side, other words between both sides, and
    words that the pieces have once. Of several the nearest to the old place counts. The time is
    linear in the length of the pieces.
    """
    found: list[_Place] = []
    alone: list[_Place] = []
    for start, text in pieces:
        found += _places(text, start, citation)
        alone += _alone(text, start, citation)
    if not found and len(alone) == 1:
        found = alone
    if not found:
        return CitedPlace("gone")
    best = min(found)
    if not best.same_words:
        return CitedPlace("changed", best.start, best.end)
    stays = (best.start, best.end) == (citation.start, citation.start + citation.length)
    return CitedPlace("same" if stays else "moved", best.start, best.end)


def _places(text: str, base: int, citation: Citation) -> Iterator[_Place]:
    """The places that words and sides, or one of them, point at."""
    before, words, after = map(_pattern, (citation.prefix, citation.quote, citation.suffix))
    first, second = _is_sure(citation.prefix), _is_sure(citation.suffix)
    if words:
        patterns = [(0, [before, f"(?P<it>{words})", after])] if first or second else []
        patterns += [(1, [before, f"(?P<it>{words})"])] if first else []
        patterns += [(1, [f"(?P<it>{words})", after])] if second else []
        for rank, parts in patterns:
            for match in re.finditer(_BLANKS.join(filter(None, parts)), text):
                yield _place(rank, base, match.span("it"), citation)
    if first and second:
        longest = _MOST_LONGER * citation.length + _MOST_MORE
        behind = re.compile(after)
        for match in re.finditer(before, text):
            end = behind.search(text, match.end(), match.end() + longest)
            if end is not None:
                span = _trim(text, match.end(), end.start())
                same = (
                    _is_in_another_order(citation.quote, text, *span)
                    if words
                    else span[1] - span[0] == citation.length
                )
                yield _place(0 if same else 2, base, span, citation, same_words=same)


def _alone(text: str, base: int, citation: Citation) -> Iterator[_Place]:
    """The places of the words, if these are too long to be anywhere by chance."""
    if _is_sure(citation.quote):
        for match in re.finditer(_pattern(citation.quote), text):
            yield _place(3, base, match.span(), citation)


def _place(
    rank: int, base: int, span: tuple[int, int], citation: Citation, *, same_words: bool = True
) -> _Place:
    start, end = base + span[0], base + span[1]
    return _Place(rank, abs(start - citation.start), start, end, same_words)


def _pattern(text: str) -> str:
    """A pattern for the characters of a text, with any white space between them.

    A hyphen at the end of a line may be gone: the word is one.
    """
    words = (_BLANKS.join(map(re.escape, word)) for word in text.split())
    return _BLANKS.join(f"{word}?+" if word.endswith(r"\-") else word for word in words)


def _is_in_another_order(old: str, text: str, start: int, end: int) -> bool:
    """True if a place of a text has the old lines, but for some that are behind their paragraph."""
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


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends."""
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    return start, max(start, end - (len(inside) - len(inside.rstrip())))


async def cited_piece(
    engine: Engine, document_id: str, citation: Citation, sha256: str
) -> tuple[Piece | None, DocumentText, CitationStatus]:
    """The part of a text that is cited, None if it is gone, and what became of the citation.

    `sha256` is the hash of the text that was cited: if the document has it still, the place is the
    old one. One engine request, or up to five. Raises NotFound, BadRequest for a start outside,
    StoredByOlderVersion, TextChanging.
    """
    text = await document_text(engine, document_id)
    found = await find_cited(Passages(engine, text), citation, sha256)
    if found.start is None or found.end is None:
        return None, text, found.status
    return part_of(text, found.start, found.end - found.start), text, found.status


async def find_cited(passages: Passages, citation: Citation, sha256: str) -> CitedPlace:
    """The place that was cited in the text with this hash; no request if it is still that text."""
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
    candidates = await passages.best(body)
    near = {each.number: each for each in candidates}
    need = ContextNeeded(citation.length + len(citation.quote) + 4 * CITED, len)
    await add_neighbours(passages, near, list(near), need)
    pieces = runs_of([near[number] for number in sorted(near)])
    return await asyncio.to_thread(find_citation, pieces, citation)


class CitedSpan(NamedTuple):
    """A place in the text that a load of this version wrote."""

    document_id: str
    version: int
    start: int
    end: int


# Prefix and suffix of places in documents.
Sides: TypeAlias = Mapping[tuple[str, int, int], tuple[str, str]]


async def read_sides(engine: Engine, spans: Sequence[CitedSpan]) -> Sides:
    """Read the characters beside each place; one engine request.

    A place in a document that was loaded again meanwhile is left out.
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
    """A clause for passages with three of four of the words; each word that they have counts 1."""
    each: Sequence[Clause] = [
        {"constant_score": {"filter": {"term": {"text": word}}}} for word in words
    ]
    return {"bool": {"should": each, "minimum_should_match": "75%"}}
