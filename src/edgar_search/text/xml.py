"""Converts XML of an unknown form to text: a line for the value of each element."""

import re
from html import unescape
from xml.parsers import expat

from edgar_search.text.html import html_text
from edgar_search.text.html_tags import are_of_tags

# An element that ends before another of the same name; a group, if another tag precedes it.
_BETWEEN_ELEMENTS = re.compile(rb">\s*+</([^\s<>]++)\s*+>\s*+(?=<\1[\s/>])")
_BORDER = "\1"  # inserted between two groups; not a character of XML
_EMPTY_LINES = re.compile(r"\n\s*\n")


class _RefusedXmlError(Exception):
    """The XML declares entities or attributes, whose cost may be unbounded."""


def xml_text(xml: str) -> str:
    """Return the values of the elements of `xml` in order, a line each; attributes are left out.

    Repeated groups of elements are separated by an empty line, like paragraphs of a value. XML that
    is malformed, or declares entities or attributes, is read as a browser would.
    """
    lines = xml.replace("\r\n", "\n").replace("\r", "\n") if "\r" in xml else xml
    data = lines.strip("\ufeff \t\n").encode("utf-8", errors="replace")
    try:
        return _ordinary_xml_text(data) if _is_ordinary_xml(data) else _events_text(data)
    except (expat.ExpatError, _RefusedXmlError):
        return html_text(xml.replace("<", " <"))


def _is_ordinary_xml(data: bytes) -> bool:
    """Return True if all brackets belong to tags, without declarations, comments and the like."""
    # One instruction is allowed at the beginning, before any text.
    return are_of_tags(data) and not any(
        data.find(opening, 1) >= 0 for opening in (b"<!", b"<?", b"&#")
    )


def _ordinary_xml_text(data: bytes) -> str:
    """Return the texts between the tags of ordinary XML, which uses only XML's own entities.

    A parser without handlers only checks whether it is well-formed, in a quarter of the time that
    it takes with handlers. Raises ExpatError.
    """
    expat.ParserCreate("utf-8").Parse(data, True)
    data = _BETWEEN_ELEMENTS.sub(_with_border, data)
    return unescape(_lines(data.decode().replace(">", "<").split("<")[0::2]))


def _with_border(end: re.Match[bytes]) -> bytes:
    """Add a border after the end of a group: an element whose last child is an element."""
    data, at = end.string, end.start()
    is_group = data.startswith(b"/", at - 1) or data.startswith(b"</", data.rfind(b"<", 0, at))
    return end[0] + _BORDER.encode() if is_group else end[0]


def _lines(values: list[str]) -> str:
    lines = "\n".join(
        [_line(value) if "\n" in value else value for raw in values if (value := raw.strip())]
    )
    return lines.replace(_BORDER, "")


def _line(value: str) -> str:
    return "\n\n".join([" ".join(paragraph.split()) for paragraph in _EMPTY_LINES.split(value)])


def _events_text(data: bytes) -> str:
    """Return the text of any XML; raises ExpatError, _RefusedXmlError."""
    values: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = max(1, len(data))  # so that even a long text comes in one piece
    # With element handlers, neighbouring texts do not come in one piece.
    groups = _Groups(values)
    parser.StartElementHandler = groups.start
    parser.EndElementHandler = groups.end
    parser.CharacterDataHandler = groups.text
    parser.EntityDeclHandler = _refuse_declaration
    parser.AttlistDeclHandler = _refuse_declaration
    parser.Parse(data, True)
    return _lines(values)


class _Groups:
    """Adds borders between texts, where a group ends and another of its name begins."""

    def __init__(self, values: list[str]) -> None:
        self._values = values
        self._ended = ""  # an element that has just ended, with nothing after it
        self._group = ""  # the same, if its last content was an element

    def start(self, name: str, _: object) -> None:
        if name == self._group:
            self._values.append(_BORDER)
        self._ended = self._group = ""

    def end(self, name: str) -> None:
        self._group = name if self._ended else ""
        self._ended = name

    def text(self, text: str) -> None:
        self._values.append(text)
        if text.strip(" \t\n"):
            self._ended = self._group = ""


def _refuse_declaration(*_: object) -> None:
    raise _RefusedXmlError
