"""Matches as numbers: which one has a number, and which are between two places."""

import random
from collections.abc import AsyncIterator, Iterator
from typing import Any, cast

import pytest
from cachetools import LRUCache

from edgar_search.document.matches import Match
from edgar_search.document.text import DocumentText, Passages
from edgar_search.search.language import parse_query
from edgar_search.web.pages import document
from edgar_search.web.pages.document import Places, Question


def test_places_are_those_of_the_matches() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
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
        assert len(places.beginning_in(start, end)) == len(inside)


@pytest.mark.parametrize(("place", "number"), [(0, 1), (5, 1), (6, 2), (20, 2), (21, 2)])
def test_match_near_a_place_begins_there_or_later_or_is_the_last(place: int, number: int) -> None:
    places = Places()
    places.add([Match(5, 8, 0, 0), Match(20, 22, 0, 0)])
    assert places.near(place) == number


@pytest.mark.parametrize(
    ("place", "number"),
    [(None, 3), (0, 3), (11, 3), (200, 3), (201, 4), (610, 4), (2_000, 4)],
)
def test_defined_match_of_the_snippet_is_preferred_to_the_first(
    place: int | None, number: int
) -> None:
    places = Places()
    places.add(Match(start, start + 5, 0, 0) for start in (5, 20, 200, 610))
    places.defined = [3]
    assert places.current(place) == number


def test_first_match_is_current_without_a_definition() -> None:
    places = Places()
    assert places.current(None) == 0
    places.add([Match(5, 8, 0, 0), Match(20, 22, 0, 0)])
    assert places.current(None) == 1
    assert places.current(6) == 2


@pytest.mark.parametrize(
    ("behind", "defined"),
    [
        ('" means any change', True),
        (",” as used in this Agreement, means", True),
        ('" on Parent means any', True),
        ("’ (as modified) shall mean", True),
        (" has the meaning of Section 2", True),
        (" will mean", True),
        ('" by no means', False),
        (" is meaningful", False),
        ('" is bad. It means', False),
        ('", ' + "and " * 30 + "means", False),
    ],
)
def test_term_is_defined_by_the_words_behind_it(behind: str, defined: bool) -> None:
    text = "X" + behind
    assert document._is_defined(text, 1) is defined


@pytest.fixture(autouse=True)
def remembered() -> Iterator[LRUCache[Question, Places]]:
    """The places that the pages of this worker remember, none at first."""
    document._REMEMBERED.clear()
    yield document._REMEMBERED
    document._REMEMBERED.clear()


def question(number: int) -> Question:
    return Question("0009990101-21-000001-1", "ab", number, parse_query("moss"))


def places_of(number: int) -> Places:
    places = Places()
    places.add([Match(0, 1, 0, 0)] * number)
    return places


def test_places_are_remembered_for_the_same_text_and_query_only(
    remembered: LRUCache[Question, Places],
) -> None:
    remembered[question(1)] = places_of(3)
    for other in ({"sha256": "cd"}, {"version": 2}, {"query": parse_query("marble")}):
        assert question(1)._replace(**cast(Any, other)) not in remembered


def test_places_that_were_used_last_are_remembered(
    remembered: LRUCache[Question, Places],
) -> None:
    for number in range(10):
        remembered[question(number)] = places_of(50_000)
    assert remembered.get(question(0)) is not None
    remembered[question(10)] = places_of(1)
    assert [number for number in range(11) if question(number) not in remembered] == [1]


def test_texts_without_matches_are_a_thousand_at_most(
    remembered: LRUCache[Question, Places],
) -> None:
    for number in range(1_001):
        remembered[question(number)] = Places()
    assert len(remembered) == 1_000


@pytest.mark.anyio
@pytest.mark.parametrize(("matches", "times"), [(250_000, 1), (250_001, 2)])
async def test_very_many_places_are_not_remembered(
    monkeypatch: pytest.MonkeyPatch, matches: int, times: int
) -> None:
    looked_for = 0

    async def matches_of(*_: object) -> AsyncIterator[list[Match]]:
        nonlocal looked_for
        looked_for += 1
        yield [Match(0, 1, 0, 0)] * matches

    async def whole(*_: object) -> str:
        return "moss"

    monkeypatch.setattr(document, "matches_of", matches_of)
    monkeypatch.setattr(Passages, "whole", whole)
    text = DocumentText("0009990101-21-000002-1", "ef", 9, 1, 1, matches=True)
    passages = Passages(cast(Any, None), text)
    for _ in range(2):
        await document._matches(passages, parse_query("moss"))
    assert looked_for == times


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
    passages = Passages(cast(Any, None), text)
    read_on = [await document._matches(passages, parse_query("moss")) for _ in range(2)]
    assert [len(places) for places in read_on] == [1, 1]
    assert looked_for == 1
