"""A filed document inside JSON, with XML as an object; in a reading room only."""

from base64 import b64encode
from typing import Any
from xml.parsers.expat import ExpatError

import msgspec
import xmltodict
from msgspec import Struct

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.stored.filings import FilingDocument

# Encodings of `data`; bytes that are not text are in Base64.
BASE64, TEXT, JSON = "base64", "text", "json"


class DocumentReply(Struct):
    """`encoding` says what `data` is: `text`, `base64` of bytes, or `json` made of XML."""

    document_id: str
    file_name: str | None
    content_type: str
    size: int
    encoding: str
    data: Any


def document_reply(
    document: FilingDocument, content: bytes, content_type: str, convert_xml: bool
) -> bytes:
    """Encode a document as JSON; XML that is not well-formed stays text.

    Takes time in proportion to the document.
    """
    reply = DocumentReply(
        document_id=document.document_id,
        file_name=document.file_name or None,
        content_type=content_type,
        size=document.size,
        encoding=TEXT,
        data="",
    )
    if convert_xml and (converted := _as_object(reply, content)):
        return converted
    if _is_text(content_type):
        reply.data = decode_bytes(content)
    else:
        reply.encoding, reply.data = BASE64, b64encode(content).decode()
    return msgspec.json.encode(reply)


def _as_object(reply: DocumentReply, content: bytes) -> bytes | None:
    """Encode the document's XML as an object; None if it is not XML."""
    try:
        parsed = xmltodict.parse(content.strip())
        return msgspec.json.encode(msgspec.structs.replace(reply, encoding=JSON, data=parsed))
    except (ExpatError, ValueError, LookupError, RecursionError):
        # No XML, an unknown encoding, entities of its own, or elements thousands deep.
        return None


def _is_text(content_type: str) -> bool:
    return content_type.startswith("text/") or content_type in (
        "application/json",
        "application/javascript",
        "application/xml",
        "image/svg+xml",
    )
