"""What becomes of each tag of ordinary HTML in its text."""

import re
from collections.abc import Set

# What a browser does not show is no text: the title, also where a document in the document has it,
# and what inline XBRL reports hide from the reader. Selectors.
HIDDEN = (
    "title",
    "ix\\:header",
    "[hidden]",
    "[style*='display:none' i]",
    "[style*='display: none' i]",
    "[style*='display :none' i]",
    "[style*='display : none' i]",
)

# White space for `normalise`, but a line that holds it is no line of blanks.
MARK = b"\v"
_EMPTY_LINE = b"\n" + MARK + b"\n"
_BREAKS = (
    dict.fromkeys(b"h1 h2 h3 h4 h5 h6 p".split(), _EMPTY_LINE)
    | dict.fromkeys(
        b"address article aside blockquote caption center dd details div dl dt fieldset footer form"
        b" header hgroup hr html li main nav ol section table tbody tfoot thead tr ul".split(),
        b"\n",
    )
    | {b"br": b"\n" + MARK}
)
_CELLS = frozenset(b"td th".split())
# Elements whose content is no text of the page.
_NO_TEXT = frozenset(
    b"audio figcaption figure iframe ix:header noscript object script style template title"
    b" video".split()
)
# Of these it is sure where one ends: at no other tag than its own. A cell may end without one.
_SURELY_ENDED = frozenset(b"div ix:hidden section span table".split())
_TABLE_PARTS = _CELLS | {b"table", b"tr"}
# Form fields, line breaks that count, and what has rules of its own for all inside of it.
_NOT_ORDINARY = frozenset(
    b"button datalist dir frameset input label legend listing math menu meter noembed noframes"
    b" optgroup option output plaintext pre progress select svg textarea xmp".split()
)

# A tag whose quotes are in pairs, so that no bracket in an attribute was taken for its end.
_TAG = re.compile(
    rb"(/?)([A-Za-z][^\s/\"']*+)"
    rb"(?:[\s/]*+[^\s\"'=/]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']++))?+)*+[\s/]*+"
)
_ATTRIBUTE = re.compile(rb"([^\s\"'=/]++)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"']++)))?+")
_NOT_SHOWN = re.compile(rb"display ?: ?none")


class NotOrdinaryError(Exception):
    """The markup has something that is not safe to read without a tree."""


class Tags(dict[bytes, bytes]):
    """What stands in the text for each tag, by what is between its brackets.

    Tags of elements whose content is no text stay, without attributes, and with "!" before the name
    where they begin one. `hiding` collects the names of elements that are hidden here or there; all
    tags of those that are `kept` stay, to see where one ends. Looking up raises NotOrdinaryError.
    """

    def __init__(self, kept: frozenset[bytes] = frozenset()) -> None:
        self._kept = kept
        self.hiding: set[bytes] = set()

    def __missing__(self, tag: bytes) -> bytes:
        self[tag] = text = self._text(tag)
        return text

    def _text(self, tag: bytes) -> bytes:
        if not tag[tag.startswith(b"/") :][:1].isalpha():
            return _declaration(tag)
        match = _TAG.fullmatch(tag)
        if match is None or match[2].lower() in _NOT_ORDINARY:
            raise NotOrdinaryError
        closing, name = match[1], match[2].lower()
        if name in _NO_TEXT:
            return _break(closing, name) + b"<%b%b>" % (closing or b"!", name)
        hides = not closing and _hides(tag[len(name) :])
        if hides:
            self.hiding.add(name)
        if name in self._kept:
            return _break(closing, name) + b"<%b%b>" % (b"!" if hides else closing, name)
        return _break(closing, name)


def ends_of(hiding: Set[bytes]) -> frozenset[bytes]:
    """Return the names whose tags show where hidden elements end; raises NotOrdinaryError."""
    if hiding - _SURELY_ENDED - _CELLS:
        raise NotOrdinaryError
    return frozenset(hiding | _TABLE_PARTS if hiding & _CELLS else hiding)


def may_end_at(cell: bytes, tag: bytes) -> bool:
    """Return whether a cell may end at the tag of another name, as its own may be left out."""
    return cell in _CELLS and tag in _TABLE_PARTS


def _declaration(tag: bytes) -> bytes:
    """Nothing, where it is a whole comment, a declaration, or what is taken for one."""
    if tag.startswith(b"!--"):
        if len(tag) < len(b"!----") or not tag.endswith(b"--"):
            raise NotOrdinaryError  # It ends at a later bracket.
    elif tag[:1] not in (b"!", b"?", b"/"):
        raise NotOrdinaryError  # It is text.
    return b""


def _hides(attributes: bytes) -> bool:
    attributes = attributes.lower()
    if b"hidden" not in attributes and b"display" not in attributes:
        return False  # As nearly always, which takes a third of the time to see.
    return any(
        name == b"hidden" or (name == b"style" and _NOT_SHOWN.search(b"".join(values)))
        for name, *values in _ATTRIBUTE.findall(attributes)
    )


def _break(closing: bytes, name: bytes) -> bytes:
    """Return the white space for a tag."""
    if name in _CELLS:
        return b"" if closing else b" "
    return _BREAKS.get(name, b"")
