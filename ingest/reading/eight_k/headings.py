"""Headings of items in the text of a current report."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ingest.reading.eight_k.names import Item, plain_words
from ingest.reading.sections.boundaries import exhibit_index_places, signature_places
from ingest.reading.sections.line_starts import line_places
from ingest.reading.sections.markup import Markup

_MOST = 2_000  # lines that begin with an item; no report has as many
_TEXT = 800
_OWN_TITLE = 60  # characters
_ENTRY, _LAST_ENTRY = 400, 2_500  # characters of an entry of a table of contents, and of its last
_BESIDE_NAME = (
    25  # letters that an entry has beside the form's name: "Item", "page", a filer's word
)
_COVER = 20_000  # bytes in which the cover's last line is looked for
# The form's last line on its cover.
_COVER_ENDS = re.compile(rb"changed\s+since\s+(?:the\s+)?last\s+report", re.IGNORECASE)
_EXHIBITS = frozenset({"7", "9.01"})
_DIGITS = r"[0-9]{1,2}(?:\s?\.\s?[0-9]{2})?(?![0-9]|\.[0-9])"
_NUMBER = re.compile(
    rf"i ?t ?e ?m ?s?[\s#:]*(?:no\b\.?)?[\s#:]*(?P<number>{_DIGITS})(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# The letters of parts of an item ("Item 7(c). Exhibits") are not kept.
_PART = re.compile(
    r"\s?\([a-z]\)(?:\s?(?:,|&|and\b)?\s?\([a-z]\)){0,8}(?=[\s.:–—-])", re.IGNORECASE
)
_FURTHER = re.compile(
    rf"[\s.]*(?:,\s*and\b|,|;|and\b|&|/)\s*(?:items?\s*)?(?P<number>{_DIGITS})", re.IGNORECASE
)
# An item that a heading names after the title of the first.
_JOINED = re.compile(
    rf"(?:\band\b|[;,/&.–—-])\s*items?\s*(?P<number>{_DIGITS})(?P<rest>[^\n]*)", re.IGNORECASE
)
_SEPARATORS = re.compile(r"[\s.:;–—―_*|·•\ufffd\u200b-]*")
# After a number these belong to a sentence about an item, or to a list of several.
_REFERRING = re.compile(r"\s*(?:[,;\"”“'’(]|and\b|through\b|to\b|or\b|&)", re.IGNORECASE)
_EMPTY = re.compile(
    r"(?:not applicable|inapplicable|n/a|none\b|no response|omitted)", re.IGNORECASE
)


class Heading(NamedTuple):
    """An item's heading at byte `at`; `named` tells that it has the form's name of the item."""

    item: Item
    at: int
    named: bool


def item_headings(markup: Markup, items: Sequence[Item]) -> list[Heading]:
    """The headings of items that the report answers, in order; of an item the first one.

    After its number it has the form's name of the item, or a short title alone on its line. The
    cover, a table of contents and a list of exhibits have none.
    """
    by_number = {item.number: item for item in items}
    found = _after_cover(markup, list(_answered(markup, by_number)))
    found = _without_exhibits(markup, _after_contents(markup, found))
    first: dict[str, Heading] = {}
    for heading in found:
        first.setdefault(heading.item.number, heading)
    return list(first.values())


def _answered(markup: Markup, items: dict[str, Item]) -> Iterator[Heading]:
    for at, before in islice(line_places(markup, markup.numbered(b"item")), _MOST):
        text = "" if before.prefix else markup.after(at, _TEXT)
        for item, named in _named_items(text, items):
            yield Heading(item, at, named)


def _after_cover(markup: Markup, headings: list[Heading]) -> list[Heading]:
    """Leave out the lines of the cover, if there are headings after it."""
    cover = _COVER_ENDS.search(markup.raw, 0, _COVER)
    after = [heading for heading in headings if cover and heading.at > cover.end()]
    return after or headings


def _after_contents(markup: Markup, headings: list[Heading]) -> list[Heading]:
    """Leave out the entries of a table of contents that the report begins with.

    Its headings follow: at least one entry occurs again, and the others are titles and no more.
    """
    numbers = [heading.item.number for heading in headings]
    again = next((at for at, number in enumerate(numbers) if number in numbers[:at]), 0)
    for place in range(again):
        limit = _LAST_ENTRY if place + 1 == again else _ENTRY
        entry = markup.between(headings[place].at, headings[place + 1].at, limit)
        if entry is None:
            return headings
        if numbers[place] not in numbers[again:]:
            name = headings[place].item.name
            if _letters(entry) > _letters(name) + _BESIDE_NAME:
                return headings
    return headings[again:]


def _without_exhibits(markup: Markup, headings: list[Heading]) -> list[Heading]:
    """Leave out entries of a list of exhibits, which name no item of the form.

    They follow the item of exhibits, an index of exhibits, or the signatures.
    """
    begin = headings[0].at if headings else 0
    lists = [heading.at for heading in headings if heading.item.number in _EXHIBITS]
    lists += exhibit_index_places(markup, begin) + signature_places(markup, begin)
    first = min(lists, default=len(markup.raw))
    return [heading for heading in headings if heading.named or heading.at <= first]


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _named_items(text: str, items: dict[str, Item]) -> list[tuple[Item, bool]]:
    """The items that a line is a heading of, each with whether the form's name is there."""
    match = _NUMBER.match(text)
    if match is None:
        return []
    numbers, rest = [_bare(match["number"])], match["rest"]
    if part := _PART.match(rest):
        rest = rest[part.end() :]
    while further := _FURTHER.match(rest):
        numbers.append(_bare(further["number"]))
        rest = rest[further.end() :]
    asked = [items[number] for number in numbers if number in items]
    if not asked or _REFERRING.match(rest):
        return []
    rest = rest[_SEPARATORS.match(rest).end() :]  # type: ignore[union-attr]
    title, *lines = [line.strip() for line in rest.split("\n")]
    named = any(item.pattern.match(plain_words(rest)) for item in asked)
    alone = len(numbers) == 1 and _is_title(title)
    if title[:1].islower() or not (named or alone) or _is_unanswered(lines):
        return []
    return [(item, named) for item in asked] + list(_joined(rest, items))


def _joined(rest: str, items: dict[str, Item]) -> Iterator[tuple[Item, bool]]:
    """The items that stand with their names behind that of the first."""
    for match in _JOINED.finditer(rest.split("\n")[0]):
        item = items.get(_bare(match["number"]))
        if item is not None and item.pattern.match(plain_words(match["rest"])):
            yield item, True


def _bare(number: str) -> str:
    return re.sub(r"\s", "", number)


def _is_unanswered(lines: list[str]) -> bool:
    """Whether what follows a heading says that there is nothing; a note may come before."""
    return any(
        _EMPTY.match(line) for line in lines[: 1 if lines[:1] and lines[0][:1] == "(" else 2]
    )


def _is_title(line: str) -> bool:
    """Whether a short line has a title of the filer's own after an item's number."""
    return 4 <= len(line) <= _OWN_TITLE and line[:1].isupper() and not line.endswith((",", ";"))
