"""The meaning of EDGAR's answers."""

from datetime import UTC, datetime

import pytest

from ingest.fetching.client import Verdict, judge

NOW = datetime(2024, 1, 1, 12, tzinfo=UTC)
PAGE = b"\n<!-- x -->\n<!DOCTYPE html><html><head><title>Request Rate &amp; more</title></head>"


@pytest.mark.parametrize(
    ("status", "headers", "body", "expected"),
    [
        (200, {}, b"<SEC-DOCUMENT>", Verdict("good")),
        (206, {}, b"rest", Verdict("good")),
        (304, {}, b"", Verdict("good")),
        (416, {}, b"", Verdict("good")),
        (404, {}, PAGE, Verdict("absent")),
        (403, {}, b"<?xml?><Error><Code>AccessDenied</Code>", Verdict("absent")),
        (200, {}, b"<html><title>SEC.gov | File Unavailable</title>", Verdict("absent")),
        (403, {}, PAGE, Verdict("throttled", "status 403, 'Request Rate & more'")),
        (403, {}, b"", Verdict("throttled", "status 403")),
        (200, {}, PAGE, Verdict("throttled", "status 200, 'Request Rate & more'")),
        (200, {}, b"<html>", Verdict("throttled", "status 200, 'an HTML page'")),
        (429, {"Retry-After": "7"}, b"", Verdict("throttled", "status 429", 7.0)),
        (429, {"Retry-After": "soon"}, b"", Verdict("throttled", "status 429")),
        (503, {}, b"", Verdict("broken", "status 503")),
        (301, {}, b"", Verdict("refused", "status 301")),
        (400, {}, b"", Verdict("refused", "status 400")),
    ],
)
def test_verdict(status: int, headers: dict[str, str], body: bytes, expected: Verdict) -> None:
    assert judge(status, headers, body, NOW) == expected


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("Mon, 01 Jan 2024 12:01:30 GMT", 90.0), ("Mon, 01 Jan 2024 11:00:00 GMT", 0.0)],
)
def test_retry_after_may_be_a_date(value: str, seconds: float) -> None:
    assert judge(503, {"Retry-After": value}, b"", NOW).after == seconds
