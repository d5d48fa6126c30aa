"""Media types of documents, by file name or first bytes."""

import re

_BY_EXTENSION = {
    "bmp": "image/bmp",
    "css": "text/css",
    "fil": "text/plain",
    "gif": "image/gif",
    "htm": "text/html",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "application/javascript",
    "json": "application/json",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "txt": "text/plain",
    "xhtml": "text/html",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "xsd": "application/xml",
    "xsl": "application/xml",
    "zip": "application/zip",
}
_BY_BEGINNING = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"GIF8", "image/gif"),
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
)
_HTML = re.compile(rb"<(?:!doctype\s+html|html)[\s>]", re.IGNORECASE)
# Tags that EDGAR's plain text never has; it may have <TABLE>, <S>, <C>, <PAGE>.
_HTML_TAG = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|div|font|center|p|br|td|tr)[\s/>]", re.IGNORECASE
)
_SNIFFED = 2048
_XML = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<\?xml")


def named_content_type(file_name: str) -> str | None:
    """Return the media type for a file name's extension; None if it is absent or unknown."""
    return _BY_EXTENSION.get(file_name.lower().rpartition(".")[2]) if "." in file_name else None


def content_type(file_name: str, beginning: bytes, *, binary: bool) -> str:
    """Return the media type of a file, by its first bytes if possible, else by its name.

    `binary` means that the file was uuencoded: then an unknown type is not text.
    """
    for magic, media_type in _BY_BEGINNING:
        if beginning.startswith(magic):
            named = named_content_type(file_name)
            # Modern spreadsheets are ZIP archives too.
            return named if media_type == "application/zip" and named else media_type
    if named := named_content_type(file_name):
        return named
    if binary:
        return "application/octet-stream"
    if _HTML.search(beginning):
        return "text/html"
    return "application/xml" if _XML.match(beginning) else "text/plain"


def has_html_tags(body: bytes) -> bool:
    """Return True if the first 2,048 bytes of `body` have a tag that plain text never has."""
    return _HTML_TAG.search(body, 0, _SNIFFED) is not None
