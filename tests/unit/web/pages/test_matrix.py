"""The filings of a company by form and year."""

from edgar_search.search.filing_spread import FormYears
from edgar_search.web.pages.matrix import Cell, Row, matrix

HERE = "/company/0000320193"


def test_years_without_filings_have_their_column_and_no_link() -> None:
    found = matrix(HERE, [FormYears("10-K", {2021: 2, 2019: 1})])
    days = "form_type=10-K&from_date={0}-01-01&to_date={0}-12-31"
    assert found.years == [2021, 2020, 2019]
    assert found.rows == [
        Row(
            "10-K",
            Cell(3, f"{HERE}?form_type=10-K"),
            [
                Cell(2, f"{HERE}?{days.format(2021)}"),
                Cell(0, None),
                Cell(1, f"{HERE}?{days.format(2019)}"),
            ],
        )
    ]


def test_rare_forms_are_counted_only() -> None:
    found = matrix(HERE, [FormYears(str(number), {2021: 1}) for number in range(13)])
    assert ([row.form_type for row in found.rows], found.left) == ([str(n) for n in range(10)], 3)


def test_nothing_has_no_matrix() -> None:
    assert matrix(HERE, []).rows == []
