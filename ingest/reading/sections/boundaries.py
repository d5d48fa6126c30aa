"""Ends of sections besides the next item: a part's heading, the exhibit index, signatures.

The first part of an annual report may list the officers as an item without a number ("ITEM X."),
and reports of asset-backed issuers contain items of Regulation AB.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reading.sections.report_text import ReportText

_MOST = 2_000  # of each kind; every report has fewer
_OTHER_ITEM = (
    r"i ?t ?e ?m"
    r"|(?:unnumbered|supplement(?:al|ary)|additional|special|separate) {1,2}i ?t ?e ?m"
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


def other_item_places(report: ReportText) -> list[int]:
    """Return the positions of headings of items that are not on the form, in order."""
    return list(islice(_other_items(report), _MOST))


def _other_items(report: ReportText) -> Iterator[int]:
    for line in report.lines(_OTHER_ITEM):
        text = report.after(line.at, 200)
        if _OFFICERS.match(text) or _REGULATION.match(text):
            yield line.start


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
# Before or after the signatures. Text follows a power of attorney, unlike in a list of exhibits.
_POWER = re.compile(
    r"[\W_]*powers?\s+of\s+attorney(?:\s*(?:and|&|/)\s*signatures?)?[\W_]*(?:\n|\t)"
    r"(?=[\s\S]*\b(?:know\s+all|constitutes?|appoints?)\b)",
    re.IGNORECASE,
)
# The sentence after the heading, which may also come without one.
_SIGNED = re.compile(
    r"pursuant\s+to\s+the\s+requirements?\s+of\s+(?:section|the\s+securities)"
    r"|(?:pursuant\s+to|in\s+accordance\s+with)\s+section\s+13\s+or\s+15\(d\)"
    r"[^\t]{0,120}\bcaused\b",
    re.IGNORECASE,
)


class PartHeading(NamedTuple):
    """A line at `start` that is the heading of a part."""

    number: int
    start: int


def part_number(written: str) -> int:
    """Return the number of a part ("II", "two", "2")."""
    return _NUMBERS.get(written.lower()) or int(written)


def part_headings(report: ReportText) -> list[PartHeading]:
    """Return the headings of parts of a report, in order."""
    return list(islice(_parts(report), _MOST))


def _parts(report: ReportText) -> Iterator[PartHeading]:
    for line in report.lines("p ?a ?r ?t"):
        match = _PART.match(report.after(line.at, 120))
        if match is None or _CONTINUED.search(match["rest"]):
            continue
        if _PART_TITLE.fullmatch(match["rest"]):
            yield PartHeading(part_number(match["number"]), line.start)


def signature_places(report: ReportText, start: int) -> list[int]:
    """Return the positions after `start` where signatures or powers of attorney begin."""
    return list(islice(_signatures(report, start), _MOST))


def _signatures(report: ReportText, start: int) -> Iterator[int]:
    for line in report.lines("signature", start):
        text = report.after(line.at, 700)
        if _SIGNATURES.match(text) and _SIGNING.search(text):
            yield line.start
    for line in report.lines("pursuant", start):
        if _SIGNED.match(report.after(line.at, 200)):
            yield line.start
    for line in report.lines("power", start):
        if _POWER.match(report.after(line.at, 400)):
            yield line.start


def exhibit_index_places(report: ReportText, start: int) -> list[int]:
    """Return the positions after `start` of headings of an index of exhibits."""
    return list(islice(_indexes(report, start, _EXHIBIT_INDEX), _MOST))


def statement_index_places(report: ReportText, start: int) -> list[int]:
    """Return the positions after `start` of headings of an index of financial statements."""
    return list(islice(_indexes(report, start, _STATEMENT_INDEX), _MOST))


def _indexes(report: ReportText, start: int, heading: re.Pattern[str]) -> Iterator[int]:
    for line in report.lines("exhibit|index", start):
        if heading.match(report.after(line.at, 80)):
            yield line.start
