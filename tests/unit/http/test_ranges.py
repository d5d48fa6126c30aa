"""Ranges of bytes: what a header asks for, and its bytes out of chunks of any length."""

import random

import pytest
from starlette.requests import Request

from edgar_search.web.ranges import asked_part

SIZE = 100
ETAG = '"v1"'


def request(method: str = "GET", **headers: str) -> Request:
    """Return a request with these headers."""
    sent = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    return Request({"type": "http", "method": method, "headers": sent})


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=3-", 3, 100),
        ("BYTES = 3 - 9", 3, 10),
        ("bytes=99-1000", 99, 100),
        ("bytes=-4", 96, 100),
        ("bytes=-101", 0, 100),
    ],
)
def test_a_range_is_a_part(text: str, start: int, end: int) -> None:
    part = asked_part(request(range=text), ETAG, SIZE)
    assert part.status == 206
    assert part.headers == {
        "Accept-Ranges": "bytes",
        "Content-Length": str(end - start),
        "Content-Range": f"bytes {start}-{end - 1}/100",
    }


@pytest.mark.parametrize(
    "text",
    ["", "bytes=-", "bytes=5-2", "bytes=a-b", "bytes=0-1,3-4", "lines=1-2", "bytes=" + "9" * 5000],
)
def test_what_is_not_one_range_is_answered_with_the_whole(text: str) -> None:
    part = asked_part(request(range=text), ETAG, SIZE)
    assert (part.status, part.start, part.end) == (200, 0, 100)


@pytest.mark.parametrize("text", ["bytes=100-", "bytes=-0", "bytes=999999999999999999-"])
def test_a_range_beyond_the_end_is_refused(text: str) -> None:
    assert asked_part(request(range=text), ETAG, SIZE).status == 416


def test_a_part_is_for_a_get_of_the_version_that_was_begun() -> None:
    asked = {"range": "bytes=1-2"}
    assert asked_part(request("HEAD", **asked), ETAG, SIZE).status == 200
    assert asked_part(request(**asked, if_range=ETAG), ETAG, SIZE).status == 206
    assert asked_part(request(**asked, if_range='"v0"'), ETAG, SIZE).status == 200


def test_bytes_of_a_part_do_not_depend_on_the_chunks() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    data = chance.randbytes(SIZE)
    for _ in range(300):
        start = chance.randrange(SIZE)
        last = chance.randrange(start, SIZE)
        skipped = chance.randint(0, start)
        cuts = sorted([skipped, *(chance.randint(skipped, SIZE) for _ in range(5)), SIZE])
        chunks = (data[a:b] for a, b in zip(cuts, cuts[1:], strict=False))
        part = asked_part(request(range=f"bytes={start}-{last}"), ETAG, SIZE)
        assert b"".join(part.of(chunks, skipped)) == data[start : last + 1]
