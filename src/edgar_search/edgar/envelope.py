r"""The bytes of a submission and its parts, found without reading bodies line by line.

Bytes and mapped files are searched and sliced alike. The pages of a mapping count as memory of the
process until they are released, so a caller releases each part after use.

EDGAR's structural tags count only at the start of a line, after blanks at most; lines end with
"\n", "\r\n" or "\r".
"""

import codecs
import mmap
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Self

from msgspec import Struct

from edgar_search.edgar.identifiers import ACCESSION_NUMBER
from edgar_search.errors import MalformedSubmission

# Bytes that are read before memory is released, and bytes that are processed at once.
PIECE_BYTES = 1_048_576
# The system maps a whole block around each byte that is read; this is its largest size.
_SHOWN_BYTES = 2_097_152


class Mapped(mmap.mmap):
    """A mapped file, which must not change meanwhile: if it is truncated, SIGBUS ends the process.

    Slices are read from the file, not from the mapping, so that their bytes are in memory only
    once.
    """

    _file: BinaryIO

    def __new__(cls, file: BinaryIO) -> Self:
        """Map a file; raises OSError, and ValueError if it is empty."""
        self = super().__new__(cls, file.fileno(), 0, access=mmap.ACCESS_READ)
        self._file = os.fdopen(os.dup(file.fileno()), "rb", buffering=0)
        return self

    def find(self, sub: Any, start: int = 0, end: int | None = None, /) -> int:
        """Search like `bytes.find`, for positions that are not negative."""
        end = len(self) if end is None else min(end, len(self))
        while start < end:
            stop = min(start + PIECE_BYTES + len(sub) - 1, end)
            at = super().find(sub, start, stop)
            self.release_memory(start, stop if at < 0 else at)
            if at >= 0:
                return at
            start += PIECE_BYTES
        return -1

    def __getitem__(self, key: Any, /) -> Any:
        if not isinstance(key, slice):
            return super().__getitem__(key)
        start, stop, step = key.indices(len(self))
        assert step == 1
        read = os.pread(self._file.fileno(), max(0, stop - start), start)
        if len(read) != max(0, stop - start):
            raise OSError(f"only {len(read)} of {stop - start} bytes of a submission could be read")
        return read

    def release_memory(self, start: int, stop: int) -> None:
        """Release the memory of these bytes; they are mapped again on the next read."""
        first = start - start % _SHOWN_BYTES
        stop = min(stop + -stop % _SHOWN_BYTES, len(self))
        if stop > first:
            self.madvise(mmap.MADV_DONTNEED, first, stop - first)

    def close(self) -> None:
        """Close the file; the mapping's memory is kept while something still uses it."""
        self._file.close()
        with suppress(BufferError):
            super().close()


Content = bytes | Mapped


def release_memory(content: Content, start: int, stop: int) -> None:
    """Release the memory of these bytes of a mapped file; does nothing for bytes in memory."""
    if isinstance(content, Mapped):
        content.release_memory(start, stop)


def pieces(content: Content, start: int, end: int) -> Iterator[bytes]:
    """Yield these bytes in order, in pieces of at most `PIECE_BYTES`."""
    for at in range(start, end, PIECE_BYTES):
        yield content[at : min(at + PIECE_BYTES, end)]


# Everything else in angle brackets is the author's text.
_TAGS = re.compile(r"</?(?:PAGE|TABLE|CAPTION|S|C|FN|F[0-9]{1,2}|R)>", re.IGNORECASE)
# A financial data schedule is a list of lines like `<TOTAL-ASSETS>  1,234`.
_SCHEDULE_TAGS = re.compile(r"</?[A-Za-z][A-Za-z0-9&-]*>")


def decode_bytes(body: bytes) -> str:
    """Decode `body`, which declares no encoding; never raises.

    It is UTF-16 if a byte order mark says so, else UTF-8, else Windows-1252, with Latin-1 for the
    bytes that it leaves undefined. NUL becomes a space.
    """
    text = _decode(body)
    return text.replace("\0", " ") if "\0" in text else text


def _decode(body: bytes) -> str:
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", errors="replace")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("cp1252", errors=_LATIN_1)


def _decode_as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


_LATIN_1 = "edgar_search.latin_1"
codecs.register_error(_LATIN_1, _decode_as_latin_1)


def plain_text(text: str, schedule: bool = False) -> str:
    """Replace EDGAR's tags in `text` with spaces.

    In a financial data schedule (EX-27) every tag is replaced, elsewhere only EDGAR's own.
    """
    return (_SCHEDULE_TAGS if schedule else _TAGS).sub(" ", text)


DOCUMENT, DOCUMENT_END = b"<DOCUMENT>", b"</DOCUMENT>"
_TAG_END = b"DOCUMENT>"
# Only mail headers and signatures of the 1990s precede the first tag.
HEAD_BYTES = 65_536
_OPENING = re.compile(
    rb"(?:\A(?:\xef\xbb\xbf)?|[\r\n])[ \t]*"
    rb"<(SEC-DOCUMENT|SEC-HEADER|IMS-DOCUMENT|IMS-HEADER|SUBMISSION)>"
)
_HEADER_ENDS = (b"</SEC-HEADER>", b"</IMS-HEADER>")
_CLOSINGS = (b"</SEC-DOCUMENT>", b"</IMS-DOCUMENT>", b"</SUBMISSION>")
_LABEL = re.compile(rb"ACCESSION[ -]NUMBER[:>]")
_MARKUP = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(\?xml|!DOCTYPE|html|Error)\b", re.IGNORECASE)


_ACCESSION_NUMBER = re.compile(
    rb"(?:\A|[\r\n])[ \t]*<?ACCESSION[ -]NUMBER[:>][ \t]*"
    rb"(%b)(?![0-9])" % ACCESSION_NUMBER.encode()
)


class Envelope(Struct, frozen=True):
    """Byte offsets (start, end) of the header, and of each `<DOCUMENT>` to `</DOCUMENT>`.

    `closed` is true if the submission has an end marker.
    """

    header: tuple[int, int]
    documents: list[tuple[int, int]]
    closed: bool


def accession_number(head: bytes) -> str | None:
    """Return the accession number in the first bytes of a submission, or None.

    It is one of the first lines of every header, so 16 kB are enough.
    """
    match = _ACCESSION_NUMBER.search(head, 0, 16_384)
    return match[1].decode() if match else None


def find_tag(data: Content, tag: bytes, start: int, end: int) -> int:
    """Return the next position of `tag` at the start of a line in data[start:end], or -1."""
    at = data.find(tag, start, end)
    while at >= 0 and not _starts_line(data, at):
        at = data.find(tag, at + len(tag), end)
    return at


def _starts_line(data: Content, at: int) -> bool:
    at -= 1
    while at >= 0 and data[at] in b" \t":
        at -= 1
    return at < 0 or data[at] in b"\r\n"


def find_envelope(data: Content) -> Envelope:
    """Find the parts of the only submission in `data`.

    Raises MalformedSubmission for an empty file, for anything but a submission, for a header or
    document without an end, for a document without a start, and for several submissions in one
    file.
    """
    begin, header_end = find_header(data)
    documents = _documents(data, header_end)
    gaps = _gaps(data, begin, documents)
    _require_one(data, gaps)
    _require_no_lost_document(data, gaps)
    tail = documents[-1][1] if documents else header_end
    closed = any(find_tag(data, closing, tail, len(data)) >= 0 for closing in _CLOSINGS)
    return Envelope((begin, header_end), documents, closed)


def find_header(data: Content) -> tuple[int, int]:
    """Find where the header starts and ends; `data` may be the beginning of a submission.

    Raises MalformedSubmission for anything but a submission, and for a header without an end.
    """
    opening = _OPENING.search(data, 0, HEAD_BYTES)
    if opening is None:
        raise MalformedSubmission(_no_submission(data))
    begin = opening.start(1) - 1
    return begin, _header_end(data, begin, tagged=opening[1] == b"SUBMISSION")


def explain_no_submission(head: bytes) -> str | None:
    """Explain why `head`, all bytes or the first `HEAD_BYTES`, does not begin a submission.

    None if it does.
    """
    return None if _OPENING.search(head, 0, HEAD_BYTES) else _no_submission(head)


def _no_submission(data: Content) -> str:
    head = data[:HEAD_BYTES]
    if not head.strip():
        return "the file is empty"
    if match := _MARKUP.match(head):
        kind = "HTML" if match[1].lower() in (b"html", b"!doctype") else "XML"
        return f"an {kind} page, probably an error message, instead of a submission"
    if _LABEL.search(head):
        return "no SGML header tags: something stripped the file of its tags"
    if head.lstrip().startswith(b"%PDF"):
        return "a PDF instead of a submission: download the filing's complete submission text file"
    return "no SGML header: this is not an EDGAR submission"


def _header_end(data: Content, begin: int, tagged: bool) -> int:
    first = find_tag(data, DOCUMENT, begin, len(data))
    limit = first if first >= 0 else len(data)
    for closing in _CLOSINGS[-1:] if tagged else _HEADER_ENDS:
        if (end := find_tag(data, closing, begin, limit)) >= 0:
            return end
    if tagged and first >= 0:
        return first
    raise MalformedSubmission("the header is cut off: it has no end")


def _documents(data: Content, position: int) -> list[tuple[int, int]]:
    documents: list[tuple[int, int]] = []
    start = -1
    for at, end in _document_tags(data, position):
        if data[at:end] == DOCUMENT_END:
            if start >= 0:
                documents.append((start, end))
            start = -1
        elif start < 0:
            start = at
        else:
            break
    if start >= 0:
        raise MalformedSubmission(f"document {len(documents) + 1} is not terminated")
    return documents


def _document_tags(data: Content, position: int) -> Iterator[tuple[int, int]]:
    """Yield the positions of start and end tags; one pass over the bodies finds both."""
    at = data.find(_TAG_END, position)
    while at >= 0:
        end = at + len(_TAG_END)
        for tag in (DOCUMENT, DOCUMENT_END):
            start = end - len(tag)
            if start >= position and data[start:end] == tag and _starts_line(data, start):
                yield start, end
        at = data.find(_TAG_END, end)


def _gaps(data: Content, begin: int, documents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans before, between and after the documents."""
    edges = [begin, *[edge for span in documents for edge in span], len(data)]
    # The byte before a gap decides if a tag at its very start begins a line.
    return [(max(start - 1, 0), end) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _require_no_lost_document(data: Content, gaps: list[tuple[int, int]]) -> None:
    """Refuse a part of a document whose <DOCUMENT> is damaged: its loss would go unnoticed."""
    for number, gap in enumerate(gaps):
        if any(find_tag(data, tag, *gap) >= 0 for tag in (b"<TEXT>", b"</TEXT>", DOCUMENT_END)):
            where = f"after document {number}" if number else "before the first document"
            raise MalformedSubmission(f"a document without <DOCUMENT> {where}")


def _require_one(data: Content, gaps: list[tuple[int, int]]) -> None:
    """Refuse several submissions' openings outside documents; inside, they are text."""
    counts: dict[bytes, int] = {}
    for gap in gaps:
        for match in _OPENING.finditer(data, *gap):
            counts[match[1]] = counts.get(match[1], 0) + 1
    if max(counts.values(), default=0) > 1:
        submissions = max(counts.values()) - _repeated_headers(data, *gaps[0])
        if submissions > 1:
            raise MalformedSubmission(f"{submissions} submissions in one file")


def _repeated_headers(data: Content, begin: int, end: int) -> int:
    """Count how often the first header is repeated before the documents and the end marker.

    Some submissions of 1995 repeat it inside the first header's envelope.
    """
    closings = (find_tag(data, closing, begin, end) for closing in _CLOSINGS)
    limit = min((at for at in closings if at >= 0), default=end)
    headers = sum(1 for match in _OPENING.finditer(data, begin, limit) if b"HEADER" in match[1])
    numbers = _ACCESSION_NUMBER.findall(data, begin, limit)
    return headers - 1 if len(numbers) == headers and len(set(numbers)) == 1 else 0
