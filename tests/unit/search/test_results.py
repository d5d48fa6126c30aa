"""Results made from hits."""

from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields

from edgar_search.search.filings import ListedEntity, ListedFiling
from edgar_search.search.results import relevance
from edgar_search.stored.filings import FilingEntity, StoredFiling


@given(score=st.floats(min_value=1e-6, max_value=1e6))
def test_score_is_between_0_and_1(score: float) -> None:
    assert 0 < relevance(score) < 1


@pytest.mark.parametrize(("score", "expected"), [(15.0, 0.5), (45.0, 0.75), (3.75, 0.2)])
def test_score_is_what_the_documentation_says(score: float, expected: float) -> None:
    assert relevance(score) == pytest.approx(expected)


@given(lower=st.floats(0.001, 1e4), step=st.floats(0.001, 1e4))
def test_better_hit_has_the_higher_score(lower: float, step: float) -> None:
    assert relevance(lower) < relevance(lower + step)


def test_listed_filing_reads_what_is_stored() -> None:
    stored, listed = get_type_hints(StoredFiling), get_type_hints(ListedFiling)
    entities = {"entities": list[ListedEntity]}
    assert listed == {name: stored[name] for name in listed} | entities
    assert get_type_hints(ListedEntity).items() <= get_type_hints(FilingEntity).items()
    assert _defaults(ListedFiling).items() <= _defaults(StoredFiling).items()


def _defaults(struct: type[Struct]) -> dict[str, object]:
    return {field.name: field.default for field in fields(struct)}
