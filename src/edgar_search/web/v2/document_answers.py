"""Documents and sections in replies of Version 2."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any
from xml.parsers.expat import ExpatError

import msgspec
import xmltodict
from msgspec import Struct

from edgar_search.edgar.document import section_content
from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.identifiers import split_document_id
from edgar_search.edgar.media_type import named_content_type
from edgar_search.stored.filings import FilingDocument, StoredSection, section_id

# Encodings of `data`; bytes that are not text are in Base64.
BASE64, TEXT, JSON = "base64", "text", "json"


class ListedDocument(Struct, rename="camel", gc=False):
    id: str
    accession_number: str
    sequence: int
    document_type: str | None
    file_name: str | None
    description: str | None
    size: int
    content_type: str | None


class DocumentReply(Struct):
    """`encoding` says what `data` is: `text`, `base64` of bytes, or `json` made of XML."""

    document_id: str
    file_name: str | None
    content_type: str
    size: int
    encoding: str
    data: Any


def listed_document(document: FilingDocument) -> ListedDocument:
    """A document as its filing lists it."""
    number, sequence = split_document_id(document.document_id)
    # Arguments by position are faster: a window has thousands of documents.
    return ListedDocument(
        document.document_id,
        number,
        sequence,
        document.form_type or None,
        document.file_name or None,
        document.description or None,
        document.size,
        named_content_type(document.file_name),
    )


def document_reply(
    document: FilingDocument, content: bytes, content_type: str, *, convert_xml: bool
) -> bytes:
    """The JSON of a document; XML that is not well-formed stays text.

    Takes as long as the document is large.
    """
    reply = DocumentReply(
        document_id=document.document_id,
        file_name=document.file_name or None,
        content_type=content_type,
        size=document.size,
        encoding=TEXT,
        data="",
    )
    if convert_xml and (converted := _converted(reply, content)):
        return converted
    if _is_text(content_type):
        reply.data = decode_bytes(content)
    else:
        reply.encoding, reply.data = BASE64, b64encode(content).decode()
    return msgspec.json.encode(reply)


def _converted(reply: DocumentReply, content: bytes) -> bytes | None:
    """The JSON with the document's XML as an object, None if it is not XML."""
    try:
        found = xmltodict.parse(content.strip())
        return msgspec.json.encode(msgspec.structs.replace(reply, encoding=JSON, data=found))
    except (ExpatError, ValueError, LookupError, RecursionError):
        # No XML, an encoding that nobody knows, entities of its own, or elements thousands deep.
        return None


def _is_text(content_type: str) -> bool:
    return content_type.startswith("text/") or content_type in (
        "application/json",
        "application/javascript",
        "application/xml",
        "image/svg+xml",
    )


class Section(Struct, rename="camel"):
    """`content` is HTML; it is null if a filing only lists its sections."""

    id: str
    document_id: str
    item_label: str
    item_description: str
    content: str | None


class SectionsReply(Struct):
    sections: list[Section]


def listed_sections(found: Sequence[StoredSection]) -> list[Section]:
    """Sections without their content."""
    return [_section(section, None) for section in found]


def sections_reply(found: Sequence[StoredSection], body: bytes) -> SectionsReply:
    """Sections with their content, out of the document's body as filed.

    Takes as long as the document is large.
    """
    return SectionsReply(
        [_section(each, section_content(body, each.start, each.end)) for each in found]
    )


def _section(section: StoredSection, content: str | None) -> Section:
    return Section(
        id=section_id(section.document_id, section.item),
        document_id=section.document_id,
        item_label=section.label,
        item_description=section.description,
        content=content,
    )
