"""One document of a submission: its tags and its body."""

import re
from typing import Self

import msgspec
from msgspec import Struct

from edgar_search.edgar import uuencoded
from edgar_search.edgar.content import Content, give_back
from edgar_search.edgar.envelope import find_tag
from edgar_search.edgar.identifiers import document_id
from edgar_search.edgar.plain_text import decode_bytes
from edgar_search.errors import MalformedSubmission

_TEXT, _TEXT_END = b"<TEXT>", b"</TEXT>"
_LINE_REST = re.compile(rb"[ \t]*(?:\r\n|\r|\n)")
_WRAPPER = re.compile(rb"\s*<(XML|XBRL|PDF)>(?:[ \t]*(?:\r\n|\r|\n))?")
_TAG = re.compile(r"<([A-Z][A-Z-]*)>(.*)", re.DOTALL)
# <FLAWED> has no value: EDGAR's word that the document breaks the rules for its format.
_KNOWN_TAGS = {"DOCUMENT", "TYPE", "SEQUENCE", "FILENAME", "DESCRIPTION", "FLAWED"}
# Longer than the lines that a body may begin with: of a wrapper, and of what is uuencoded.
_AHEAD = 4_096
_SEQUENCE = re.compile(r"[0-9]{1,9}")


class Document(Struct, frozen=True):
    """A document as filed; `description`, `file_name` and `form_type` are "" where it has none.

    `span` is where its body is in `content`: what stands between the line of <TEXT> and </TEXT>,
    line ends as received, without the lines of its `wrapper` ("XML", "XBRL" or "PDF"). `start` and
    `end` are the byte offsets of <DOCUMENT> to </DOCUMENT> in the submission. `unknown_tags` names
    the tags above the text that have no field here.
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
        """The body, a copy of it where `content` has more than that."""
        return self.content[slice(*self.span)]

    @property
    def body_size(self) -> int:
        """The size of the body in bytes."""
        return self.span[1] - self.span[0]

    @property
    def is_uuencoded(self) -> bool:
        """Whether the body is a file in letters and digits."""
        return uuencoded.is_uuencoded(self.content, *self.span)

    @property
    def size(self) -> int:
        """The size in bytes; of a uuencoded body that of the file in it."""
        if self.is_uuencoded:
            return uuencoded.decoded_length(self.content, *self.span)
        return self.body_size

    def alone(self, most: int | None = None) -> Self:
        """The same with a copy of its body, of `most` bytes of it, and nothing else."""
        start, end = self.span
        body = self.content[start : end if most is None else min(end, start + most)]
        return msgspec.structs.replace(self, content=body, span=(0, len(body)))


def read_documents(
    data: Content, spans: list[tuple[int, int]], accession_number: str
) -> tuple[Document, ...]:
    """Return the documents of `data` at `spans`, in order.

    They carry their own numbers, or, if one is missing, repeated or not positive, all carry their
    positions from 1. Raises MalformedSubmission for a document without its text.
    """
    texts = [_text_span(data, span, position) for position, span in enumerate(spans, 1)]
    tags = [_tags(data[span[0] : text[0]]) for span, text in zip(spans, texts, strict=True)]
    documents = []
    for number, values, span, text in zip(_numbers(tags), tags, spans, texts, strict=True):
        wrapper, body = _unwrapped(data, *_body_span(data, *text))
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
        give_back(data, *span)
    return tuple(documents)


def body_start(beginning: bytes, *, whole: bool) -> int | None:
    """Return where the body begins in the first bytes of a document.

    None where that takes more of it, or where it has no <TEXT>; `whole` says that there is no more.
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
    give_back(data, *span)
    return start, end


def _body_span(data: Content, start: int, end: int) -> tuple[int, int]:
    start += len(_TEXT)
    rest = _LINE_REST.match(data, start, end)
    return (rest.end() if rest else start), end


def _unwrapped(data: Content, start: int, end: int) -> tuple[str | None, tuple[int, int]]:
    match = _WRAPPER.match(data, start, end)
    if match is None:
        return None, (start, end)
    start = match.end()
    closing = b"</" + match[1] + b">"
    closed = _rstripped(data, start, end, None)
    if data[max(start, closed - len(closing)) : closed] == closing:
        end = _rstripped(data, start, closed - len(closing), b" \t")
    return match[1].decode(), (start, end)


def _rstripped(data: Content, start: int, end: int, characters: bytes | None) -> int:
    """Return where data[start:end] ends without these characters, or white space, at its end."""
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
    given = [values.get("SEQUENCE", "") for values in tags]
    numbers = [int(each) if _SEQUENCE.fullmatch(each) else 0 for each in given]
    if min(numbers, default=1) > 0 and len(set(numbers)) == len(numbers):
        return numbers
    return list(range(1, len(tags) + 1))
