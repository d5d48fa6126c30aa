"""Dates, times and messages as pages write them."""

from datetime import UTC, datetime

import pytest

from edgar_search.web.pages.templates import day, in_words, moment


def test_a_day_is_written_as_americans_do() -> None:
    assert day("2025-03-06") == "March 6, 2025"


@pytest.mark.parametrize(
    ("hour", "shown"), [(3, "July 1, 2025, 23:30 EDT"), (16, "July 2, 2025, 12:30 EDT")]
)
def test_a_moment_is_in_the_time_of_edgar_and_says_that_in_utc(hour: int, shown: str) -> None:
    found = str(moment(datetime(2025, 7, 2, hour, 30, tzinfo=UTC)))
    assert found.endswith(f'title="July 2, 2025, {hour:02}:30 UTC">{shown}</time>')
    assert moment(None) == ""


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("`query`: a word is missing after AND", "a word is missing after AND"),
        ("query: no words", "no words"),
        ("`limit` must be from 1 to 100, not `500`", "limit must be from 1 to 100, not 500"),
    ],
)
def test_a_message_names_parameters_as_people_do(message: str, shown: str) -> None:
    assert in_words(message) == shown
