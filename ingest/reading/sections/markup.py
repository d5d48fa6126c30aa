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

from edgar_search.edgar.media_type import has_html_tags
from ingest.reading.html_elements import CELLS
from ingest.reading.sections.tags import LINE_ENDS
from ingest.reading.sections.visible_text import VisibleText, collapsed
from ingest.reading.sections.words import WordSearch
from ingest.reading.text.tag_brackets import NotOrdinaryError

_PRE = re.compile(rb"<(/?)pre\b")
_SEARCH = WordSearch([b"item", b"part"], others=[b"<pre", b"</pre"])
# What may follow the words in a heading, as far as bytes mean themselves: a number, and behind a
# part's the line's end or the first letter of its title. Most places are in sentences, and need no
# further look. Markup, entities and letters that are not ASCII may be anything, and a word that is
# written otherwise may go on in any way.
_NUMBERED = {
    b"item": re.compile(rb"(?!item)|item[\0- ]?s?[\0- #:]*[0-9ivxn<&\x80-\xff]"),
    b"part": re.compile(
        rb"(?!part)|part[\0- .-]*(?:[<&\x80-\xff]|[a-z0-9]{1,4}[<&\x80-\xff]"
        rb"|(?:iv|i{1,3}|one|two|three|four|[1-4])(?![a-z0-9_])"
        rb"[^a-z0-9<&\x80-\xff\r\n]*(?:[fo<&\x80-\xff\r\n]|\Z))"
    ),
}
_TOKEN = re.compile(
    rb"([^<&]{1,400}|<(?![a-z/!?])|&(?!#?[a-z0-9]{1,10};))|&(?=#?[a-z0-9]{1,10};)([#a-z0-9]{1,11};)"
    rb"|</?([a-z0-9:]*)[^<>]{0,4000}>?",
    re.IGNORECASE,
)
_GAPS = {name: "\t" if name in CELLS else "\n" for name in LINE_ENDS}
_SPACES = frozenset({b"nbsp;", b"#160;"})  # most of all entities
_TO_BLANKS = dict.fromkeys(map(ord, "\t\n\r\x0b\x0c\0"), " ")
_TO_LINES = _TO_BLANKS | {10: "\n", 13: "\n"}


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

    @property
    def items(self) -> list[int]:
        """Where "item" begins, in order, whatever follows."""
        return self._found[b"item"]

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

    def between(self, at: int, stop: int, limit: int) -> str | None:
        """The visible text from `at` to `stop`, None where that has `limit` characters or more."""
        text: str | None
        if self.has_lines(at):
            text = self._by_token(at, limit, stop)
        else:
            try:
                text = self._visible.between(at, stop, limit)
            except NotOrdinaryError:
                text = self._by_token(at, limit, stop)
        return text.strip() if text is not None and len(text) < limit else None

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
