"""The stored entry of a filing: every fact of its header."""

import hashlib
from datetime import UTC, date, datetime

import msgspec

from edgar_search.edgar.submission import Entity, Header, parse_submission
from edgar_search.stored.filings import (
    FilingEntity,
    StoredFiling,
    StoredFilingValues,
    StoredFundClass,
    StoredSeries,
)
from ingest.reading.transform import stored_document, stored_filing, stored_passages
from tests.unit.submissions.made_up import HEADER, TWO, submission

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
            business_city="STONEFIELD",
            business_state="VT",
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


def test_what_a_filing_is_found_and_sorted_by() -> None:
    filing = stored(
        HEADER.replace("TYPE:\t8-K", "TYPE:\t8-K/A").replace("VT\n\t\tZIP", "vt\n\t\tZIP")
    )
    assert (filing.form_type, filing.root_form) == ("8-K/A", "8-K")
    assert filing.states == ["VT"]
    assert (filing.entity_name, filing.entity_name_key) == (
        "MARBLE & MOSS CORP",
        "marble & moss corp",
    )
    assert filing.header_items == ["Other Events", "Financial Statements and Exhibits"]


def test_document_has_what_its_filing_is_found_by() -> None:
    read = parse_submission(submission(*TWO, header=HEADER))
    text = "Moss grows on naïve stones 𝛼.\n"
    passages = stored_passages(read.documents[0], text)
    document = stored_document(
        read.header,
        read.documents[0],
        text,
        LOADED_AT,
        passages=len(passages),
        first=True,
        archived=True,
        items=["8.01"],
    )
    assert document.root_form == "8-K"
    assert (document.items, document.states) == (["8.01"], ["VT"])
    assert (document.period, document.archived) == (date(2020, 12, 31), True)
    assert document.text_length == 30
    assert document.text_sha256 == hashlib.sha256(text.encode("utf-8")).hexdigest()
    assert "".join(passage.text for passage in passages) == text


def test_stored_filing_is_read_back_as_it_was() -> None:
    filing = stored(LINES + HEADER + SERIES)
    assert msgspec.json.decode(msgspec.json.encode(filing), type=StoredFiling) == filing


def test_every_field_of_the_header_has_a_place() -> None:
    """Addresses, but city and state, and former names are with the entity.

    The count only guards the load.
    """
    kept = {field.name for field in msgspec.structs.fields(StoredFiling)}
    # `items` are read of the report too; the header's own lines are `header_items`.
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
