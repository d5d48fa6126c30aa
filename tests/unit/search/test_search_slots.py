"""The slots that a search takes, by its shape."""

import pytest

from edgar_search.api.search import search_params
from edgar_search.search.search import search_slots


def slots(query: str = "swap", **asked: str) -> int:
    raw = {"query": [query], **{name: [value] for name, value in asked.items()}}
    return search_slots(search_params(raw, 10_000))


@pytest.mark.parametrize(
    "query", ["swap", "goodwill impairment", '"material weakness"', "hed*ing OR (swap future)"]
)
def test_page_as_most_are_takes_one_slot(query: str) -> None:
    assert slots(query) == 1


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"limit": "100"}, 3),
        ({"limit": "40", "snippets": "5"}, 5),
        ({"group_by": "filing"}, 3),
        ({"group_by": "filing", "limit": "100"}, 11),
    ],
)
def test_page_takes_more_by_the_passages_that_it_shows(
    asked: dict[str, str], expected: int
) -> None:
    assert slots(**asked) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [('"a b c d e f"~9', 2), ('"the of the and of the"~50', 7), (" OR ".join(['"a b"'] * 50), 7)],
)
def test_query_takes_more_by_its_phrases(query: str, expected: int) -> None:
    assert slots(query) == expected


def test_only_hits_that_are_shown_count() -> None:
    search = search_params({"query": ["swap"], "limit": ["100"]}, 10_000)
    assert search_slots(search, 10) == 1
