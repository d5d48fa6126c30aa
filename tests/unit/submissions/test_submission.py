"""Submissions: what loads, and what is refused with which reason."""

from typing import Literal

import pytest

from edgar_search.edgar.submission import (
    Submission,
    accession_number,
    parse_submission,
)
from edgar_search.errors import MalformedSubmission
from tests.unit.submissions.made_up import (
    ACCESSION,
    HEADER,
    TWO,
    document,
    feed_submission,
    old_submission,
    submission,
)

TEXT = submission(*TWO)
FEED = feed_submission(*TWO)


def refusal(data: bytes) -> str:
    with pytest.raises(MalformedSubmission) as refused:
        parse_submission(data)
    return str(refused.value)


def seen(parsed: Submission) -> list[tuple[str, int, str, str, str, bytes]]:
    return [
        (d.document_id, d.sequence, d.form_type, d.description, d.file_name, d.body)
        for d in parsed.documents
    ]


@pytest.mark.parametrize(
    ("data", "variant"), [(TEXT, "txt"), (FEED, "nc"), (old_submission(*TWO), "txt")]
)
def test_documents(data: bytes, variant: Literal["txt", "nc"]) -> None:
    parsed = parse_submission(data)
    body = b"<PAGE>\nQuarries were bought.\n"
    assert parsed.variant == variant
    assert seen(parsed) == [
        (f"{ACCESSION}-1", 1, "8-K", "REPORT", "body.txt", body),
        (f"{ACCESSION}-2", 2, "EX-99.1", "", "", b"Moss grows.\n"),
    ]
    for part in parsed.documents:
        assert data[part.start : part.end].startswith(b"<DOCUMENT>")
        assert data[part.start : part.end].endswith(b"</DOCUMENT>")


@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n\n"])
@pytest.mark.parametrize("data", [TEXT, FEED])
def test_line_ends_stay_as_received(data: bytes, end: bytes) -> None:
    received = parse_submission(data.replace(b"\n", end))
    assert received.header == parse_submission(data).header
    assert received.documents[1].body.replace(b"\n\n", b"\n").strip() == b"Moss grows."
    if end != b"\n\n":
        assert [d.body for d in received.documents] == [
            d.body.replace(b"\n", end) for d in parse_submission(data).documents
        ]
    assert received.documents[1].size == len(received.documents[1].body)


def test_bare_line_feed_after_the_first_tag_only() -> None:
    data = FEED.replace(b"\n", b"\r").replace(b"\r", b"\n", 1)
    assert parse_submission(data).header == parse_submission(FEED).header


def test_shifted_right() -> None:
    data = TEXT.replace(b"\n", b"\n    ")
    assert parse_submission(data).header == parse_submission(TEXT).header
    assert parse_submission(data).documents[1].body == b"    Moss grows.\n    "


def test_byte_order_mark() -> None:
    assert parse_submission(b"\xef\xbb\xbf" + TEXT).header == parse_submission(TEXT).header


def test_tags_inside_a_line_are_text() -> None:
    body = "See <DOCUMENT> and </DOCUMENT>, </TEXT> or <SEC-DOCUMENT>.\n"
    parsed = parse_submission(submission(document(body), document(sequence="2")))
    assert parsed.documents[0].body == body.encode()


def test_opening_inside_a_document_is_text() -> None:
    body = "An example:\n<SEC-DOCUMENT>0001.txt\n"
    parsed = parse_submission(submission(document(body), document(sequence="2")))
    assert parsed.documents[0].body == body.encode()


def test_path_in_the_first_line() -> None:
    data = TEXT.replace(b"<SEC-DOCUMENT>", b"<SEC-DOCUMENT>/in/edgar/work/20210105/")
    assert parse_submission(data).documents[0].document_id == f"{ACCESSION}-1"


def test_description_over_lines_and_flawed() -> None:
    text = document(description="ART. 5 FDS FOR \n10-K\n<FLAWED>")
    (parsed,) = parse_submission(submission(text)).documents
    assert (parsed.description, parsed.body) == ("ART. 5 FDS FOR 10-K", b"Quarries were bought.\n")


def test_unknown_tags_of_documents_and_header_are_named() -> None:
    text = document().replace("<SEQUENCE>", "<SHOE-SIZE>44\n<FLAWED>\n<SEQUENCE>")
    read = parse_submission(submission(text, document(sequence="2"), header=f"HAT: 7\n{HEADER}"))
    assert read.unknown_fields == ("HAT", "SHOE-SIZE")


def test_name_of_a_document_that_no_index_takes_is_refused() -> None:
    long = document(file_name="x" * 40_000)
    expected = "document 1 has a <FILENAME> of more than 8,000 characters"
    assert refusal(submission(long)) == expected


@pytest.mark.parametrize("wrapper", ["XML", "XBRL", "PDF"])
@pytest.mark.parametrize("last", ["\n", ""])
def test_wrapper_is_no_body(wrapper: str, last: str) -> None:
    body = f"<{wrapper}>\n<a>1</a>{last}</{wrapper}>\n"
    (parsed,) = parse_submission(submission(document(body))).documents
    assert (parsed.wrapper, parsed.body) == (wrapper, f"<a>1</a>{last}".encode())
    assert parsed.size == len(parsed.body)


def test_size_of_uuencoded_is_decoded() -> None:
    body = "<PDF>\nbegin 644 a.pdf\n#0V%T\n`\nend\n</PDF>\n"
    (parsed,) = parse_submission(submission(document(body))).documents
    assert parsed.size == 3


@pytest.mark.parametrize("second", ["", "1", "0", "-2", "x", "9" * 5000])
def test_numbers_by_position(second: str) -> None:
    data = submission(document(sequence="4"), document(sequence="4" if second == "1" else second))
    assert [d.document_id for d in parse_submission(data).documents] == [
        f"{ACCESSION}-1",
        f"{ACCESSION}-2",
    ]


def test_gaps_in_the_numbers_stay() -> None:
    data = submission(document(sequence="3"), document(sequence="1"))
    assert [d.sequence for d in parse_submission(data).documents] == [3, 1]


def test_without_documents() -> None:
    assert parse_submission(submission()).documents == ()


def test_more_documents_than_announced() -> None:
    assert len(parse_submission(submission(*TWO, document(sequence="3"))).documents) == 3


def test_header_twice_in_one_envelope() -> None:
    nested = TEXT.partition(b"<DOCUMENT>")[0]
    parsed = parse_submission(nested + TEXT + b"</SEC-DOCUMENT>\n")
    assert parsed.header == parse_submission(TEXT).header
    assert len(parsed.documents) == 2


@pytest.mark.parametrize("data", [b"", b" \r\n\n", b"\0\0"[:0]])
def test_empty(data: bytes) -> None:
    assert refusal(data) == "the file is empty"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"<!DOCTYPE html>\n<html><h1>Too many requests</h1></html>", "HTML"),
        (b"\n<HTML><body>Not found</body></HTML>", "HTML"),
        (b'<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code></Error>', "XML"),
        (b"<Error><Code>NoSuchKey</Code></Error>", "XML"),
    ],
)
def test_error_page(data: bytes, kind: str) -> None:
    reason = f"an {kind} page, probably an error message, instead of a submission"
    assert refusal(data) == reason


def test_stripped_of_its_tags() -> None:
    reason = "no SGML header tags: something stripped the file of its tags"
    assert refusal(HEADER.encode()) == reason


def test_something_else() -> None:
    assert refusal(b"Dear Sir") == "no SGML header: this is not an EDGAR submission"
    assert refusal(b"%PDF-1.7\n") == (
        "a PDF instead of a submission: download the filing's complete submission text file"
    )


@pytest.mark.parametrize("data", [TEXT.replace(b"</SEC-HEADER>", b""), TEXT[:700], FEED[:300]])
def test_header_without_end(data: bytes) -> None:
    assert refusal(data) == "the header is cut off: it has no end"


def test_header_without_accession_number() -> None:
    assert refusal(TEXT.replace(b"ACCESSION NUMBER", b"X")) == "the header has no accession number"


@pytest.mark.parametrize(
    "data",
    [TEXT.replace(b"</DOCUMENT>\n</SEC", b"</SEC"), TEXT[: TEXT.rfind(b"grows")]],
)
def test_last_document_without_end(data: bytes) -> None:
    assert refusal(data) == "document 2 is not terminated"


def test_first_document_without_end() -> None:
    assert refusal(TEXT.replace(b"</DOCUMENT>\n", b"", 1)) == "document 1 is not terminated"


@pytest.mark.parametrize("data", [TEXT, FEED, old_submission(*TWO)])
@pytest.mark.parametrize(
    ("number", "where"), [(0, "before the first document"), (1, "after document 1")]
)
def test_document_whose_beginning_is_damaged(data: bytes, number: int, where: str) -> None:
    parts = data.split(b"<DOCUMENT>")
    parts[number : number + 2] = [parts[number] + b"<DOCUM\0NT>" + parts[number + 1]]
    assert refusal(b"<DOCUMENT>".join(parts)) == f"a document without <DOCUMENT> {where}"


def test_document_without_text() -> None:
    assert refusal(TEXT.replace(b"<TEXT>\nMoss", b"Moss")) == "document 2 has no <TEXT>"
    cut = TEXT.replace(b"grows.\n</TEXT>", b"grows.\n")
    assert refusal(cut) == "document 2 has no </TEXT>"


@pytest.mark.parametrize("data", [TEXT, FEED, old_submission(*TWO), submission()])
def test_several_submissions_in_one_file(data: bytes) -> None:
    assert refusal(data * 3) == "3 submissions in one file"


def test_two_different_submissions_the_first_without_documents() -> None:
    other = TEXT.partition(b"<DOCUMENT>")[0].replace(b"-000042", b"-000041")
    assert refusal(other + TEXT) == "2 submissions in one file"


@pytest.mark.parametrize("data", [TEXT, FEED])
def test_cut_between_documents(data: bytes) -> None:
    cut = data[: data.find(b"</DOCUMENT>") + 20]
    assert refusal(cut) == "truncated: no end marker after 1 of 2 documents"


def test_cut_before_documents() -> None:
    data = TEXT.partition(b"<DOCUMENT>")[0]
    assert refusal(data) == "truncated: no end marker after 0 of 2 documents"


def test_cut_with_unknown_number_of_documents() -> None:
    data = submission(*TWO, header=HEADER.replace("COUNT:\t\t2", "COUNT:\t\t"))
    reason = "truncated: no end marker after 2 documents"
    assert refusal(data.replace(b"</SEC-DOCUMENT>", b"")) == reason


def test_all_documents_without_end_marker() -> None:
    assert len(parse_submission(TEXT.replace(b"</SEC-DOCUMENT>", b"")).documents) == 2


@pytest.mark.parametrize(
    ("announced", "present", "loads"),
    [(4, 2, True), (5, 2, False), (40, 36, True), (41, 36, False), (160, 2, False)],
)
def test_announced_and_present(announced: int, present: int, loads: bool) -> None:
    header = HEADER.replace("COUNT:\t\t2", f"COUNT:\t\t{announced}")
    documents = [document(sequence=str(number + 1)) for number in range(present)]
    data = submission(*documents, header=header)
    if loads:
        assert len(parse_submission(data).documents) == present
    else:
        assert refusal(data) == f"incomplete: {present} of {announced} documents present"


@pytest.mark.parametrize("data", [TEXT, FEED, old_submission(*TWO), TEXT.replace(b"\n", b"\r")])
def test_accession_number_from_the_first_bytes(data: bytes) -> None:
    assert accession_number(data[:600]) == ACCESSION


@pytest.mark.parametrize(
    "line", ["PUBLIC REFERENCE ACCESSION NUMBER:", "WITHDRAWN ACCESSION NUMBER:", "NO NUMBER:"]
)
def test_other_numbers_are_not_the_accession_number(line: str) -> None:
    assert accession_number(f"{line}\t{ACCESSION}\n".encode()) is None
