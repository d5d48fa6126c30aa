"""What is made of hits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.search.hits import relevance


@given(score=st.floats(min_value=1e-6, max_value=1e6))
def test_score_is_between_0_and_1(score: float) -> None:
    assert 0 < relevance(score) < 1


@pytest.mark.parametrize(("score", "expected"), [(15.0, 0.5), (45.0, 0.75), (3.75, 0.2)])
def test_score_is_what_the_documentation_says(score: float, expected: float) -> None:
    assert relevance(score) == pytest.approx(expected)


@given(lower=st.floats(0.001, 1e4), step=st.floats(0.001, 1e4))
def test_better_hit_has_the_higher_score(lower: float, step: float) -> None:
    assert relevance(lower) < relevance(lower + step)
