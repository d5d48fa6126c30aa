"""Texts that are dates, with and without a time."""

from collections.abc import Sequence
from datetime import date

import pytest

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import BadRequest

DAYS = (Parameter("from_date", "day", ""), Parameter("to_date", "day", ""))
DATES = (Parameter("from_date", "date", ""), Parameter("to_date", "date", ""))
NO_DATES = [
    "20240131",
    "2024-1-31",
    "2024-01-32",
    "2023-02-29",
    "2024-W05-3",
    "2024-031",
    "0000-01-01",
    "31.01.2024",
    "01/31/2024",
    "2024-01",
    "2024-01-31x",
    "\u0662024-01-31",
    "today",
]
MOMENTS = [
    "2024-01-31T23:59:59Z",
    "2024-01-31t23:59:59z",
    "2024-01-31 23:59:59Z",
    "2024-01-31T23:59:59.123456789Z",
    "2024-01-31T23:59:59-05:00",
    "2024-01-31T00:00:00+14:00",
    "2024-01-31T23:59:60Z",
]
NO_MOMENTS = [
    "2024-01-31T",
    "2024-01-31T10Z",
    "2024-01-31T10:00Z",
    "2024-01-31T100000Z",
    "2024-01-31T10:00:00",
    "2024-01-31T10:00:00,5Z",
    "2024-01-31T10:00:00.Z",
    "2024-01-31T10:00:00+0100",
    "2024-01-31T10:00:00+01:00:30",
    "2024-01-31T10:00:00 01:00",
    "2024-01-31T24:00:00Z",
    "2024-01-31T10:60:00Z",
    "2023-02-29T10:00:00Z",
    "2024-01-31_10:00:00Z",
]


REFUSAL = "^`from_date` must be a date in the format YYYY-MM-DD, not "


def first_day(text: str, declared: Sequence[Parameter]) -> date | None:
    return Parameters({"from_date": [text]}, by_spelling(declared)).days()[0]


@pytest.mark.parametrize("text", [*NO_DATES, *NO_MOMENTS])
def test_other_text_is_refused_with_the_format(text: str) -> None:
    with pytest.raises(BadRequest, match=REFUSAL):
        first_day(text, DATES)


@pytest.mark.parametrize("text", [*NO_DATES, *MOMENTS])
def test_only_a_date_is_taken_where_no_time_is(text: str) -> None:
    with pytest.raises(BadRequest, match=REFUSAL):
        first_day(text, DAYS)


@pytest.mark.parametrize("text", MOMENTS)
def test_date_of_a_time_counts_as_written(text: str) -> None:
    assert first_day(text, DATES) == date(2024, 1, 31)


def test_to_date_is_named_in_its_refusal() -> None:
    with pytest.raises(BadRequest, match=REFUSAL.replace("from", "to") + "`x`$"):
        Parameters({"to_date": ["x"]}, by_spelling(DATES)).days()
