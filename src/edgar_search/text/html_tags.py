"""The effect of HTML tags on a text; names are in lower case."""

import html
import re
from functools import lru_cache

from edgar_search.text.raised import LEVEL, level_of
from edgar_search.text.table_rows import CELL, EMPTY_LINE, ROW, TABLE, TABLE_END, cell_mark

CELLS = frozenset(b"td th".split())
# Each is a paragraph of its own.
PARAGRAPHS = frozenset(b"h1 h2 h3 h4 h5 h6 p".split())
# Elements that begin and end a line.
LINES = frozenset(
    b"address article aside blockquote caption center dd details div dl dt fieldset footer form"
    b" header hgroup hr html li main nav ol section table tbody tfoot thead tr ul".split()
)
BLOCKS = PARAGRAPHS | LINES | CELLS
# Elements without content or end tag.
VOID = frozenset(b"area base br col embed hr img link meta param source track wbr".split())


_NO_BRACKETS = bytes(set(range(256)) - set(b"<>"))


class NotOrdinaryError(Exception):
    """The markup is too unusual to be read safely without a tree."""


def are_of_tags(markup: bytes) -> bool:
    """Return True if the brackets of `markup` alternate, without nesting.

    Otherwise one is in an attribute, in the text, in a comment or in a script.
    """
    brackets = markup.translate(None, _NO_BRACKETS)
    return brackets == b"<>" * (len(brackets) // 2)


def texts_and_tags(markup: bytes, table: bytes) -> list[bytes]:
    """Return alternating texts and tags; `table` translates both brackets to "<".

    A single split is then enough. Raises NotOrdinaryError if a bracket may not belong to a tag.
    """
    if not are_of_tags(markup):
        raise NotOrdinaryError
    return markup.translate(table).split(b"<")


# Selectors of invisible elements: titles, even of a document inside the document, and the hidden
# parts of inline XBRL reports.
HIDDEN = (
    "title",
    "ix\\:header",
    "[hidden]",
    "[style*='display:none' i]",
    "[style*='display: none' i]",
    "[style*='display :none' i]",
    "[style*='display : none' i]",
)

# White space for `normalise`, but a line that contains it is not blank.
MARK = b"\v"
# Not white space, so that a tree keeps it.
PAGE_MARK = "\x11"
PAGE_LINE = b"\n\f\n"
ENDS_PAGE = re.compile(
    r"(?:page-break-(?:before|after)|break-(?:before|after))\s*:\s*(?:always|page)"
)
_BREAKS = (
    dict.fromkeys(PARAGRAPHS, EMPTY_LINE.encode())
    | dict.fromkeys(LINES, b"\n")
    | {b"br": b"\n" + MARK, b"tr": ROW.encode(), b"hr": PAGE_LINE, b"page": PAGE_LINE}
)
_BEGINS = _BREAKS | {b"table": TABLE.encode()}
_ENDS = _BREAKS | {b"table": TABLE_END.encode(), b"sup": LEVEL.encode(), b"sub": LEVEL.encode()}
_NAME = re.compile(rb"[A-Za-z][^\s/>]*")
_OF_TABLES = frozenset(b"table tbody tr".split())
_LEVELS = frozenset(b"sup sub".split())
# Elements whose content, up to the first end tag of their name, is neither text nor markup.
_RAW = frozenset(b"script style title".split())
# Form fields, line breaks that count, and elements with rules of their own for their content.
_NOT_ORDINARY = frozenset(
    b"audio button datalist dir figcaption figure frameset iframe input label legend listing math"
    b" menu meter noembed noframes noscript object optgroup option output plaintext pre progress"
    b" select svg template textarea video xmp".split()
)

# A tag whose quotes are paired, so that no bracket in an attribute was taken for its end.
_TAG = re.compile(
    rb"(/?)([A-Za-z][^\s/\"']*+)"
    rb"(?>(?:[\s/]*+[^\s\"'=/]++(?>(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"']++))?))*)[\s/]*+"
)
_ATTRIBUTE = re.compile(
    rb"([^\s\"'=/]++)(?>(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"']++)))?)"
)
_NOT_SHOWN = re.compile(r"display\s*:\s*none")
_SHORT = 200  # bytes of a tag that is cached for other documents
_LONGEST = 2_000  # bytes of attributes that may hide; long lists of them would take much memory


class Tags(dict[bytes, bytes]):
    """The text that replaces each tag, by the contents of the tag.

    Tags of elements whose content is not text are kept, without attributes, and with "!" before the
    name of a start tag. `hiding` collects the tags that begin hidden elements, `raising` the tags
    whose style raises or lowers text, with the names of their elements. A lookup raises
    NotOrdinaryError.
    """

    def __init__(self) -> None:
        self.hiding: set[bytes] = set()
        self.raising: dict[bytes, bytes] = {}

    def __missing__(self, tag: bytes) -> bytes:
        read = _read_again if len(tag) <= _SHORT else _read
        self[tag], hides, raised = read(tag)
        if hides:
            self.hiding.add(tag)
        if raised:
            self.raising[tag] = raised
        return self[tag]


def _read(tag: bytes) -> tuple[bytes, bool, bytes]:
    """Return the tag's replacement, whether it hides its element, and the raised element."""
    if not tag[tag.startswith(b"/") :][:1].isalpha():
        return _declaration(tag), False, b""
    match = _TAG.fullmatch(tag)
    if match is None or match[2].lower() in _NOT_ORDINARY:
        raise NotOrdinaryError
    closing, name = match[1], match[2].lower()
    if name in _RAW:
        return b"<%b%b>" % (closing or b"!", name), False, b""
    hides = not closing and (name == b"ix:header" or _hides(tag[len(name) :]))
    if name in CELLS and not closing:
        # A hidden cell takes no column.
        return b"" if hides else _cell_mark(tag), hides, b""
    if closing:
        return _ENDS.get(name, b""), False, b""
    _, mark = begun_level(tag)
    raised = b"" if name in _LEVELS or not mark else name
    begins = mark.encode() or _BEGINS.get(name, b"")
    if name not in _OF_TABLES and b"break-" in tag and ENDS_PAGE.search(tag.decode("latin-1")):
        begins += PAGE_LINE
    return begins, hides, raised


def begun_level(tag: bytes) -> tuple[bytes, str]:
    """Return the name of the element that a tag begins, and the mark of its level, or ""."""
    match = _NAME.match(tag)
    name = match[0].lower() if match else b""
    if not name or name in BLOCKS or name in VOID:
        return name, ""
    return name, level_of(name.decode("latin-1"), tag[len(name) :].decode("latin-1"))


def _cell_mark(tag: bytes) -> bytes:
    return cell_mark(tag.decode("latin-1")).encode() if b"span" in tag.lower() else CELL.encode()


# Documents made by one program share half of their tags.
_read_again = lru_cache(10_000)(_read)


def _declaration(tag: bytes) -> bytes:
    """Replace a complete comment or declaration by nothing; otherwise raise NotOrdinaryError."""
    if tag.startswith(b"!--"):
        if len(tag) < len(b"!----") or not tag.endswith(b"--"):
            raise NotOrdinaryError  # It ends at a later bracket.
    elif tag[:1] not in (b"!", b"?", b"/"):
        raise NotOrdinaryError  # It is text.
    return b""


def _hides(attributes: bytes) -> bool:
    attributes = attributes.lower()
    if b"hidden" not in attributes and b"display" not in attributes and b"&#" not in attributes:
        return False  # Nearly always; this check takes a third of the time.
    if len(attributes) > _LONGEST:
        raise NotOrdinaryError
    # Of two attributes with one name, the first counts.
    values = {name: b"".join(parts) for name, *parts in reversed(_ATTRIBUTE.findall(attributes))}
    style = html.unescape(values.get(b"style", b"").decode())
    return b"hidden" in values or _NOT_SHOWN.search(style) is not None
