"""What ends a section besides the next item: a part's heading, the exhibits' index, signatures."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reading.sections.line_starts import line_places
from ingest.reading.sections.markup import Markup
from ingest.reading.sections.words import WordSearch

_MOST = 2_000  # of each kind; more come from no report
_SIGNATURE_WORDS = WordSearch([b"signature", b"pursuant", b"power"])
_INDEX_WORDS = {word: WordSearch([word]) for word in (b"exhibit", b"index")}
_PART = re.compile(
    r"part[\s\-–—.]*(?P<number>iv|i{1,3}|one|two|three|four|[1-4])\b(?P<rest>[^\n\t]*)",
    re.IGNORECASE,
)
_PART_TITLE = re.compile(r"[\W_]*(?:(?:financial|other)\s+information[\W_]*)?", re.IGNORECASE)
_CONTINUED = re.compile(r"\bcont(?:inued|'d|’d|d|\.)|\bconcluded\b", re.IGNORECASE)
_NUMBERS = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "one": 1, "two": 2, "three": 3, "four": 4}
_EXHIBIT_INDEX = re.compile(
    r"(?:exhibits? index|index (?:to|of) exhibits?)[\W_]*(?:\n|$)", re.IGNORECASE
)
_STATEMENT_INDEX = re.compile(
    r"index (?:to|of) (?:the )?(?:consolidated )?financial statements?[\W_]*(?:\n|$)", re.IGNORECASE
)
_SIGNATURES = re.compile(
    r"[\W_]*signatures?(?:\s+pages?)?(?:\s*(?:and|&|/)\s*powers?\s+of\s+attorney)?[\W_]*(?:\n|\t|$)",
    re.IGNORECASE,
)
_SIGNING = re.compile(
    r"pursuant\s+to|in\s+accordance\s+with|requirements?\s+of|duly|know\s+all\b", re.IGNORECASE
)
# Before or after the signatures. What appoints somebody follows it, not so in a list of exhibits.
_POWER = re.compile(
    r"[\W_]*powers?\s+of\s+attorney(?:\s*(?:and|&|/)\s*signatures?)?[\W_]*(?:\n|\t)"
    r"(?=[\s\S]*\b(?:know\s+all|constitutes?|appoints?)\b)",
    re.IGNORECASE,
)
# The sentence that follows the heading, or stands there without one.
_SIGNED = re.compile(
    r"pursuant\s+to\s+the\s+requirements?\s+of\s+(?:section|the\s+securities)"
    r"|(?:pursuant\s+to|in\s+accordance\s+with)\s+section\s+13\s+or\s+15\(d\)"
    r"[^\t]{0,120}\bcaused\b",
    re.IGNORECASE,
)


class PartHeading(NamedTuple):
    """A line that is the heading of a part; its element begins at `start`, it itself at `at`."""

    number: int
    start: int
    at: int


def part_number(written: str) -> int:
    """The number of a part ("II", "two", "2")."""
    return _NUMBERS.get(written.lower()) or int(written)


def part_headings(markup: Markup) -> list[PartHeading]:
    """The lines of a document that are headings of parts, in order."""
    return list(islice(_parts(markup), _MOST))


def _parts(markup: Markup) -> Iterator[PartHeading]:
    for at, before in line_places(markup, markup.numbered(b"part")):
        match = None if before.prefix else _PART.match(markup.after(at, 120))
        if match is None or _CONTINUED.search(match["rest"]):
            continue
        if _PART_TITLE.fullmatch(match["rest"]):
            yield PartHeading(part_number(match["number"]), before.start, at)


def signature_places(markup: Markup, start: int) -> list[int]:
    """Where from `start` on the signatures of a report, or its powers of attorney, begin."""
    return list(islice(_signatures(markup, start), _MOST))


def _signatures(markup: Markup, start: int) -> Iterator[int]:
    places = _SIGNATURE_WORDS.places(markup.lower, start)
    for at, before in line_places(markup, places[b"signature"]):
        text = "" if before.prefix else markup.after(at, 700)
        if _SIGNATURES.match(text) and _SIGNING.search(text):
            yield before.start
    for at, before in line_places(markup, places[b"pursuant"]):
        if not before.prefix and _SIGNED.match(markup.after(at, 200)):
            yield before.start
    for at, before in line_places(markup, places[b"power"]):
        if not before.prefix and _POWER.match(markup.after(at, 400)):
            yield before.start


def exhibit_index_places(markup: Markup, start: int) -> list[int]:
    """Where from `start` on headings say that an index of exhibits begins."""
    return sorted(islice(_indexes(markup, start, _EXHIBIT_INDEX), _MOST))


def statement_index_places(markup: Markup, start: int) -> list[int]:
    """Where from `start` on headings say that an index of financial statements begins."""
    return sorted(islice(_indexes(markup, start, _STATEMENT_INDEX), _MOST))


def _indexes(markup: Markup, start: int, heading: re.Pattern[str]) -> Iterator[int]:
    for word, search in _INDEX_WORDS.items():
        for at, before in line_places(markup, search.places(markup.lower, start)[word]):
            if not before.prefix and heading.match(markup.after(at, 80)):
                yield before.start
