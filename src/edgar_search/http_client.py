"""Outgoing HTTP: identity, time-outs and bounds of every request."""

import ipaddress
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import SimpleNamespace, TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import aiohttp

from edgar_search.errors import FetchFailed

# A longer answer, after decompression, is given up, because answers are kept in memory.
MAX_BODY_BYTES = 16_777_216
_CHUNK = 65_536
# aiohttp lets some faults of a URL through as ValueError.
_FAULTS = (aiohttp.ClientError, OSError, TimeoutError, ValueError)


class Reply(NamedTuple):
    """An answer of any status; `headers` are looked up in any case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Stream(NamedTuple):
    """An answer whose body can be read once, in pieces; they raise FetchFailed if it breaks off."""

    status: int
    headers: Mapping[str, str]
    pieces: AsyncIterator[bytes]


# Gets each address before a connection, whether it was looked up or literal.
SocketMaker = Callable[[aiohttp.AddrInfoType], socket.socket]
# Not public although Python says global: metadata services, and blocks that embed an IPv4 address.
_NEVER = tuple(
    map(
        ipaddress.ip_network,
        (
            *("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "100.100.100.200/32"),
            *("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/23", "::/96", "fec0::/10"),
            *("fd00:ec2::/32", "5f00::/16"),
        ),
    )
)


class NotPublic(OSError):
    """Requests to users' addresses must not reach this address."""


def is_public(address: str) -> bool:
    """True if an IP address is on the public internet: nothing local, nothing embedded."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False  # With a zone, which only local addresses have.
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.scope_id):
        return False
    never = any(ip in network for network in _NEVER if network.version == ip.version)
    return ip.is_global and not ip.is_multicast and not never


def public_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    """Make a socket for a public address; raises NotPublic for any other."""
    family, kind, protocol, _, place = address
    if not is_public(str(place[0])):
        raise NotPublic("the address is not public")
    return socket.socket(family, kind, protocol)


def public_or_loopback_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    """Make a socket for a public address or one of this machine's own, for trials."""
    family, kind, protocol, _, place = address
    if ipaddress.ip_address(str(place[0])).is_loopback:
        return socket.socket(family, kind, protocol)
    return public_socket(address)


class HttpClient:
    """A client for other servers, to be used as an async context.

    It names itself, waits `timeout` seconds at most for a whole answer, or for the next piece of
    one that is read in pieces, keeps no cookies, and follows no redirects: a 3xx is an answer like
    any other, and the caller judges its target. `make_socket` may refuse an address before it is
    connected to, as `public_socket` does.
    """

    def __init__(
        self, user_agent: str, timeout: float, make_socket: SocketMaker | None = None
    ) -> None:
        self._user_agent = user_agent
        self._make_socket = make_socket
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._piece_timeout = aiohttp.ClientTimeout(sock_connect=timeout, sock_read=timeout)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            headers={"User-Agent": self._user_agent},
            timeout=self._timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            connector=aiohttp.TCPConnector(socket_factory=self._make_socket),
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
        """Return the answer to a GET, with a body of at most `max_bytes` bytes.

        Raises FetchFailed if there is none: an unusable URL, no connection, no end in time, a
        broken answer, or one that is too long.
        """
        return await self._fetch("GET", url, headers, None, max_bytes)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], max_bytes: int = MAX_BODY_BYTES
    ) -> Reply:
        """Return the answer to a POST; raises as `get`."""
        return await self._fetch("POST", url, headers, body, max_bytes)

    async def _fetch(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        data: bytes | None,
        max_bytes: int,
    ) -> Reply:
        assert self._session is not None, "the client is used outside of its context"
        try:
            async with self._session.request(
                method, url, headers=headers, data=data, allow_redirects=False
            ) as response:
                body = bytearray()
                async for chunk in response.content.iter_chunked(_CHUNK):
                    body += chunk
                    if len(body) > max_bytes:
                        raise FetchFailed(f"{_host(url)} sent more than {max_bytes} bytes")
                return Reply(response.status, response.headers, bytes(body))
        except _FAULTS as error:
            raise _failure(url, error) from None

    @asynccontextmanager
    async def stream(
        self, url: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[Stream]:
        """Open the answer to a GET, whose body may have any length; raises as `get`."""
        assert self._session is not None, "the client is used outside of its context"
        request = self._session.get(
            url, headers=headers, allow_redirects=False, timeout=self._piece_timeout
        )
        try:
            response = await request
        except _FAULTS as error:
            raise _failure(url, error) from None
        async with response:
            yield Stream(response.status, response.headers, _pieces(url, response))


class WaitObserver:
    """Reports how many seconds requests of a session wait for a connection.

    Requests that give up waiting are reported too. Tracing takes a tenth of aiohttp's work, so only
    requests that may have to wait are traced.
    """

    def __init__(self, session: aiohttp.ClientSession, report: Callable[[float], None]) -> None:
        self._configs = session.trace_configs
        self._traces = [_trace_waits(report)]

    def of_next(self, *, may_wait: bool) -> None:
        """Record whether the session's next request, which begins at once, may have to wait."""
        self._configs[:] = self._traces if may_wait else ()


def _trace_waits(report: Callable[[float], None]) -> aiohttp.TraceConfig:
    async def begin(_: aiohttp.ClientSession, request: SimpleNamespace, __: object) -> None:
        request.waits_since = time.perf_counter()

    async def end(_: aiohttp.ClientSession, request: SimpleNamespace, __: object) -> None:
        since = request.__dict__.pop("waits_since", None)
        if since is not None:
            report(time.perf_counter() - since)

    traces = aiohttp.TraceConfig()
    traces.on_connection_queued_start.append(begin)
    traces.on_connection_queued_end.append(end)
    traces.on_request_exception.append(end)
    traces.freeze()
    return traces


async def _pieces(url: str, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    try:
        async for piece in response.content.iter_chunked(_CHUNK):
            yield piece
    except _FAULTS as error:
        raise _failure(url, error) from None


def _failure(url: str, error: Exception) -> FetchFailed:
    return FetchFailed(f"no usable answer from {_host(url)}: {_reason(error)}")


def _reason(error: Exception) -> str:
    """Describe a fault in words; the library's own texts contain whole addresses."""
    match error:
        case TimeoutError():
            return "no answer in time"
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientConnectorSSLError():
            return "its certificate is not trusted, or it does not speak TLS"
        case aiohttp.ClientConnectorDNSError():
            return "its name is not known"
        case aiohttp.ClientConnectorError():
            return "no connection"
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError() | OSError():
            return "the connection broke off"
    return "its address or its answer is not valid"


def _host(url: str) -> str:
    """Return the server of a URL for messages, because the rest may be private."""
    try:
        return urlsplit(url).hostname or "a URL without a host"
    except ValueError:
        return "a malformed URL"
