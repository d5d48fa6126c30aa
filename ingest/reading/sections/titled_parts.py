"""Finds parts of proxy statements and of Form 40-F by their titles.

The headings are the ones that a table of contents names, or else lines that are alone and look like
headings. A part is certain if its heading is, and if the next heading certainly ends it: contents
and capitals distinguish only some levels of headings.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from edgar_search.edgar.items import plain_words
from ingest.reading.sections.contents import certain_places, is_next, lines_and_pairs
from ingest.reading.sections.part_titles import IS_PROPOSAL, PROPOSAL, PartTitle, TitledForm
from ingest.reading.sections.report_text import ReportText
from ingest.reading.sections.section import Section

_NUMBERS = "one two three four five six seven eight nine ten".split()
_NUMBER = rf"(?:no |number )?(?P<number>[1-9][0-9]?|{'|'.join(_NUMBERS)})"
_PROPOSALS = (
    re.compile(
        rf"(?:(?:management|company|board|stockholder|shareholder) )?(?:proposal|item) {_NUMBER}"
        r"(?: .*)?"
    ),
    re.compile(rf".{{1,100}} (?:proposal|item) {_NUMBER}"),
)
_NUMBERED = rf"(?:proposal|item) (?:no\.? |number )?(?:[1-9][0-9]?|{'|'.join(_NUMBERS)})\b"
_PROPOSAL_NUMBER = re.compile(rf"\A{_NUMBERED}[\W_]*|[\W_]*\({_NUMBERED}\W*\Z", re.IGNORECASE)
_NUMBERED_HEADING = re.compile(rf"\s*{_NUMBERED}\s*(?:[:.)\u2014\u2013\t-]|\Z)", re.IGNORECASE)
# A line with only the number of the heading above it: "(Proposal No. 1)".
_NUMBER_ALONE = re.compile(rf"(?:proposal|item) {_NUMBER}")
_PAGE = re.compile(r"[A-Z]{0,2}-?[0-9]{1,3}\Z")
_PAGE_FIRST = re.compile(r"[0-9]{1,3}(?:[ \xa0]*\t[\t ]*| {3,})(?P<title>[A-Z(\u201c\"].*)")
_BEFORE_PAGE = "\t .\u2026\xa0"
_FURNITURE = re.compile(
    r"(?:table of contents|page(?: no)?|contents|[ivxl]{1,6}|[0-9 ]*|continued)"
)
_LINE = re.compile(r"^[ \xa0]*+(?P<title>[^\n]{4,420})$", re.MULTILINE)
_ROW_OR_SENTENCE = re.compile(r"\t|  |[.;,]\Z")
_LETTERED = re.compile(r"^\(?(?:[A-Za-z]|[0-9]{1,2}|[ivx]{1,4})[.)]\s+")
_LONGEST_PAGE = 6  # characters, as in "FS-123"
_FEWEST, _MOST = 8, 400  # entries of contents with pages
_MOST_LINES = 20_000  # lines that may be headings
_BETWEEN = 400  # characters between two entries
_LEVEL = 3  # titles in capitals, and others, that make capitals a level of their own
_LONGEST = 160  # characters of a line that is a heading without contents
_FEWEST_LISTED = 5  # adjacent titles that form a table of contents
_MOST_JOINED = 6  # lines of a heading in capitals
_REPEATED = 3  # times that a page header occurs, such as the company's name


class _Title(NamedTuple):
    """A title as filed at `place`, in capitals or not; `part` is None if no part has this title."""

    words: str
    filed: str
    is_capital: bool
    part: PartTitle | None
    name: str
    place: int | None


class _Heading(NamedTuple):
    """A line that may be a heading, or several in capitals, with its position and end."""

    place: int
    end: int
    filed: str
    is_capital: bool


class _Levels(NamedTuple):
    """The meaning of capitals: other titles are below them, and they are all on one level."""

    are_above: bool
    are_alike: bool


def titled_parts(form: TitledForm, report: ReportText) -> list[Section]:
    """Return the parts that are certain, in order; they do not overlap."""
    titles = _of_contents(form, report.text)
    if titles:
        capital = sum(title.is_capital and title.part is not None for title in titles)
        has_levels = min(capital, sum(not title.is_capital for title in titles)) >= _LEVEL
        levels = _Levels(has_levels, has_levels)
    else:
        titles, levels = _of_lines(form, report.text), _Levels(True, False)
    return _cut(form, report.text, titles, levels)


def _cut(form: TitledForm, text: str, titles: Sequence[_Title], levels: _Levels) -> list[Section]:
    above = {other.name for other in titles if other.is_capital}
    sections: dict[str, Section] = {}
    last = 0
    for number, title in enumerate(titles):
        if title.place is None or title.place < last or not title.name:
            continue
        end = _end(titles, number, levels, above)
        if end is None:
            continue
        item = re.sub(r"\W", "", title.name).lower()
        if item not in sections:
            stop = title.place + len(text[title.place : end].rstrip())
            filed = _PROPOSAL_NUMBER.sub("", title.filed)
            sections[item] = Section(item, title.name, filed or title.name, title.place, stop)
            last = end
    return list(sections.values())


def _end(titles: Sequence[_Title], number: int, levels: _Levels, above: set[str]) -> int | None:
    """Return where the part ends whose title has this number; None if not certain."""
    title = titles[number]
    part = title.part
    if part is None:
        return None
    for following in titles[number + 1 :]:
        other = following.part
        if _annex(following):
            return following.place
        if levels.are_above and title.is_capital and not following.is_capital:
            if other is not None and other.is_division and following.name not in above:
                return None
        elif following.name == title.name and other is not None and following.name:
            continue
        elif levels.are_above and following.is_capital and not title.is_capital:
            return following.place
        elif other is None:
            if levels.are_alike and title.is_capital:
                return following.place
            if not part.has_captions:
                return None
        elif other.inside != part.name:
            is_alike = levels.are_alike and title.is_capital
            return following.place if part.is_ended_by(other, is_alike=is_alike) else None
    return None


def _title(form: TitledForm, filed: str, place: int | None) -> _Title:
    filed = " ".join(filed.split())
    words = _words(filed)
    is_capital = filed.upper() == filed and any(map(str.isalpha, filed))
    part = next((title for title in form.titles if title.pattern.fullmatch(words)), None)
    name = part.name if part else ""
    proposal = None if part or form.is_mixed else _proposal(words)
    if proposal:
        digits = proposal if proposal.isdecimal() else str(_NUMBERS.index(proposal) + 1)
        part, name = IS_PROPOSAL, f"{PROPOSAL} {digits}"
    return _Title(words, filed, is_capital, part, name, place)


def _words(filed: str) -> str:
    return plain_words(filed.replace("&", " and ").replace("-", " "))


def _proposal(words: str) -> str | None:
    """Return the number of a proposal in a title."""
    match = _PROPOSALS[0].fullmatch(words) or _PROPOSALS[1].fullmatch(words)
    return match["number"] if match else None


def _of_contents(form: TitledForm, text: str) -> list[_Title]:
    """Return the entries of the first table of contents with pages; [] if there is none.

    Lines between entries are entries too: their page may be on another line.
    """
    run: list[_Title] = []
    pages = 0
    end = 0
    for line in _LINE.finditer(text):
        entry = _listed(line["title"].strip())
        if pages and line.start("title") > end + _BETWEEN:
            if pages >= _FEWEST:
                break
            run, pages = [], 0
        if entry:
            run.append(_title(form, entry, None))
            pages, end = pages + 1, line.end()
            if pages > _MOST:
                return []
        elif pages and not _FURNITURE.fullmatch(_words(line["title"])):
            run.append(_title(form, line["title"], line.end()))
    # A list of people and their ages is not a table of contents.
    if pages < _FEWEST or sum(title.part is not None for title in run) < _LEVEL:
        return []
    # Text follows the last entry.
    kept = [title for title in run if title.place is None or title.place <= end]
    return _placed(text, end, [title._replace(place=None) for title in kept])


def _listed(line: str) -> str | None:
    """Return the title of a line that ends or begins with a page number; None for other lines."""
    if first := _PAGE_FIRST.fullmatch(line):
        return first["title"]
    page = _PAGE.search(line, max(0, len(line) - _LONGEST_PAGE))
    if page is None:
        return None
    title = line[: page.start()].rstrip(_BEFORE_PAGE)
    gap = line[len(title) : page.start()]
    is_title = len(title) >= _LEVEL and (title[0].isupper() or title[0] in '(\u201c"0123456789')
    return title if is_title and ("\t" in gap or len(gap) >= _LEVEL) else None


def _placed(text: str, start: int, entries: Sequence[_Title]) -> list[_Title]:
    """Give entries the positions of their headings: lines of the same words, ideally same case."""
    exact: dict[tuple[str, bool], list[int]] = {}
    alike: dict[str, list[int]] = {}
    numbered: dict[str, list[int]] = {}
    annexes = [_annex(entry) for entry in entries]
    known_words = {entry.words for entry in entries} | {*filter(None, annexes)}
    for place, filed in lines_and_pairs(text, _LINE, start):
        words = _words(filed)
        if words in known_words:
            exact.setdefault((words, filed.upper() == filed), []).append(place)
            alike.setdefault(words, []).append(place)
        elif (number := _heading_number(filed, words)) is not None:
            numbered.setdefault(number, []).append(place)
    placed_lines = [
        exact.get((title.words, title.is_capital))
        or alike.get(title.words)
        or (sorted({*numbered.get(title.name, [])}) if title.part is IS_PROPOSAL else [])
        # Each page of an annex may have its title as a header.
        or (alike.get(annex, [])[:1] if annex else [])
        for title, annex in zip(entries, annexes, strict=True)
    ]
    places = certain_places(placed_lines, len(text))
    placed = [title._replace(place=place) for title, place in zip(entries, places, strict=True)]
    # Contents may leave out the annexes, the first of which ends the last part.
    last = placed[-1].place
    if last is not None:
        behind = (line for line in _LINE.finditer(text, last) if _FIRST_ANNEX.match(line["title"]))
        placed += [
            placed[-1]._replace(words=_words(line["title"]), part=None, place=line.start("title"))
            for line in islice(behind, 1)
        ]
    return placed


def _annex(title: _Title) -> str:
    """Return the words that an annex's heading must contain: "annex a"; "" for other titles."""
    match = _ANNEX.match(title.words)
    return match[0] if match else ""


_FIRST_ANNEX = re.compile(r"(?:appendix|annex|exhibit) [a1][ \xa0]*\Z", re.IGNORECASE)
_ANNEX = re.compile(r"(?:appendix|annex|exhibit) [a-z0-9]{1,3}\b")


def _heading_number(line: str, words: str) -> str | None:
    """Return the number of the proposal that a line heads, whatever its contents call it."""
    if not _NUMBERED_HEADING.match(line) or line.rstrip().endswith(".") or len(line) > 2 * _LONGEST:
        return None
    number = _proposal(words)
    return None if number is None else f"{PROPOSAL} {number}"


def _of_lines(form: TitledForm, text: str) -> list[_Title]:
    """Return the lines that are headings, without page headers."""
    headings = _headings(text)
    titles: list[_Title] = []
    for heading in _without_lists(text, headings) if len(headings) < _MOST_LINES else ():
        title = _title(form, heading.filed, heading.place)._replace(is_capital=heading.is_capital)
        is_division = title.part is not None and title.part.is_division
        if is_division or heading.is_capital or form.is_mixed:
            # Without contents that show the order of headings, only divisions are certain.
            has_name = is_division and (heading.is_capital or form.is_mixed)
            titles.append(title if has_name else title._replace(name=""))
    return _without_repeated(titles)


def _without_lists(text: str, headings: Sequence[_Heading]) -> Iterator[_Heading]:
    """Drop the headings in a list, which is a table of contents without pages."""
    run: list[_Heading] = []
    for heading in headings:
        if run and not is_next(text, run[-1].end, heading.place):
            yield from run if len(run) < _FEWEST_LISTED else ()
            run = []
        run.append(heading)
    yield from run if len(run) < _FEWEST_LISTED else ()


def _headings(text: str) -> list[_Heading]:
    """Return lines that may be headings; consecutive ones in capitals are one."""
    headings: list[_Heading] = []
    end = 0
    lines = 1
    for line in _LINE.finditer(text):
        filed = _LETTERED.sub("", line["title"].strip(), count=1)
        if not filed:
            continue
        before = (
            headings[-1]
            if headings and headings[-1].end == end and headings[-1].is_capital
            else None
        )
        follows = before is not None and is_next(text, end, line.start("title"))
        end = line.end()
        is_capital = _is_capital_heading(filed)
        is_number = follows and _NUMBER_ALONE.fullmatch(_words(filed)) is not None
        if before and follows and (is_capital or is_number):
            lines += 1
            joined = f"{before.filed} {filed}" if lines <= _MOST_JOINED else before.filed
            headings[-1] = _Heading(before.place, end, joined, is_capital=True)
        elif is_capital or _is_mixed_heading(filed):
            lines = 1
            headings.append(_Heading(line.start("title"), end, filed, is_capital))
            if len(headings) == _MOST_LINES:
                break
    return headings


def _is_capital_heading(line: str) -> bool:
    letters = sum(map(str.isalpha, line))
    return letters >= _LEVEL and line.upper() == line and not _ROW_OR_SENTENCE.search(line)


def _is_mixed_heading(line: str) -> bool:
    words = [long_word for long_word in line.split() if len(long_word) > _LEVEL]
    is_short = len(line) <= _LONGEST and not _ROW_OR_SENTENCE.search(line)
    return is_short and bool(words) and all(word[0].isupper() for word in words)


def _without_repeated(found: Sequence[_Title]) -> list[_Title]:
    """Drop page headers; a title that is repeated after another has no certain position."""
    counts = Counter(title.words for title in found)
    kept = [title for title in found if title.part or counts[title.words] < _REPEATED]
    last: dict[str, int] = {}
    doubtful: set[str] = set()
    for number, title in enumerate(kept):
        if title.name and last.get(title.name, number - 1) != number - 1:
            doubtful.add(title.name)
        last[title.name] = number
    return [title._replace(name="") if title.name in doubtful else title for title in kept]
