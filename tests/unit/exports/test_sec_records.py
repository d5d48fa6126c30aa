"""Records in the layout of the SEC's data sets, of what filers write, hostile ones too."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from edgar_search.api.files.records import ParquetFile, Progress, row_columns
from edgar_search.api.files.sec_records import (
    NumRecord,
    SubRecord,
    month_end,
    num_records,
    pre_records,
    quarters,
    sub_record,
)
from edgar_search.stored.filings import FilingDocument, FilingEntity, StoredFiling
from edgar_search.stored.financials import (
    LineDimension,
    StatementKind,
    StatementLine,
    StatementValue,
    StoredFinancials,
    StoredStatement,
)

NUMBER, CIK = "0009990100-24-000001", "0009990100"
YEAR = (date(2023, 1, 1), date(2023, 12, 31))


@pytest.mark.parametrize(
    ("day", "end"),
    [
        (date(2009, 6, 27), date(2009, 6, 30)),
        (date(2010, 1, 2), date(2009, 12, 31)),
        (date(2024, 2, 15), date(2024, 2, 29)),
        (date(2024, 3, 15), date(2024, 2, 29)),
        (date(2024, 4, 15), date(2024, 4, 30)),
        (date(1, 1, 2), date(1, 1, 31)),
        (date(9999, 12, 30), date(9999, 12, 31)),
    ],
)
def test_days_are_rounded_to_the_nearest_end_of_a_month(day: date, end: date) -> None:
    assert month_end(day) == end


def test_periods_are_rounded_to_quarters() -> None:
    assert quarters(None, date(2023, 12, 31)) == 0
    assert quarters(*YEAR) == 4
    assert quarters(date(2009, 3, 29), date(2009, 6, 27)) == 1
    assert quarters(date(2022, 9, 25), date(2023, 9, 30)) == 4


def statement(kind: StatementKind, role: str, *lines: StatementLine) -> StoredStatement:
    return StoredStatement(kind, role, "", f"{role} - Statement", [], list(lines))


def line(concept: str, *values: StatementValue, members: tuple[str, ...] = ()) -> StatementLine:
    """Return a line with the members of axes, each written as AXIS=MEMBER."""
    pairs = [member.partition("=") for member in members]
    dimensions = [LineDimension(axis, member, "") for axis, _, member in pairs]
    return StatementLine(concept, concept, dimensions=dimensions, values=list(values))


def filed(*statements: StoredStatement, name: str = "KILN CORP") -> StoredFinancials:
    return StoredFinancials(
        document_id=f"{NUMBER}-2",
        accession_number=NUMBER,
        cik=CIK,
        ciks=[CIK],
        name=name,
        form_type="10-K",
        filing_date=date(2024, 2, 1),
        kinds=[each.kind for each in statements],
        statements=list(statements),
    )


def test_members_are_segments_and_a_legal_entity_is_named_twice() -> None:
    value = StatementValue(None, YEAR[1], "USD", "5")
    axes = ("us-gaap:StatementScenarioAxis=kiln:RestatedMember", "dei:LegalEntityAxis=kiln:Moss")
    own = line("kiln:Tiles", value, members=axes)
    (record,) = num_records(filed(statement("balance_sheet", "1", own)))
    assert (record.tag, record.version) == ("Tiles", NUMBER)
    assert (record.segments, record.coreg) == ("LegalEntity=Moss;Scenario=Restated;", "Moss")


def test_a_value_in_two_statements_comes_once_and_dollars_a_share_are_dollars() -> None:
    value = StatementValue(*YEAR, "USD/shares", "0.123456")
    income = line("us-gaap:NetIncomeLoss", value)
    found = filed(statement("income_statement", "1", income), statement("cash_flow", "2", income))
    (record,) = num_records(found)
    assert (record.uom, record.value, record.qtrs) == ("USD", Decimal("0.1235"), 4)
    assert [(each.stmt, each.report, each.line) for each in pre_records(found)] == [
        ("IS", 1, 2),
        ("CF", 2, 2),
    ]


def test_one_statement_of_two_kinds_is_named_by_the_other_one() -> None:
    own = line("us-gaap:ProfitLoss", StatementValue(*YEAR, "USD", "1"))
    found = filed(statement("comprehensive_income", "1", own), statement("equity", "1", own))
    assert [each.stmt for each in pre_records(found)] == ["EQ"]


@pytest.mark.parametrize("value", ["1e400", "-" + "9" * 60, "1e-400", "123456789012345678.123456"])
def test_amounts_of_any_length_are_written(value: str) -> None:
    own = line("us-gaap:Assets", StatementValue(None, date(1, 1, 1), "USD", value))
    (record,) = num_records(filed(statement("balance_sheet", "1", own)))
    file = ParquetFile(row_columns(NumRecord))
    file.write([record])
    assert file.note(Progress(1, True)).endswith(b"PAR1")


def test_headers_may_have_anything() -> None:
    entity = FilingEntity(
        "FILER",
        CIK,
        "KILN CORP",
        sic="9" * 40,
        ein="²",
        state_of_incorporation="E9",
        fiscal_year_end="0926",
    )
    filing = StoredFiling(
        accession_number=NUMBER,
        form_type="10-K",
        filing_date=date(2024, 2, 1),
        ciks=[CIK, "0009990101"],
        sics=[],
        entities=[entity],
        documents=[FilingDocument(f"{NUMBER}-2", "EX-101.INS", "", 1, "kiln.xml")],
        loaded_at=datetime(2024, 2, 1, tzinfo=UTC),
        accepted_at=datetime(2024, 2, 2, 1, 42, 7, tzinfo=UTC),
    )
    record = sub_record(filed(), filing)
    assert (record.sic, record.ein, record.stprinc, record.fye) == (None, None, None, "0930")
    assert (record.nciks, record.aciks, record.instance) == (2, "9990101", "kiln.xml")
    assert record.accepted == "2024-02-01 20:42:00.0"
    file = ParquetFile(row_columns(SubRecord))
    file.write([record])
    assert file.note(Progress(1, True)).endswith(b"PAR1")
