"""Splits a filed document into parts for a viewer, between blocks, never within a table or word.

Pure. Tags are only located, to find where to split and which elements are open there. The parser
that reads a part decides what it shows, so a wrong guess only spoils the layout.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from edgar_search.text.place_map import Span

# The size of a part in bytes: a browser lays it out instantly.
PART_BYTES = 400_000
# A table, or lines of one kind, are split only if a parser would need too much memory for them.
_MOST_UNCUT = 4_000_000
# How many open tags a part may reopen at its start, and how many bytes of them.
_MOST_OPEN, _LONGEST_OPEN = 60, 2_000
_SKIPPED = rb"script|style|title|textarea|xmp|ix:header"
# Elements that continue across blocks.
_LASTING = (
    rb"body|div|center|blockquote|ul|ol|dl|font|span|b|i|u|strong|em|small|big|tt|code|strike|s"
)
_BLOCKS = frozenset(b"p div hr h1 h2 h3 h4 h5 h6 center blockquote ul ol dl li dt dd".split())
_TAG = re.compile(
    rb"<!--|<(?P<skipped>" + _SKIPPED + rb")(?=[\s/>])"
    rb"|<(?P<end>/?)(?P<name>table|pre|p|hr|br|h[1-6]|li|dt|dd|"
    + _LASTING
    + rb")(?=[\s/>])[^<>]*>",
    re.IGNORECASE,
)
_TABLE = re.compile(rb"<(/?)table(?=[\s/>])", re.IGNORECASE)
_ROW = re.compile(rb"<tr(?=[\s/>])", re.IGNORECASE)
_PLAIN_TABLE = re.compile(rb"<(/?)TABLE>", re.IGNORECASE)
_LASTS = re.compile(_LASTING, re.IGNORECASE)
_BODY = re.compile(rb"(?i)^<body")


class FiledPart(NamedTuple):
    """Bytes `start` to `end` of a body; `opening` contains the tags that are open at its start."""

    start: int
    end: int
    opening: bytes = b""


def html_parts(body: bytes, size: int = PART_BYTES) -> list[FiledPart]:
    """Split HTML into parts of at least `size` bytes, except for the last one.

    Parts begin at a block outside of tables. Tables stay whole, up to 4 MB.
    """
    parts: list[FiledPart] = []
    opened: list[tuple[bytes, bytes]] = []
    begin, opening, at = 0, b"", 0

    def cut(place: int, inner: bytes = b"") -> None:
        nonlocal begin, opening
        parts.append(FiledPart(begin, place, opening))
        begin, opening = place, b"".join(tag for _, tag in opened) + inner

    while (tag := _TAG.search(body, at)) is not None:
        at = tag.end()
        if tag["name"] is None:
            closing = b"</" + tag["skipped"] if tag["skipped"] else b"-->"
            at = _behind(body, closing, at)
            continue
        name, ends, long = tag["name"].lower(), bool(tag["end"]), tag.start() - begin >= size
        if ends:
            for number in range(len(opened) - 1, -1, -1):
                if opened[number][0] == name:
                    del opened[number]
                    break
        elif name == b"table":
            if long:
                cut(tag.start())
            at = _table_end(body, at)
            for row in _cuts_between_rows(body, tag.end(), at):
                cut(row, tag[0])
        elif name == b"pre":
            if long:
                cut(tag.start())
            at = _behind(body, b"</pre", at)
            while at - begin > size and 0 < (line := body.find(b"\n", begin + size, at) + 1) < at:
                cut(line, tag[0])
        else:
            if long and (name in _BLOCKS or (name == b"br" and tag.start() - begin >= 2 * size)):
                cut(tag.start())
            is_short = len(tag[0]) <= _LONGEST_OPEN
            if _LASTS.fullmatch(name) and is_short and len(opened) < _MOST_OPEN:
                opened.append((name, _BODY.sub(b"<div", tag[0])))
    parts.append(FiledPart(begin, len(body), opening))
    return parts


def plain_parts(body: bytes, size: int = PART_BYTES) -> list[FiledPart]:
    """Split lines into parts of at least `size` bytes, except for the last one.

    Text between <TABLE> and </TABLE> stays whole, up to 4 MB. A body without lines is split after a
    tag or a blank.
    """
    tables = _tables_of_lines(body)
    start = end = 0
    parts: list[FiledPart] = []
    begin = 0
    while len(body) - begin > size:
        place = begin + size
        while end <= place and (table := next(tables, None)) is not None:
            start, end = table
        if start < place < end and end - begin < _MOST_UNCUT:
            place = end
        places = [
            cut + 1
            for sign in (b"\n", b"\r", b">", b" ")
            if (cut := body.find(sign, place - 1, place + size)) >= 0
        ]
        place = places[0] if places else place
        if place >= len(body):
            break
        parts.append(FiledPart(begin, place))
        begin = place
    parts.append(FiledPart(begin, len(body)))
    return parts


def _behind(body: bytes, closing: bytes, at: int) -> int:
    """Return the position after the end of an element or comment, or the end of the body."""
    end = re.compile(re.escape(closing), re.IGNORECASE).search(body, at)
    return end.end() if end else len(body)


def _table_end(body: bytes, at: int) -> int:
    depth = 1
    for tag in _TABLE.finditer(body, at):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    return len(body)


def _cuts_between_rows(body: bytes, start: int, end: int) -> Iterator[int]:
    while end - start > _MOST_UNCUT:
        row = _ROW.search(body, start + _MOST_UNCUT, end)
        if row is None:
            return
        start = row.start()
        yield start


def _tables_of_lines(body: bytes) -> Iterator[Span]:
    start = -1
    for tag in _PLAIN_TABLE.finditer(body):
        if not tag[1]:
            start = tag.start()
        elif start >= 0:
            yield start, tag.end()
            start = -1


# Elements with optional end tags: they are nested no deeper than their container.
_UNCOUNTED = frozenset(
    b"p br hr img td th tr thead tbody tfoot col li dt dd option meta link input area wbr".split()
)
# Far more than a report uses, and few enough for a parser that visits all open elements.
_MOST_NESTED, _MOST_FORMATS = 400, 60
# A parser reopens unclosed formatting elements in each block. Reports have few open at once; if
# their sum over all tags of a part exceeds this, its formatting is dropped.
_FEW_FORMATS, _MOST_REPEATED = 8, 200_000
_FORMATS = frozenset(b"a b big code em font i nobr s small strike strong tt u".split())
_ANY_TAG = re.compile(rb"<(/?)([A-Za-z][^\s/<>]*+)[^<>]*+>")
_LONGEST_TAG = 10_000  # a parser compares each attribute with all others


def without_depth(part: bytes) -> bytes:
    """Drop the tags of elements in a part of HTML that are nested too deeply.

    Tags longer than in any report are dropped too.
    """
    depth = formats = repeated = 0

    def kept(tag: re.Match[bytes]) -> bytes:
        nonlocal depth, formats, repeated
        name = tag[2].lower()
        if len(tag[0]) > _LONGEST_TAG:
            return b""
        step = -1 if tag[1] else 1
        if name in _FORMATS:
            formats = max(0, formats + step)
            return tag[0] if formats <= _MOST_FORMATS else b""
        repeated += max(0, min(formats, _MOST_FORMATS) - _FEW_FORMATS)
        if name in _UNCOUNTED:
            return tag[0]
        depth = max(0, depth + step)
        return tag[0] if depth <= _MOST_NESTED else b""

    shallow = _ANY_TAG.sub(kept, part)
    if repeated <= _MOST_REPEATED:
        return shallow
    return _ANY_TAG.sub(lambda tag: b"" if tag[2].lower() in _FORMATS else tag[0], shallow)


_AMPERSAND = re.compile(
    r"&(?!(?:nbsp|amp|lt|gt|quot|#[0-9]{1,7});)(?:#?[A-Za-z0-9]{1,32}+;?)?", re.ASCII
)


def with_written_ampersands(html: str) -> str:
    """Replace each ampersand in HTML that does not begin a reference by `&amp;`.

    A parser backtracks after each of them, in time that grows with the text that follows.
    """
    return _AMPERSAND.sub(_write_ampersand, html)


def _write_ampersand(match: re.Match[str]) -> str:
    return _written(match[0])


@lru_cache(1_000)
def _written(reference: str) -> str:
    return reference if unescape(reference) != reference else f"&amp;{reference[1:]}"
