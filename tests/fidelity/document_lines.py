"""A second reader of submissions, line by line: where the header is, and the list of documents."""

import binascii
import re
from typing import NamedTuple

from tests.fidelity.header_lines import Facts, header_facts

_HEADER_BEGINS = (b"<SEC-HEADER>", b"<IMS-HEADER>", b"<SUBMISSION>")
_HEADER_ENDS = (b"</SEC-HEADER>", b"</IMS-HEADER>", b"<DOCUMENT>")
_WRAPPERS = {b"<XML>": b"</XML>", b"<XBRL>": b"</XBRL>", b"<PDF>": b"</PDF>"}


class Lines(NamedTuple):
    """A submission as its lines say: facts of the header and of each document, and the bodies."""

    facts: Facts
    bodies: list[bytes]


def read_lines(data: bytes) -> Lines:
    """Read a whole submission."""
    lines = data.splitlines(keepends=True)
    begin = next(n for n, line in enumerate(lines) if line.lstrip().startswith(_HEADER_BEGINS))
    # A header that stands in front of itself, in the envelopes of 1995, is the same header.
    end = next(n for n in range(begin, len(lines)) if lines[n].lstrip().startswith(_HEADER_ENDS))
    facts = header_facts(text_lines(lines[begin + 1 : end]))
    documents = read_documents(lines[end:])
    for number, document in enumerate(documents):
        facts.update({f"document[{number}].{k}": v for k, v in document.facts.items() if v})
    return Lines(facts, [document.body for document in documents])


def text_lines(lines: list[bytes]) -> list[str]:
    """Return a header's lines as text: UTF-8, else Windows-1252."""
    whole = b"".join(lines)
    try:
        return whole.decode("utf-8").replace("\r", "\n").split("\n")
    except UnicodeDecodeError:
        return whole.decode("cp1252").replace("\r", "\n").split("\n")


class Document(NamedTuple):
    facts: Facts
    body: bytes


def read_documents(lines: list[bytes]) -> list[Document]:
    """Return the documents in some lines, each from <DOCUMENT> to </DOCUMENT>."""
    documents, start = [], None
    for number, line in enumerate(lines):
        # Nearly no line has it, and the other tests take longer.
        if b"DOCUMENT>" not in line:
            continue
        if line.lstrip().startswith(b"<DOCUMENT>"):
            start = number + 1
        elif line.lstrip().startswith(b"</DOCUMENT>") and start is not None:
            documents.append(_document(lines[start:number]))
            start = None
    return documents


def _document(lines: list[bytes]) -> Document:
    at = next(n for n, line in enumerate(lines) if line.lstrip().startswith(b"<TEXT>"))
    facts = _tags(lines[:at])
    first = lines[at].lstrip().removeprefix(b"<TEXT>")
    body = [first, *lines[at + 1 :]] if first.strip() else lines[at + 1 :]
    while b"</TEXT>" not in body[-1]:
        body.pop()
    body[-1] = body[-1].rpartition(b"</TEXT>")[0]
    wrapper, body = _unwrap(body)
    facts["wrapper"] = wrapper
    whole = b"".join(body)
    decoded = _decoded(body)
    facts["size"] = str(len(whole) if decoded is None else len(decoded))
    return Document(facts, whole if decoded is None else decoded)


def _tags(lines: list[bytes]) -> Facts:
    names = {"TYPE": "type", "SEQUENCE": "sequence", "FILENAME": "file", "DESCRIPTION": "title"}
    facts: Facts = {}
    last = ""
    for line in text_lines(lines):
        tag = re.match(r"\s*<([A-Z]+)>(.*)$", line)
        if tag:
            last = names.get(tag[1], f"other {tag[1]}")
            facts[last] = tag[2].strip()
        elif line.strip() and last:
            facts[last] = f"{facts[last]} {line.strip()}".strip()
    return facts


def _unwrap(body: list[bytes]) -> tuple[str, list[bytes]]:
    first = next((n for n, line in enumerate(body) if line.strip()), None)
    if first is None or body[first].strip() not in _WRAPPERS:
        return "", body
    closing = _WRAPPERS[body[first].strip()]
    inner = body[first + 1 :]
    last = max(n for n, line in enumerate(inner) if line.strip())
    if inner[last].rstrip().endswith(closing):
        inner = [*inner[:last], inner[last].rstrip().removesuffix(closing).rstrip(b" \t")]
    return body[first].strip(b" \t\r\n<>").decode(), inner


def _decoded(body: list[bytes]) -> bytes | None:
    """Return the file in a uuencoded body, None in any other."""
    first = next((n for n, line in enumerate(body) if line.strip()), None)
    if first is None or not re.match(rb"begin [0-7]{3} ", body[first].strip()):
        return None
    pieces = []
    for line in body[first + 1 :]:
        line = line.rstrip(b"\r\n")
        if line == b"end":
            break
        if line and line != b"`":
            # Some lines have a check character after their data.
            needed = -(-((line[0] - 32) & 63) * 4 // 3)
            pieces.append(binascii.a2b_uu(line[: 1 + needed]))
    return b"".join(pieces)
