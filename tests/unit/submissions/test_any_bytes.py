"""Bytes of any kind are a complete submission, or refused."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.edgar.submission import accession_number, parse_submission
from edgar_search.errors import MalformedSubmission
from tests.unit.submissions.made_up import (
    HEADER,
    TAGGED_HEADER,
    TWO,
    feed_submission,
    old_submission,
    submission,
)

TEXT = submission(*TWO)
FEED = feed_submission(*TWO)
TAGS = [
    "<SEC-DOCUMENT>", "</SEC-DOCUMENT>", "<SEC-HEADER>", "</SEC-HEADER>", "<IMS-DOCUMENT>",
    "<SUBMISSION>", "</SUBMISSION>", "<DOCUMENT>", "</DOCUMENT>", "<TEXT>", "</TEXT>", "<XML>",
    "</XML>", "<PDF>", "<SEQUENCE>", "begin 644 a", "\n", "\r", " ", "\0", "\ufeff", "FILER:",
    "COMPANY DATA:", "CITY:", "MAIL ADDRESS:", "]", "FORMER COMPANY:", "DATE OF NAME CHANGE:",
    "<MULTI-ACCESSION-NUMBERS>", HEADER, TAGGED_HEADER, *TWO,
]  # fmt: skip
SHARDS = st.lists(st.sampled_from(TAGS) | st.text(max_size=5), max_size=30).map(
    lambda shards: "\n".join(shards).encode("utf-8", "surrogatepass")
)


@settings(max_examples=400, database=None, print_blob=True, deadline=None)
@given(st.binary(max_size=400) | SHARDS | SHARDS.map(lambda data: TEXT[:400] + data))
def test_any_bytes_are_a_submission_or_refused(data: bytes) -> None:
    accession_number(data)
    assert_read_or_refused(data)


def assert_read_or_refused(data: bytes) -> None:
    try:
        parsed = parse_submission(data)
    except MalformedSubmission as error:
        assert str(error)
    else:
        for part in parsed.documents:
            assert part.size >= 0
            assert part.body in data[part.start : part.end]


def bodies(data: bytes) -> list[bytes]:
    return [part.body for part in parse_submission(data).documents]


@pytest.mark.parametrize("data", [TEXT, FEED, old_submission(*TWO), TEXT.replace(b"\n", b"\r\n")])
def test_truncated_anywhere_is_refused_or_whole(data: bytes) -> None:
    whole = bodies(data)
    for length in range(len(data)):
        try:
            cut = bodies(data[:length])
        except MalformedSubmission:
            continue
        assert cut == whole


def test_damaged_in_transit_never_raises_anything_else() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    source = random.Random(seed)
    for _ in range(500):
        data = bytearray(source.choice([TEXT, FEED]))
        for _ in range(source.randint(1, 20)):
            start = source.randrange(len(data))
            data[start : start + source.randint(0, 30)] = source.randbytes(source.randint(0, 9))
        assert_read_or_refused(bytes(data))
