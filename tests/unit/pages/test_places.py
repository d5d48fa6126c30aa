"""Matches as numbers: which one has a number, and which are between two places."""

import random
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from edgar_search.document.matches import Match
from edgar_search.document.text import DocumentText, Passages
from edgar_search.search.language import read
from edgar_search.web.pages import document
from edgar_search.web.pages.document import Places, Question, RememberedPlaces

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


def question(number: int) -> Question:
    return Question("0009990101-21-000001-1", "ab", number, read("moss"))


def places_of(number: int) -> Places:
    places = Places()
    places.add([Match(0, 1, 0, 0)] * number)
    return places


def test_places_are_remembered_for_the_same_text_and_query_only() -> None:
    known, places = RememberedPlaces(), places_of(3)
    known.keep(question(1), places)
    assert known.get(question(1)) is places
    for other in ({"sha256": "cd"}, {"version": 2}, {"query": read("marble")}):
        assert known.get(question(1)._replace(**cast(Any, other))) is None


def test_places_that_were_used_last_are_remembered() -> None:
    known = RememberedPlaces()
    for number in range(10):
        known.keep(question(number), places_of(50_000))
    assert known.get(question(0)) is not None
    known.keep(question(10), places_of(1))
    assert [number for number in range(11) if known.get(question(number)) is None] == [1]


def test_very_many_places_are_not_remembered() -> None:
    known = RememberedPlaces()
    known.keep(question(1), places_of(250_001))
    assert known.get(question(1)) is None


@pytest.mark.anyio
async def test_who_reads_on_does_not_look_for_the_matches_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_for = 0

    async def matches_of(*_: object) -> AsyncIterator[list[Match]]:
        nonlocal looked_for
        looked_for += 1
        yield [Match(5, 8, 0, 0)]

    monkeypatch.setattr(document, "matches_of", matches_of)
    text = DocumentText("0009990101-21-000002-1", "ef", 9, 1, 1, matches=True)
    passages = Passages(cast(Any, None), text, "reader")
    read_on = [await document._matches(passages, read("moss")) for _ in range(2)]
    assert [len(places) for places in read_on] == [1, 1]
    assert looked_for == 1
