"""Where lines begin with a word: what stands before it is read backwards."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from ingest.reading.sections.markup import Markup
from ingest.reading.sections.tags import ATTACHED, LINE_ENDS, OUTER

_MOST_LINES = 10_000  # that begin with a word; to read what follows takes half a millisecond
_MAX_PREFIX = 60  # visible bytes before a heading on its line, such as "Part II,"
_PREFIX = b"part"  # what else stands there is running text
_PREFIX_BYTES = 400  # from its beginning on, with its markup
_MAX_STEPS = 2_000
_MAX_TAG = 4_000  # a longer one is no tag: somebody's `<`
_NAME = re.compile(rb"</?([a-z][a-z0-9:]*)")
_BLANKS = b" \t\x0b\x0c\x00\r\n"
_MOST_BLANKS = 80  # that are read at once
_BLANK_CHARACTER = re.compile(
    rb"(?:&(?:nbsp|ensp|emsp|thinsp|zwnj|zwj|#32|#160|#9|#819[4-9]|#820[0-5]|#65279|#x0*(?:20|a0|9)"
    rb"|#x200[0-9a-d]|#xfeff);|\xc2\xa0|\xe2\x80[\x80-\x8f]|\xef\xbb\xbf|(?<![\x80-\xff])\xa0)\Z"
)


class LineStart(NamedTuple):
    """What a line has before a place on it; None where that is longer than a heading's.

    `start` is where the line's element begins: the markup that opens it belongs to it.
    """

    prefix: str | None
    start: int


def line_places(
    markup: Markup, places: Iterable[int], after_part: bool = False
) -> Iterator[tuple[int, LineStart]]:
    """Those of a word's places that begin a line; with `after_part` also after a part's number."""
    return islice(_line_places(markup, places, after_part), _MOST_LINES)


def _line_places(
    markup: Markup, places: Iterable[int], after_part: bool
) -> Iterator[tuple[int, LineStart]]:
    for at in places:
        before = _before(markup, at, after_part)
        if before.prefix is not None and not _amid_sentence(markup, before.start):
            yield at, before


def _amid_sentence(markup: Markup, start: int) -> bool:
    """Whether a line of plain text goes on with the sentence of the line before it."""
    if not markup.has_lines(start):
        return False
    end = start - 1
    if markup.raw[end - 1 : end + 1] == b"\r\n":
        end -= 1
    window = markup.raw[max(0, end - 400) : max(0, end)]
    line = re.split(rb"[\r\n]", window)[-1].strip()
    return len(line) >= 40 and line[-1:] not in b">.:;!?)*-=_"


def _before(markup: Markup, at: int, after_part: bool) -> LineStart:
    """What stands before a place on its line; with `after_part` a few words may."""
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
    """Where the token before `position` begins, and what it is; with `lines` line ends count."""
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
    """Behind the last line end from `start` to `end`, 0 if there is none."""
    return max(raw.rfind(b"\n", start, end), raw.rfind(b"\r", start, end)) + 1


def _element_start(markup: Markup, at: int) -> int:
    """Go back over the markup that opens what stands at `at`, or to the line's beginning."""
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
    """Where the element begins that the tag before `at` opens; it may be an empty one."""
    tag = _tag_before(markup.lower, at)
    if tag is None:
        return None
    name = _tag_name(markup.lower, tag, at)
    if name in ATTACHED or name in OUTER:
        return None
    return _empty_element(markup, tag, name) if markup.lower.startswith(b"</", tag) else tag


def _empty_element(markup: Markup, end_tag: int, name: bytes | None) -> int | None:
    """Where an element such as `<a name="x"></a>` begins, None if it is not empty."""
    opening = None if name in LINE_ENDS else _tag_before(markup.lower, end_tag)
    if opening is None:
        return None
    return opening if _tag_name(markup.lower, opening, end_tag) == name else None


def _tag_name(lower: bytes, start: int, end: int) -> bytes | None:
    """The name of the tag from `start` to `end`, None for a comment and the like."""
    match = _NAME.match(lower, start, end)
    return match[1] if match else None


def _tag_before(lower: bytes, position: int) -> int | None:
    """Where the tag or comment begins that ends at `position`, None if none does."""
    if not lower.endswith(b">", 0, position):
        return None
    opening = b"<!--" if lower.endswith(b"-->", 0, position) else b"<"
    begin = lower.rfind(opening, max(0, position - _MAX_TAG), position)
    return begin if begin >= 0 and begin + 1 < position - 1 else None
