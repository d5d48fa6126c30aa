"""Headings of items in the text of a current report."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from ingest.reading.eight_k.names import Item, plain_words
from ingest.reading.sections.line_starts import line_places
from ingest.reading.sections.markup import Markup

_MOST = 2_000  # lines that begin with an item; no report has as many
_TEXT = 800
_OWN_TITLE = 60  # characters
_NUMBER = re.compile(
    r"i ?t ?e ?m ?s?[\s#:]*(?:no\b\.?)?[\s#:]*(?P<number>[0-9]{1,2}(?:\s?\.\s?[0-9]{2}\b)?)"
    r"(?![0-9]|\.[0-9])(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
# The letter of a part of an item ("Item 7(c). Exhibits") is not kept.
_PART = re.compile(r"\s?\([a-z]\)(?=[\s.:–—-])", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s.:;–—―_*|·•\ufffd\u200b-]*")
# After a number these belong to a sentence about an item, or to a list of several.
_REFERRING = re.compile(r"\s*(?:[,;\"”“'’(]|and\b|through\b|to\b|or\b|&)", re.IGNORECASE)
_EMPTY = re.compile(
    r"(?:not applicable|inapplicable|n/a|none\b|no response|omitted)", re.IGNORECASE
)


class Heading(NamedTuple):
    """An item's heading at byte `at` of the document."""

    item: Item
    at: int


def item_headings(markup: Markup, items: Sequence[Item]) -> list[Heading]:
    """The headings of items that the report answers, in order; of an item the first one.

    After its number it has the form's name of the item, or a short title alone on its line.
    """
    by_number = {item.number: item for item in items}
    found: dict[str, Heading] = {}
    for at, before in islice(line_places(markup, markup.numbered(b"item")), _MOST):
        text = "" if before.prefix else markup.after(at, _TEXT)
        match = _NUMBER.match(text)
        item = by_number.get(re.sub(r"\s", "", match["number"])) if match else None
        if match and item and item.number not in found and _answers(item, match["rest"]):
            found[item.number] = Heading(item, at)
    return list(found.values())


def _answers(item: Item, rest: str) -> bool:
    if part := _PART.match(rest):
        rest = rest[part.end() :]
    if _REFERRING.match(rest):
        return False
    rest = rest[_SEPARATORS.match(rest).end() :]  # type: ignore[union-attr]
    title, *lines = [line.strip() for line in rest.split("\n")]
    if title[:1].islower() or not (item.pattern.match(plain_words(rest)) or _is_title(title)):
        return False
    return not any(
        _EMPTY.match(line) for line in lines[: 1 if lines[:1] and lines[0][:1] == "(" else 2]
    )


def _is_title(line: str) -> bool:
    """Whether a short line has a title of the filer's own after an item's number."""
    return 4 <= len(line) <= _OWN_TITLE and line[:1].isupper() and not line.endswith((",", ";"))
