"""The months of the history that are kept, whatever a clock says."""

from collections.abc import Iterator

import pytest

from edgar_search.access.call_log import oldest_kept
from edgar_search.access.quota import month_after


def run(first: str, last: str) -> Iterator[str]:
    while first <= last:
        yield first
        first = month_after(first)


YEARS = frozenset(run("2024-01", "2026-11"))


def test_months_are_kept_as_many_as_are_asked_for() -> None:
    assert oldest_kept(YEARS, ["2026-11", "2026-11"], 13) == "2025-10"


def test_new_month_moves_the_bound_at_once() -> None:
    assert oldest_kept({*YEARS, "2026-12"}, ["2026-12", "2026-12"], 13) == "2025-11"


@pytest.mark.parametrize("clock", ["2027-01", "2027-11", "2036-11", "2126-11"])
@pytest.mark.parametrize("strays", [(), ("2126-11",), ("2060-01", "2126-11"), ("1970-01",)])
def test_clock_that_is_ahead_moves_it_no_further_than_what_was_written(
    clock: str, strays: tuple[str, ...]
) -> None:
    assert oldest_kept({*YEARS, clock, *strays}, [clock, clock], 13) == "2025-10"


def test_clock_that_is_back_moves_it_back() -> None:
    assert oldest_kept({*YEARS, "1970-01"}, ["1970-01", "1970-01"], 13) == "1968-12"


def test_earlier_of_two_clocks_counts() -> None:
    assert oldest_kept({*YEARS, "2026-12"}, ["2026-12", "2026-11"], 13) == "2025-10"


def test_first_month_after_a_pause_deletes_nothing_that_the_one_before_it_kept() -> None:
    assert oldest_kept({"2025-01", "2025-02", "2026-01"}, ["2026-01"], 12) == "2024-02"


def test_second_month_after_a_pause_moves_it_on() -> None:
    written = {"2025-01", "2025-02", "2026-01", "2026-02"}
    assert oldest_kept(written, ["2026-02"], 12) == "2025-02"
