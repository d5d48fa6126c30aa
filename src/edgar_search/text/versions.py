"""Formats of searchable documents, and the current version of each format's text.

Raise a version if the text of a document in this format may differ from what is stored.
"""

from enum import Enum

from msgspec import Struct


class DocumentKind(Enum):
    """The format of a searched document's text."""

    HTML = "html"
    XML = "xml"
    PLAIN = "plain"
    SCHEDULE = "schedule"  # EX-27, a list of `<TOTAL-ASSETS> 1,234`


HTML_TEXT = (
    3  # rows keep their columns since 2, raised characters and page breaks are apart since 3
)
PLAIN_TEXT = 3  # tables keep their blanks since 2, sentences continue over page breaks since 3
SCHEDULE_TEXT = 2
XML_TEXT = 3  # EDGAR's own forms are labelled lines since 2, and complete since 3


class TextVersion(Struct, frozen=True):
    """The format of a document and the version of its text."""

    kind: DocumentKind
    number: int


TEXT_VERSIONS = {
    DocumentKind.HTML: TextVersion(DocumentKind.HTML, HTML_TEXT),
    DocumentKind.XML: TextVersion(DocumentKind.XML, XML_TEXT),
    DocumentKind.PLAIN: TextVersion(DocumentKind.PLAIN, PLAIN_TEXT),
    DocumentKind.SCHEDULE: TextVersion(DocumentKind.SCHEDULE, SCHEDULE_TEXT),
}
