"""Addresses of pages and calls."""

import pytest

from edgar_search.web.pages.links import address, as_asked, curl, without
from edgar_search.web.pages.search_results import reading_lists, search_over_all


def test_address_has_the_parameters_and_the_changes() -> None:
    lists = {"query": ["a b"], "form_type": ["10-K"], "offset": ["20"]}
    assert address("/search", lists, offset=None, sort="newest") == (
        "/search?query=a+b&form_type=10-K&sort=newest"
    )


@pytest.mark.parametrize(
    ("more", "operands"),
    [
        ({}, "most"),
        ({"sort": ["newest"]}, "all"),
        ({"sort": ["relevance"]}, "most"),
        ({"sort": ["oldest"], "operands": ["most"]}, "most"),
    ],
)
def test_by_date_all_words_are_asked_for(more: dict[str, list[str]], operands: str) -> None:
    assert as_asked({"query": ["a b"], **more})["operands"] == [operands]


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


@pytest.mark.parametrize(
    "filters",
    [
        "https://example.com/",
        "//example.com/?query=x",
        "nope=1&cik=1&ids=2&query=other&offset=5",
        "&".join(f"form_type={number}" for number in range(60)),
        "%ff%00",
        "",
    ],
)
def test_search_over_all_filings_is_a_search_whatever_an_address_has(filters: str) -> None:
    assert search_over_all({"query": ["a"], "filters": [filters]}) == "/search?query=a"


def test_filters_of_a_search_come_back_from_a_document() -> None:
    lists = {"query": ["a b"], "form_type": ["10-K,8-K"], "cik": ["1"], "to_date": ["2024-01-01"]}
    read = reading_lists({**lists, "offset": ["20"], "sort": ["newest"]})
    assert read == {
        "query": ["a b"],
        "filters": ["cik=1&form_type=10-K%2C8-K&to_date=2024-01-01"],
    }
    assert search_over_all(read) == "/search?form_type=10-K%2C8-K&to_date=2024-01-01&query=a+b"
