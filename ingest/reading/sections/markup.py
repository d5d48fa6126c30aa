"""A document's bytes read around a few places, without tokenizing all of them.

Offsets are bytes of the document as filed. In HTML a line is the text between two block tags, those
of table cells included; in plain text and in `<pre>` line ends count as well. All reading is
bounded, so that no document, however made, takes more than its share of time.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, MatchKind

from edgar_search.edgar.media_type import has_html_tags
from edgar_search.text.html_tags import (
    BLOCKS,
    CELLS,
    EDGAR_MARKS,
    EDGAR_TEXT,
    PAGE_PARTS,
    VOID,
    NotOrdinaryError,
)
from ingest.reading.sections.visible_text import VisibleText, collapsed

LINE_ENDS = BLOCKS | PAGE_PARTS | EDGAR_MARKS | EDGAR_TEXT | {b"br", b"pre"}
# They have no end tag and belong to the text before them.
ATTACHED = VOID | EDGAR_MARKS
OUTER = PAGE_PARTS - {b"title"} | EDGAR_TEXT | {b"html"}


_MOST = 50_000  # places of a word; a report has some hundreds
_CHUNK = 1 << 16  # bytes that are searched at once: all matches in them are made into objects
_MAX_TAGS, _MAX_TAG_IN_WORD = 8, 1_500  # between the two halves of a word


class _Way(NamedTuple):
    """A way to write a word; `needle` is searched, of a split word its second half.

    `head` is the first half, which is before the tags that split the word.
    """

    word: bytes
    needle: bytes
    head: bytes = b""


class WordSearch:
    """A search for words in lower case, and for `others`, which are found as they are.

    A word may be spaced out ("I T E M", "I tem") or split between two elements anywhere but before
    its last letter, as small capitals are written. Raises ValueError for words that may overlap, as
    the end of "ind<b>ex" and "exhibit" do: they need a search each.
    """

    def __init__(self, words: Sequence[bytes], others: Sequence[bytes] = ()) -> None:
        self._ways = [way for word in words for way in _ways(word)]
        self._ways += [_Way(other, other) for other in others]
        needles = [way.needle for way in self._ways]
        if any(_may_overlap(one, other) for one in needles for other in needles):
            raise ValueError(f"matches may overlap, search for each alone: {words!r}")
        # No matches overlap, so the kind of match changes nothing but the speed: only this one
        # looks at 16 or 32 bytes at once: a tenth of the time of one `find` for each needle.
        self._search = BytesAhoCorasick(needles, matchkind=MatchKind.LeftmostFirst)
        self._overlap = max(map(len, needles)) - 1

    def places(self, lower: bytes, start: int = 0) -> dict[bytes, list[int]]:
        """Return the places from `start` on where each word begins, in order."""
        counts = dict.fromkeys((way.word for way in self._ways), 0)
        found: dict[bytes, list[int]] = {word: [] for word in counts}
        for number, begin in self._matches(lower, start):
            word, _, head = self._ways[number]
            counts[word] += 1
            if counts[word] > _MOST:
                continue
            at = _split_before(lower, begin + 1, head) if head else begin
            if at is not None and at >= start and not _amid_word(lower, at):
                found[word].append(at)
        return {word: sorted(places) for word, places in found.items()}

    def _matches(self, lower: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Yield the number of the way, and the byte where its needle begins."""
        view = memoryview(lower)
        for offset in range(start, len(lower), _CHUNK):
            chunk = view[offset : offset + _CHUNK + self._overlap]
            for number, begin, _ in self._search.find_matches_as_indexes(chunk):
                if begin < _CHUNK:
                    yield number, offset + begin


def _may_overlap(one: bytes, other: bytes) -> bool:
    """True if `other` may begin inside `one`, or at the same place."""
    begins = range(one == other, len(one))
    return any(other.startswith(one[at:]) or one.startswith(other, at) for at in begins)


def _ways(word: bytes) -> Iterator[_Way]:
    yield _Way(word, word)
    yield _Way(word, word[:1] + b" " + word[1:])
    yield _Way(word, b" ".join([word[i : i + 1] for i in range(len(word))]))
    for length in range(1, len(word) - 1):
        yield _Way(word, b">" + word[length:], word[:length])


def _amid_word(lower: bytes, at: int) -> bool:
    return lower[at : at + 1].isalnum() and lower[max(0, at - 1) : at].isalnum()


def _split_before(lower: bytes, end: int, head: bytes) -> int | None:
    """Return the place of `head` if only tags are between it and `end`."""
    for _ in range(_MAX_TAGS):
        end = lower.rfind(b"<", max(0, end - _MAX_TAG_IN_WORD), end)
        if end < 0:
            return None
        if lower.endswith(head, 0, end):
            return end - len(head)
        if lower[end - 1 : end] != b">":
            return None
    return None


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
        """The places where "item" begins, in order, whatever follows."""
        return self._found[b"item"]

    def numbered(self, word: bytes) -> Iterator[int]:
        """Yield the places where "item" or "part" begins and a number may follow, in order."""
        pattern = _NUMBERED[word]
        return (at for at in self._found[word] if pattern.match(self.lower, at))

    @cached_property
    def _pre_edges(self) -> list[int]:
        """The places where `<pre>` begins and ends, in turn."""
        edges: list[int] = []
        for at in sorted(self._found[b"<pre"] + self._found[b"</pre"]):
            match = _PRE.match(self.lower, at)
            if match and bool(match[1]) == bool(len(edges) % 2):
                edges.append(at)
        return edges

    def has_lines(self, at: int) -> bool:
        """True if a line end at this place ends a line."""
        return not self.html or bisect_right(self._pre_edges, at) % 2 == 1

    def after(self, at: int, limit: int, stop: int | None = None) -> str:
        """Return the visible text from a place: about `limit` characters, none from `stop` on.

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
        """Return the visible text from `at` to `stop`, None if it reaches `limit` characters."""
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


_MOST_LINES = 10_000  # that begin with a word; to read what follows takes half a millisecond
_MAX_PREFIX = 60  # visible bytes before a heading on its line, such as "Part II,"
_PREFIX = b"part"  # another word there is running text
_PREFIX_BYTES = 400  # from its beginning on, with its markup
_MAX_STEPS = 2_000
_MAX_TAG = 4_000  # a longer one is not a tag but somebody's `<`
_NAME = re.compile(rb"</?([a-z][a-z0-9:]*)")
_BLANKS = b" \t\x0b\x0c\x00\r\n"
_MOST_BLANKS = 80  # that are read at once
_BLANK_CHARACTER = re.compile(
    rb"(?:&(?:nbsp|ensp|emsp|thinsp|zwnj|zwj|#32|#160|#9|#819[4-9]|#820[0-5]|#65279|#x0*(?:20|a0|9)"
    rb"|#x200[0-9a-d]|#xfeff);|\xc2\xa0|\xe2\x80[\x80-\x8f]|\xef\xbb\xbf|(?<![\x80-\xff])\xa0)\Z"
)


class LineStart(NamedTuple):
    """The text of a line before a place on it; None if it is longer than a heading's.

    `start` is the beginning of the line's element, with the markup that opens it.
    """

    prefix: str | None
    start: int


def line_places(
    markup: Markup, places: Iterable[int], after_part: bool = False
) -> Iterator[tuple[int, LineStart]]:
    """Yield the places that begin a line; with `after_part` also those after a part's number."""
    return islice(_line_places(markup, places, after_part), _MOST_LINES)


def _line_places(
    markup: Markup, places: Iterable[int], after_part: bool
) -> Iterator[tuple[int, LineStart]]:
    for at in places:
        before = _before(markup, at, after_part)
        if before.prefix is not None and not _amid_sentence(markup, before.start):
            yield at, before


def _amid_sentence(markup: Markup, start: int) -> bool:
    """True if a line of plain text continues the sentence of the line before it."""
    if not markup.has_lines(start):
        return False
    end = start - 1
    if markup.raw[end - 1 : end + 1] == b"\r\n":
        end -= 1
    window = markup.raw[max(0, end - 400) : max(0, end)]
    line = re.split(rb"[\r\n]", window)[-1].strip()
    return len(line) >= 40 and line[-1:] not in b">.:;!?)*-=_"


def _before(markup: Markup, at: int, after_part: bool) -> LineStart:
    """Read the line before a place; with `after_part` a few words may be there."""
    lines = markup.has_lines(at)  # so it is up to the line's beginning: `<pre>` begins one
    shown = bytearray()
    start = position = at
    for _ in range(_MAX_STEPS):
        position, kind = _previous(markup, position, lines)
        if kind == "line":
            prefix = bytes(reversed(shown)).decode("utf-8", errors="replace").strip()
            return LineStart(prefix, _element_start(markup, start))
        if kind == "text":
            if not after_part or not (shown or _after_part(markup, position)):
                break
            shown.append(markup.raw[position])
            start = position
        elif kind == "blank" and shown:
            shown.append(32)
        if len(shown) > _MAX_PREFIX:
            break
    return LineStart(None, at)


def _after_part(markup: Markup, at: int) -> bool:
    return markup.lower.find(_PREFIX, max(0, at - _PREFIX_BYTES), at) >= 0


def _previous(markup: Markup, position: int, lines: bool) -> tuple[int, str]:
    """Return the beginning and kind of the token before `position`; `lines`: line ends count."""
    if position == 0:
        return 0, "line"
    last = markup.raw[position - 1]
    if last in _BLANKS:
        begin = _blanks_begin(markup.raw, position)
        ends = lines and _last_line_end(markup.raw, begin, position)
        return begin, "line" if ends else "blank"
    if last == 62 and (tag := _tag_before(markup.lower, position)) is not None:
        return tag, "line" if _tag_name(markup.lower, tag, position) in LINE_ENDS else "tag"
    if last == 59 or last >= 128:
        blank = _BLANK_CHARACTER.search(markup.lower, max(0, position - 9), position)
        if blank is not None:
            return blank.start(), "blank"
    return position - 1, "text"


def _blanks_begin(raw: bytes, position: int) -> int:
    window = raw[max(0, position - _MOST_BLANKS) : position]
    return position - len(window) + len(window.rstrip(_BLANKS))


def _last_line_end(raw: bytes, start: int, end: int) -> int:
    """Return the place after the last line end from `start` to `end`, 0 if there is none."""
    return max(raw.rfind(b"\n", start, end), raw.rfind(b"\r", start, end)) + 1


def _element_start(markup: Markup, at: int) -> int:
    """Go back over the markup that opens the element at `at`, or to the line's beginning."""
    start = at
    for _ in range(_MAX_STEPS):
        if at and markup.raw[at - 1] in _BLANKS:
            begin = _blanks_begin(markup.raw, at)
            if markup.has_lines(at) and (line_end := _last_line_end(markup.raw, begin, at)):
                return line_end
            at = begin
            continue
        tag = _opening(markup, at)
        if tag is None:
            break
        start = at = tag
    return start


def _opening(markup: Markup, at: int) -> int | None:
    """Return the beginning of the element that the tag before `at` opens, perhaps an empty one."""
    tag = _tag_before(markup.lower, at)
    if tag is None:
        return None
    name = _tag_name(markup.lower, tag, at)
    if name in ATTACHED or name in OUTER:
        return None
    return _empty_element(markup, tag, name) if markup.lower.startswith(b"</", tag) else tag


def _empty_element(markup: Markup, end_tag: int, name: bytes | None) -> int | None:
    """Return the beginning of an element such as `<a name="x"></a>`, None if it is not empty."""
    opening = None if name in LINE_ENDS else _tag_before(markup.lower, end_tag)
    if opening is None:
        return None
    return opening if _tag_name(markup.lower, opening, end_tag) == name else None


def _tag_name(lower: bytes, start: int, end: int) -> bytes | None:
    """Return the name of the tag from `start` to `end`, None for a comment and the like."""
    match = _NAME.match(lower, start, end)
    return match[1] if match else None


def _tag_before(lower: bytes, position: int) -> int | None:
    """Return the beginning of the tag or comment that ends at `position`, or None."""
    if not lower.endswith(b">", 0, position):
        return None
    opening = b"<!--" if lower.endswith(b"-->", 0, position) else b"<"
    begin = lower.rfind(opening, max(0, position - _MAX_TAG), position)
    return begin if begin >= 0 and begin + 1 < position - 1 else None
