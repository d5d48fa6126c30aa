"""The filings of a company by form and year."""

from edgar_search.search.filings import FormYears
from edgar_search.web.pages.company import Cell, Row, matrix

HERE = "/company/0000320193"


def test_years_with_filings_have_a_column() -> None:
    found = matrix(HERE, [FormYears("10-K", {2021: 2, 2018: 1}), FormYears("8-K", {2019: 1})])
    days = "form_type=10-K&from_date={0}-01-01&to_date={0}-12-31"
    assert found.years == [2021, 2019, 2018]
    assert found.rows[0] == Row(
        "10-K",
        Cell(3, f"{HERE}?form_type=10-K"),
        [
            Cell(2, f"{HERE}?{days.format(2021)}"),
            Cell(0, None),
            Cell(1, f"{HERE}?{days.format(2018)}"),
        ],
    )
    assert [cell.number for cell in found.rows[1].cells] == [0, 1, 0]


def test_rare_forms_are_counted_only() -> None:
    found = matrix(HERE, [FormYears(str(number), {2021: 1}) for number in range(13)])
    assert ([row.form_type for row in found.rows], found.left) == ([str(n) for n in range(10)], 3)


def test_nothing_has_no_matrix() -> None:
    assert matrix(HERE, []).rows == []
