"""The layout of a document as filed: its parts, sanitised, with marks that no one can forge.

Documents are hostile input, so this module parses them only in a reading room (`reading_room`).

First, marks are inserted into the filed bytes, as elements whose name contains a nonce younger than
any filing. Then a part is parsed and rewritten with layout only: without scripts, styles that reach
outside the page (`filed_styles`), or addresses of other sites. Finally the elements become marks
and links.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import nh3

from edgar_search.document.filed_styles import PROPERTIES, keep_attribute
from edgar_search.document.filed_view import Anchored, FiledView, Marked, part_at
from edgar_search.edgar.document import Document
from edgar_search.edgar.envelope import decode_bytes
from edgar_search.stored.filings import FilingDocument
from edgar_search.text.filed_parts import (
    FiledPart,
    html_parts,
    plain_parts,
    with_written_ampersands,
    without_depth,
)
from edgar_search.text.inline_numbers import defined_words, inline_numbers
from edgar_search.text.place_map import PlaceMap, map_places
from edgar_search.text.place_marks import pieces_to_mark
from edgar_search.text.versions import DocumentKind

_TAGS = frozenset(
    "a abbr acronym address b big blockquote br caption center cite code col colgroup dd del dfn"
    " dir div dl dt em font h1 h2 h3 h4 h5 h6 hr i img ins kbd li menu nobr ol p pre q s samp small"
    " span strike strong sub sup table tbody td tfoot th thead tr tt u ul var".split()
)
_EVERYWHERE = frozenset("align bgcolor dir height id lang nowrap style title valign width".split())
_ATTRIBUTES = {
    "a": {"href", "name"},
    "font": {"color", "face", "size"},
    "hr": {"color", "noshade", "size"},
    "img": {"alt", "border", "src"},
    "li": {"type", "value"},
    "ol": {"start", "type"},
    "table": {"border", "bordercolor", "cellpadding", "cellspacing", "frame", "rules", "summary"},
    "td": {"colspan", "rowspan", "bordercolor", "headers"},
    "th": {"colspan", "rowspan", "bordercolor", "scope"},
    "ul": {"type"},
}
_DROPPED = {"ix:header", "noembed", "noframes", "script", "style", "template", "title"}
_HEADER = re.compile(rb"(?i)<(/?)ix:header(?=[\s/>])")
# Browsers lay out table rows by one of three rules, which the DOCTYPE's public name selects.
_DOCTYPE = re.compile(
    rb"(?i)<!doctype\s+html(?:\s+public(?:\s+\"[ -!#-;=?-~]{0,200}\"){1,2})?(?=[\s>])"
)
_BODY = re.compile(r"(?i)<body(?=[\s>])")
_SNIFFED = 1_000
_LINK = re.compile(rb"(?i)<a(?=\s)([^<>]*+)>")
_INSIDE = re.compile(rb"(?i)\shref\s*+=\s*+[\"']?+#([^\"'<>\s]{1,200})")
_STYLE = re.compile(rb"(?i)\sstyle\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+')")
_LINK_END = re.compile(rb"(?i)</a\s*+>")
_NAMED = re.compile(rb"(?i)\s(?:id|name)\s*+=\s*+[\"']?+([^\"'<>\s]{1,200})")


class Look(Protocol):
    """The tags of marks and numbers; `again` is true for further pieces of a mark."""

    def mark(self, name: str, again: bool) -> tuple[str, str]:
        """Return the tags before and after a piece of a mark."""
        ...

    def number(self, concept: str, value: str) -> tuple[str, str]:
        """Return the tags before and after a number of inline XBRL."""
        ...

    def link(self, part: int, anchor: str) -> tuple[str, str]:
        """Return the tags before and after a link to a position in another part, counted from 0."""
        ...


def read_view(listed: FilingDocument, body: bytes, text: str | None) -> FiledView:
    """Read a document; positions refer to its searchable text, if that is given."""
    return make_view(kind_of(listed, body), body, text)


def make_view(kind: DocumentKind | None, body: bytes, text: str | None = None) -> FiledView:
    """Read a document of this kind; positions as in `read_view`."""
    is_html = kind is DocumentKind.HTML
    parts = (html_parts if is_html else plain_parts)(body)
    doctype = _DOCTYPE.search(body, 0, _SNIFFED)
    places = None
    if text is not None:
        places = PlaceMap(b"", "") if kind is None else map_places(kind, body, text)
    return FiledView(
        kind,
        parts,
        f"{doctype[0].decode('ascii')}>" if doctype else "",
        defined_words(body) if is_html else {},
        _anchors(body, parts) if is_html and len(parts) > 1 else {},
        places,
    )


def _anchors(body: bytes, parts: Sequence[FiledPart]) -> dict[bytes, int]:
    """Return the target of each of the document's own links, and the part that contains it."""
    names = {name for _, name in _links(body, 0, len(body))}
    named: dict[bytes, int] = {}
    for name in _NAMED.finditer(body):
        if name[1] in names:
            named.setdefault(name[1], name.start())
    return {name: part_at(parts, place) for name, place in named.items()}


def part_html(
    view: FiledView,
    body: bytes,
    number: int,
    marks: Iterable[Marked],
    anchors: Iterable[Anchored],
    nonce: str,
    look: Look,
) -> str:
    """Render a part as HTML with marks and anchors; slow, so call it in a thread.

    `nonce` is letters and digits that no document can know.
    """
    part = view.parts[number]
    element = f"x-{nonce}"
    edits = [*_edits_of_marks(view, body, part, marks, element)]
    edits += _edits_of_anchors(body, part, anchors, element)
    if not view.is_html:
        return f"<pre>{_apply_look(_edit(body, part, edits, _escape), element, {}, look)}</pre>"
    tags: dict[str, tuple[str, str]] = {}
    end: re.Match[bytes] | None = None
    for link, anchor in _links(body, part.start, part.end):
        to = view.anchors.get(anchor, number)
        if to == number:
            continue
        # The end of several links is searched only once.
        if end is None or end.start() < link.end():
            end = _LINK_END.search(body, link.end(), part.end)
        if end is None:
            break
        name = f"t{len(tags)}"
        tags[name] = look.link(to, html.unescape(anchor.decode("utf-8", "replace")))
        # The style of the body is kept in an element of its own.
        style = _STYLE.search(link[0])
        styled = f"<span{style[0].decode('latin-1') if style else ''}>"
        edits.append(Edit(*link.span(), 0, _opening(element, name) + styled))
        edits.append(Edit(*end.span(), 0, f"</span>{_END % element}"))
    for xbrl_number in inline_numbers(body[part.start : part.end], view.words):
        name = f"n{len(tags)}"
        tags[name] = look.number(xbrl_number.concept, xbrl_number.said)
        for span, tag in (
            (xbrl_number.opening, _opening(element, name)),
            (xbrl_number.closing, _END % element),
        ):
            edits.append(Edit(part.start + span[0], part.start + span[1], 0, tag))
    marked = part.opening.decode("latin-1") + _edit(body, part, edits, _bytes_to_text)
    cleaned_input = decode_bytes(without_depth(_strip_header(marked.encode("latin-1"))))
    # The result is part of a page, where a body element, and so its style, is not allowed.
    cleaned_input = with_written_ampersands(_BODY.sub("<div", cleaned_input))
    cleaned = nh3.clean(
        cleaned_input,
        tags=_TAGS | {element},
        clean_content_tags=_DROPPED,
        attributes={**_ATTRIBUTES, "*": set(_EVERYWHERE), element: {"id"}},
        attribute_filter=keep_attribute,
        filter_style_properties=PROPERTIES,
        link_rel=None,
        url_schemes=set(),
    )
    return _apply_look(cleaned, element, tags, look)


def _links(body: bytes, start: int, end: int) -> Iterator[tuple[re.Match[bytes], bytes]]:
    """Yield the tags that link to a position in the document, with its name."""
    for tag in _LINK.finditer(body, start, end):
        if inside := _INSIDE.search(tag[1]):
            yield tag, inside[1]


def kind_of(listed: FilingDocument, body: bytes) -> DocumentKind | None:
    """Return the kind of a document's text; None if it has no searchable text."""
    document = Document(
        listed.document_id,
        0,
        listed.form_type,
        listed.description,
        listed.file_name,
        content=body,
        wrapper=None,
        start=0,
        end=len(body),
        span=(0, len(body)),
    )
    from edgar_search.text.document_text import searched_kind  # the service never imports readers

    return searched_kind(document)


class Edit(NamedTuple):
    """A replacement of bytes `start` to `end`; at one position the lowest rank comes first."""

    start: int
    end: int
    rank: int
    replacement: str


_END = "</%s>"
_CLOSING, _BETWEEN, _OPENING = range(3)


def _opening(element: str, name: str) -> str:
    return f'<{element} id="{name}">'


def _edits_of_marks(
    view: FiledView, body: bytes, part: FiledPart, marks: Iterable[Marked], element: str
) -> Iterator[Edit]:
    """Yield the edits for the pieces of all marks; of overlapping ones, only the first."""
    if view.places is None:
        return
    named = list(marks)
    mark_pieces = pieces_to_mark(
        body, view.places, [(named_mark.start, named_mark.end) for named_mark in named]
    )
    pieces = sorted(
        (start, end, mark.name)
        for mark, spans in zip(named, mark_pieces, strict=True)
        for start, end in spans
    )
    at = part.start
    for start, end, name in pieces:
        if start >= at and end <= part.end:
            yield Edit(start, start, _OPENING, _opening(element, name))
            yield Edit(end, end, _CLOSING, _END % element)
            at = end


def _edits_of_anchors(
    body: bytes, part: FiledPart, anchors: Iterable[Anchored], element: str
) -> Iterator[Edit]:
    for anchor in anchors:
        position = _outside_tags(body, anchor.place)
        if part.start <= position < part.end:
            tags = _opening(element, f"s{anchor.name}") + _END % element
            yield Edit(position, position, _BETWEEN, tags)


def _outside_tags(body: bytes, position: int) -> int:
    """Return the position itself, or the end of the tag around it."""
    before = body.rfind(b"<", max(0, position - _LONGEST_TAG), position)
    if before < 0 or body.find(b">", before, position) >= 0:
        return position
    return body.find(b">", position) + 1 or position


_LONGEST_TAG = 5_000


def _edit(
    body: bytes, part: FiledPart, edits: Iterable[Edit], written: Callable[[bytes], str]
) -> str:
    """Return a part with these edits; `written` converts the bytes between them."""
    at = part.start
    pieces = []
    for edit in sorted(edits):
        pieces += [written(body[at : edit.start]), edit.replacement]
        at = edit.end
    return "".join([*pieces, written(body[at : part.end])])


def _bytes_to_text(filed: bytes) -> str:
    """Convert each byte to a character: the part is decoded as a whole once it has its marks."""
    return filed.decode("latin-1")


def _escape(filed: bytes) -> str:
    return html.escape(decode_bytes(filed).replace("\r\n", "\n"), quote=False)


def _strip_header(part: bytes) -> bytes:
    """Return a part without contexts and units of inline XBRL, which are never shown."""
    pieces = []
    at = 0
    while (begin := _HEADER.search(part, at)) is not None:
        end = _HEADER.search(part, begin.end())
        pieces.append(part[at : begin.start()])
        at = begin.end()
        if end and end[1]:
            at = part.find(b">", end.end()) + 1 or len(part)
    return b"".join([*pieces, part[at:]])


def _apply_look(cleaned: str, element: str, tags: Mapping[str, tuple[str, str]], look: Look) -> str:
    """Replace our elements in the HTML with marks and links.

    `tags` has the tags of some elements by name; all others are marks.
    """
    opened: list[str] = []
    seen: set[str] = set()

    def shown(tag: re.Match[str]) -> str:
        name = tag[1]
        if name is None:
            return opened.pop() if opened else ""
        before, behind = tags[name] if name in tags else look.mark(name, name in seen)
        seen.add(name)
        opened.append(behind)
        return before

    return re.sub(f'<{element} id="([a-z0-9_-]+)">|</{element}>', shown, cleaned)
