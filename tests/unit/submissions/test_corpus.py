"""The parser on real submissions; tests/fidelity compares all it says with other readings."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from edgar_search.edgar import document
from edgar_search.edgar.header import parse_header, primary_entity
from edgar_search.edgar.submission import Submission, accession_number, parse_submission
from edgar_search.errors import MalformedSubmission

FILINGS = 583
ERROR_PAGE = "probably an error message, instead of a submission"
CUT_OFF = "the header is cut off: it has no end"
# Names are no guide: a .jpg may be a PNG, an .xls the MIME message of 2010's viewer.
FILE_STARTS = (
    b"%PDF",
    b"\xff\xd8",
    b"GIF8",
    b"\x89PNG",
    b"PK",
    b"\xd0\xcf\x11\xe0",
    b"\xef\xbb\xbfMIME-Version",
)
MALFORMED = {
    "0000012927-23-000048.first-1000-bytes.txt": CUT_OFF,
    "0000320193-19-000119.tags-stripped.txt.gz": (
        "no SGML header tags: something stripped the file of its tags"
    ),
    "0000320193-97-000011.truncated.txt.gz": "document 6 is not terminated",
    "0000769397-25-000019.first-1000-bytes.txt": CUT_OFF,
    "0000912057-00-023442.appended-5-times.txt.gz": "5 submissions in one file",
    "0001018724-24-000083.first-1000-bytes.txt": CUT_OFF,
    "0001140361-25-045534.no-documents.txt": 0,
    "0001145197-23-000076.first-1000-bytes.txt": "document 1 is not terminated",
    "0001193125-19-278752.indented-header.txt.gz": 1,
    "0001564590-20-004475.hand-cut.txt": "incomplete: 2 of 160 documents present",
    "0001628280-24-020011.first-1000-bytes.txt": CUT_OFF,
    "0001637459-25-000011.first-1000-bytes.txt": CUT_OFF,
    "no-such-key.xml": f"an XML page, {ERROR_PAGE}",
    "rate-exceeded.html": f"an HTML page, {ERROR_PAGE}",
}


def content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def filings(corpus: Path) -> Iterator[tuple[Path, bytes, Submission]]:
    """One after the other, since together they are half a gigabyte."""
    for path in sorted((corpus / "filings").glob("*.gz")):
        data = content(path)
        yield path, data, parse_submission(data)


def test_all_parse(corpus: Path) -> None:
    number = 0
    for path, data, parsed in filings(corpus):
        number += 1
        accession, variant, _ = path.name.split(".")
        assert (parsed.header.accession_number, parsed.variant) == (accession, variant)
        assert accession_number(data[:16_384]) == accession
        assert parsed.header.unknown_fields == (), path.name
        assert primary_entity(parsed.header) is not None
    assert number == FILINGS


def test_nothing_between_the_documents(corpus: Path) -> None:
    for path, data, parsed in filings(corpus):
        edges = [edge for d in parsed.documents for edge in (d.start, d.end)]
        between = zip(edges[1::2], edges[2::2], strict=False)
        assert b"".join(data[start:end] for start, end in between).strip() == b"", path.name


def test_decoded_lengths(corpus: Path) -> None:
    number = 0
    for path, _, parsed in filings(corpus):
        for each in parsed.documents:
            if document.is_uuencoded(each.body):
                number += 1
                decoded = document.decode(each.body)
                assert len(decoded) == each.size
                assert decoded.startswith(FILE_STARTS), (path.name, each.file_name)
    assert number > 200


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed(corpus: Path, name: str) -> None:
    data = content(corpus / "malformed" / name)
    try:
        outcome: str | int = len(parse_submission(data).documents)
    except MalformedSubmission as error:
        outcome = str(error)
    assert outcome == MALFORMED[name]


def test_every_malformed_file_has_its_outcome(corpus: Path) -> None:
    names = {path.name for path in (corpus / "malformed").iterdir()} - {"manifest.jsonl"}
    assert names == set(MALFORMED)


def test_shifted_header_says_what_the_original_says(corpus: Path) -> None:
    number = "0001193125-19-278752"
    shifted = parse_submission(content(corpus / f"malformed/{number}.indented-header.txt.gz"))
    original = parse_submission(content(corpus / f"filings/{number}.txt.gz"))
    assert shifted.header == original.header


def test_headers_alone(corpus: Path) -> None:
    paths = sorted((corpus / "headers").glob("*-*-*"))
    assert len(paths) == 96
    for path in paths:
        header = parse_header(path.read_bytes())
        assert header.accession_number == path.name[:20]
        assert header.entities
        assert set(header.unknown_fields) <= {"HTML", "PRE"}, path.name
