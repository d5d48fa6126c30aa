"""Headings of items without "Item": "7. Management's Discussion", or a title alone.

They are searched for only where an item is missing between found ones, or in a report without any.
A line counts if it is the only one there with the form's title of the item, and contains nothing
else; a title of one word must have the item's number.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from edgar_search.edgar.items import ReportForm, Title, plain_words
from ingest.reading.sections.headings import Heading, Named
from ingest.reading.sections.report_text import ReportText, collapsed
from ingest.reading.sections.statement_headings import (
    STATEMENTS,
    has_statements,
    heading_places,
    headings_in,
    with_lines_above,
)

_LONGEST = 200
_BEFORE = r"^[ \t\xa0]*(?:(?:PART|Part)[ \xa0](?:IV|I{1,3})[^\w\n]{1,3})?"
_NUMBER = (
    r"(?P<number>[0-9]{1,2})[ \xa0]?\(?(?P<letter>[A-Da-d]?)\)?[ \xa0]?[.:)\t –—-][\s.:–—-]{0,5}"
)
_TITLE = rf"(?P<title>[A-Z\[(][^\n]{{3,{_LONGEST}}})$"
_NUMBERED = re.compile(f"{_BEFORE}{_NUMBER}{_TITLE}", re.MULTILINE)
_LINE = re.compile(f"{_BEFORE}(?:{_NUMBER})?{_TITLE}", re.MULTILINE)
# Words that a title may add to the form's, and the share of the form's words that it must contain.
_MAY_HAVE = frozenset(
    "a about and certain common company consolidated corporation equity for in item matters of on"
    " our related s security stock stockholder stockholders shareholder shareholders registrant"
    " submission the to vote holders".split()
)
_FEWEST_WORDS, _SHARE = 2, 0.6
# Without a number, these titles are often captions of something else.
_OFTEN_CAPTIONS = frozenset(
    {"Reserved", "Other Information", "Executive Officers of the Registrant", "Cybersecurity"}
)
_OF_ONE_WORD = frozenset({"Business", "Properties"})  # these may lack a number
# Items that a report contains only together with one of these, because the form gained them later.
_SINCE = {"1A": {"1B", "1C"}, "1B": {"1A", "1C"}, "7A": {"8"}, "9A": {"9", "9B"}}
_FEWEST_ALONE = 8  # items of a report in which none says "Item"
_MOST = 2_000  # lines with a title in one gap; more than in any report
_CONTINUED = re.compile(r"\bcont(?:inued|'d|’d|d|\.)", re.IGNORECASE)


class Unmarked(NamedTuple):
    """A heading without "Item", and the item that it heads."""

    heading: Heading
    named: Named


class Gap(NamedTuple):
    """Text from `start` to `end` that may contain the items at these positions of the form.

    The ones in `titled` may be without their number too.
    """

    start: int
    end: int
    places: Collection[int]
    titled: Collection[int]


def unmarked_headings(form: ReportForm, report: ReportText, gaps: Iterable[Gap]) -> list[Unmarked]:
    """Return the headings without "Item" in gaps between the found items, in order."""
    headings: list[Unmarked] = []
    for gap in gaps:
        after = gap.start
        for heading in _in_order(list(_titled_lines(form, report, gap))):
            if heading.heading.start >= after:
                headings.append(heading)
                after = heading.heading.start
    return headings


def may_be_unmarked(number: str, found: Collection[str]) -> bool:
    """Return True if a report with the items `found` contains this one too, however headed."""
    return number.isdecimal() or bool(_SINCE.get(number, set()) & {*found})


def all_unmarked(form: ReportForm, report: ReportText) -> list[Unmarked]:
    """Return the headings of a report in which none says "Item"; [] if they are too few."""
    every = range(len(form.items))
    gap = Gap(0, len(report.text), every, every)
    headings = _in_order(list(_titled_lines(form, report, gap, alone=True)))
    return headings if len(headings) >= _FEWEST_ALONE else []


def _titled_lines(
    form: ReportForm, report: ReportText, gap: Gap, *, alone: bool = False
) -> Iterator[Unmarked]:
    """Yield the only line with the title of each item in a gap; `alone` if no item says "Item"."""
    lines: dict[tuple[int, str], Unmarked | None] = {}
    own, any_title = _own_titles(form), _any_title(form)
    pattern = _LINE if gap.titled else _NUMBERED
    seen = 0
    for match in pattern.finditer(report.text, gap.start, gap.end):
        words = plain_words(match["title"])
        if not any_title.match(words) or _CONTINUED.search(match["title"]):
            continue
        seen += 1
        if seen > _MOST:
            return
        number = f"{match['number']}{match['letter'].upper()}" if match["number"] else ""
        for place in gap.places if number else gap.titled:
            item = form.items[place]
            if number and number != item.number:
                continue
            titles = item.titles if number else own[place]
            title = _title_of(titles, words, numbered=bool(number), caption=alone)
            if title is not None:
                item_named = Named(place, (item.number,), title, True)
                at = match.start()
                heading = Heading((item.number,), at, at, None, match["title"].rstrip())
                again = (place, title) in lines
                lines[place, title] = None if again else Unmarked(heading, item_named)
    for title_lines in lines.values():
        if title_lines is not None and _is_followed(report, title_lines.heading, gap.end):
            yield title_lines


def _title_of(titles: Iterable[Title], words: str, *, numbered: bool, caption: bool) -> str | None:
    """Return the one of these titles that a line contains whole; None if it contains none.

    With `caption`, a title counts even if it is often the caption of something else.
    """
    for pattern, title in titles:
        if not pattern.match(words):
            continue
        title_words, line_words = {*plain_words(title).split()}, {*words.split()}
        if not line_words <= title_words | _MAY_HAVE:
            continue
        is_whole = len(line_words & title_words) >= _SHARE * len(title_words)
        is_sure = len(line_words) >= _FEWEST_WORDS or title in _OF_ONE_WORD
        if numbered or (is_whole and (caption or (is_sure and title not in _OFTEN_CAPTIONS))):
            return title
    return None


@cache
def _own_titles(form: ReportForm) -> list[list[Title]]:
    """Return the titles of each item, without titles that name another item first."""
    first = [item.titles[0][1] for item in form.items]
    return [
        [title for title in item.titles if title[1] not in first[:at] + first[at + 1 :]]
        for at, item in enumerate(form.items)
    ]


@cache
def _any_title(form: ReportForm) -> re.Pattern[str]:
    """Return the pattern for the beginning of every title."""
    return re.compile("|".join(title.pattern for item in form.items for title, _ in item.titles))


def _is_followed(report: ReportText, heading: Heading, end: int) -> bool:
    """Return True if a sentence follows a heading."""
    return (
        len(collapsed(report.text[heading.at : min(end, heading.at + 1_000)]))
        > len(heading.rest) + 5
    )


def _in_order(found: Sequence[Unmarked]) -> list[Unmarked]:
    """Return the most headings whose items are in the form's order."""
    best: list[list[Unmarked]] = []
    for unmarked in sorted(found, key=lambda unmarked: unmarked.heading.start):
        before = [chain for chain in best if chain[-1].named.place < unmarked.named.place]
        best.append([*max(before, key=len, default=[]), unmarked])
    return max(best, key=len, default=[])


def statements_place(report: ReportText, end: int) -> int | None:
    """Return where the statements of a quarterly report begin if their item has no heading."""
    text = report.text[:end]
    lines = headings_in(text)
    if not has_statements(lines):
        return None
    first = heading_places(lines, *STATEMENTS)[0]
    return with_lines_above(lines, text, first)
