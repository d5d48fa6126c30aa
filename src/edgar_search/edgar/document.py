"""A document of a submission: its tags and its body."""

import binascii
import html
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Self

import msgspec
from msgspec import Struct

from edgar_search.edgar.envelope import (
    Content,
    decode_bytes,
    find_tag,
    pieces,
    plain_text,
    release_memory,
)
from edgar_search.edgar.header import LONGEST_VALUE
from edgar_search.edgar.identifiers import document_id
from edgar_search.edgar.media_type import has_html_tags
from edgar_search.errors import MalformedSubmission

_BEGIN = re.compile(rb"\s*begin [0-7]{3,4} [^\r\n]*(?:\r\n|\r|\n)?")
# More than any line needs: the length is one character, which allows 63 bytes.
_LINE_CHARACTERS = 128
_LAST_LINES = (b"`", b" ", b"end")
# Every byte encodes 6 bits; the library's decoder refuses unusual bytes.
_LEGAL = bytes((byte - 32 & 63) + 32 for byte in range(256))


def is_uuencoded(body: Content, start: int = 0, end: int = sys.maxsize) -> bool:
    """Return True if body[start:end] is a uuencoded file: blanks, `begin <octal mode> <name>`."""
    return _BEGIN.match(body, start, end) is not None


def decode(body: bytes) -> bytes:
    """Decode the file in `body`, which must be uuencoded.

    Bytes after a line's data, short lines and a missing `end` are accepted.
    """
    lines = _data_lines(_skip_begin(body, 0, len(body)))
    return b"".join([_decode_line(line) for some in lines for line in some])


def decode_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Decode a uuencoded body that comes in pieces, the first of which has its `begin` line.

    Together the results equal `decode`'s; at most one line is kept in memory.
    """
    for lines in _data_lines(_skip_begin_in_chunks(chunks)):
        yield b"".join([_decode_line(line) for line in lines])


def decoded_length(body: Content, start: int = 0, end: int | None = None) -> int:
    """Return how many bytes `decode` returns for body[start:end], without decoding."""
    lines = _data_lines(_skip_begin(body, start, len(body) if end is None else end))
    return sum(sum([(line[0] - 32) & 63 for line in some]) for some in lines)


def _skip_begin(body: Content, start: int, end: int) -> Iterator[bytes]:
    match = _BEGIN.match(body, start, end)
    return pieces(body, match.end(), end) if match else iter(())


def _skip_begin_in_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest: bytes | None = b""
    for chunk in chunks:
        if rest is None:
            yield chunk
        elif match := _BEGIN.match(rest := rest + chunk):
            yield rest[match.end() :]
            rest = None


def _data_lines(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines that hold data; lines that end in the same piece are yielded together."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        for index, line in enumerate(lines):
            if line in _LAST_LINES:
                yield [line for line in lines[:index] if line]
                return
        yield [line for line in lines if line]
        rest = rest[:_LINE_CHARACTERS]
    if rest and rest not in _LAST_LINES:
        yield [rest]


def _decode_line(line: bytes) -> bytes:
    """Decode as many characters as the line's length requires; missing ones count as zero bits."""
    characters = (((line[0] - 32) & 63) * 4 + 2) // 3
    return binascii.a2b_uu(line[:1].translate(_LEGAL) + line[1 : 1 + characters].translate(_LEGAL))


# Tags that a cut inside a table left out; without them the parser would drop rows and cells.
_TABLE_PART = re.compile(r"<(/?)(table|thead|tbody|tfoot|tr|td|th)\b", re.IGNORECASE)
# Longer than any report's tag; the parser compares each attribute of a tag with all others.
_LONG_TAG = re.compile(r"<[A-Za-z/][^<>]{10000,}+>")
_OPENINGS = {"td": "<table><tr>", "th": "<table><tr>", "table": ""}


def section_content(body: bytes, start: int, end: int) -> str:
    """Return bytes `start` to `end` of a document's `body` as well-formed HTML; never raises.

    In HTML, elements that the cut left open are closed, end tags without a start and tags of 10,000
    characters are dropped, and everything else stays as filed. Plain text becomes one `<pre>`,
    without EDGAR's tags.
    """
    text = decode_bytes(body[max(start, 0) : max(end, 0)])
    if not has_html_tags(body):
        return f"<pre>{html.escape(plain_text(text), quote=False)}</pre>"
    from resiliparse.parse.html import HTMLTree  # few processes need this parser

    text = _LONG_TAG.sub("", text)
    inner = HTMLTree.parse(f"<body>{table_opening(text)}{text}").body
    return str(inner.html).removeprefix("<body>").removesuffix("</body>") if inner else ""


def table_opening(text: str) -> str:
    """Return the tags that a cut inside a table left out before `text`, or ""."""
    tag = _TABLE_PART.search(text)
    if tag is None:
        return ""
    name = tag[2].lower()
    if tag[1]:
        return "<table><tr><td>" if name in ("td", "th") else ""
    return _OPENINGS.get(name, "<table>")


_TEXT, _TEXT_END = b"<TEXT>", b"</TEXT>"
_LINE_REST = re.compile(rb"[ \t]*(?:\r\n|\r|\n)")
_WRAPPER = re.compile(rb"\s*<(XML|XBRL|PDF)>(?:[ \t]*(?:\r\n|\r|\n))?")
_TAG = re.compile(r"<([A-Z][A-Z-]*)>(.*)", re.DOTALL)
# <FLAWED> has no value: it is how EDGAR says that the document breaks the rules of its format.
_KNOWN_TAGS = {"DOCUMENT", "TYPE", "SEQUENCE", "FILENAME", "DESCRIPTION", "FLAWED"}
# Longer than the lines with which a body may begin: of a wrapper, and of an encoded file.
_AHEAD = 4_096
_SEQUENCE = re.compile(r"[0-9]{1,9}")


class Document(Struct, frozen=True):
    """A document as filed; `description`, `file_name` and `form_type` are "" if it has none.

    `span` is its body in `content`: between the line of <TEXT> and </TEXT>, with line ends as
    received, without the lines of its `wrapper` ("XML", "XBRL" or "PDF"). `start` and `end` are the
    byte offsets of <DOCUMENT> to </DOCUMENT> in the submission. `unknown_tags` are the tags above
    the text that have no field here.
    """

    document_id: str
    sequence: int
    form_type: str
    description: str
    file_name: str
    content: Content
    wrapper: str | None
    start: int
    end: int
    span: tuple[int, int]
    unknown_tags: tuple[str, ...] = ()

    @property
    def body(self) -> bytes:
        """The body, copied if `content` has more."""
        return self.content[slice(*self.span)]

    @property
    def body_size(self) -> int:
        """The size of the body in bytes."""
        return self.span[1] - self.span[0]

    @property
    def is_uuencoded(self) -> bool:
        """True if the body is a uuencoded file."""
        return is_uuencoded(self.content, *self.span)

    @property
    def size(self) -> int:
        """The size in bytes; of a uuencoded body, the size of the decoded file."""
        if self.is_uuencoded:
            return decoded_length(self.content, *self.span)
        return self.body_size

    def alone(self, most: int | None = None) -> Self:
        """Return the document with only its body, or the first `most` bytes of that, in memory."""
        start, end = self.span
        body = self.content[start : end if most is None else min(end, start + most)]
        return msgspec.structs.replace(self, content=body, span=(0, len(body)))


def read_documents(
    data: Content, spans: list[tuple[int, int]], accession_number: str
) -> tuple[Document, ...]:
    """Parse the documents of `data` at `spans`, in order.

    They keep their own numbers; if one is missing, repeated or not positive, all are numbered from
    1. Raises MalformedSubmission for a document without a text, or with a name that no index
    accepts.
    """
    texts = [_text_span(data, span, position) for position, span in enumerate(spans, 1)]
    tags = [_tags(data[span[0] : text[0]]) for span, text in zip(spans, texts, strict=True)]
    for position, values in enumerate(tags, 1):
        if long := [name for name, value in values.items() if len(value) > LONGEST_VALUE]:
            raise MalformedSubmission(
                f"document {position} has a <{long[0]}> of more than {LONGEST_VALUE:,} characters"
            )
    documents = []
    for number, values, span, text in zip(_numbers(tags), tags, spans, texts, strict=True):
        wrapper, body = _unwrap(data, *_body_span(data, *text))
        documents.append(
            Document(
                document_id=document_id(accession_number, number),
                sequence=number,
                form_type=values.get("TYPE", ""),
                description=values.get("DESCRIPTION", ""),
                file_name=values.get("FILENAME", ""),
                content=data,
                wrapper=wrapper,
                start=span[0],
                end=span[1],
                span=body,
                unknown_tags=tuple(sorted(values.keys() - _KNOWN_TAGS)),
            )
        )
        release_memory(data, *span)
    return tuple(documents)


def body_start(beginning: bytes, *, whole: bool) -> int | None:
    """Return where the body starts in the first bytes of a document.

    None if more bytes are needed, or if it has no <TEXT>; `whole` means that no more bytes follow.
    """
    text = find_tag(beginning, _TEXT, 0, len(beginning))
    if text < 0:
        return None
    start, _ = _body_span(beginning, text, len(beginning))
    if not whole and len(beginning[start:].lstrip()) < _AHEAD:
        return None
    wrapper = _WRAPPER.match(beginning, start)
    return wrapper.end() if wrapper else start


def _text_span(data: Content, span: tuple[int, int], position: int) -> tuple[int, int]:
    """Return the offsets of <TEXT> and of the last </TEXT>."""
    start = find_tag(data, _TEXT, *span)
    if start < 0:
        raise MalformedSubmission(f"document {position} has no <TEXT>")
    end = data.rfind(_TEXT_END, start, span[1])
    if end < 0:
        raise MalformedSubmission(f"document {position} has no </TEXT>")
    release_memory(data, *span)
    return start, end


def _body_span(data: Content, start: int, end: int) -> tuple[int, int]:
    start += len(_TEXT)
    rest = _LINE_REST.match(data, start, end)
    return (rest.end() if rest else start), end


def _unwrap(data: Content, start: int, end: int) -> tuple[str | None, tuple[int, int]]:
    match = _WRAPPER.match(data, start, end)
    if match is None:
        return None, (start, end)
    start = match.end()
    closing = b"</" + match[1] + b">"
    closed = _stripped_end(data, start, end, None)
    if data[max(start, closed - len(closing)) : closed] == closing:
        end = _stripped_end(data, start, closed - len(closing), b" \t")
    return match[1].decode(), (start, end)


def _stripped_end(data: Content, start: int, end: int, characters: bytes | None) -> int:
    """Return the end of data[start:end] without trailing white space, or these characters."""
    while end > start:
        tail = data[max(start, end - _AHEAD) : end]
        kept = len(tail.rstrip(characters))
        end -= len(tail) - kept
        if kept:
            break
    return end


def _tags(head: bytes) -> dict[str, str]:
    """Return the values of the tags before the text; a line without a tag continues a value."""
    values: dict[str, list[str]] = {}
    name = ""
    for line in decode_bytes(head).replace("\r", "\n").split("\n"):
        line = line.strip()
        if tag := _TAG.match(line):
            name = tag[1]
            values.setdefault(name, [tag[2].strip()])
        elif line and name:
            values[name].append(line)
    return {name: " ".join(lines).strip() for name, lines in values.items()}


def _numbers(tags: list[dict[str, str]]) -> list[int]:
    sequences = [values.get("SEQUENCE", "") for values in tags]
    numbers = [int(sequence) if _SEQUENCE.fullmatch(sequence) else 0 for sequence in sequences]
    if min(numbers, default=1) > 0 and len(set(numbers)) == len(numbers):
        return numbers
    return list(range(1, len(tags) + 1))
