"""Extracts text from HTML that would make a tree grow without bound, by its tags alone.

For many tags, a tree's parser scans all open elements, and it repeats unclosed formatting in each
following block, so a few megabytes of such markup take minutes. Reports do not contain it. Text
hidden by its style is not left out here.
"""

import re
from html import unescape

from edgar_search.text.html_tags import CELLS, LINES, PAGE_MARK, PARAGRAPHS, VOID
from edgar_search.text.table_rows import ROW, TABLE, TABLE_END, cell_mark, with_rows

_TAG = re.compile(r"<(/?)([A-Za-z][^\s/<>]*+)([^<>]*+)>")
_TOKEN = re.compile(rf"<!--.*?-->|<[!?][^<>]*+>|{_TAG.pattern}", re.DOTALL)
_ENTITY = re.compile(r"&(?:#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,31});?")
_FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
_SAME = 3  # identical formatting counts at most this often
# Each of these ends at the next of its kind, or at another; so do links.
_ENDED = frozenset(
    "a body caption colgroup dd dt h1 h2 h3 h4 h5 h6 head html li p tbody td tfoot th thead"
    " tr".split()
)
_RAW = frozenset("script style title".split())
_FEWEST_TAGS = 1_000  # with fewer, no tree is large
# Open elements and formatting that are free, and how many more there may be, over all tags. At a
# microsecond and 200 bytes each, the second bound is what a large report takes.
_MOST_OPEN, _MOST_FORMATTING = 1_000, 20
_MOST_SEEN, _MOST_REPEATED = 2_000_000, 500_000
_BREAKS = (
    {name.decode(): "\n\n" for name in PARAGRAPHS}
    | {name.decode(): "\n" for name in (*LINES, b"br", b"pre", b"option", b"label")}
    | {"tr": ROW}
)
_CELLS = frozenset(name.decode() for name in CELLS)
_BEGINS = _BREAKS | {"table": TABLE}
_ENDS = _BREAKS | {name.decode(): " " for name in CELLS} | {"table": TABLE_END}


def is_costly(html: str) -> bool:
    """Return True if a tree of `html` would take far more time or memory than its size suggests."""
    if html.count("<") < _FEWEST_TAGS:
        return False
    elements, formatting = _Elements(), _Formatting()
    tags_seen = repeated = 0
    for tag in _TAG.finditer(html):
        closing, name = tag[1], tag[2].lower()
        if name in _FORMATTING:
            if closing:
                formatting.close(name)
            else:
                formatting.open(name, tag[3])
        elif name not in _ENDED:
            if closing:
                elements.close(name)
            else:
                elements.open(name)
        tags_seen += max(0, elements.count - _MOST_OPEN)
        repeated += max(0, formatting.count - _MOST_FORMATTING)
        if tags_seen > _MOST_SEEN or repeated > _MOST_REPEATED:
            return True
    return False


class _Elements:
    """The open elements, including options, since the parser scans everything before them."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._open: dict[str, int] = {}

    @property
    def count(self) -> int:
        return len(self._names)

    def open(self, name: str) -> None:
        if name.encode("ascii", "replace") not in VOID:
            self._names.append(name)
            self._open[name] = self._open.get(name, 0) + 1

    def close(self, name: str) -> None:
        while self._open.get(name):
            last = self._names.pop()
            self._open[last] -= 1
            if last == name:
                break


class _Formatting:
    """The unclosed formatting, by name and attributes."""

    def __init__(self) -> None:
        self._attributes: dict[str, list[str]] = {}
        self._same: dict[tuple[str, str], int] = {}
        self.count = 0

    def open(self, name: str, attributes: str) -> None:
        same = self._same.get((name, attributes), 0)
        if same < _SAME:
            self._same[name, attributes] = same + 1
            self._attributes.setdefault(name, []).append(attributes)
            self.count += 1

    def close(self, name: str) -> None:
        if opened := self._attributes.get(name):
            self._same[name, opened.pop()] -= 1
            self.count -= 1


def stripped_text(html: str) -> str:
    """Return the text between the tags of `html`, in linear time.

    All comments of `html` must be closed, and it must not contain table marks.
    """
    pieces: list[str] = []
    start = 0
    inside: str | None = None
    for token in _TOKEN.finditer(html):
        name = (token[2] or "").lower()
        if inside is not None:
            if token[1] and name == inside:
                inside, start = None, token.end()
            continue
        pieces.append(html[start : token.start()])
        if name in _CELLS and not token[1]:
            pieces.append(cell_mark(token[3]))
        else:
            pieces.append((_ENDS if token[1] else _BEGINS).get(name, ""))
        start = token.end()
        if name in _RAW and not token[1]:
            inside = name
    if inside is None:
        pieces.append(html[start:])
    text = "".join(pieces).replace(PAGE_MARK, "\n\f\n")
    return with_rows(_ENTITY.sub(lambda entity: unescape(entity[0]), text))
