"""A request's JSON body: its size, and what two readers could differ on."""

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.types import Message

from edgar_search.errors import BadRequest, BodyTooLarge, ClientGone
from edgar_search.web.requests import (
    NOT_AN_OBJECT,
    NOT_JSON,
    json_object,
    key_in_body,
    read_body,
)

pytestmark = pytest.mark.anyio


def request(*messages: Message) -> Request:
    """Return a request whose body comes in these messages; asking for more of them fails."""
    left: Iterator[Message] = iter(messages)

    async def receive() -> Message:
        return next(left)

    return Request({"type": "http", "method": "POST", "path": "/", "headers": []}, receive)


def chunk(body: bytes, more: bool) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


async def test_body_of_many_chunks_is_joined() -> None:
    chunks = request(chunk(b'{"a"', True), chunk(b"", True), chunk(b":1}", False))
    assert await read_body(chunks) == b'{"a":1}'


async def test_body_of_the_greatest_size_is_read() -> None:
    assert await read_body(request(chunk(b"12", True), chunk(b"34", False)), most=4) == b"1234"


async def test_larger_body_is_refused_before_the_rest_of_it_comes() -> None:
    with pytest.raises(BodyTooLarge, match="^the body has more than 4 bytes$"):
        await read_body(request(chunk(b"12", True), chunk(b"345", True)), most=4)


async def test_client_that_leaves_within_its_body_is_gone() -> None:
    with pytest.raises(ClientGone):
        await read_body(request(chunk(b"12", True), {"type": "http.disconnect"}))


@pytest.mark.parametrize("body", [b"", b" \r\n\t", b"{}", b" {} "])
def test_no_body_is_an_empty_object(body: bytes) -> None:
    assert json_object(body) == {}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"a=b&c=d",
        b'{"a":1}{"b":2}',
        b'{"a":1,}',
        b"{'a':1}",
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":"\xff"}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\udc00\\ud800"}',
        b'{"a":"\n"}',
        b'\xef\xbb\xbf{"a":1}',
        '{"a":1}'.encode("utf-16"),
        b'{"a":' + b"1" * 5000 + b"}",
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"[" * 500_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest) as refused:
        json_object(body)
    assert str(refused.value) == NOT_JSON


@pytest.mark.parametrize("body", [b"[]", b'"a"', b"1", b"null", b"true", b'[{"a":1}]'])
def test_other_json_than_an_object_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest) as refused:
        json_object(body)
    assert str(refused.value) == NOT_AN_OBJECT


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":"1","id":"2"}',
        b'{"id":"1","id":"1"}',
        b'{"\\u0069d":"1","id":"2"}',
        b'{"filters":{"id":1,"id":2}}',
        b'{"list":[{"id":1,"id":2}]}',
    ],
)
def test_field_that_is_given_twice_is_named(body: bytes) -> None:
    with pytest.raises(BadRequest, match="^`id` may be given only once in the body$"):
        json_object(body)


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), json_values, max_size=5), st.booleans())
def test_any_object_is_read_as_it_was_written(content: dict[str, Any], ascii_only: bool) -> None:
    assert json_object(json.dumps(content, ensure_ascii=ascii_only).encode()) == content


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_refused(body: bytes) -> None:
    try:
        assert isinstance(json_object(body), dict)
    except BadRequest:
        pass


# A megabyte that takes much longer to read than a text of that size.
HOSTILE = {
    "arrays": b'{"a":[' + b"[]," * 340_000 + b"1]}",
    "objects": b'{"a":[' + b"{}," * 340_000 + b"1]}",
    "fields": b"{" + b"".join(b'"%x":1,' % number for number in range(110_000)) + b'"z":1}',
}


@pytest.mark.parametrize("case", HOSTILE)
def test_body_of_too_many_parts_is_refused(case: str) -> None:
    with pytest.raises(BadRequest) as refused:
        json_object(HOSTILE[case])
    assert str(refused.value) == "the body has more than 10000 arrays, objects and fields"


@pytest.mark.parametrize("case", HOSTILE)
def test_key_is_looked_for_in_much_less_time_than_the_body_takes_to_read(case: str) -> None:
    def seconds(read: Callable[[bytes], object]) -> float:
        began = time.thread_time()
        read(HOSTILE[case])
        return time.thread_time() - began

    assert min(seconds(key_in_body) for _ in range(5)) < seconds(json.loads) / 5


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (b'{"a":[1,{}],"api_key":"x"}', "x"),
        (b'{"api\\u005fkey":"x"}', "x"),
        (b'{"api_key":"x","api_key":"y"}', "y"),
        (b'{"api_key":5}', "5"),
        (b'{"api_key":["x"]}', '["x"]'),
        (b'{"api_key":""}', ""),
        (b'{"api_key":null}', None),
        (b'{"a":{"api_key":"x"}}', None),
        (b'[{"api_key":"x"}]', None),
        (b'{"api_key":"x"', None),
        (b'{"api_key":"\xff"}', '"\xff"'),
        (b"[" * 500_000, None),
        (b"", None),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_key_of_a_body_is_its_own_field(body: bytes, key: str | None) -> None:
    assert key_in_body(body) == key
