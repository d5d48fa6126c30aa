"""Rows of schedules 13D and 13G, real ones and odd ones."""

from pathlib import Path

import pytest

from edgar_search.edgar.submission import parse_submission
from edgar_search.stored.ownership import StoredStake
from ingest.reading.ownership.rows import ownership_rows
from tests.support.ownership_forms import SCHEDULE_13D
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt


@pytest.mark.parametrize(
    ("name", "issuer", "cusips", "persons", "largest"),
    [
        ("schedule13d.xml", "0001422142", ["00032Q104"], 2, "2435000"),
        ("sc13da_adia.xml", "0001965934", ["000000000"], 3, "11615772.8"),
        ("schedule13g_nested_cusip.xml", "0000723612", ["053774105"], 2, "7824100.00"),
        ("sc13g_citadel_spirit.xml", "0001498710", ["84863V101"], 7, "1624818.00"),
    ],
)
def test_real_schedule_is_read(
    corpus: Path, name: str, issuer: str, cusips: list[str], persons: int, largest: str
) -> None:
    body = (corpus / "forms" / "13dg" / name).read_text()
    filing = MadeUp(
        "0009990092-25-000001",
        (MadeUpEntity(issuer, "ISSUER", role="SUBJECT COMPANY"),),
        (MadeUpDocument(body, "SCHEDULE 13D", name),),
        "SCHEDULE 13D",
    )
    submission = parse_submission(txt(filing))
    found = ownership_rows(submission.header, submission.documents[0])
    assert found is not None
    (row,) = found.rows
    assert isinstance(row, StoredStake)
    assert (row.issuer_cik, row.cusips, row.not_read) == (issuer, cusips, [])
    assert len(row.persons) == persons
    assert largest in [str(person.shares) for person in row.persons]
    assert all(person.percent is not None and person.types for person in row.persons)
    assert all(person.voting.shared is not None for person in row.persons)


def schedule_row(xml: str) -> StoredStake:
    """Return the row of a schedule."""
    filing = MadeUp(
        "0009990092-25-000001",
        (MadeUpEntity("0009990001", "MOSS & SONS", role="SUBJECT COMPANY"),),
        (MadeUpDocument(xml, "SCHEDULE 13D", "primary_doc.xml"),),
        "SCHEDULE 13D",
    )
    submission = parse_submission(txt(filing))
    found = ownership_rows(submission.header, submission.documents[0])
    assert found is not None
    (row,) = found.rows
    assert isinstance(row, StoredStake)
    return row


@pytest.mark.parametrize(
    ("filed", "read", "not_read"),
    [
        ("99900010a", ["99900010A"], []),
        ("999000", ["999000"], []),
        ("99900", [], ["issuerCUSIP"]),
        ("none yet", [], ["issuerCUSIP"]),
        ("", [], []),
    ],
)
def test_cusip_is_read_or_named(filed: str, read: list[str], not_read: list[str]) -> None:
    row = schedule_row(SCHEDULE_13D.replace("999000101", filed))
    assert (row.cusips, row.not_read) == (read, not_read)


def test_persons_are_bounded_and_more_are_named() -> None:
    start, end = (
        SCHEDULE_13D.index("<reportingPersonInfo>"),
        SCHEDULE_13D.index("</reportingPersons>"),
    )
    row = schedule_row(SCHEDULE_13D[:start] + SCHEDULE_13D[start:end] * 300 + SCHEDULE_13D[end:])
    assert (len(row.persons), row.not_read) == (500, ["what comes after the first 500"])
