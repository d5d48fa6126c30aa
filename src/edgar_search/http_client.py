"""Outgoing HTTP: the one place for identity, time-outs and bounds."""

from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import aiohttp

from edgar_search.errors import FetchFailed

# An answer longer than this is given up, after decompression: what is read is kept in memory.
MAX_BODY_BYTES = 16_777_216
_CHUNK = 65_536


class Reply(NamedTuple):
    """An answer, of whatever status; `headers` are found in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpClient:
    """A client for other servers, to be used as an async context.

    It says who asks, waits `timeout` seconds at most for a whole answer, keeps no cookies, and
    follows no redirect: a 3xx is an answer like any other, for the caller to judge where it leads.
    """

    def __init__(self, user_agent: str, timeout: float) -> None:
        self._user_agent = user_agent
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            headers={"User-Agent": self._user_agent},
            timeout=self._timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._session is not None:
            await self._session.close()

    async def get(
        self, url: str, headers: Mapping[str, str] | None = None, max_bytes: int = MAX_BODY_BYTES
    ) -> Reply:
        """The answer to a GET, with a body of at most `max_bytes` bytes.

        Raises FetchFailed where there is none: an unusable URL, no connection, no end in time, a
        broken answer, or one that is too long.
        """
        assert self._session is not None, "the client is used outside of its context"
        try:
            async with self._session.get(url, headers=headers, allow_redirects=False) as response:
                body = bytearray()
                async for chunk in response.content.iter_chunked(_CHUNK):
                    body += chunk
                    if len(body) > max_bytes:
                        raise FetchFailed(f"{_host(url)} sent more than {max_bytes} bytes")
                return Reply(response.status, response.headers, bytes(body))
        # The name of a host that cannot be one, such as `a..b`, comes through as a ValueError.
        except (aiohttp.ClientError, OSError, ValueError) as error:
            reason = type(error).__name__
            raise FetchFailed(f"no usable answer from {_host(url)}: {reason}") from None


def _host(url: str) -> str:
    """The server of a URL, for messages: the rest may hold what is nobody else's business."""
    try:
        return urlsplit(url).hostname or "a URL without a host"
    except ValueError:
        return "a malformed URL"
