"""The filings of a company by form and year, as links to them; pure."""

from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.search.filing_spread import FormYears
from edgar_search.web.pages.links import address

# Forms that have a row of their own.
_MOST_FORMS = 10


class Cell(NamedTuple):
    """A number of filings, and the address of these; None where there are none."""

    number: int
    address: str | None


class Row(NamedTuple):
    """A form type, all its filings, and those of each year."""

    form_type: str
    whole: Cell
    cells: list[Cell]


class Matrix(NamedTuple):
    """Forms by years with any filing, the commonest form and the newest year first.

    `left` counts the form types without a row.
    """

    years: list[int]
    rows: list[Row]
    left: int


def matrix(here: str, spread: Sequence[FormYears]) -> Matrix:
    """The matrix of a company's page, whose address is `here`."""
    years = sorted({year for form in spread for year in form.years}, reverse=True)
    rows = [_row(here, form, years) for form in spread[:_MOST_FORMS]]
    return Matrix(years, rows, max(0, len(spread) - _MOST_FORMS))


def _row(here: str, form: FormYears, years: Sequence[int]) -> Row:
    whole = Cell(form.total, address(here, form_type=form.form_type))
    return Row(form.form_type, whole, [_cell(here, form, year) for year in years])


def _cell(here: str, form: FormYears, year: int) -> Cell:
    number = form.years.get(year, 0)
    if not number:
        return Cell(0, None)
    days = {"from_date": f"{year}-01-01", "to_date": f"{year}-12-31"}
    return Cell(number, address(here, form_type=form.form_type, **days))
