"""A query string's parameters."""

import pytest
from starlette.requests import Request

from edgar_search.errors import BadRequest
from edgar_search.web.credentials import query_parameters


def parameters(query: bytes) -> dict[str, list[str]]:
    return query_parameters(Request({"type": "http", "query_string": query, "headers": []}))


def test_values_stay_in_order_under_their_name() -> None:
    assert parameters(b"cik=1&sic=2&cik=3,4") == {"cik": ["1", "3,4"], "sic": ["2"]}


def test_empty_values_are_there() -> None:
    assert parameters(b"cik=&sic") == {"cik": [""], "sic": [""]}


def test_no_query_string_has_no_parameters() -> None:
    assert parameters(b"") == {}


def test_key_is_no_parameter() -> None:
    assert parameters(b"api_key=secret&cik=1&api%5Fkey=secret") == {"cik": ["1"]}


@pytest.mark.parametrize(
    ("query", "value"),
    [
        (b"query=a%20b", "a b"),
        (b"query=a+b", "a b"),
        (b"query=a%2Bb", "a+b"),
        (b"query=a%26b%3Dc", "a&b=c"),
        (b"query=a=b", "a=b"),
        (b"query=a;b", "a;b"),
        (b"query=Nestl%C3%A9", "Nestlé"),
        ("query=Nestlé".encode(), "Nestlé"),
        (b"query=%E6%9D%B1%E4%BA%AC", "東京"),
        (b"query=100%", "100%"),
        (b"query=%zz", "%zz"),
        (b"query=%22a%22~3", '"a"~3'),
    ],
)
def test_value_is_decoded(query: bytes, value: str) -> None:
    assert parameters(query) == {"query": [value]}


@pytest.mark.parametrize("query", [b"query=%FF", b"query=\xff", b"query=%C3", b"%ED%A0%80=1"])
def test_what_is_no_utf_8_is_refused(query: bytes) -> None:
    with pytest.raises(BadRequest, match="^the query string is not percent-encoded UTF-8$"):
        parameters(query)


def test_two_thousand_parameters_are_taken() -> None:
    assert parameters(b"&".join([b"cik=1"] * 2000)) == {"cik": ["1"] * 2000}


def test_more_than_two_thousand_parameters_are_refused() -> None:
    with pytest.raises(BadRequest, match="^the query string has more than 2000 parameters$"):
        parameters(b"&".join([b"cik=1"] * 2001))
