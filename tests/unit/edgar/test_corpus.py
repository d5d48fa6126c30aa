"""The parser on real submissions, against a reader of lines that knows nothing of it."""

import gzip
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from edgar_search.edgar import uuencoded
from edgar_search.edgar.header import Header, parse_header, primary_entity
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


def test_headers_as_the_lines_say(corpus: Path) -> None:
    for path, data, parsed in filings(corpus):
        assert by_parser(parsed.header) == by_lines(data), path.name


def by_parser(header: Header) -> dict[str, object]:
    return {
        "form": header.form_type,
        "filed": header.filing_date,
        "period": header.period,
        "count": header.public_document_count,
        "items": list(header.items),
        "entities": [(e.role, e.cik, e.name, e.sic) for e in header.entities],
        "eins": [e.ein for e in header.entities if e.ein],
        "numbers": [
            v.file_number for e in header.entities for v in e.filing_values if v.file_number
        ],
        "cities": [
            a.city for e in header.entities for a in (e.business_address, e.mail_address) if a
        ],
        "former": [(f.name, f.until) for e in header.entities for f in e.former_names],
    }


def by_lines(data: bytes) -> dict[str, object]:
    """The same facts by searching the lines of the header for each of them."""
    head = re.split(r"^\s*<DOCUMENT>", data.decode("latin-1"), maxsplit=1, flags=re.M)[0]
    head = re.sub(r"\r\n?", "\n", head)
    head = re.sub(r"<(MULTI-ACC|SERIES-AND)[^>]*>.*?</\1[^>]*>\n", "", head, flags=re.S)
    repeated = head.find("<SEC-DOCUMENT>", head.find("</SEC-HEADER>"))
    head = head[:repeated] if repeated >= 0 else head
    former = zip(
        values(head, "FORMER[ -]CONFORMED[ -]NAME"),
        values(head, "DATE OF NAME CHANGE|DATE-CHANGED"),
        strict=True,
    )
    return {
        "form": values(head, "CONFORMED SUBMISSION TYPE|TYPE")[0],
        "filed": day(values(head, "FILED AS OF DATE|FILING-DATE")[0]),
        "period": day((values(head, "CONFORMED PERIOD OF REPORT|PERIOD") or [""])[0]),
        "count": int(values(head, "PUBLIC[ -]DOCUMENT[ -]COUNT")[0]),
        "items": values(head, "ITEM INFORMATION|ITEMS"),
        "entities": list(entities(head)),
        "eins": values(head, r"\]?\s*IRS NUMBER|EIN|IRS-NUMBER"),
        "numbers": values(head, "SEC FILE NUMBER|FILE-NUMBER"),
        "cities": values(head, "CITY"),
        "former": [(name, day(until)) for name, until in former],
    }


def values(head: str, names: str) -> list[str]:
    found = re.findall(rf"^\s*(?:(?:{names}):|<(?:{names})>)[ \t]*(.*)$", head, re.M)
    return [value.strip() for value in found if value.strip()]


def day(value: str) -> date | None:
    try:
        return date.fromisoformat(f"{value[:4]}-{value[4:6]}-{value[6:8]}")
    except ValueError:
        return None


def entities(head: str) -> Iterator[tuple[str, str, str, str | None]]:
    role = r"^<?([A-Z -]+)[:>]\s*\n\s*<?(?:COMPANY|OWNER)[ -]DATA[:>]"
    starts = [match.start() for match in re.finditer(role, head, re.M)]
    for start, end in zip(starts, [*starts[1:], len(head)], strict=True):
        block = head[start:end]
        name = re.findall(role, block, re.M)[0].replace("-", " ")
        cik = values(block, "CENTRAL INDEX KEY|CIK")[0]
        sic = re.findall(r"(?:CLASSIFICATION:[^\n]*?|ASSIGNED-SIC>)\[?(\d{4})\b", block)
        conformed = values(block, "COMPANY CONFORMED NAME|CONFORMED-NAME")[0]
        yield name, cik, conformed, sic[0] if sic else None


def test_documents_as_the_lines_say(corpus: Path) -> None:
    for path, data, parsed in filings(corpus):
        expected = re.findall(rb"<TYPE>([^\r\n]*)[\r\n]+<SEQUENCE>(\d+)", data)
        found = [(d.form_type.encode(), str(d.sequence).encode()) for d in parsed.documents]
        assert found == [(each.strip(), number) for each, number in expected], path.name
        assert len({d.document_id for d in parsed.documents}) == len(parsed.documents)


def test_nothing_between_the_documents(corpus: Path) -> None:
    for path, data, parsed in filings(corpus):
        edges = [edge for d in parsed.documents for edge in (d.start, d.end)]
        between = zip(edges[1::2], edges[2::2], strict=False)
        assert b"".join(data[start:end] for start, end in between).strip() == b"", path.name


def test_decoded_lengths(corpus: Path) -> None:
    number = 0
    for path, _, parsed in filings(corpus):
        for each in parsed.documents:
            if uuencoded.is_uuencoded(each.body):
                number += 1
                decoded = uuencoded.decode(each.body)
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
