"""What is stored of a filing: every fact of its header."""

from datetime import UTC, date, datetime

import msgspec

from edgar_search.edgar.submission import Entity, Header, parse_submission
from edgar_search.stored.filing import (
    FilingEntity,
    StoredFiling,
    StoredFilingValues,
    StoredFundClass,
    StoredSeries,
)
from ingest.reading.transform import stored_filing
from tests.unit.edgar.made_up import HEADER, TWO, submission

LOADED_AT = datetime(2026, 1, 1, tzinfo=UTC)
SERIES = (
    "<SERIES-AND-CLASSES-CONTRACTS-DATA>\n<EXISTING-SERIES-AND-CLASSES-CONTRACTS>\n<SERIES>\n"
    "<OWNER-CIK>0009990009\n<SERIES-ID>S000000001\n<SERIES-NAME>Moss Fund\n<CLASS-CONTRACT>\n"
    "<CLASS-CONTRACT-ID>C000000001\n<CLASS-CONTRACT-TICKER-SYMBOL>MOSSX\n</CLASS-CONTRACT>\n"
)
LINES = "GROUP MEMBERS:\tMOSS\nEFFECTIVENESS DATE:\t20210107\n<PRIVATE-TO-PUBLIC>\nSROS:\tNYSE\n"


def stored(header: str) -> StoredFiling:
    return stored_filing(parse_submission(submission(*TWO, header=header)), [], LOADED_AT, None)


def test_header_of_a_filing() -> None:
    filing = stored(LINES + HEADER + SERIES)
    assert filing.entities == [
        FilingEntity(
            role="FILER",
            cik="0009990001",
            name="MARBLE & MOSS CORP",
            sic="3281",
            sic_description="CUT STONE & STONE PRODUCTS",
            organization="04 Manufacturing",
            ein="990000017",
            state_of_incorporation="VT",
            fiscal_year_end="1231",
            filing_values=[StoredFilingValues("8-K", "1934 Act", "099-00001", "21000001")],
        )
    ]
    assert filing.group_members == ["MOSS"]
    assert (filing.change_date, filing.effectiveness_date) == (date(2021, 1, 5), date(2021, 1, 7))
    assert filing.series == [
        StoredSeries(
            "existing",
            "0009990009",
            "S000000001",
            "Moss Fund",
            [StoredFundClass("C000000001", None, "MOSSX")],
        )
    ]
    assert filing.others == [("PRIVATE TO PUBLIC", ""), ("SROS", "NYSE")]


def test_stored_filing_is_read_back_as_it_was() -> None:
    filing = stored(LINES + HEADER + SERIES)
    assert msgspec.json.decode(msgspec.json.encode(filing), type=StoredFiling) == filing


def test_every_field_of_the_header_has_a_place() -> None:
    """Addresses and former names are with the entity; the count only guards the load."""
    kept = {field.name for field in msgspec.structs.fields(StoredFiling)}
    assert {f.name for f in msgspec.structs.fields(Header)} - kept == {
        "public_document_count",
        "unknown_fields",
    }
    kept = {field.name for field in msgspec.structs.fields(FilingEntity)}
    assert {f.name for f in msgspec.structs.fields(Entity)} - kept == {
        "business_address",
        "mail_address",
        "former_names",
    }
