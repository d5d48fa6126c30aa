"""The numbers of inline XBRL in a filed document: concept, period, unit, scale; pure.

They are shown to readers who point at a number. The loader uses a parser for the stored ones; here
a number with unusual markup only lacks a description.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from html import unescape
from itertools import chain, pairwise
from typing import NamedTuple

_NUMBER = re.compile(
    rb"<(/?)ix:nonfraction(?=[\s/>])((?>[^<>\"']|\"[^\"<>]*\"|'[^'<>]*')*)>", re.IGNORECASE
)
_ATTRIBUTE = re.compile(rb"(?<![A-Za-z])([A-Za-z]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_DEFINED = re.compile(rb"<(?:[\w-]++:)?(context|unit)(?=\s)([^<>]*+)>")
_ID = re.compile(rb"\bid\s*+=\s*+[\"']([^\"'<>]++)[\"']")
_DAY = re.compile(
    rb"<(?:[\w-]+:)?(startDate|endDate|instant)[^<>]*>\s*([0-9]{4}-[0-9]{2}-[0-9]{2})"
)
_MEMBER = re.compile(rb"<(?:[\w-]+:)?explicitMember[^<>]*>\s*(?:[\w.-]+:)?([\w.-]+)\s*<")
_MEASURE = re.compile(rb"<(?:[\w-]+:)?measure[^<>]*>\s*(?:[\w.-]+:)?([\w.-]+)\s*<")
_CONCEPT = re.compile(r"[\w-]+:[\w.-]+")
# A context or unit must end within this many bytes.
_MOST_OF_ONE = 8_000
_SCALES = {2: "hundreds", 3: "thousands", 6: "millions", 9: "billions"}


class InlineNumber(NamedTuple):
    """A number at the bytes `start` to `end`, without its tags.

    `opening` and `closing` are the bytes of its tags.
    """

    concept: str
    said: str
    opening: tuple[int, int]
    closing: tuple[int, int]


def defined_words(body: bytes) -> dict[bytes, str]:
    """Describe contexts and units by id: "September 28, 2024", "USD per shares"."""
    descriptions: dict[bytes, str] = {}
    for tag, following in pairwise(chain(_DEFINED.finditer(body), [None])):
        identifier = _ID.search(tag[2]) if tag else None
        if tag is None or identifier is None:
            continue
        behind = following.start() if following else len(body)
        inside = body[tag.end() : min(behind, tag.end() + _MOST_OF_ONE)]
        end = inside.find(b":" + tag[1] + b">")
        inside = inside if end < 0 else inside[:end]
        descriptions[identifier[1]] = _period(inside) if tag[1] == b"context" else _unit(inside)
    return descriptions


def inline_numbers(part: bytes, words: Mapping[bytes, str]) -> Iterator[InlineNumber]:
    """Yield the numbers of a part that are not inside another number, in order.

    `words` describes the document's contexts and units.
    """
    opened: list[re.Match[bytes]] = []
    for tag in _NUMBER.finditer(part):
        if tag[2].endswith(b"/"):
            continue
        if not tag[1]:
            opened.append(tag)
        elif opened:
            begin = opened.pop()
            if not opened and (described := _describe(begin[2], words)) is not None:
                yield InlineNumber(*described, begin.span(), tag.span())


def _describe(attributes: bytes, words: Mapping[bytes, str]) -> tuple[str, str] | None:
    values = {name.lower(): one or two for name, one, two in _ATTRIBUTE.findall(attributes)}
    concept = unescape(values.get(b"name", b"").decode("utf-8", "replace"))
    if _CONCEPT.fullmatch(concept) is None:
        return None
    power = values.get(b"scale", b"")
    scale = _SCALES.get(int(power)) if power.isdigit() and len(power) < _LONGEST_POWER else None
    details = [
        concept,
        words.get(values.get(b"contextref", b""), ""),
        words.get(values.get(b"unitref", b""), ""),
        f"in {scale}" if scale else "",
        "shown without its minus" if values.get(b"sign") == b"-" else "",
    ]
    return concept, " · ".join(detail for detail in details if detail)


_LONGEST_POWER = 3


def _period(context: bytes) -> str:
    days = {name: _day(day) for name, day in _DAY.findall(context)}
    members = [member.decode() for member in _MEMBER.findall(context)]
    if b"instant" in days:
        period = days[b"instant"]
    else:
        period = " to ".join(filter(None, (days.get(b"startDate"), days.get(b"endDate"))))
    return ", ".join(filter(None, (period, *members)))


def _day(day: bytes) -> str:
    try:
        parsed = date.fromisoformat(day.decode())
    except ValueError:
        return ""
    return f"{parsed:%B} {parsed.day}, {parsed.year}"


def _unit(unit: bytes) -> str:
    return " per ".join(measure.decode() for measure in _MEASURE.findall(unit))
