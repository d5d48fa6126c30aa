"""Documents out of the archive, in pieces."""

import binascii
import hashlib
import tracemalloc
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from edgar_search.archive import archive
from edgar_search.archive.archive import open_document
from edgar_search.archive.store import ArchiveFolder
from edgar_search.edgar.document import decode, decode_chunks
from edgar_search.edgar.submission import parse_submission

HEADER = b"""<SEC-HEADER>
ACCESSION NUMBER:\t\t0009990001-21-000001
CONFORMED SUBMISSION TYPE:\t8-K
PUBLIC DOCUMENT COUNT:\t\t%d
FILED AS OF DATE:\t\t20210105
FILER:
\tCOMPANY DATA:
\t\tCOMPANY CONFORMED NAME:\t\t\tONE
\t\tCENTRAL INDEX KEY:\t\t\t0009990001
</SEC-HEADER>
"""


def submission(*bodies: bytes) -> bytes:
    documents = b"".join(
        b"<DOCUMENT>\n<TYPE>8-K\n<SEQUENCE>%d\n<FILENAME>a%d\n<TEXT>\n%s</TEXT>\n</DOCUMENT>\n"
        % (number, number, body)
        for number, body in enumerate(bodies, 1)
    )
    return HEADER % len(bodies) + documents + b"</SEC-DOCUMENT>\n"


def uuencoded(content: bytes, name: bytes = b"a.gif") -> bytes:
    lines = [binascii.b2a_uu(content[at : at + 45]) for at in range(0, len(content), 45)]
    return b"begin 644 " + name + b"\n" + b"".join(lines) + b"`\nend\n"


def read(folder: Path, *bodies: bytes) -> list[tuple[str, bytes]]:
    """Return types and contents of all documents of a submission, by way of the archive."""
    data = submission(*bodies)
    parsed = parse_submission(data)
    starts = [document.start for document in parsed.documents]
    sha256 = hashlib.sha256(data).hexdigest()
    store = ArchiveFolder(folder)
    kept = archive.write(store, parsed.header.accession_number, sha256, data, starts)
    found = []
    for document, member in zip(parsed.documents, kept.members[1:], strict=True):
        opened = open_document(store, kept.path, member, document.file_name, document.size)
        found.append((opened.content_type, b"".join(opened.chunks)))
    return found


GIF = b"GIF89a" + bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("body", "content", "kind"),
    [
        (b"Plain.\n", b"Plain.\n", "text/plain"),
        (b"", b"", "text/plain"),
        (b"\n\n<html>x</html>\n", b"\n\n<html>x</html>\n", "text/html"),
        (
            b"<XML>\n<?xml version='1.0'?><a/>\n</XML>\n",
            b"<?xml version='1.0'?><a/>\n",
            "application/xml",
        ),
        (b"<XBRL>\r\n<html>\r\n</html>\r\n</XBRL>\r\n", b"<html>\r\n</html>\r\n", "text/html"),
        (uuencoded(GIF), GIF, "image/gif"),
        (
            b"<PDF>\n" + uuencoded(b"%PDF-1.4 " + GIF) + b"</PDF>\n",
            b"%PDF-1.4 " + GIF,
            "application/pdf",
        ),
        (uuencoded(b"\0\1\2"), b"\0\1\2", "application/octet-stream"),
        (uuencoded(GIF, b"a" * 5_000), GIF, "image/gif"),
        (uuencoded(GIF).replace(b"\n", b"\r\n"), GIF, "image/gif"),
        (uuencoded(GIF).removesuffix(b"`\nend\n"), GIF, "image/gif"),
        (b"a </TEXT>\n b\n", b"a </TEXT>\n b\n", "text/plain"),
        (b"x" * 300_000 + b"\n", b"x" * 300_000 + b"\n", "text/plain"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_document_is_what_stood_in_its_text(
    tmp_path: Path, body: bytes, content: bytes, kind: str
) -> None:
    assert read(tmp_path, b"first\n", body, b"last\n") == [
        ("text/plain", b"first\n"),
        (kind, content),
        ("text/plain", b"last\n"),
    ]


@hypothesis.given(
    content=st.binary(max_size=500),
    cuts=st.lists(st.integers(1, 200)),
    ends=st.sampled_from("\n\r"),
)
def test_pieces_decode_to_the_whole(content: bytes, cuts: list[int], ends: str) -> None:
    body = uuencoded(content).replace(b"\n", ends.encode())
    pieces, at = [body[:20]], 20
    for cut in cuts:
        pieces.append(body[at : at + cut])
        at += cut
    pieces.append(body[at:])
    assert b"".join(decode_chunks(pieces)) == decode(body) == content


def test_line_without_end_is_not_kept() -> None:
    pieces = [b"begin 644 a\n", *[b"M" * 65_536] * 200]
    tracemalloc.start()
    try:
        assert len(b"".join(decode_chunks(pieces))) == 45
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("binary", [False, True])
def test_memory_does_not_grow_with_the_document(tmp_path: Path, binary: bool) -> None:
    content = bytes(range(256)) * 20_000
    data = submission(uuencoded(content) if binary else content)
    parsed = parse_submission(data)
    (document,) = parsed.documents
    store = ArchiveFolder(tmp_path)
    kept = archive.write(
        store, "0009990001-21-000001", hashlib.sha256(data).hexdigest(), data, [document.start]
    )
    size = document.size
    del data, parsed, document
    tracemalloc.start()
    try:
        opened = open_document(store, kept.path, kept.members[1], "a", size)
        assert sum(map(len, opened.chunks)) == size == len(content)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_damaged_archive_is_an_error_and_no_short_document(tmp_path: Path) -> None:
    data = submission(b"".join(b"%d\n" % n for n in range(100_000)))
    (document,) = parse_submission(data).documents
    store = ArchiveFolder(tmp_path)
    kept = archive.write(store, "0009990001-21-000001", "0" * 64, data, [document.start])
    path = tmp_path / kept.path
    offset, length, _, _ = member = kept.members[1]
    whole = path.read_bytes()
    for damaged in (whole[: offset + length // 2], whole[: offset + 300] + whole[offset + 320 :]):
        path.write_bytes(damaged)
        with pytest.raises(OSError, match="damaged"):
            b"".join(open_document(store, kept.path, member, "a", document.size).chunks)


def test_absent_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_document(ArchiveFolder(tmp_path), "none.gz", (0, 1, 0, 1), "a", 1)
