"""Ratios and growth are over the questions that both sides were right in."""

import pytest

from bench.peers.ratios import (
    DEFAULT,
    OURS,
    against,
    against_libraries,
    growth,
    marked_share,
    verdicts,
)
from bench.peers.results import RIGHT, UNABLE, Answer
from tests.unit.bench.stub import size_of


def right(median: float) -> Answer:
    return Answer(RIGHT, median, shown=4, marked=3)


def test_the_fastest_library_of_each_question_counts() -> None:
    size = size_of(
        {
            OURS: [right(2), right(8)],
            "tantivy 1": [right(4), right(16)],
            "SQLite 1": [right(8), right(1)],
            DEFAULT: [right(0.1), right(0.1)],
        }
    )
    found = against_libraries(size, "ten")
    assert found is not None
    assert found.mean == pytest.approx((2 / 4 * 8 / 1) ** 0.5)
    assert (found.worst, found.questions) == (8, 2)


def test_wrong_answers_are_no_measure() -> None:
    size = size_of(
        {
            OURS: [right(2), right(8)],
            "tantivy 1": [Answer("1 missing, 0 extra"), right(16)],
            "SQLite 1": [Answer(UNABLE), right(32)],
        }
    )
    found = against_libraries(size, "ten")
    assert found is not None
    assert found.mean == pytest.approx(0.5)
    assert found.questions == 1
    assert verdicts(size, "tantivy 1") == (1, 1, 0)
    assert verdicts(size, "SQLite 1") == (1, 0, 1)


def test_nothing_to_compare_is_none() -> None:
    size = size_of({OURS: [right(2)], DEFAULT: [Answer(UNABLE)]})
    assert against(size, "ten", DEFAULT) is None


def test_growth_is_the_larger_by_the_smaller() -> None:
    small, large = size_of({OURS: [right(2), right(4)]}), size_of({OURS: [right(4), right(4)]}, 10)
    found = growth(small, large, "ten", OURS)
    assert found is not None
    assert found.mean == pytest.approx(2**0.5)
    assert found.worst == 2


def test_share_of_snippets_with_marks() -> None:
    assert marked_share(size_of({OURS: [right(2), right(4)]}), OURS) == 0.75
