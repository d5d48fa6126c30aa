"""Finds items of an annual report that only has an index of items, with their pages.

Such a report shows titles of items, or others, instead of "Item 1A.". An item is certain if its
title is alone on a line of the page that the index names, and so is the title of the next item,
where it ends.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from edgar_search.edgar.items import ReportForm, plain_words
from ingest.reading.sections.report_text import ReportText
from ingest.reading.sections.section import Section

_ROW = re.compile(
    r"^[ \xa0\t]*item[ \xa0\t]+(?P<number>[0-9]{1,2}[A-C]?)[ \xa0\t.]+(?P<title>[^\n\t]{4,200})\t+"
    r"(?:pages?[ \xa0]+)?(?P<page>[0-9]{1,3})\b[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
# A number at the end of a line, after the same words on each page.
_FOLIO = re.compile(r"^(?P<words>[^\n\t]{0,80}?)(?P<page>[0-9]{1,3})$", re.MULTILINE)
_HEAD = re.compile(r"^[^\n\t]{0,60}\b(?:index|cross-reference)\b[^\n\t]{0,60}$", re.I | re.M)
_LINE = re.compile(r"^[^\n\t]{4,200}$", re.MULTILINE)
_FEWEST_ROWS, _MOST_ROWS, _FEWEST_PAGES = 8, 40, 20
# Lines with this many titles of other items this near are a table of contents.
_OTHERS, _NEAR = 3, 600


class _Row(NamedTuple):
    number: str
    words: str
    page: int


def indexed_items(form: ReportForm, report: ReportText) -> list[Section]:
    """Return the items of a report by its index of items, in the order of its pages.

    Returns [] without such an index, or without numbers on the pages.
    """
    matches = list(_ROW.finditer(report.text))
    rows = [
        _Row(match["number"].upper(), plain_words(match["title"]), int(match["page"]))
        for match in matches[: _MOST_ROWS + 1]
    ]
    if not _FEWEST_ROWS <= len(rows) <= _MOST_ROWS or len({row.number for row in rows}) < len(rows):
        return []
    end = matches[0].start()
    heads = list(_HEAD.finditer(report.text, max(0, end - _NEAR), end))
    end = heads[-1].start() if heads else end
    places = _places(report.text, rows, (end, matches[-1].end()))
    # An item without a position may begin anywhere on its page, so the previous one has no sure
    # end.
    ordered = sorted(
        ((row.page, places.get(row.number, end), row) for row in rows),
        key=lambda form_item: form_item[:2],
    )
    starts = [places.get(row.number) for _, _, row in ordered]
    sections = []
    for (_, _, row), start, stop in zip(ordered, starts, [*starts[1:], end], strict=True):
        item = next((form_item for form_item in form.items if form_item.number == row.number), None)
        if item is not None and start is not None and stop is not None and start < stop:
            stop = start + len(report.text[start:stop].rstrip())
            name = f"item{row.number.lower()}"
            sections.append(Section(name, f"Item {row.number}", item.titles[0][1], start, stop))
    return sections


def _places(text: str, rows: Sequence[_Row], index: tuple[int, int]) -> dict[str, int]:
    """Return where items begin, by number: the first line on their page with their title."""
    pages = _pages(text)
    by_words = {row.words: row for row in rows}
    lines = [
        (match.start(), row)
        for match in _LINE.finditer(text)
        if not index[0] <= match.start() < index[1]
        and (row := by_words.get(plain_words(match[0]))) is not None
    ]
    places: dict[str, int] = {}
    for number, (at, row) in enumerate(lines):
        start, end = pages.get(row.page, (0, 0))
        near = lines[max(0, number - 2 * _OTHERS) : number + 2 * _OTHERS + 1]
        others = {other.number for place, other in near if abs(place - at) < _NEAR} - {row.number}
        if start <= at < end and len(others) < _OTHERS:
            places.setdefault(row.number, at)
    return places


def _pages(text: str) -> Mapping[int, tuple[int, int]]:
    """Return the pages that end with their number, from the longest row of numbers."""
    longest: list[tuple[int, int]] = []
    chains: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for match in _FOLIO.finditer(text):
        words, page = plain_words(match["words"]), int(match["page"])
        if (words, page) not in chains:
            chain = chains.pop((words, page - 1), [])
            chain.append((page, match.end()))
            chains[words, page] = chain
            longest = max(longest, chain, key=len)
    if len(longest) < _FEWEST_PAGES:
        return {}
    starts = [0, *(end for _, end in longest)]
    return {page: (start, end) for start, (page, end) in zip(starts, longest, strict=False)}
