"""Tags by what they do to a line: names in lower case, and how a tag is found from its end."""

import re

_MAX_TAG = 4_000  # a longer one is no tag: somebody's `<`
_NAME = re.compile(rb"</?([a-z][a-z0-9:]*)")

CELLS = frozenset({b"td", b"th"})
BLOCKS = CELLS | frozenset(
    b"address article blockquote body br caption center dd div dl dt h1 h2 h3 h4 h5 h6 head hr html"
    b" li ol p page pre s c section table tbody text tfoot thead title tr ul".split()
)
# They have no end tag and belong to what stands before them.
VOID = frozenset({b"br", b"hr", b"page", b"img", b"s", b"c"})
OUTER = frozenset({b"body", b"html", b"head", b"text"})


def tag_name(lower: bytes, start: int, end: int) -> bytes | None:
    """The name of the tag from `start` to `end`, None for a comment and the like."""
    match = _NAME.match(lower, start, end)
    return match[1] if match else None


def tag_before(lower: bytes, position: int) -> int | None:
    """Where the tag or comment begins that ends at `position`, None if none does."""
    if not lower.endswith(b">", 0, position):
        return None
    opening = b"<!--" if lower.endswith(b"-->", 0, position) else b"<"
    begin = lower.rfind(opening, max(0, position - _MAX_TAG), position)
    return begin if begin >= 0 and begin + 1 < position - 1 else None
