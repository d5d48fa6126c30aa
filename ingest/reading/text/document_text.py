"""The searchable text of a document."""

import re

from edgar_search.edgar.plain_text import decode_bytes, plain_text
from edgar_search.edgar.submission import Document
from edgar_search.text.rules import normalise
from ingest.reading.document_kind import DocumentKind, searched_kind
from ingest.reading.text.markup_text import html_text
from ingest.reading.text.plain_columns import with_columns
from ingest.reading.text.readable_lines import readable
from ingest.reading.text.xml_text import xml_text

_EMPTY_LINES = re.compile("\n\n\n+")


def searchable_text(document: Document) -> str | None:
    """Return the text of `document` as it is indexed; None if it is listed but not searched.

    Lines end at "\\n" and paragraphs are one blank line apart. White space within a line is one
    blank, or one CELL_SEPARATOR between the cells of a table's row. A document without any text
    gives None too. Never raises.
    """
    kind = searched_kind(document)
    if kind is None:
        return None
    return finished_text(raw_text(kind, decode_bytes(document.body))) or None


def finished_text(raw: str) -> str:
    """Return `raw` in the form that is indexed: its line ends, words and paragraphs made alike."""
    if "\r" in raw:
        raw = raw.replace("\r\n", "\n").replace("\r", "\n")
    text = readable(normalise(raw))
    return _EMPTY_LINES.sub("\n\n", text).strip("\n")


def raw_text(kind: DocumentKind, body: str) -> str:
    """Return the text in `body`, whose white space is as it happens to be."""
    match kind:
        case DocumentKind.HTML:
            return html_text(body)
        case DocumentKind.XML:
            return xml_text(body)
        case DocumentKind.SCHEDULE:
            return plain_text(body, schedule=True)
        case DocumentKind.PLAIN:
            return plain_text(with_columns(body))
