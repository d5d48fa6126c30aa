"""The cost that a query may have."""

import pytest

from edgar_search.search.language import Node, QueryError, parse

PAIRS = [f'"{first} {second}"' for first in "abcdefgh" for second in "pqrstuvw"]
RIGHT = (
    "; use fewer or shorter ones; a word of a phrase with `~` counts 1, or 5 if that"
    " phrase has a word twice, and one of an exact phrase 0.3"
)
WRONG = "query: phrases of more than 30 words in all at character "


@pytest.mark.parametrize(
    "query",
    [
        '"' + " ".join(f"w{n}" for n in range(30)) + '"~50',
        '"the the the the the the"~50',
        " OR ".join(PAIRS[:50]),
        " OR ".join(f"{pair}~2" for pair in PAIRS[:15]),
        " ".join(f"w{n}" for n in range(190)),
        "the " * 240,
        '"' + " ".join(f"w{n}" for n in range(100)) + '"',
        '"' + "of the " * 140 + '"',
        "\u6771" * 1000,
        "con* OR pro* OR int* OR com* OR inv*",
        '"goodwill goodwill"~50 impairment',
    ],
)
def test_query_within_the_bound_is_a_tree(query: str) -> None:
    assert isinstance(parse(query), Node)


@pytest.mark.parametrize(
    ("query", "position"),
    [
        ('"' + "the " * 240 + '"~50', 1),
        ('"the the the the the the the"~1', 1),
        ('goodwill "' + " ".join(f"w{n}" for n in range(31)) + '"~1', 10),
        (" OR ".join(PAIRS[:51]), 451),
        (" OR ".join(f"{pair}~2" for pair in PAIRS[:16]), 166),
        ('a NOT "the the the the"~5 NOT "of of of"~5', 31),
        (" OR ".join(f"{n}-k" for n in range(100, 151)), 451),
    ],
)
def test_query_beyond_the_bound_is_refused_where_it_is_passed(query: str, position: int) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    assert str(caught.value) == f"{WRONG}{position}{RIGHT}"
