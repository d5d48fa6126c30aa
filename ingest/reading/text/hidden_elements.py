"""Hidden elements of ordinary HTML, cut out where it is sure where a browser sees their ends."""

import re
from collections.abc import Set

from ingest.reading.html_elements import BLOCKS, VOID
from ingest.reading.text.tag_brackets import NotOrdinaryError

_MOST_TAGS = 100  # Real documents have one to ten different ones.
_NAME = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)")
# Reports fill up rows with <td style="display:none"></td>, or as in XML without the end tag: ten
# thousand times, so these are not even looked at.
_EMPTY_CELL = rb"(?i:td[\s/][^>]*+>\s*+<(?:t[dhr]|/t[dr]|/?tbody|/table)[\s/>])"
_ROW_PARTS = frozenset(b"caption col colgroup tbody td tfoot th thead tr".split())
_WITH_BLOCKS = frozenset(b"div section".split())
_IN_LINE = frozenset(b"p span".split())
# What would end one of these, or a link that it is in.
_NOT_IN_LINE = BLOCKS | {b"a", b"nobr"}
# What ends an element around it, counts wherever it stands, or has no markup inside.
_UNSURE = frozenset(b"body dd dt form head html li script style title".split())


def without_hidden(data: bytes, hiding: Set[bytes]) -> tuple[bytes, int]:
    """Return what is shown up to the last place where something is hidden, and where that ends.

    All brackets in `data` are those of tags. `hiding` has what is between the brackets of the tags
    that begin hidden elements, with blanks for line ends. Raises NotOrdinaryError where a browser
    may see another end than is seen here.
    """
    if len(hiding) > _MOST_TAGS:
        raise NotOrdinaryError
    data = data.replace(b"\r", b" ").replace(b"\n", b" ")
    pieces: list[bytes] = []
    shown = 0
    begins = b"|".join(map(re.escape, sorted(hiding)))
    for tag in re.finditer(b"<(?!%b)(?:%b)>" % (_EMPTY_CELL, begins), data):
        if tag.start() >= shown:
            pieces.append(data[shown : tag.end()])
            shown = end_of_content(data, tag.start())
    return b"".join(pieces), shown


def end_of_content(data: bytes, start: int) -> int:
    """Return where the end tag of the element begins that begins at `start`.

    Raises NotOrdinaryError where a browser may see another end.
    """
    names = _NAME.finditer(data, start)
    hidden = next(names)[2].lower()
    if hidden not in _WITH_BLOCKS | _IN_LINE and b":" not in hidden:
        raise NotOrdinaryError
    unsure = _UNSURE if hidden in _WITH_BLOCKS else _UNSURE | _NOT_IN_LINE
    opened = [hidden]
    for tag in names:
        name = tag[2].lower()
        if tag[1]:
            _close(opened, name)
            if not opened:
                return tag.start()
            continue
        if name in unsure or (name in _ROW_PARTS and opened[-1] not in _ROW_PARTS | {b"table"}):
            raise NotOrdinaryError
        if name not in VOID:
            opened.append(name)
    raise NotOrdinaryError


def _close(opened: list[bytes], name: bytes) -> None:
    """Take away the last element, which an end tag names.

    Elements of inline XBRL may have no end tag of their own, as <ix:nonFraction xsi:nil="true"/>.
    """
    while opened and opened[-1] != name and b":" in opened[-1]:
        opened.pop()
    if not opened or opened.pop() != name:
        raise NotOrdinaryError
