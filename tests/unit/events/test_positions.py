"""Positions of the event log, over indices that replace each other; lags of its readers."""

from datetime import UTC, datetime, timedelta

import pytest

from edgar_search.events.log import copied_entry, next_generation, position_at, sequence_after
from edgar_search.events.readers import add_lags, lag_percentiles
from edgar_search.stored.events import Generation, LogState, ReaderState

RESTORED = LogState([Generation("a", 0, 1_000), Generation("b", 50, 9_000)])


@pytest.mark.parametrize(
    ("number", "position"), [(0, 1_000), (49, 1_049), (50, 9_050), (51, 9_051)]
)
def test_position_of_a_number_is_that_of_its_generation(number: int, position: int) -> None:
    assert position_at(RESTORED, number) == position
    assert sequence_after(RESTORED, position) == number


@pytest.mark.parametrize(("position", "number"), [(0, -1), (999, -1), (1_500, 49), (9_049, 49)])
def test_position_between_generations_is_before_the_later_one(position: int, number: int) -> None:
    assert sequence_after(RESTORED, position) == number


def test_generation_of_another_index_is_above_all_before_even_if_the_clock_was_set_back() -> None:
    first = next_generation(None, "a", 0, 1_000.0)
    assert first.generations == [Generation("a", 0, 1_000_000_000)]
    for now in (2_000.0, 1.0):
        (_, second) = next_generation(first, "b", 70, now).generations
        assert (second.index, second.first) == ("b", 70)
        assert second.base > first.generations[0].base + 1_000_000


def test_copied_event_keeps_its_position_and_the_copy_begins_a_generation() -> None:
    event = copied_entry({"kind": "loaded"}, 60, RESTORED, "c", 0.0)
    assert event == {"kind": "loaded", "position": 9_060}
    again = copied_entry(event, 3, RESTORED, "d", 0.0)
    assert again["position"] == 9_060
    state = copied_entry({"kind": "log", "log": {"floor": 7}}, 0, RESTORED, "c", 0.0)["log"]
    assert (state.floor, state.generations[-1].index, state.generations[-1].first) == (7, "c", 0)


def test_lags_are_those_of_the_last_24_hours() -> None:
    now = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
    state = add_lags(ReaderState(), [1.0] * 98 + [8.0, 60.0], now)
    percents = {"p50": 50.0, "p99": 99.0, "max": 100.0}
    number, found = lag_percentiles(state, percents, now)
    assert number == 100
    assert found == pytest.approx({"p50": 1.0, "p99": 8.0, "max": 60.0}, rel=0.05)
    later = now + timedelta(hours=25)
    assert lag_percentiles(state, percents, later) == (0, dict.fromkeys(percents))
    assert len(add_lags(state, [1.0], later).lags) == 1
