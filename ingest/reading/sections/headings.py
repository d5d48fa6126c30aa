"""Headings of items: possible lines, the items that they name, and tables of contents."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.edgar.items import ReportForm
from ingest.reading.sections.boundaries import part_number
from ingest.reading.sections.report_text import ReportText

# Twice as many as in any report; more come from another document.
MAX_HEADINGS = 5_000
_TEXT = 320  # characters of a heading that are read

_ITEM = re.compile(
    r"i ?t ?e ?m ?(?P<plural>s)?[\s#:.–—-]*(?:no\b\.?|numbers?\b)?[\s#:]*"
    r"(?P<number>[0-9]{1,2}|[ivx]{1,4})(?P<rest>(?![0-9]|\.[0-9]).*)",
    re.IGNORECASE | re.DOTALL,
)
# A letter belongs to the number if it is attached to it, in parentheses, or alone. By the last
# letter among the form's numbers.
_LETTERS = {
    last: re.compile(
        rf"[\s.\-–—]{{0,3}}(?:\((?P<wrapped>[a-{last.lower()}])\)"
        rf"|(?P<attached>(?<![\s.\-–—])[a-{last.lower()}]|(?<=[\s.\-–—])[a-{last.lower()}])"
        r"(?![a-su-z0-9'’]|t[a-z0-9]))(?P<rest>.*)",
        re.IGNORECASE | re.DOTALL,
    )
    for last in "DK"
}
# The rest of a number for a temporary item or one in two parts: 9A(T), 4T, 9A(I).
_SUFFIX = re.compile(r"[\s.]{0,2}[(\[](?P<wrapped>t|i{1,3})[)\]]|\s?t(?![a-z])", re.IGNORECASE)
_FURTHER = re.compile(
    r"[\s.]*(?:,\s*and\b|,|and\b|&|/|(?P<to>through\b|thru\b|to\b|-|–|—))\s*(?:items?\s*)?"
    r"(?P<number>[0-9]{1,2}\s?[a-d]?)(?![a-z0-9]|\.[0-9])",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"(?:[\s.:;\-–—――_*|·•\ufffd\u200b]|\)(?!\s*\())*")
# After a number, these belong to a sentence about an item.
_REFERRING = re.compile(
    r"\s*[,;\"”“'’(\[](?!\s*(?:t\)|reserved|removed|unaudited|omitted|intention))", re.IGNORECASE
)
_INCLUSIVE = re.compile(r"[\s,]*\(?inclusive\b\)?", re.IGNORECASE)
# A number's letter and a title without a blank between: "Item 1ARisk Factors".
_GLUED = re.compile(r"(?P<letter>[a-k])(?P<rest>[a-z].*)", re.IGNORECASE | re.DOTALL)
_CONTINUED = re.compile(r"\bcont(?:inued|inuation|'d|’d|d|\.)|\bconcluded\b", re.IGNORECASE)
_PART_PREFIX = re.compile(
    r"part\W*(?P<number>iv|i{1,3}|one|two|three|four|[1-4])(?!\w)"
    r"(?:[\W_]*(?:financial|other) information)?[\W_]*",
    re.IGNORECASE,
)
_ROMAN = {
    numeral: number
    for number, numeral in enumerate(
        "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split(), start=1
    )
}


class Heading(NamedTuple):
    """A line that begins with an item's number.

    `numbers` are the items that it names ("1", "2" of a combined one). It begins at `start`, the
    word "Item" at `at`. `part` is the number of the part before it on its line, `rest` the text
    after the number. `further` is true for a further part of an item ("9A(T)" beside "9A",
    "9A(II)"), `attached` if the first number has a letter without parentheses.
    """

    numbers: tuple[str, ...]
    start: int
    at: int
    part: int | None
    rest: str
    further: bool = False
    attached: bool = False


def item_headings(form: ReportForm, report: ReportText) -> list[Heading]:
    """Return the lines of a report that begin with an item's number, in order."""
    headings: list[Heading] = []
    for line in report.lines("i ?t ?e ?m", after_part=True):
        part = _PART_PREFIX.fullmatch(line.prefix)
        if line.prefix and part is None:
            continue
        parsed = _parse(form, report.after(line.at, _TEXT))
        if parsed is not None:
            number = part_number(part["number"]) if part else None
            headings.append(parsed._replace(start=line.start, at=line.at, part=number))
            if len(headings) == MAX_HEADINGS:
                break
    return headings


def _parse(form: ReportForm, text: str) -> Heading | None:
    """Parse a line that begins with an item, without its positions; None for a sentence."""
    match = _ITEM.match(text)
    if match is None:
        return None
    number = match["number"].lower()
    first = str(_ROMAN.get(number, 0)) if number.isalpha() else str(int(number))
    rest = match["rest"]
    glued = _GLUED.match(rest)
    if glued and _has_form_title(form, first + glued["letter"].upper(), glued["rest"]):
        rest = f"{glued['letter']} {glued['rest']}"
    letter = _LETTERS[form.last_letter].match(rest)
    if letter:
        first += (letter["wrapped"] or letter["attached"]).upper()
        rest = letter["rest"]
    suffix = _SUFFIX.match(rest)
    if suffix:
        rest = rest[suffix.end() :]
    numbers = [first]
    while further := _FURTHER.match(rest):
        numbers += _further_numbers(
            numbers[-1], re.sub(r"\s", "", further["number"]).upper(), further["to"]
        )
        rest = rest[further.end() :]
    if len(numbers) > 1 and (inclusive := _INCLUSIVE.match(rest)):
        rest = rest[inclusive.end() :]
    if _REFERRING.match(rest):
        return None
    rest = rest[_SEPARATORS.match(rest).end() :]  # type: ignore[union-attr]
    head = rest[:160].split("\n")[0]
    if rest[:1].islower() or _CONTINUED.search(head):
        return None
    further_part = suffix is not None and (suffix["wrapped"] or "").lower() != "i"
    attached = letter is not None and letter["attached"] is not None
    return Heading(tuple(numbers), 0, 0, None, rest, further_part, attached)


def _has_form_title(form: ReportForm, number: str, text: str) -> bool:
    """Return True if a text begins with one of the form's titles for this item."""
    words = _words(text)
    return any(
        pattern.match(words)
        for item in form.items
        if item.number == number
        for pattern, _ in item.titles
    )


def _further_numbers(last: str, number: str, to: str | None) -> list[str]:
    """Return the items that "3, 4" or "3 to 6" adds to the first."""
    if to and last.isdecimal() and number.isdecimal():
        return [str(further) for further in range(int(last) + 1, int(number) + 1)]
    return [number]


# Small letters after a title continue a sentence that refers to the item.
_SENTENCE = re.compile(
    r" ?(?:of (?:our|this|the company|its|the registrant s)|in (?:our|this|the|part|item)|section|"
    r"above|below|included|contained|set forth|as |under |for (?:a|further|more|information)\b|"
    r"which|that|are|is|was|were|we|to|and (?:in )?(?:part|item|elsewhere)|herein|hereof|"
    r"appearing)\b"
)
_TITLE_ENDS, _DASHES = ".:;–—", re.compile(r"--|\s-\s")
_WORD = re.compile(r"[a-z0-9.]+")
_TITLE_CHARACTERS = 200
_JOINS = re.compile(r" and | [.] |(?<! and)(?<! [.]) (?=items? [0-9])")
_DIGIT = re.compile(r"[0-9]")
_NUMBER = re.compile(r"(?:items? )?(?P<number>[0-9]{1,2})(?: ?(?P<letter>[a-d])\b)?(?: [.])* ?")
# The line of a heading, with the lines that continue it: "Business", "and", "Item 2. Properties".
_LINE = re.compile(
    r"(?:[^\n]*?(?:\band|&|,|/|items? [0-9]{1,2}[a-d]?\.?)[ \t]*\n|[^\n]*\n(?=and\b|&)){0,4}[^\n]*",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """The items of a heading: the position of the first on the form, their numbers and titles.

    `known` is true if the heading has the form's title; `lines` counts its lines.
    """

    place: int
    numbers: tuple[str, ...]
    title: str
    known: bool
    lines: int = 1


def named_items(form: ReportForm, heading: Heading, part: int | None) -> Named | None:
    """Return the form's items that a heading names; None if none, or if it begins a sentence."""
    words = _words(heading.rest)
    first = None
    for place, item in enumerate(form.items):
        if item.number != heading.numbers[0]:
            continue
        for pattern, title in item.titles:
            if match := pattern.match(words):
                return _add_named(
                    form, heading, Named(place, heading.numbers, title, True), match.end()
                )
        if first is None or (form.parts_in_ids and item.part == part):
            first = place
    if first is None or not has_title(heading) or (form.parts_in_ids and part is None):
        return None
    if form.lettered_parts:
        return None
    if form.parts_in_ids and form.items[first].part != part:
        return None
    return Named(first, heading.numbers, form.items[first].titles[0][1], False)


def has_title(heading: Heading) -> bool:
    """Return True if any title is alone on the heading's line."""
    line = heading.rest.lstrip().split("\n")[0]
    return 3 <= len(line) <= 120 and line[:1].isupper() and not line.rstrip().endswith((",", ";"))


def _add_named(form: ReportForm, heading: Heading, first: Named, end: int) -> Named | None:
    """Add the items that the heading names after the first's title, which ends at `end`."""
    line = _LINE.match(heading.rest)[0]  # type: ignore[index]
    if len(first.numbers) > 1 or _DIGIT.search(line):
        joined = _joined_items(form, first, line, end)
        if joined is not None:
            return joined
    words = _words(heading.rest.split("\n")[0])
    refers = end <= len(words) and _SENTENCE.match(words, end)
    return None if refers else first


def _joined_items(form: ReportForm, first: Named, line: str, end: int) -> Named | None:
    """Return the items of "Business and Item 2. Properties", or of "Business and Properties"."""
    words = _words(line)
    last, numbers, titles = first.place, list(first.numbers), [first.title]
    for join in _JOINS.finditer(words, end):
        number = _NUMBER.match(words, join.end())
        wanted = [_number_text(number)] if number else numbers
        at = number.end() if number else join.end()
        item_found = _titled_item(form, wanted, words, at, last) if join.start() >= end else None
        if item_found is not None:
            last, title, end = item_found
            titles.append(title)
            if number:
                numbers += wanted
    if len(titles) == 1 or _SENTENCE.match(words, end):
        return None
    numbers = list(dict.fromkeys(numbers))
    return Named(first.place, tuple(numbers), "; ".join(titles), True, 1 + line.count("\n"))


def _number_text(number: re.Match[str]) -> str:
    return number["number"] + (number["letter"] or "").upper()


def _titled_item(
    form: ReportForm, numbers: Sequence[str], words: str, at: int, after: int
) -> tuple[int, str, int] | None:
    """Locate the item whose title is at `at`; return its index, its title and the title's end.

    The item is one of `numbers`, after the item `after`, in the same part.
    """
    for place in range(after + 1, len(form.items)):
        item = form.items[place]
        if item.number in numbers and item.part == form.items[after].part:
            for pattern, title in item.titles:
                if match := pattern.match(words, at):
                    return place, title, match.end()
    return None


def _words(text: str) -> str:
    """Return the words in lower case, one space apart; marks that end a title become "."."""
    text = text[:_TITLE_CHARACTERS].lower()
    if "&" in text:
        text = text.replace("&", " and ")
    if "-" in text:
        text = _DASHES.sub(" . ", text)
    for mark in _TITLE_ENDS:
        text = text.replace(mark, " . ")
    return " ".join(_WORD.findall(text))


_ENTRY = 2_500  # characters: an entry with the statements that it lists
_SHORT = 260  # characters: an entry alone
_LISTED = 160  # characters per page number in an entry with a list
_FEWEST, _FEWEST_UNORDERED, _FEWEST_BARE = 3, 8, 4
_LEADER = re.compile(r"[.…·_–-] ?(?:[.…·_–-] ?){2,}")
# "3", "Page F-3", "3 – 9, 80*", "pages 16 to 19 and 36 (a)"
_PAGE_NUMBER = re.compile(
    r"(?:(?:pages?|pp?\.) ?)?(?:[a-h]s?-)?([0-9]{1,3})[*†‡]*"
    r"(?: ?(?:[-–—,;&]|to|through|and|, ?and) ?(?:pages? )?(?:[a-h]s?-)?[0-9]{1,3}[*†‡]*){0,40}"
    r"(?:,? ?\([a-z0-9*]{1,2}\)){0,5}",
    re.IGNORECASE,
)
_LAST_NUMBER = re.compile(r"[^.\d]{3,200} (?:[a-h]-)?([0-9]{1,3})", re.IGNORECASE)
_TITLE_CELLS = 3
_PLACEHOLDER = re.compile(
    r"(?:not applicable|n/a|none|\*+|\([a-z*]\)|[-–—]+)[\s.]*$", re.IGNORECASE
)
# It begins with a set of characters, not with a choice, because the engine can search for that
# fast.
_PAGE_END = re.compile(r"[\s.](?:(?<=\s)|(?<=\.)\s?\.\s?)([0-9]{1,3})\s*(?:[\n\t]|$)")
_PLACE = re.compile(r"\t[^\t]*\b(?:pages?|[0-9]{1,3})\b", re.IGNORECASE)
_FURNITURE = re.compile(r"part [ivx1-4]+\b.{0,60}|table of contents", re.IGNORECASE)
_FULL_STOP = re.compile(r"\.[\"”’')]?(?: |$)")


class _Entry(NamedTuple):
    """A possible entry of contents: `page` is its number, `filler` is set instead of a number.

    `row` is true if it is one line with a cell after its title, `whole` if the next heading follows
    immediately, which is not so after the last entry of a list.
    """

    heading: Heading
    page: int | None
    filler: bool
    bare: bool
    row: bool
    whole: bool


def without_contents(report: ReportText, headings: Sequence[Heading]) -> list[Heading]:
    """Drop consecutive headings that have only page numbers between them."""
    kept: list[Heading] = []
    run: list[_Entry] = []
    for number, heading in enumerate(headings):
        stop = headings[number + 1].start if number + 1 < len(headings) else None
        entry = _entry(report, heading, stop)
        if run and not _continues_order(run[-1].heading, heading):
            kept += _unless_contents(run)
            run = []
        run.append(entry)
        if not entry.whole or not (entry.page or entry.filler or entry.bare or entry.row):
            kept += _unless_contents(run)
            run = []
    return sorted(kept + _unless_contents(run), key=lambda heading: heading.at)


def _entry(report: ReportText, heading: Heading, stop: int | None) -> _Entry:
    text = None if stop is None else report.between(heading.at, stop, _ENTRY)
    page = _page(heading.rest[:_SHORT])
    line = heading.rest[:_SHORT].split("\n")[0]
    row = "\t" in line
    if text is None:
        return _Entry(heading, page, bool(_PLACEHOLDER.search(line)), False, row, False)
    trimmed = _without_furniture(_without_furniture(text)).strip()
    listed = [int(number) for number in _PAGE_END.findall(trimmed)]
    lists_pages = listed and len(trimmed) <= _LISTED * len(listed) and listed == sorted(listed)
    if page is None and lists_pages:
        page = listed[0]
    short = len(trimmed) <= _SHORT
    filler = short and _PLACEHOLDER.search(trimmed) is not None
    bare = short and not filler and _only_title(trimmed)
    return _Entry(heading, page, filler, bare, row and "\n" not in trimmed, True)


def _without_furniture(text: str) -> str:
    """Return the text without its last line if that belongs to the page."""
    before, _, line = text.rpartition("\n")
    return before if _FURNITURE.fullmatch(line) else text


def _page(rest: str) -> int | None:
    """Return the page number after a title: on its line, or alone on one of the next.

    In a short section the full stop of a sentence precedes it.
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
    """Return the headings of a run, or none if it is a list; its last may be a section itself."""
    entries = [e for e in run if e.page is not None or e.filler or e.bare or e.row]
    pages = [e.page for e in entries if e.page is not None]
    by_page = len(entries) <= 2 * len(pages) and (
        _FEWEST_UNORDERED <= len(pages) or (_FEWEST <= len(pages) and pages == sorted(pages))
    )
    # An index names other targets too: "Proxy Statement", "Note 12", "Not applicable".
    by_row = len(entries) >= _FEWEST_UNORDERED and all(e.row for e in entries)
    by_row = by_row and any(_PLACE.search(e.heading.rest[:_SHORT].split("\n")[0]) for e in entries)
    by_title = len(entries) >= _FEWEST_BARE and all(e.bare for e in entries)
    listed = {e.heading.at for e in entries} if by_page or by_row or by_title else set[int]()
    return [e.heading for e in run if e.heading.at not in listed]


def _order(heading: Heading) -> tuple[int, str]:
    number = heading.numbers[0]
    digits = number.rstrip("ABCDEFGHIJK")
    return int(digits), number[len(digits) :]


def _continues_order(last: Heading, heading: Heading) -> bool:
    """Return True if a heading continues the form's order.

    A quarterly report's part two begins with item 1.
    """
    return _order(heading) > _order(last) or (
        heading.numbers[0] == "1" and last.numbers[0] in "234"
    )
