"""ASGI middleware around all routes: ids, log lines, bounds, compression, proxies, spans."""

import logging
import re
import time
import uuid
from collections.abc import Container, Iterable
from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edgar_search.errors import (
    BadRequest,
    BodyTooLarge,
    EdgarSearchError,
    HeadersTooLarge,
    UriTooLong,
)
from edgar_search.metrics.current_request import CURRENT, CurrentRequest
from edgar_search.metrics.log_format import FIELDS
from edgar_search.metrics.masking import without_keys
from edgar_search.metrics.meters import REQUEST_SECONDS, REQUESTS
from edgar_search.metrics.spans import span
from edgar_search.settings.values import Networks, address_of, is_in
from edgar_search.web.responses import SCOPE_ID, SCOPE_ROUTE, error_response

# Smaller answers fit into one packet uncompressed; a higher level costs more time than it saves.
_LEAST_BYTES, _LEVEL = 1_000, 4
# Filed documents are sent as they are: their length is known and announced beforehand.
_AS_THEY_ARE = re.compile(
    r"/v2/document|/as-filed/|(/efts/[^/]+)?/(v1/sets/.|Archives/edgar/(data/|.*\.(gz|zip)$))"
)


class Compression:
    """ASGI middleware that compresses answers of at least a kilobyte, except filed documents."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressing = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        filed = scope["type"] == "http" and _AS_THEY_ARE.match(scope["path"])
        await (self._plain if filed else self._compressing)(scope, receive, send)


_SCHEMES = ("http", "https")


class Forwarded:
    """Trusts `X-Forwarded-For` and `X-Forwarded-Proto` from trusted proxies only."""

    def __init__(self, app: ASGIApp, trusted: Networks) -> None:
        self._app = app
        self._trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = address_of(scope["client"][0]) if scope.get("client") else None
        if scope["type"] == "http" and peer is not None and is_in(peer, self._trusted):
            headers = Headers(scope=scope)
            hops = ",".join(headers.getlist("x-forwarded-for")).split(",")
            client = client_of(hops, self._trusted)
            if client is not None:
                scope["client"] = (client, 0)
            scheme = headers.get("x-forwarded-proto", "").strip().lower()
            if scheme in _SCHEMES:
                scope["scheme"] = scheme
        await self._app(scope, receive, send)


def client_of(hops: list[str], trusted: Networks) -> str | None:
    """Return the right-most hop that is not a trusted proxy, if all hops to its right are.

    If all are trusted, the left-most one; None if the last hop is not an address.
    """
    client = None
    for hop in reversed(hops):
        address = address_of(_without_port(hop.strip()))
        # No proxy can have seen this hop, so everything to its left is forged.
        if address is None:
            break
        client = str(address)
        if not is_in(address, trusted):
            break
    return client


def _without_port(hop: str) -> str:
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop


# Headers that name the client's span, by W3C's Trace Context.
_TRACE = (b"traceparent", b"tracestate")
_FAULT = 500


class Tracing:
    """The span of a request, outside the log, which knows the route once the request is over."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = _FAULT

        async def send_seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with span("request", kind="server", headers=_trace(scope)) as request:
            try:
                await self._app(scope, receive, send_seen)
            finally:
                method, route = scope[SCOPE_ROUTE]
                request.rename(f"{method} {route}")
                request.note(
                    {
                        "http.request.method": method,
                        "http.route": route,
                        "http.response.status_code": status,
                        "edgar_search.request_id": scope[SCOPE_ID],
                    }
                )
                if status >= _FAULT:
                    request.fail(str(status))


def _trace(scope: Scope) -> dict[str, str]:
    return {
        name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in _TRACE
    }


_log = logging.getLogger("edgar_search.requests")
_faults = logging.getLogger(__name__)

REQUEST_ID = "x-request-id"
# Browsers must not interpret an answer as another type.
NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_USABLE_ID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)

# Other methods, and paths without a route, are counted as `_OTHER`.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
_OTHER = "other"
# A query of 1,000 characters takes up to 12,000 bytes, percent-encoded; the rest is for lists.
MAX_URI_BYTES = 32_768
MAX_HEADER_BYTES = 16_384
MAX_BODY_BYTES = 1_048_576
# A draft has 200,000 characters, each of which JSON and forms may escape as 12 bytes. A Word
# document contains pictures too.
LARGER_BODIES = {"/v1/check_draft": 2_621_440, "/drafts": 8_388_608}
MAX_LOGGED_PATH = 200


class RequestLog:
    """Logs each request with an id, without the URL's query.

    Unexpected errors end here: with the traceback in the log, under the request's id. `routes` are
    counted by path, all other paths together.
    """

    def __init__(self, app: ASGIApp, routes: Iterable[Route] = ()) -> None:
        self._app = app
        self._paths: dict[Any, str] = {route.endpoint: route.path for route in routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = scope[SCOPE_ID] = _request_id(scope)
        current = CurrentRequest(request_id)
        before = CURRENT.set(current)
        id_header = (REQUEST_ID.encode(), request_id.encode())
        began = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], id_header, NO_SNIFFING]
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            _faults.error("a request failed: %s", request_id, exc_info=error)
            if not status:
                raise
        finally:
            CURRENT.reset(before)
            # The server answers with a 500 if nothing here has.
            self._note(scope, current, status or 500, time.perf_counter() - began)

    def _note(self, scope: Scope, current: CurrentRequest, status: int, seconds: float) -> None:
        """Count and log a finished request."""
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        route = self._paths.get(scope.get("endpoint"), _OTHER)
        scope[SCOPE_ROUTE] = method, route
        REQUESTS.labels(route, method, str(status)).inc()
        REQUEST_SECONDS.labels(route).observe(seconds)
        duration, path = seconds * 1000, _printable(scope["path"])
        fields = {
            "request_id": current.id,
            "account": current.hashed_account,
            "method": scope["method"],
            "path": path,
            "route": route,
            "status": status,
            "duration_ms": round(duration, 1),
            "engine_ms": round(current.engine_seconds * 1000, 1),
            "results": current.results,
        }
        line = "%s %s %d %.1f ms %s", scope["method"], path, status, duration, current.id
        _log.info(*line, extra={FIELDS: fields})


class Cors(CORSMiddleware):
    """Starlette's CORS middleware with JSON refusals, for users' endpoints or for all others.

    It ignores paths whose first part is in `but`.
    """

    def __init__(
        self, app: ASGIApp, *, users: bool, but: Container[str] = (), **rules: Any
    ) -> None:
        super().__init__(app, **rules)
        self._users = users
        self._but = but

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._is_other(scope["path"]):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    def _is_other(self, path: str) -> bool:
        # The path of `OPTIONS *` has no parts.
        of_page = path.startswith("/") and path.split("/")[1] in self._but
        return of_page or is_for_users(path) != self._users

    def preflight_response(self, request_headers: Headers) -> Response:
        response = super().preflight_response(request_headers)
        if response.status_code < 400:
            return response
        headers = {
            name: value
            for name, value in response.headers.items()
            if name not in ("content-length", "content-type")
        }
        return error_response("", response.status_code, bytes(response.body).decode(), headers)


class NoStore:
    """Adds the header that keeps users' data, including errors, out of caches."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not is_for_users(scope["path"]):
            await self._app(scope, receive, send)
            return

        async def send_unkept(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["cache-control"] = "no-store"
            await send(message)

        await self._app(scope, receive, send_unkept)


def is_for_users(path: str) -> bool:
    """Return True if a path takes a user's bearer token, not an API key."""
    return path == "/auth" or path.startswith("/auth/")


class SizeBounds:
    """Limits on the URI, the headers and the body, checked before anything reads them.

    A request with several hosts is refused too, because two readers could choose different ones.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = _fault_of(scope) if scope["type"] == "http" else None
        if error is None:
            await self._app(scope, receive, send)
        else:
            response = error_response(scope["path"], error.status, str(error), {})
            await response(scope, receive, send)


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == REQUEST_ID.encode() and _USABLE_ID.fullmatch(value.decode("latin-1")):
            return str(value.decode("latin-1"))
    return uuid.uuid4().hex


# A key in one of EDGAR's paths, however the path is misspelt.
_KEY_IN_PATH = re.compile("(efts/+)[^/]+", re.IGNORECASE)


def _printable(path: str) -> str:
    """Return a path for the log: one line, truncated, and without a key."""
    hidden = _KEY_IN_PATH.sub(r"\1...", path[:MAX_LOGGED_PATH])
    return quote(without_keys(hidden), safe="/.:@,;=()")


def most_body_bytes(path: str) -> int:
    """Return the largest body, in bytes, for a request to this path."""
    return LARGER_BODIES.get(path, MAX_BODY_BYTES)


def _fault_of(scope: Scope) -> EdgarSearchError | None:
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_URI_BYTES:
        return UriTooLong(f"the URI has more than {MAX_URI_BYTES} bytes")
    size = hosts = 0
    length = b"0"
    for name, value in scope["headers"]:
        size += len(name) + len(value)
        if name == b"host":
            hosts += 1
        elif name == b"content-length":
            length = value
    if size > MAX_HEADER_BYTES:
        return HeadersTooLarge(f"the headers have more than {MAX_HEADER_BYTES} bytes")
    most = most_body_bytes(scope["path"])
    if not length.isdigit() or int(length) > most:
        return BodyTooLarge(f"the body has more than {most} bytes")
    # Before HTTP/1.1 the header was optional (RFC 9112, section 3.2).
    if hosts > 1 or (hosts == 0 and scope["http_version"] == "1.1"):
        return BadRequest("Host: must be given once")
    return None
