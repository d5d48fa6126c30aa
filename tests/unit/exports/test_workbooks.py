"""Workbooks of Excel, read back by another library."""

import io
from datetime import date
from decimal import Decimal

import pytest
from openpyxl import Workbook, load_workbook

from edgar_search.api.files.workbooks import Row, Sheet, sheet_names, workbook


def read(sheets: list[Sheet]) -> Workbook:
    return load_workbook(io.BytesIO(workbook(sheets, "Moss Quarries")))


def test_numbers_are_numbers_in_their_forms() -> None:
    row = Row(["Sales", Decimal("1234.50"), 7, date(2023, 12, 31), None], ("", "#,##0.00", "0", ""))
    page = read([Sheet("Income", [row])]).active
    assert [cell.value for cell in page[1]][:3] == ["Sales", 1234.5, 7]
    assert page["D1"].value.date() == date(2023, 12, 31)
    assert page["B1"].number_format == "#,##0.00"
    assert page["D1"].number_format == "yyyy-mm-dd"


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "{=1}",
        "=HYPERLINK(\"http://a.example\")",
        "=cmd|' /C calc'!A0",
        "http://a.example",
        "mailto:a@b.example",
        "internal:Sheet1!A1",
        "<r>1</r>",
        "\x07bell",
    ],
)  # fmt: skip
def test_a_text_stays_a_text(text: str) -> None:
    cell = read([Sheet("A", [Row([text])])]).active["A1"]
    assert (cell.data_type, cell.hyperlink) == ("s", None)
    assert cell.value.strip() == text.replace("\x07", "_x0007_")


def test_bounds_of_excel_cut_no_number_and_break_no_file() -> None:
    row = Row(
        ["x" * 40_000, Decimal("1e999"), 10**400, date(1883, 1, 1), Decimal("-0.000000000001")]
    )
    cells = [cell.value for cell in read([Sheet("A", [row])]).active[1]]
    assert cells == ["x" * 32_767, "1E+999", str(10**400), "1883-01-01", -1e-12]


def test_heads_stay_in_sight_and_rows_are_shaped() -> None:
    sheet = Sheet("A", [Row(["a"], bold=True), Row(["b"], indent=2)], (40,), (1, 1))
    page = read([sheet]).active
    assert page.freeze_panes == "B2"
    assert (page["A1"].font.bold, page["A2"].alignment.indent) == (True, 2)
    assert page.column_dimensions["A"].width == pytest.approx(40, abs=1)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["A/B: [x]?", ""], ["A B (x)", "Sheet"]),
        (["Cash", "CASH", "cash"], ["Cash", "CASH 2", "cash 3"]),
        (["x" * 40, "x" * 41], ["x" * 31, "x" * 29 + " 2"]),
        (["'quoted'", "History"], ["quoted", "History 2"]),
    ],
)
def test_names_are_such_as_excel_takes(names: list[str], expected: list[str]) -> None:
    assert sheet_names(names) == expected
    assert read([Sheet(name, []) for name in names]).sheetnames == expected
