"""Converts HTML to text, by the fastest method that is safe for it.

The header of inline XBRL contains contexts and units in thousands of tags, nearly all different,
and none of its text is visible. It is removed only if this certainly leaves the text unchanged.

Four fifths of EDGAR's HTML is markup. A report has tens of thousands of tags, but only hundreds of
different ones, so each different tag is read once: it is replaced by white space, or by nothing.
Only tags of elements whose content is not text stay, until that content is removed.
"""

import html
import re
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import repeat

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from edgar_search.text.html_tags import (
    BLOCKS,
    ENDS_PAGE,
    HIDDEN,
    MARK,
    PAGE_MARK,
    VOID,
    NotOrdinaryError,
    Tags,
    begun_level,
    texts_and_tags,
)
from edgar_search.text.raised import LEVEL, LEVEL_MARKS, level_ends, with_class_levels, write_levels
from edgar_search.text.table_rows import ROW, TABLE, TABLE_END, TABLE_MARKS, cell_mark, with_rows
from edgar_search.text.unclosed_html import is_costly, stripped_text

_MOST_TAGS = 100  # Real documents have one to ten different ones.
_NAME = re.compile(rb"<(/?)([A-Za-z][^\s/>]*)")
# Reports fill up rows with ten thousand of <td style="display:none"></td>, sometimes without the
# end tag as in XML, so these are skipped early.
_EMPTY_CELL = rb"(?i:td[\s/][^>]*+>\s*+<(?:t[dhr]|/t[dr]|/?tbody|/table)[\s/>])"
_ROW_PARTS = frozenset(b"caption col colgroup tbody td tfoot th thead tr".split())
_WITH_BLOCKS = frozenset(b"div section".split())
_IN_LINE = frozenset(b"p span".split())
# Tags that would end one of these, or a link around it.
_NOT_IN_LINE = BLOCKS | {b"a", b"nobr"}
# Elements that end a surrounding element, count anywhere, or contain no markup.
_UNSURE = frozenset(b"body dd dt form head html li script style title".split())


def without_hidden(data: bytes, hiding: Set[bytes]) -> tuple[bytes, int]:
    """Return the visible text up to the last hidden element, and where that ends.

    All brackets in `data` belong to tags. `hiding` contains the contents of tags that begin hidden
    elements, with blanks for line ends. Raises NotOrdinaryError if a browser may see a different
    end.
    """
    if len(hiding) > _MOST_TAGS:
        raise NotOrdinaryError
    data = data.replace(b"\r", b" ").replace(b"\n", b" ")
    pieces: list[bytes] = []
    shown_from = 0
    begins = b"|".join(map(re.escape, sorted(hiding)))
    for tag in re.finditer(b"<(?!%b)(?:%b)>" % (_EMPTY_CELL, begins), data):
        if tag.start() >= shown_from:
            pieces.append(data[shown_from : tag.end()])
            shown_from = end_of_content(data, tag.start())
    return b"".join(pieces), shown_from


def end_of_content(data: bytes, start: int) -> int:
    """Return where the end tag of the element at `start` begins.

    Raises NotOrdinaryError if a browser may see a different end.
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
    """Pop the last element, which an end tag names.

    Elements of inline XBRL may lack an end tag of their own, such as <ix:nonFraction
    xsi:nil="true"/>.
    """
    while opened and opened[-1] != name and b":" in opened[-1]:
        opened.pop()
    if not opened or opened.pop() != name:
        raise NotOrdinaryError


# As all programs write it: a hiding element that contains only the header.
_HEADER = b"<ix:header>"
_BEGINS = re.compile(rb'<div(?>(?: id="[\w.-]*+")?) style="display: ?none;?">\s*+(?=<ix:header>)')
_END = b"</ix:header>"
_ENDS = re.compile(rb"\s*+</div>")
# XBRL elements without HTML, whose quotes are paired, so that every bracket belongs to a tag.
_XBRL = re.compile(
    rb"(?>(?:[^<>]*+</?[A-Za-z][\w-]*+:[\w.-]++(?>(?:\s++[\w:.-]++=\"[^\"<>]*+\")*)\s*+/?>)+)"
)
# This stays, for the line breaks of the removed element.
_EMPTY = b"<div></div>"


def without_header(data: bytes) -> bytes:
    """Remove the inline XBRL header from HTML, if its bounds are certain."""
    begins = _BEGINS.search(data) if _HEADER in data else None
    if begins is None:
        return data
    start, end = begins.end(), data.find(_END, begins.end()) + len(_END)
    ends = _ENDS.match(data, end)
    if end < start or ends is None or not _XBRL.fullmatch(data, start, end):
        return data
    try:
        if end_of_content(data, start) != end - len(_END):
            return data
    except NotOrdinaryError:
        return data
    return b"".join([data[: begins.start()], _EMPTY, data[ends.end() :]])


# Both brackets become one, so that one split finds them; line breaks of the source are blanks.
_SPLITTABLE = bytes.maketrans(b">\r\n", b"<  ")
_CHUNK_BYTES = 100_000  # fits the processor's cache; larger ones took a sixth longer
_BLOCK = re.compile(rb"<(?:[pP]|[dD][iI][vV]|[tT][dDrR])[\s>]")
_KEPT_TAG = re.compile(rb"<([/!])([^>]*)>")
_NO_BREAK_SPACES = (b"&nbsp;", b"&#160;")  # nine in ten entities
_ENTITY = re.compile(r"(&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]{0,31});?)")
_LONGEST_ENTITY = 40  # Python refuses numbers of thousands of digits.


def ordinary_html_text(source: str) -> str | None:
    """Return the text of HTML without marks, or None if it is too unusual to be certain.

    Words, their order and their lines match resiliparse's `extract_plain_text`, with three
    exceptions: breaks at the ends of blocks and table cells, which resiliparse puts only before
    some elements; text in a table but outside its cells, which it puts before the table; and
    unusual white space in a hiding style, which it misses. Lines may contain any white space; blank
    ones are dropped.
    """
    data = source.encode("utf-8", errors="replace")
    if b"\0" in data or MARK in data:  # MARK is white space to Python, but not to a browser.
        return None
    try:
        text = _without_markup(without_header(data))
        if b"<" in text:
            text = _without_raw(text)
        laid_out = with_rows(write_levels(_unescape(text)))
    except NotOrdinaryError:
        return None
    return "\n".join(filter(None, map(str.strip, laid_out.split("\n"), repeat(" "))))


def _without_markup(data: bytes) -> bytes:
    """Return `data` without tags and hidden elements, but with the tags of raw text elements."""
    tags = Tags()
    texts = _without_tags(data, tags)
    if not tags.hiding:
        return b"".join(texts.values())
    visible, rest = without_hidden(data, tags.hiding)
    # In most reports hidden text is at the beginning, and all texts after it can stay.
    behind = next((start for start in texts if start >= rest), len(data))
    again = _without_tags(visible + data[rest:behind], tags)
    return b"".join([*again.values(), *[texts[start] for start in texts if start >= behind]])


def _without_tags(data: bytes, tags: Tags) -> dict[int, bytes]:
    """Return the texts of the chunks of `data`, by their start."""
    return {start: _chunk_without_tags(chunk, tags) for start, chunk in _chunks(data)}


def _chunks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Split `data` into chunks that begin at a "<", except for the first.

    Yields each with its start.
    """
    start = 0
    while start < len(data):
        # Not within a line, because an element that raises text may end in the next chunk.
        block = _BLOCK.search(data, start + _CHUNK_BYTES, start + 2 * _CHUNK_BYTES)
        end = block.start() if block else data.find(b"<", start + 2 * _CHUNK_BYTES)
        end = len(data) if end < 0 else end
        yield start, data[start:end]
        start = end


def _chunk_without_tags(chunk: bytes, tags: Tags) -> bytes:
    pieces = texts_and_tags(chunk, _SPLITTABLE)
    tags_read = pieces[1::2]
    pieces[1::2] = map(tags.__getitem__, tags_read)
    if tags.raising:
        for _, end in level_ends(tags_read, tags.raising):
            pieces[2 * end + 1] += LEVEL.encode()
    return b"".join(pieces)


def _without_raw(text: bytes) -> bytes:
    """Remove the elements whose tags were kept; raises NotOrdinaryError if one is not closed."""
    pieces: list[bytes] = []
    start = 0
    inside: bytes | None = None
    for tag in _KEPT_TAG.finditer(text):
        mark, name = tag.groups()
        if inside is None:
            pieces.append(text[start : tag.start()])
            start = tag.end()
            inside = name if mark == b"!" else None
        elif name == inside:
            if mark == b"!":
                raise NotOrdinaryError  # In a script it may matter.
            inside, start = None, tag.end()
    if inside is not None:
        raise NotOrdinaryError
    return b"".join([*pieces, text[start:]])


def _unescape(text: bytes) -> str:
    for entity in _NO_BREAK_SPACES:
        # White space, but not a blank; `replace` would scan the text twice.
        text = MARK.join(text.split(entity))
    decoded = text.decode("utf-8")
    if "&" not in decoded:
        return decoded
    pieces = _ENTITY.split(decoded)
    pieces[1::2] = map(_characters, pieces[1::2])
    return "".join(pieces)


@lru_cache(1_000)
def _characters(entity: str) -> str:
    if len(entity) > _LONGEST_ENTITY:
        raise NotOrdinaryError
    # A control character has no text, but it separates words.
    return html.unescape(entity) or " "


# Elements whose content is not text; unclosed, they reach to the end of the document.
_SWALLOWING = re.compile(r"<(/?)(title|style|script|textarea)\b", re.IGNORECASE)
_BETWEEN_BRACKETS = re.compile("<([^<>]*)>")
_PAGE_TAG = re.compile(
    r"<(?:(hr|page)\b|(?:p|div|br|center|h[1-6])\b[^<>]*?break-)[^<>]*>", re.IGNORECASE
)
_TABLE_TAG = re.compile(r"<(/?)(?i:(t)able|t(r)|t[dh])\b[^<>]*+>")


def without_marks(html: str) -> str:
    """Return `html` with blanks for characters that would be mistaken for marks."""
    for mark in (*TABLE_MARKS, *LEVEL_MARKS, PAGE_MARK):
        if mark in html:
            html = html.replace(mark, " ")
    return html


def html_text(html: str) -> str:
    """Return the visible text of `html`, a line for each block and each table row.

    Never raises for bad HTML.
    """
    html = with_class_levels(without_marks(html))
    text = ordinary_html_text(html)
    if text and not text.isspace():
        return text
    return unordinary_html_text(html)


def unordinary_html_text(html: str) -> str:
    """Return the visible text of `html` without marks, by the slow method."""
    html = _with_page_marks(with_levels(_with_ends_apart(_with_comments_closed(html))))
    if is_costly(html):
        return stripped_text(html)
    text = tree_text(html)
    if not text.strip() and (at := _find_unclosed(html)) is not None:
        text = tree_text(f"{html[: at + 1]}unclosed-{html[at + 1 :]}")
    return text


def _find_unclosed(html: str) -> int | None:
    """Return where an unclosed element begins that hides the rest, or None."""
    opened: dict[str, int] = {}
    for match in _SWALLOWING.finditer(html):
        if match[1]:
            opened.pop(match[2].lower(), None)
        else:
            opened.setdefault(match[2].lower(), match.start())
    return min(opened.values(), default=None)


def tree_text(html: str) -> str:
    """Return the text of `html` by building a tree; it contains no table marks."""
    text = extract_plain_text(
        HTMLTree.parse(_with_marks(html)),
        preserve_formatting=True,
        main_content=False,
        form_fields=True,  # otherwise the words of labels and buttons would be lost
        list_bullets=False,  # the document contains neither bullets nor numbers
        alt_texts=False,
        links=False,
        skip_elements=HIDDEN,
    )
    return with_rows(write_levels(str(text).replace(PAGE_MARK, "\n\f\n")))


def _with_page_marks(html: str) -> str:
    """Add marks after tags that end a page."""
    return _PAGE_TAG.sub(lambda tag: tag[0] + PAGE_MARK if _ends_page(tag) else tag[0], html)


def _ends_page(tag: re.Match[str]) -> bool:
    return tag[1] is not None or ENDS_PAGE.search(tag[0]) is not None


def with_levels(html: str) -> str:
    """Add marks for raised and lowered characters where a tree keeps them."""
    tags = list(_BETWEEN_BRACKETS.finditer(html))
    contents = [tag[1].encode() for tag in tags]
    marks = {tag: begun_level(tag) for tag in set(contents)}
    raising = {tag: name for tag, (name, mark) in marks.items() if mark}
    pieces: list[str] = []
    at = 0
    for place, mark in sorted(
        place
        for begin, end in level_ends(contents, raising)
        for place in ((tags[begin].end(), marks[contents[begin]][1]), (tags[end].start(), LEVEL))
    ):
        pieces += html[at:place], mark
        at = place
    return "".join([*pieces, html[at:]])


def _with_marks(html: str) -> str:
    """Add marks for tables where a tree keeps them.

    Text in a table or row but outside its cells moves before the table, so the mark of a row is in
    its first cell. Adding marks to the tree itself would take seven times as long as building it.
    Marks inside attributes and scripts never appear in the text.
    """
    row = ""

    def marked(tag: re.Match[str]) -> str:
        nonlocal row
        closing, table, is_row = tag.groups()
        if table:
            row = ""
            return f"{tag[0]}{TABLE_END}" if closing else f"{TABLE}{tag[0]}"
        if is_row:
            row = ROW
            return tag[0]
        if closing:
            return tag[0]
        begun, row = row, ""
        return f"{tag[0]}{begun}{cell_mark(tag[0])}"

    return _TABLE_TAG.sub(marked, html)


def _with_comments_closed(html: str, opening: str = "") -> str:
    """Drop comment openings in `html` that would hide everything after them."""
    last = html.rfind("<!--")
    if last < 0 or html.find("-->", last) >= 0:
        return html
    closed = html.rfind("-->", 0, last) + 3 if "-->" in html else 0
    return html[:closed] + html[closed:].replace("<!--", opening)


def with_ordinary_characters(html: str) -> str:
    """Return `html` as it is read, with blanks for marks and unclosed comments."""
    return _with_comments_closed(without_marks(html), " " * 4)


def _with_ends_apart(html: str) -> str:
    """Add a line end after each end of an HTML document, except after the last one."""
    end = "</html>" if (at := html.find("</html>")) >= 0 else "</HTML>"
    at = at if at >= 0 else html.find(end)
    if at < 0 or not html[at + len(end) :].strip():
        return html
    return html.replace(end, f"{end}\n")
