"""The trace names the project's functions by their file, and no others."""

from bench.traced import SOURCE, traced
from edgar_search.search.language import parse


def test_functions_are_named_by_their_file() -> None:
    with traced() as found:
        parse("net sales")
        sorted([2, 1], key=lambda number: -number)
    assert {"parse", "conjunction"} <= found["search/language/parser.py"]
    assert all((SOURCE / path).is_file() for path in found)


def test_nothing_is_named_afterwards() -> None:
    with traced() as found:
        pass
    parse("net sales")
    assert not found
