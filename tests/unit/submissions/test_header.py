"""Headers of both dialects."""

from datetime import UTC, date, datetime

import pytest

from edgar_search.edgar.header import (
    Address,
    Entity,
    FilingValues,
    FormerName,
    Header,
    parse_header,
    primary_entity,
)
from edgar_search.errors import MalformedSubmission
from tests.unit.submissions.made_up import ACCESSION, FILER, HEADER, LINES, TAGGED_HEADER

MARBLE = Entity(
    role="FILER",
    cik="0009990001",
    name="MARBLE & MOSS CORP",
    sic="3281",
    sic_description="CUT STONE & STONE PRODUCTS",
    ein="990000017",
    state_of_incorporation="VT",
    fiscal_year_end="1231",
    organization="04 Manufacturing",
    relationship=None,
    filing_values=(FilingValues("8-K", "1934 Act", "099-00001", "21000001"),),
    business_address=Address("1 QUARRY ROAD", "SUITE 2", "STONEFIELD", "VT", "05000", "8025550100"),
    mail_address=Address("PO BOX 3", city="STONEFIELD"),
    former_names=(FormerName("MOSS CORP", date(2001, 2, 3)), FormerName("MARBLE INC", None)),
)


def parsed(header: str) -> Header:
    return parse_header(header.encode())


def test_labels() -> None:
    assert parsed(HEADER) == Header(
        accession_number=ACCESSION,
        form_type="8-K",
        filing_date=date(2021, 1, 5),
        period=date(2020, 12, 31),
        accepted_at=datetime(2021, 1, 4, 22, 15, tzinfo=UTC),
        public_document_count=2,
        items=("Other Events", "Financial Statements and Exhibits"),
        group_members=(),
        change_date=date(2021, 1, 5),
        effectiveness_date=None,
        entities=(MARBLE,),
        series=(),
        others=(),
        unknown_fields=(),
    )


def test_tags_say_the_same() -> None:
    labels, tags = parsed(HEADER), parsed(TAGGED_HEADER)
    (entity,) = tags.entities
    assert (entity.sic, entity.sic_description) == ("3281", None)
    assert entity.filing_values == (FilingValues("8-K", "34", "099-00001", "21000001"),)
    assert tags.items == ("8.01", "9.01")
    assert tags.accepted_at is None
    different = {"items", "accepted_at", "entities"}
    for field in set(Header.__struct_fields__) - different:
        assert getattr(tags, field) == getattr(labels, field)
    for field in set(Entity.__struct_fields__) - {"sic_description", "filing_values"}:
        assert getattr(entity, field) == getattr(MARBLE, field)


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
@pytest.mark.parametrize("header", [HEADER, TAGGED_HEADER])
def test_line_ends(header: str, end: str) -> None:
    assert parsed(header.replace("\n", end)) == parsed(header)


def test_summer_time() -> None:
    header = parsed(HEADER.replace("20210104171500", "20210704171500"))
    assert header.accepted_at == datetime(2021, 7, 4, 21, 15, tzinfo=UTC)


@pytest.mark.parametrize("stamp", ["", "20210104", "20211304171500", "99999999999999"])
def test_acceptance_that_is_no_time(stamp: str) -> None:
    assert parsed(HEADER.replace("20210104171500", stamp)).accepted_at is None


@pytest.mark.parametrize("period", ["", "20200230", "00000000", "soon"])
def test_period_that_is_no_date(period: str) -> None:
    assert parsed(HEADER.replace("20201231", period)).period is None


def test_form_type_is_in_capitals_with_single_spaces() -> None:
    assert parsed(HEADER.replace("TYPE:\t8-K", "TYPE:\tsc  to-t/a")).form_type == "SC TO-T/A"


@pytest.mark.parametrize(
    ("filed", "code", "description"),
    [
        ("REAL ESTATE INVESTMENT TRUSTS [6798]", "6798", "REAL ESTATE INVESTMENT TRUSTS"),
        ("AGRICULTURE [100]", "0100", "AGRICULTURE"),
        ("4991", "4991", None),
        (" [3281", "3281", None),
        ("[]", None, None),
        ("SOMETHING", None, "SOMETHING"),
    ],
)
def test_industry(filed: str, code: str | None, description: str | None) -> None:
    (entity,) = parsed(HEADER.replace("CUT STONE & STONE PRODUCTS [3281]", filed)).entities
    assert (entity.sic, entity.sic_description) == (code, description)


def test_bracket_before_the_next_label() -> None:
    header = HEADER.replace("CUT STONE & STONE PRODUCTS [3281]\n", " [3281\n]")
    (entity,) = parsed(header).entities
    assert (entity.sic, entity.sic_description) == ("3281", None)
    assert entity.organization == "04 Manufacturing"
    assert entity.ein == "990000017"


def test_indentation_and_closing_tags_mean_nothing() -> None:
    lines = HEADER.replace("\n\tFILING", "</COMPANY-DATA>\n\n\t\t\tFILING").splitlines()
    header = "\n".join("\t" * number + line.strip() for number, line in enumerate(lines))
    assert parsed(header + "\n</FILER>\n") == parsed(HEADER)


@pytest.mark.parametrize("written", ["UNDERWRITER:", "<UNDERWRITER>"])
def test_roles_need_no_list(written: str) -> None:
    assert parsed(HEADER.replace("FILER:", written)).entities[0].role == "UNDERWRITER"


@pytest.mark.parametrize("written", ["REPORTING-OWNER:", "REPORTING OWNER:", "<REPORTING-OWNER>"])
def test_roles_have_one_spelling(written: str) -> None:
    header = HEADER.replace("FILER:", written).replace("COMPANY DATA", "OWNER DATA")
    assert parsed(header).entities[0].role == "REPORTING OWNER"


def test_labels_without_value_are_no_sections() -> None:
    header = parsed(f"CONFIRMING COPY:\n{HEADER.replace('Other Events', '')}")
    assert header.items == ("Financial Statements and Exhibits",)
    assert [entity.role for entity in header.entities] == ["FILER"]
    assert header.unknown_fields == ()


def test_company_twice() -> None:
    filed_by = FILER.replace("FILER:", "FILED BY:").replace("MARBLE & MOSS", "GRAVEL")
    header = parsed(f"{HEADER}{filed_by}")
    assert [(e.role, e.cik, e.name) for e in header.entities] == [
        ("FILER", "0009990001", "MARBLE & MOSS CORP"),
        ("FILED BY", "0009990001", "GRAVEL CORP"),
    ]


def test_company_data_without_a_role() -> None:
    header = parsed(HEADER.replace("FILER:", "SROS: NYSE"))
    assert [(e.role, e.cik) for e in header.entities] == [("", "0009990001")]


def test_entity_without_cik_is_reported() -> None:
    header = parsed(HEADER.replace("0009990001\n", "\n"))
    assert header.entities == ()
    assert header.unknown_fields == ("FILER without CIK",)


def test_short_cik_is_padded() -> None:
    assert parsed(HEADER.replace("\t0009990001\n", "\t9990001\n")).entities == (MARBLE,)


def test_unknown_fields_are_named_once_and_sorted() -> None:
    header = f"SHOE SIZE:\t44\n<HAT-SIZE>7\nSHOE SIZE:\t45\n{HEADER}"
    assert parsed(header).unknown_fields == ("HAT-SIZE", "SHOE SIZE")


def test_address_outside_of_an_entity_is_unknown() -> None:
    assert parsed(f"{LINES}CITY:\tSTONEFIELD\n").unknown_fields == ("CITY",)


def test_line_without_a_label_continues_the_value() -> None:
    header = HEADER.replace("Other Events", "Other Events\n   and more")
    assert parsed(header).items[0] == "Other Events and more"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_bytes_beyond_ascii(encoding: str) -> None:
    data = HEADER.replace("MARBLE & MOSS", "MÄRBLE’S").encode(encoding)
    assert parse_header(data).entities[0].name == "MÄRBLE’S CORP"


@pytest.mark.parametrize(
    ("label", "value", "reason"),
    [
        ("ACCESSION NUMBER:", "", "the header has no accession number"),
        ("ACCESSION NUMBER:", "17", "the header's accession number is not valid: '17'"),
        ("CONFORMED SUBMISSION TYPE:", "", "the header has no form type"),
        ("FILED AS OF DATE:", "", "the header has no filing date"),
        ("FILED AS OF DATE:", "20210230", "the header's filing date is not valid: '20210230'"),
        (
            "CONFORMED SUBMISSION TYPE:",
            "4" * 40_000,
            "the header has a line of more than 8,000 characters: "
            f"{'CONFORMED SUBMISSION TYPE:' + chr(9) + '4' * 13!r}",
        ),
    ],
)
def test_required(label: str, value: str, reason: str) -> None:
    lines = [line for line in HEADER.split("\n") if not line.startswith(label)]
    with pytest.raises(MalformedSubmission) as refused:
        parsed(f"{label}\t{value}\n" + "\n".join(lines))
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        (["FILED BY", "SUBJECT COMPANY", "ISSUER", "FILER"], "FILER"),
        (["FILED BY", "SUBJECT COMPANY", "ISSUER"], "ISSUER"),
        (["FILED BY", "SUBJECT COMPANY"], "SUBJECT COMPANY"),
        (["FILED FOR", "FILED BY"], "FILED FOR"),
    ],
)
def test_primary_entity(roles: list[str], expected: str) -> None:
    header = parsed(LINES + "".join(FILER.replace("FILER:", f"{role}:") for role in roles))
    primary = primary_entity(header)
    assert primary is not None
    assert primary.role == expected


def test_no_primary_entity() -> None:
    assert primary_entity(parsed(LINES)) is None
