"""Ends of sections besides the next item: a part's heading, the exhibits' index, signatures.

The first part of an annual report may have the officers as an item without a number ("ITEM X."),
and reports of asset-backed issuers have items of Regulation AB.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reading.sections.markup import Markup, WordSearch, line_places

_MOST = 2_000  # of each kind; every report has fewer
_NEAR = 600  # bytes from "item" to its subject, with its markup
# The first letter may be in another element than the rest, as small capitals are written.
_SUBJECTS = (b"fficers", b"egulation")
# Most have the form's own numbers, and need no further look.
_NUMBERED = re.compile(rb"items?[\0- #:.]*[0-9]{1,2}[a-d]?(?:[^\0- 0-9a-z(<&]|[\0- ][^(<&])")
_CALLED = re.compile(
    rb"(?:unnumbered|supplement(?:al|ary)|additional|special|separate)[\0- ]{1,2}\Z"
)
_OFFICERS = re.compile(
    r"(?:\w+\s)?i ?t ?e ?m ?s?\b[\s.:#(–—-]*"
    r"(?:(?:(?-i:[A-Z])[\w.]{0,11}|[0-9]{1,2}\s?\([a-z])[\s.:)–—-]+){0,2}"
    r"(?-i:(?=[EI]))(?:information\s+(?:about|regarding|concerning)\s+(?:our\s+)?)?"
    r"executive\s+officers\b"
    r"[^\n\t]{0,60}(?:[\n\t]|$)",
    re.IGNORECASE,
)
_REGULATION = re.compile(
    r"i ?t ?e ?m ?s?\s+1[01][0-9]{2}\s*(?:\([a-z0-9]{1,3}\)\s*)*,?\s*(?:of|under)\s+"
    r"regulation\s+ab\b"
    r"[\s.,:;–—-]*(?:(?-i:[A-Z(])|[\n\t]|$)",
    re.IGNORECASE,
)


def other_item_places(markup: Markup) -> list[int]:
    """Return the places of headings of items that are not the form's own, in order."""
    return list(islice(_other_items(markup), _MOST))


def _other_items(markup: Markup) -> Iterator[int]:
    for at, before in line_places(markup, _candidates(markup)):
        text = "" if before.prefix else markup.after(at, 200)
        if _OFFICERS.match(text) or _REGULATION.match(text):
            yield before.start


def _candidates(markup: Markup) -> Iterable[int]:
    for at in markup.items:
        if _NUMBERED.match(markup.lower, at):
            continue
        if any(markup.lower.find(word, at, at + _NEAR) >= 0 for word in _SUBJECTS):
            called = _CALLED.search(markup.lower, max(0, at - 16), at)
            yield called.start() if called else at


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
# The sentence that follows the heading, or is there without one.
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
    """Return the number of a part ("II", "two", "2")."""
    return _NUMBERS.get(written.lower()) or int(written)


def part_headings(markup: Markup) -> list[PartHeading]:
    """Return the headings of parts of a document, in order."""
    return list(islice(_parts(markup), _MOST))


def _parts(markup: Markup) -> Iterator[PartHeading]:
    for at, before in line_places(markup, markup.numbered(b"part")):
        match = None if before.prefix else _PART.match(markup.after(at, 120))
        if match is None or _CONTINUED.search(match["rest"]):
            continue
        if _PART_TITLE.fullmatch(match["rest"]):
            yield PartHeading(part_number(match["number"]), before.start, at)


def signature_places(markup: Markup, start: int) -> list[int]:
    """Return the places from `start` on where signatures or powers of attorney begin."""
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
    """Return the places of headings of an index of exhibits from `start` on."""
    return sorted(islice(_indexes(markup, start, _EXHIBIT_INDEX), _MOST))


def statement_index_places(markup: Markup, start: int) -> list[int]:
    """Return the places of headings of an index of financial statements from `start` on."""
    return sorted(islice(_indexes(markup, start, _STATEMENT_INDEX), _MOST))


def _indexes(markup: Markup, start: int, heading: re.Pattern[str]) -> Iterator[int]:
    for word, search in _INDEX_WORDS.items():
        for at, before in line_places(markup, search.places(markup.lower, start)[word]):
            if not before.prefix and heading.match(markup.after(at, 80)):
                yield before.start
