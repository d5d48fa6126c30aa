"""What EDGAR's answers mean: it says "not now" and "not there" in several ways; pure."""

import html
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from msgspec import Struct

# Enough of a body to tell a page from a file.
HEAD_BYTES = 16_384
_TITLE = re.compile(rb"<(title|h1)[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(!doctype html|html)\b", re.I | re.S)
# The store behind `/Archives/` answers 403 for what is not there.
_ABSENT = re.compile(rb"<Code>(AccessDenied|NoSuchKey)</Code>")
# What the feed answers for a page beyond its end, and EDGAR for what it cannot find just now.
_UNAVAILABLE = re.compile(rb"<title>[^<]*File Unavailable", re.IGNORECASE)
_BUSY = (408, 425, 429)


class Verdict(Struct, frozen=True):
    """What to do about an answer.

    `throttled` means that everybody should pause; `after` is the wait in seconds that EDGAR asks
    for, None where it names none.
    """

    kind: Literal["good", "absent", "throttled", "broken", "refused"]
    reason: str = ""
    after: float | None = None


def judge(status: int, headers: Mapping[str, str], head: bytes, now: datetime) -> Verdict:
    """The meaning of an answer to a request for a file; `head` begins its body.

    A page of HTML is never what was asked for, whatever its status.
    """
    if status in (404, 410) or (status == 403 and _ABSENT.search(head)):
        return Verdict("absent")
    after = _retry_after(headers.get("Retry-After", ""), now)
    page = _PAGE.match(head) is not None
    if status in (200, 403) and page and _UNAVAILABLE.search(head):
        return Verdict("absent")
    reason = f"status {status}" + (f", {_title(head)!r}" if page else "")
    if status in (403, *_BUSY):
        return Verdict("throttled", reason, after)
    if status >= 500:
        return Verdict("broken", reason, after)
    if status in (200, 206) and page:
        return Verdict("throttled", reason, after)
    if status in (200, 206, 304, 416):
        return Verdict("good")
    return Verdict("refused", reason)


def _title(page: bytes) -> str:
    match = _TITLE.search(page)
    text = match[2].decode("utf-8", "replace") if match else "an HTML page"
    return " ".join(html.unescape(text).split())[:100]


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds from a header, which holds seconds or a date; None for anything else."""
    if value.strip().isdecimal():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
