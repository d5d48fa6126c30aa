"""Matches as numbers: which one has a number, and which are between two places."""

import random

import pytest

from edgar_search.search.matches.document import Match
from edgar_search.web.pages.places import Places

SEED = 20261122


def test_places_are_those_of_the_matches() -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    chance = random.Random(SEED)
    spans = sorted(
        (start, start + chance.randrange(1, 40)) for start in chance.choices(range(500), k=200)
    )
    matches = [Match(start, end, start // 100, end // 100) for start, end in spans]
    places = Places()
    for first in range(0, 200, 30):
        places.add(matches[first : first + 30])
    assert len(places) == 200
    assert [places.match(number) for number in range(1, 201)] == matches
    for _ in range(50):
        start, end = sorted(chance.choices(range(-10, 550), k=2))
        numbered = list(enumerate(matches, 1))
        touching = [each for each in numbered if each[1].start < end and each[1].end > start]
        assert list(places.touching(start, end)) == touching
        inside = [match for match in matches if start <= match.start < end]
        assert places.beginning_in(start, end) == len(inside)


@pytest.mark.parametrize(("place", "number"), [(0, 1), (5, 1), (6, 2), (20, 2), (21, 2)])
def test_match_near_a_place_begins_there_or_later_or_is_the_last(place: int, number: int) -> None:
    places = Places()
    places.add([Match(5, 8, 0, 0), Match(20, 22, 0, 0)])
    assert places.near(place) == number
