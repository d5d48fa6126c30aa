"""XML of a submission as a stream of elements, with bounds on what it may contain."""

import io
import re
from collections.abc import Callable, Iterator

from lxml import etree

# Deeper than any instance or linkbase; libxml2's own bounds are off to allow long texts.
MAX_DEPTH = 100
# EDGAR's text files break longer lines, even inside a tag.
_BROKEN_LINE = re.compile(rb"(?m)^([^\r\n]{1023})\r?\n")
_ROOT = re.compile(rb"<[A-Za-z_]")


class XbrlError(Exception):
    """The XBRL cannot be read; the text says why."""


def join_lines(body: bytes) -> bytes:
    """Rejoin the lines that EDGAR broke in a file of a submission."""
    return _BROKEN_LINE.sub(rb"\1", body)


def elements(data: bytes, wanted: Callable[[str, int], bool]) -> Iterator[etree._Element]:
    """Yield each outermost wanted element, by its tag and depth, with its contents.

    All others are freed as they end. Raises XbrlError if the XML is not well-formed, declares a
    document type, or is too deep.
    """
    data = data.lstrip()
    root = _ROOT.search(data)
    head = data[: root.start()] if root else b""
    if root is None or b"<!DOCTYPE" in head or b"\0" in head:
        raise XbrlError("not XML, or XML with a document type")
    depth = 0
    outermost: etree._Element | None = None
    parser = etree.iterparse(
        io.BytesIO(data),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for event, element in parser:
            if event == "start":
                depth += 1
                if depth > MAX_DEPTH:
                    raise XbrlError(f"deeper than {MAX_DEPTH} elements")
                if outermost is None and wanted(element.tag, depth):
                    outermost = element
                continue
            depth -= 1
            if outermost is element:
                yield outermost
                outermost = None
            if outermost is None:
                _forget(element)
    except etree.XMLSyntaxError as error:
        raise XbrlError(f"not well-formed: {error.msg}") from None


def _forget(element: etree._Element) -> None:
    """Free an element that has ended, and its elder siblings."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]
