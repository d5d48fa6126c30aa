"""What may be the heading of an item: lines that begin with its number."""

import re
from typing import NamedTuple

from ingest.reading.sections.boundaries import part_number
from ingest.reading.sections.line_starts import line_places
from ingest.reading.sections.markup import Markup

# Twice as many as any report has; more come from a document that is none.
MAX_HEADINGS = 5_000
_TEXT = 320  # characters of a heading that are looked at

_ITEM = re.compile(
    r"i ?t ?e ?m ?(?P<plural>s)?[\s#:]*(?:no\b\.?|numbers?\b)?[\s#:]*"
    r"(?P<number>[0-9]{1,2}|[ivx]{1,4})(?P<rest>(?![0-9]|\.[0-9]).*)",
    re.IGNORECASE | re.DOTALL,
)
# A letter belongs to the number where it is attached to it, in parentheses, or stands alone.
_LETTER = re.compile(
    r"[\s.\-–—]{0,3}(?:\((?P<wrapped>[a-d])\)|(?P<attached>(?<![\s.\-–—])[a-d]|(?<=[\s.\-–—])[a-d])"
    r"(?![a-su-z0-9'’]|t[a-z0-9]))(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# What the number of an item goes on with where it is temporary or in two: 9A(T), 4T, 9A(I).
_SUFFIX = re.compile(r"[\s.]{0,2}[(\[](?P<wrapped>t|i{1,3})[)\]]|\s?t(?![a-z])", re.IGNORECASE)
_FURTHER = re.compile(
    r"[\s.]*(?:,\s*and\b|,|and\b|&|/|(?P<to>through\b|to\b|-|–|—))\s*(?:items?\s*)?"
    r"(?P<number>[0-9]{1,2}\s?[a-d]?)(?![a-z0-9]|\.[0-9])",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"(?:[\s.:;\-–—――_*|·•\ufffd\u200b]|\)(?!\s*\())*")
# After a number these belong to a sentence about an item.
_REFERRING = re.compile(
    r"\s*[,;\"”“'’(\[](?!\s*(?:t\)|reserved|removed|unaudited|omitted|intention))", re.IGNORECASE
)
_CONTINUED = re.compile(r"\bcont(?:inued|inuation|'d|’d|d|\.)|\bconcluded\b", re.IGNORECASE)
_PART_PREFIX = re.compile(
    r"part\W*(?P<number>iv|i{1,3}|one|two|three|four|[1-4])\b"
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

    `numbers` are the items that it names ("1", "2" of a combined one), `start` and `at` the bytes
    where its element and its first letter are, `part` what stands before it on its line, `rest`
    the text after the number. `further` tells that it is a further part of an item ("9A(T)" beside
    "9A", "9A(II)"), `attached` that a letter stands at the first number without parentheses.
    """

    numbers: tuple[str, ...]
    start: int
    at: int
    part: int | None
    rest: str
    further: bool = False
    attached: bool = False


def item_headings(markup: Markup) -> list[Heading]:
    """The lines of a document that begin with an item's number, in order."""
    found: list[Heading] = []
    for at, before in line_places(markup, markup.numbered(b"item"), after_part=True):
        part = _PART_PREFIX.fullmatch(before.prefix or "")
        if before.prefix and part is None:
            continue
        parsed = _parsed(markup.after(at, _TEXT))
        if parsed is not None:
            number = part_number(part["number"]) if part else None
            found.append(parsed._replace(start=before.start, at=at, part=number))
            if len(found) == MAX_HEADINGS:
                break
    return found


def _parsed(text: str) -> Heading | None:
    """What a line that begins with an item says, without its places; None for a sentence."""
    match = _ITEM.match(text)
    if match is None:
        return None
    number = match["number"].lower()
    first = str(_ROMAN.get(number, 0)) if number.isalpha() else str(int(number))
    rest = match["rest"]
    letter = _LETTER.match(rest)
    if letter:
        first += (letter["wrapped"] or letter["attached"]).upper()
        rest = letter["rest"]
    suffix = _SUFFIX.match(rest)
    if suffix:
        rest = rest[suffix.end() :]
    numbers = [first]
    while further := _FURTHER.match(rest):
        numbers += _named(numbers[-1], re.sub(r"\s", "", further["number"]).upper(), further["to"])
        rest = rest[further.end() :]
    if _REFERRING.match(rest):
        return None
    rest = rest[_SEPARATORS.match(rest).end() :]  # type: ignore[union-attr]
    head = rest[:160].split("\n")[0]
    if rest[:1].islower() or _CONTINUED.search(head):
        return None
    further_part = suffix is not None and (suffix["wrapped"] or "").lower() != "i"
    attached = letter is not None and letter["attached"] is not None
    return Heading(tuple(numbers), 0, 0, None, rest, further_part, attached)


def _named(last: str, number: str, to: str | None) -> list[str]:
    """The items that "3, 4" or "3 to 6" adds to its first."""
    if to and last.isdecimal() and number.isdecimal():
        return [str(each) for each in range(int(last) + 1, int(number) + 1)]
    return [number]
