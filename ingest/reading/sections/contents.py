"""Which headings are entries of a table of contents or of an index of items."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.reading.sections.headings import Heading
from ingest.reading.sections.markup import Markup

_ENTRY = 2_500  # characters: an entry with the statements that it lists
_ENTRY_BYTES, _ENTRY_BYTES_PLAIN = 100_000, 8_000  # with its markup, or with blanks alone
_SHORT = 260  # characters: an entry alone
_LISTED = 160  # characters for each page number, of an entry with what it lists
_FEWEST, _FEWEST_UNORDERED, _FEWEST_BARE = 3, 8, 4
_LEADER = re.compile(r"[.…·_–-] ?(?:[.…·_–-] ?){2,}")
_PAGE_NUMBER = re.compile(
    r"(?:pages? )?(?:[a-h]-)?([0-9]{1,3})(?: ?[-–,] ?(?:[a-h]-)?[0-9]{1,3}){0,3}", re.IGNORECASE
)
_LAST_NUMBER = re.compile(r"[^.\d]{3,200} (?:[a-h]-)?([0-9]{1,3})", re.IGNORECASE)
_TITLE_CELLS = 3
_PLACEHOLDER = re.compile(
    r"(?:not applicable|n/a|none|\*+|\([a-z*]\)|[-–—]+)[\s.]*$", re.IGNORECASE
)
# It begins with a set of characters, and not with a choice: the engine can look for that fast.
_PAGE_END = re.compile(r"[\s.](?:(?<=\s)|(?<=\.)\s?\.\s?)([0-9]{1,3})\s*(?:[\n\t]|$)")
_FURNITURE = re.compile(r"part [ivx1-4]+\b.{0,60}|table of contents", re.IGNORECASE)
_FULL_STOP = re.compile(r"\.[\"”’')]?(?: |$)")


class _Entry(NamedTuple):
    """What an entry may be: `page` is its number, `filler` stands for one that has none.

    `whole` tells whether the next heading follows at once; after a list's last it does not.
    """

    heading: Heading
    page: int | None
    filler: bool
    bare: bool
    whole: bool


def without_contents(markup: Markup, headings: Sequence[Heading]) -> list[Heading]:
    """Leave out the headings that follow each other with nothing but page numbers between."""
    kept: list[Heading] = []
    run: list[_Entry] = []
    for number, heading in enumerate(headings):
        stop = headings[number + 1].start if number + 1 < len(headings) else None
        entry = _entry(markup, heading, stop)
        if run and not _follows(run[-1].heading, heading):
            kept += _unless_contents(run)
            run = []
        run.append(entry)
        if not entry.whole or not (entry.page or entry.filler or entry.bare):
            kept += _unless_contents(run)
            run = []
    return sorted(kept + _unless_contents(run), key=lambda heading: heading.at)


def _entry(markup: Markup, heading: Heading, stop: int | None) -> _Entry:
    most = _ENTRY_BYTES_PLAIN if markup.has_lines(heading.at) else _ENTRY_BYTES
    text = None
    if stop is not None and stop - heading.at <= most:
        text = markup.between(heading.at, stop, _ENTRY)
    page = _page(heading.rest[:_SHORT])
    if text is None:
        line = heading.rest[:_SHORT].split("\n")[0]
        return _Entry(heading, page, bool(_PLACEHOLDER.search(line)), False, False)
    trimmed = _without_furniture(_without_furniture(text)).strip()
    listed = [int(number) for number in _PAGE_END.findall(trimmed)]
    lists_pages = listed and len(trimmed) <= _LISTED * len(listed) and listed == sorted(listed)
    if page is None and lists_pages:
        page = listed[0]
    short = len(trimmed) <= _SHORT
    filler = short and _PLACEHOLDER.search(trimmed) is not None
    bare = short and not filler and _only_title(trimmed)
    return _Entry(heading, page, filler, bare, True)


def _without_furniture(text: str) -> str:
    """The text without its last line where that is of the page."""
    before, _, line = text.rpartition("\n")
    return before if _FURNITURE.fullmatch(line) else text


def _page(rest: str) -> int | None:
    """The page number after a title: on its line, or alone on one of the next.

    A sentence's full stop comes between in a section that is short.
    """
    cells = _LEADER.sub("\t", rest).replace("\n", "\t").split("\t", _TITLE_CELLS + 1)
    cells = [cell.strip() for cell in cells[: _TITLE_CELLS + 1]]
    if last := _LAST_NUMBER.fullmatch(cells[0]):
        return int(last[1])
    for cell in cells[1:]:
        if page := _PAGE_NUMBER.fullmatch(cell):
            return int(page[1])
        if cell.endswith(".") or ". " in cell:
            break
    return None


def _only_title(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) <= 3 and not any(_FULL_STOP.search(line) for line in lines[1:])


def _unless_contents(run: list[_Entry]) -> list[Heading]:
    """The headings of a run, none if it is a list; its last may be the first section itself."""
    entries = [e for e in run if e.page is not None or e.filler or e.bare]
    pages = [e.page for e in entries if e.page is not None]
    by_page = len(entries) <= 2 * len(pages) and (
        _FEWEST_UNORDERED <= len(pages) or (_FEWEST <= len(pages) and pages == sorted(pages))
    )
    by_title = len(entries) >= _FEWEST_BARE and all(e.bare for e in entries)
    listed = entries if by_page or by_title else []
    return [e.heading for e in run if e not in listed]


def _order(heading: Heading) -> tuple[int, str]:
    number = heading.numbers[0]
    digits = number.rstrip("ABCD")
    return int(digits), number[len(digits) :]


def _follows(last: Heading, heading: Heading) -> bool:
    """Whether the form's order goes on; a quarterly report's second part begins with item 1."""
    return _order(heading) > _order(last) or (
        heading.numbers[0] == "1" and last.numbers[0] in "234"
    )
