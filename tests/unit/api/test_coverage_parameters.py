"""The days that `/v1/coverage` is asked about."""

from datetime import date

import pytest

from edgar_search.api.coverage import coverage_params
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import CoverageCriteria

TODAY = date(2026, 3, 31)


def params(**raw: str) -> CoverageCriteria:
    return coverage_params({name: [value] for name, value in raw.items()}, TODAY)


@pytest.mark.parametrize(
    ("raw", "first", "last"),
    [
        ({}, date(2026, 3, 2), TODAY),
        ({"to_date": "2025-01-30"}, date(2025, 1, 1), date(2025, 1, 30)),
        ({"from_date": "2026-03-01"}, date(2026, 3, 1), TODAY),
        ({"from_date": "2030-01-01"}, date(2030, 1, 1), date(2030, 1, 1)),
        ({"to_date": "0001-01-01"}, date.min, date.min),
        ({"to_date": "0001-01-29"}, date.min, date(1, 1, 29)),
        ({"to_date": "0001-01-30"}, date.min, date(1, 1, 30)),
        ({"to_date": "0001-01-31"}, date(1, 1, 2), date(1, 1, 31)),
        ({"from_date": "0001-01-01", "to_date": "0001-01-01"}, date.min, date.min),
        ({"from_date": "9999-12-31"}, date.max, date.max),
        ({"to_date": "9999-12-31"}, date(9999, 12, 2), date.max),
    ],
)
def test_thirty_days_are_asked_about_where_there_are_so_many(
    raw: dict[str, str], first: date, last: date
) -> None:
    assert params(**raw) == CoverageCriteria(first, last)


@pytest.mark.parametrize(
    "raw", [{"from_date": "0001-01-01"}, {"from_date": "0001-01-01", "to_date": "9999-12-31"}]
)
def test_more_than_a_year_is_refused(raw: dict[str, str]) -> None:
    with pytest.raises(BadRequest, match=r"may be at most 366 days, not \d+; ask in parts$"):
        params(**raw)
