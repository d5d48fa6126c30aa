"""Requests to EDGAR: the user agent, the rate, and how refusals are handled."""

import asyncio
import html
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, TypeVar

from msgspec import Struct

from edgar_search.errors import EdgarUnavailable, FetchFailed, SettingsError
from edgar_search.http_client import HttpClient, Reply
from edgar_search.metrics.meters import EDGAR_REQUESTS
from edgar_search.settings import Settings
from ingest.fetching.rate import Slots
from ingest.sources.source import SUBMISSION_BYTES

# Enough of a body to tell a page from a file.
HEAD_BYTES = 16_384
_TITLE = re.compile(rb"<(title|h1)[^>]*>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
_PAGE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*(<!--.*?-->\s*)*<(!doctype html|html)\b", re.I | re.S)
# The store after `/Archives/` answers 403 for a missing file.
_ABSENT = re.compile(rb"<Code>(AccessDenied|NoSuchKey)</Code>")
# The feed's answer for a page beyond its end, and EDGAR's for a file that it cannot find right now.
_UNAVAILABLE = re.compile(rb"<title>[^<]*File Unavailable", re.IGNORECASE)
_BUSY = (408, 425, 429)


class Verdict(Struct, frozen=True):
    """The meaning of an answer.

    `throttled` is true if all processes should pause; `after` is the wait in seconds that EDGAR
    requests, or None.
    """

    kind: Literal["good", "absent", "throttled", "broken", "refused"]
    reason: str = ""
    after: float | None = None


def judge(status: int, headers: Mapping[str, str], head: bytes, now: datetime) -> Verdict:
    """Judge an answer to a request for a file; `head` is the beginning of its body.

    An HTML page is never the file, whatever its status.
    """
    if status in (404, 410) or (status == 403 and _ABSENT.search(head)):
        return Verdict("absent")
    after = _retry_after(headers.get("Retry-After", ""), now)
    page = _PAGE.match(head) is not None
    if status in (200, 403) and page and _UNAVAILABLE.search(head):
        return Verdict("absent")
    reason = f"status {status}"
    if page:
        title = _TITLE.search(head)
        text = title[2].decode("utf-8", "replace") if title else "an HTML page"
        reason += f", {' '.join(html.unescape(text).split())[:100]!r}"
    if status in (403, *_BUSY):
        return Verdict("throttled", reason, after)
    if status >= 500:
        return Verdict("broken", reason, after)
    if status in (200, 206) and page:
        return Verdict("throttled", reason, after)
    if status in (200, 206, 304, 416):
        return Verdict("good")
    return Verdict("refused", reason)


def _retry_after(value: str, now: datetime) -> float | None:
    """Parse a header that holds seconds or a date as seconds; None for anything else."""
    if value.strip().isdecimal():
        return float(value)
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())


# Waits in seconds before each retry; then the request fails. About five minutes in all.
BACK_OFF = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 90.0, 120.0)
# Seconds for a connection, or for the next piece of an answer.
TIMEOUT = 60.0
# Waits of at least this many seconds are logged, at most once in this many seconds.
NOTICED = 5.0
# A quarter's index has 30 MB when unpacked, and is fetched packed.
_MAX_BYTES = 200_000_000
_E_MAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")

_log = logging.getLogger(__name__)

T = TypeVar("T")


class TemporaryFailure(Exception):
    """An attempt failed and may be retried; `progress` is true if it received some bytes."""

    def __init__(self, verdict: Verdict, progress: bool = False) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict
        self.progress = progress


def user_agent(settings: Settings) -> str:
    """Return the user agent; raises SettingsError if it contains no e-mail address."""
    contact = " ".join((settings.contact or "").split())
    if not _E_MAIL.search(contact) or not contact.isascii():
        raise SettingsError(
            "EDGAR_SEARCH_CONTACT: EDGAR asks who fetches; give a name and an e-mail"
            " address in ASCII, such as 'Example Ltd admin@example.com'"
        )
    return contact


def http_client(settings: Settings) -> HttpClient:
    """Make the client for EDGAR, an async context; raises as `user_agent`."""
    return HttpClient(user_agent(settings), TIMEOUT)


def archive_path(file_name: str) -> str:
    """Return the path of a file that an index names."""
    return f"/Archives/{file_name}"


class Edgar:
    """Sends requests to EDGAR at the permitted rate, and retries failures.

    `requests` counts the requests sent; `submission_bytes` is the maximum size of a submission.
    """

    def __init__(
        self,
        settings: Settings,
        http: HttpClient,
        back_off: tuple[float, ...] = BACK_OFF,
    ) -> None:
        self.url = settings.edgar_url
        self._data_url = settings.edgar_data_url
        self.submission_bytes = SUBMISSION_BYTES
        self.http = http
        self.requests = 0
        self._slots = Slots(settings.absolute_home, settings.edgar_rate)
        self._back_off = back_off
        self._noticed = float("-inf")

    def address(self, file_name: str) -> str:
        """Return the full address of a file that an index names."""
        return self.url + archive_path(file_name)

    async def get(
        self, path: str, headers: Mapping[str, str] | None = None, *, data: bool = False
    ) -> Reply | None:
        """Return the answer for a path, which may be 304; None if there is no such file.

        With `data` the request goes to the host of EDGAR's JSON. Raises EdgarUnavailable.
        """
        url = (self._data_url if data else self.url) + path

        async def attempt() -> Reply | None:
            reply = await self.http.get(url, headers, _MAX_BYTES)
            exists = self.accept(reply.status, reply.headers, reply.body[:HEAD_BYTES])
            return reply if exists else None

        return await self.repeat(path, attempt)

    def accept(self, status: int, headers: Mapping[str, str], head: bytes) -> bool:
        """Accept a good answer (True) or one that says "absent" (False).

        Raises TemporaryFailure and EdgarUnavailable for any other.
        """
        verdict = judge(status, headers, head, datetime.now(UTC))
        EDGAR_REQUESTS.labels(verdict.kind).inc()
        if verdict.kind == "refused":
            raise EdgarUnavailable(f"EDGAR refused a request for good: {verdict.reason}")
        if verdict.kind in ("throttled", "broken"):
            raise TemporaryFailure(verdict)
        return verdict.kind == "good"

    async def repeat(self, path: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Retry `attempt`, which sends one request, until it succeeds; raises EdgarUnavailable.

        The waits start over after an attempt that received some bytes.
        """
        failures = 0
        while True:
            await self._slots.wait()
            self.requests += 1
            try:
                return await attempt()
            except EdgarUnavailable:
                raise
            except TemporaryFailure as error:
                failures = 1 if error.progress else failures + 1
                verdict = error.verdict
            except FetchFailed as error:
                failures += 1
                verdict = Verdict("broken", str(error))
            if failures > len(self._back_off):
                raise EdgarUnavailable(
                    f"EDGAR gave no {path} in {failures} tries: {verdict.reason}"
                )
            await self._pause(path, verdict, self._back_off[failures - 1])

    async def _pause(self, path: str, verdict: Verdict, wait: float) -> None:
        seconds = max(wait, verdict.after or 0.0)
        if seconds >= NOTICED and time.monotonic() - self._noticed >= NOTICED:
            self._noticed = time.monotonic()
            _log.warning("EDGAR gave no %s: %s; waiting %.0f s", path, verdict.reason, seconds)
        if verdict.kind == "throttled":
            await self._slots.pause(seconds)
        else:
            await asyncio.sleep(seconds)
