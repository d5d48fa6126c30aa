"""Addresses of pages and calls."""

import pytest

from edgar_search.web.pages.links import address, curl, without


def test_address_has_the_parameters_and_the_changes() -> None:
    lists = {"query": ["a b"], "form_type": ["10-K"], "offset": ["20"]}
    assert address("/search", lists, offset=None, sort="newest") == (
        "/search?query=a+b&form_type=10-K&sort=newest"
    )


def test_address_leaves_out_what_is_empty() -> None:
    assert address("/search", {"query": ["a"], "company": [" "]}, offset=0 or None) == (
        "/search?query=a"
    )


def test_address_quotes_path_and_values() -> None:
    assert address('/document/"x"', {"query": ['"a&b"']}) == ("/document/%22x%22?query=%22a%26b%22")


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (None, {"query": ["a"]}),
        ("10-K", {"query": ["a"], "form_type": ["8-K"]}),
        ("none", {"query": ["a"], "form_type": ["10-K,8-K"]}),
    ],
)
def test_without_one_value_or_all(value: str | None, left: dict[str, list[str]]) -> None:
    lists = {"query": ["a"], "form_type": ["10-K", "8-K"], "offset": ["20"]}
    assert without(lists, "form_type", value) == left


def test_curl_line_is_one_word_for_the_shell() -> None:
    line = curl("/v1/search?query=it's", "http://127.0.0.1:8000")
    assert line == (
        "curl -H \"X-API-Key: $EDGAR_SEARCH_KEY\" 'http://127.0.0.1:8000/v1/search?query=it%27s'"
    )
