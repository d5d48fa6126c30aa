"""A query string's parameters."""

import time
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
from starlette.requests import Request

from edgar_search.errors import BadRequest
from edgar_search.web.callers import _keys_in_query, query_parameters


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


def keys_in(query: bytes) -> list[str]:
    return _keys_in_query(Request({"type": "http", "query_string": query, "headers": []}))


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        (b"api_key=a", ["a"]),
        (b"cik=1&api_key=a&sic=2", ["a"]),
        (b"%61pi%5Fke%79=a%2Bb+", ["a+b"]),
        (b"api%5fkey=a&api_key=b", ["a", "b"]),
        (b"api_key=&api_key&api_key=%20", []),
        (b"my_api_key=a&api_keys=b&API_KEY=c&query=api_key=d&x=%26api_key=e", []),
        (b"api_key=%FF", ["\ufffd"]),
        (b"", []),
    ],
)
def test_key_in_the_query_string_is_found_however_it_is_encoded(
    query: bytes, keys: list[str]
) -> None:
    assert keys_in(query) == keys


def test_key_is_looked_for_in_much_less_time_than_all_fields_take_to_read() -> None:
    query = b"api%5Fkey=a&" + b"%41=%42&" * 4_000

    def seconds(read: Callable[[], object]) -> float:
        began = time.thread_time()
        read()
        return time.thread_time() - began

    alone = min(seconds(lambda: keys_in(query)) for _ in range(5))
    assert alone < seconds(lambda: parse_qsl(query.decode())) / 5
