"""Which items of a form a heading is of: by their numbers and titles."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.reading.sections.forms import Form
from ingest.reading.sections.headings import Heading

# What goes on in small letters after a title is a sentence that refers to the item.
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
# The line of a heading, with those that it goes on in: "Business", "and", "Item 2. Properties".
_LINE = re.compile(
    r"(?:[^\n]*?(?:\band|&|,|/|items? [0-9]{1,2}[a-d]?\.?)[ \t]*\n|[^\n]*\n(?=and\b|&)){0,4}[^\n]*",
    re.IGNORECASE,
)


class Named(NamedTuple):
    """The items of a heading: the place of the first in the form, their numbers and titles.

    `known` tells whether the heading has the form's title, `lines` on how many lines it stands.
    """

    place: int
    numbers: tuple[str, ...]
    title: str
    known: bool
    lines: int = 1


def named(form: Form, heading: Heading, part: int | None) -> Named | None:
    """The items of the form that a heading is of; None if it is of none, or begins a sentence."""
    words = _words(heading.rest)
    first = None
    for place, item in enumerate(form.items):
        if item.number != heading.numbers[0]:
            continue
        for pattern, title in item.titles:
            if match := pattern.match(words):
                return _known(
                    form, heading, Named(place, heading.numbers, title, True), match.end()
                )
        if first is None or (form.parts_in_ids and item.part == part):
            first = place
    if first is None or not titled(heading) or (form.parts_in_ids and part is None):
        return None
    if form.parts_in_ids and form.items[first].part != part:
        return None
    return Named(first, heading.numbers, form.items[first].titles[0][1], False)


def titled(heading: Heading) -> bool:
    """Whether a title of whatever kind stands alone on the heading's line."""
    line = heading.rest.lstrip().split("\n")[0]
    return 3 <= len(line) <= 120 and line[:1].isupper() and not line.rstrip().endswith((",", ";"))


def _known(form: Form, heading: Heading, first: Named, end: int) -> Named | None:
    """With the other items that the heading names after the first's title, which ends at `end`."""
    line = _LINE.match(heading.rest)[0]  # type: ignore[index]
    if len(first.numbers) > 1 or _DIGIT.search(line):
        joined = _joined(form, first, line, end)
        if joined is not None:
            return joined
    words = _words(heading.rest.split("\n")[0])
    refers = end <= len(words) and _SENTENCE.match(words, end)
    return None if refers else first


def _joined(form: Form, first: Named, line: str, end: int) -> Named | None:
    """The items of "Business and Item 2. Properties", or of "Business and Properties"."""
    words = _words(line)
    last, numbers, titles = first.place, list(first.numbers), [first.title]
    for join in _JOINS.finditer(words, end):
        number = _NUMBER.match(words, join.end())
        wanted = [_written(number)] if number else numbers
        at = number.end() if number else join.end()
        found = _titled_item(form, wanted, words, at, last) if join.start() >= end else None
        if found is not None:
            last, title, end = found
            titles.append(title)
            if number:
                numbers += wanted
    if len(titles) == 1 or _SENTENCE.match(words, end):
        return None
    numbers = list(dict.fromkeys(numbers))
    return Named(first.place, tuple(numbers), "; ".join(titles), True, 1 + line.count("\n"))


def _written(number: re.Match[str]) -> str:
    return number["number"] + (number["letter"] or "").upper()


def _titled_item(
    form: Form, numbers: Sequence[str], words: str, at: int, after: int
) -> tuple[int, str, int] | None:
    """The place of one of these items whose title stands at `at`, its title, and where that ends.

    It is behind the item `after`, in the same part.
    """
    for place in range(after + 1, len(form.items)):
        item = form.items[place]
        if item.number in numbers and item.part == form.items[after].part:
            for pattern, title in item.titles:
                if match := pattern.match(words, at):
                    return place, title, match.end()
    return None


def _words(text: str) -> str:
    """In lower case, one space between; of all marks only what ends a title is left, as "."."""
    text = text[:_TITLE_CHARACTERS].lower()
    if "&" in text:
        text = text.replace("&", " and ")
    if "-" in text:
        text = _DASHES.sub(" . ", text)
    for mark in _TITLE_ENDS:
        text = text.replace(mark, " . ")
    return " ".join(_WORD.findall(text))
