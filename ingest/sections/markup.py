"""A document's bytes read around a few places, without tokenizing all of them.

Offsets are bytes of the document as filed. In HTML a line is what stands between two block tags, a
table cell's too; in plain text and in `<pre>` line ends count as well. All reading is bounded, so
that no document, however made, takes more than its share of time.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from edgar_search.edgar.markup_kind import has_html_tags
from ingest.sections.visible_text import NotOrdinaryError, VisibleText, collapsed
from ingest.sections.words import WordSearch

_MAX_TAG = 4_000  # a longer one is no tag: somebody's `<`
_MAX_PREFIX = 60  # visible bytes before a heading on its line, such as "Part II,"
_PREFIX = b"part"  # what else stands there is running text
_MAX_STEPS = 2_000
_BLANKS = frozenset(b" \t\x0b\x0c\x00\r\n")
_LINE_ENDS = frozenset(b"\r\n")
_CELLS = frozenset({b"td", b"th"})
_BLOCKS = _CELLS | frozenset(
    b"address article blockquote body br caption center dd div dl dt h1 h2 h3 h4 h5 h6 head hr html"
    b" li ol p page pre s c section table tbody text tfoot thead title tr ul".split()
)
# They have no end tag and belong to what stands before them.
_VOID = frozenset({b"br", b"hr", b"page", b"img", b"s", b"c"})
_OUTER = frozenset({b"body", b"html", b"head", b"text"})
_NAME = re.compile(rb"</?([a-z][a-z0-9:]*)")
_PRE = re.compile(rb"<(/?)pre\b")
_SEARCH = WordSearch([b"item", b"part"], others=[b"<pre", b"</pre"])
# What a number may follow: most places of the words are in sentences, and need no further look.
# Markup, entities and letters that are not ASCII may be anything; so may what is written otherwise.
_NUMBERED = {
    b"item": re.compile(rb"(?!item)|item[\0- ]?s?[\0- #:]*[0-9ivxn<&\x80-\xff]"),
    b"part": re.compile(
        rb"(?!part)|part[\0- .-]*(?:[<&\x80-\xff]|[a-z0-9]{1,4}[<&\x80-\xff]"
        rb"|(?:iv|i{1,3}|one|two|three|four|[1-4])(?![a-z0-9_]))"
    ),
}
_BLANK_CHARACTER = re.compile(
    rb"(?:&(?:nbsp|ensp|emsp|thinsp|zwnj|zwj|#32|#160|#9|#819[4-9]|#820[0-5]|#65279|#x0*(?:20|a0|9)"
    rb"|#x200[0-9a-d]|#xfeff);|\xc2\xa0|\xe2\x80[\x80-\x8f]|\xef\xbb\xbf|(?<![\x80-\xff])\xa0)\Z"
)
_TOKEN = re.compile(
    rb"([^<&]{1,400}|<(?![a-z/!?])|&(?!#?[a-z0-9]{1,10};))|&(?=#?[a-z0-9]{1,10};)([#a-z0-9]{1,11};)"
    rb"|</?([a-z0-9:]*)[^<>]{0,4000}>?",
    re.IGNORECASE,
)
_GAPS = {name: "\t" if name in _CELLS else "\n" for name in _BLOCKS}
_SPACES = frozenset({b"nbsp;", b"#160;"})  # most of all entities
_TO_BLANKS = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c\0"), " ")
_TO_LINES = _TO_BLANKS | {10: "\n", 13: "\n"}


class Before(NamedTuple):
    """What a line has before a place on it; None where that is longer than a heading's.

    `start` is where the line's element begins: the markup that opens it belongs to it.
    """

    prefix: str | None
    start: int


class Markup:
    """A document to be read around places; `lower` are its bytes in lower case."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.lower = raw.lower()
        self.html = has_html_tags(raw)
        self._visible = VisibleText(raw, _GAPS)

    @cached_property
    def _found(self) -> dict[bytes, list[int]]:
        return _SEARCH.places(self.lower)

    def numbered(self, word: bytes) -> Iterator[int]:
        """Where "item" or "part" begins, in order, unless surely no number follows."""
        pattern = _NUMBERED[word]
        return (at for at in self._found[word] if pattern.match(self.lower, at))

    @cached_property
    def _pre_edges(self) -> list[int]:
        """Where `<pre>` begins and ends, in turn."""
        edges: list[int] = []
        for at in sorted(self._found[b"<pre"] + self._found[b"</pre"]):
            match = _PRE.match(self.lower, at)
            if match and bool(match[1]) == bool(len(edges) % 2):
                edges.append(at)
        return edges

    def has_lines(self, at: int) -> bool:
        """Whether a line end at this place ends a line."""
        return not self.html or bisect_right(self._pre_edges, at) % 2 == 1

    def after(self, at: int, limit: int, stop: int | None = None) -> str:
        """The visible text from a place: `limit` characters or a few more, none from `stop` on.

        Lines end at "\\n", cells at a tab; other white space is one space.
        """
        end = len(self.raw) if stop is None else stop
        if not self.has_lines(at):
            try:
                return self._visible.after(at, limit, end).strip()
            except NotOrdinaryError:
                pass
        return self._by_token(at, limit, end)

    def is_longer(self, at: int, limit: int, stop: int) -> bool:
        """Whether `after` surely gives `limit` characters; cheaper than to read them."""
        try:
            return not self.has_lines(at) and self._visible.is_longer(at, limit, stop)
        except NotOrdinaryError:
            return False

    def _by_token(self, at: int, limit: int, stop: int) -> str:
        blanks = _TO_LINES if self.has_lines(at) else _TO_BLANKS
        pieces: list[str] = []
        length = 0
        for match in _TOKEN.finditer(self.raw, at, stop):
            text, entity, tag = match.groups()
            if text is not None:
                piece = text.decode("utf-8", errors="replace").translate(blanks)
                length += len(piece) - piece.count("  ")
                if length >= limit:
                    pieces.append(piece)
                    break
            elif entity is not None:
                piece = " " if entity in _SPACES else html.unescape("&" + entity.decode("ascii"))
                piece = " " if piece.isspace() else piece
                length += 1
            else:
                piece = _GAPS.get(tag.lower(), "")
            pieces.append(piece)
        return collapsed("".join(pieces)).strip()

    def before(self, at: int, after_part: bool) -> Before:
        """What stands before a place on its line; with `after_part` a few words may."""
        shown = bytearray()
        start = position = at
        for _ in range(_MAX_STEPS):
            position, kind = self._previous(position)
            if kind == "line":
                prefix = bytes(reversed(shown)).decode("utf-8", errors="replace").strip()
                return Before(prefix, self._element_start(start))
            if kind == "text":
                if not after_part or not (shown or self._after_part(position)):
                    break
                shown.append(self.raw[position])
                start = position
            elif kind == "blank" and shown:
                shown.append(32)
            if len(shown) > _MAX_PREFIX:
                break
        return Before(None, at)

    def _after_part(self, at: int) -> bool:
        return self.lower.find(_PREFIX, max(0, at - 400), at) >= 0

    def _previous(self, position: int) -> tuple[int, str]:
        """Where the token before `position` begins, and what it is."""
        if position == 0:
            return 0, "line"
        last = self.raw[position - 1]
        if last in _BLANKS:
            ends = last in _LINE_ENDS and self.has_lines(position)
            return position - 1, "line" if ends else "blank"
        if last == 62 and (tag := self._tag_before(position)) is not None:
            return tag, "line" if _name(self.lower[tag:position]) in _BLOCKS else "tag"
        if last == 59 or last >= 128:
            blank = _BLANK_CHARACTER.search(self.lower, max(0, position - 9), position)
            if blank is not None:
                return blank.start(), "blank"
        return position - 1, "text"

    def _tag_before(self, position: int) -> int | None:
        """Where the tag or comment begins that ends at `position`."""
        opening = b"<!--" if self.lower.endswith(b"-->", 0, position) else b"<"
        begin = self.lower.rfind(opening, max(0, position - _MAX_TAG), position)
        return begin if begin >= 0 and begin + 1 < position - 1 else None

    def _element_start(self, at: int) -> int:
        """Go back over the markup that opens what stands at `at`, or to the line's beginning."""
        start = at
        for _ in range(_MAX_STEPS):
            if at and self.raw[at - 1] in _BLANKS:
                if self.raw[at - 1] in _LINE_ENDS and self.has_lines(at):
                    return at
                at -= 1
                continue
            tag = self._tag_before(at) if at and self.raw[at - 1] == 62 else None
            if tag is None:
                break
            name = _name(self.lower[tag:at])
            if name in _VOID or name in _OUTER:
                break
            if self.lower.startswith(b"</", tag):
                tag = self._empty_element(tag, name)
                if tag is None:
                    break
            start = at = tag
        return start

    def _empty_element(self, end_tag: int, name: bytes | None) -> int | None:
        """Where an element such as `<a name="x"></a>` begins, None if it is not empty."""
        opening = self._tag_before(end_tag) if self.raw[end_tag - 1 : end_tag] == b">" else None
        if opening is None or name in _BLOCKS:
            return None
        return opening if _name(self.lower[opening:end_tag]) == name else None


def _name(tag: bytes) -> bytes | None:
    match = _NAME.match(tag)
    return match[1] if match else None
