"""The builder of made-up submissions, held against the parser."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import msgspec
import pytest

from edgar_search.edgar import submission
from edgar_search.edgar.submission import parse_submission
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, nc, txt

MADE_UP = MadeUp(
    accession_number="0009990001-21-000042",
    form_type="SC 13D/A",
    filing_date=date(2021, 1, 5),
    period=date(2020, 12, 31),
    accepted="20210104171500",
    items=("5.02", "9.01"),
    entities=(
        MadeUpEntity(
            "0009990001",
            "MARBLE & MOSS CORP",
            role="SUBJECT COMPANY",
            sic="3281",
            sic_description="CUT STONE",
            state="VT",
            fiscal_year_end="1231",
            address=Address("1 QUARRY ROAD", "STONEFIELD"),
            former_names=(("MOSS CORP", date(2001, 2, 3)),),
        ),
        MadeUpEntity("0009990002", "GRAVEL FUND", role="FILED BY"),
    ),
    documents=(
        MadeUpDocument("Quarries were bought.\n", "SC 13D/A", "body.txt", "A REPORT"),
        MadeUpDocument("Moss grows.\n", "EX-99.1"),
    ),
)
MARBLE = submission.Entity(
    role="SUBJECT COMPANY",
    cik="0009990001",
    name="MARBLE & MOSS CORP",
    sic="3281",
    sic_description="CUT STONE",
    ein=None,
    state_of_incorporation="VT",
    fiscal_year_end="1231",
    organization=None,
    relationship=None,
    filing_values=(),
    business_address=submission.Address(street1="1 QUARRY ROAD", city="STONEFIELD"),
    mail_address=None,
    former_names=(submission.FormerName("MOSS CORP", date(2001, 2, 3)),),
)
GRAVEL = msgspec.structs.replace(
    MARBLE,
    role="FILED BY",
    cik="0009990002",
    name="GRAVEL FUND",
    sic=None,
    sic_description=None,
    state_of_incorporation=None,
    fiscal_year_end=None,
    business_address=None,
    former_names=(),
)
HEADER = submission.Header(
    accession_number="0009990001-21-000042",
    form_type="SC 13D/A",
    filing_date=date(2021, 1, 5),
    period=date(2020, 12, 31),
    accepted_at=datetime(2021, 1, 4, 22, 15, tzinfo=UTC),
    public_document_count=2,
    items=("5.02", "9.01"),
    entities=(MARBLE, GRAVEL),
    unknown_fields=(),
)


def test_txt_says_what_it_was_built_from() -> None:
    assert parse_submission(txt(MADE_UP)).header == HEADER


def test_nc_says_the_same_but_for_the_industry_and_the_time() -> None:
    marble = msgspec.structs.replace(MARBLE, sic_description=None)
    expected = msgspec.structs.replace(HEADER, accepted_at=None, entities=(marble, GRAVEL))
    assert parse_submission(nc(MADE_UP)).header == expected


@pytest.mark.parametrize(("form", "variant"), [(txt, "txt"), (nc, "nc")])
def test_documents_are_those_given(form: Callable[[MadeUp], bytes], variant: str) -> None:
    parsed = parse_submission(form(MADE_UP))
    found = [
        (d.document_id, d.form_type, d.file_name, d.description, d.body) for d in parsed.documents
    ]
    assert parsed.variant == variant
    assert found == [
        ("0009990001-21-000042-1", "SC 13D/A", "body.txt", "A REPORT", b"Quarries were bought.\n"),
        ("0009990001-21-000042-2", "EX-99.1", "", "", b"Moss grows.\n"),
    ]
