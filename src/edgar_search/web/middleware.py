"""Plain ASGI classes around all routes: a request's id, its log line, the bounds of its size."""

import logging
import re
import time
import uuid
from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edgar_search.access.key_format import without_keys
from edgar_search.errors import BodyTooLarge, EdgarSearchError, HeadersTooLarge, UriTooLong
from edgar_search.web.responses import error_response

_log = logging.getLogger("edgar_search.requests")

REQUEST_ID = "x-request-id"
_USABLE_ID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)

# A query of 1,000 characters takes up to 12,000 bytes, percent-encoded; the rest is for lists.
MAX_URI_BYTES = 32_768
MAX_HEADER_BYTES = 16_384
MAX_BODY_BYTES = 1_048_576
MAX_LOGGED_PATH = 200


class RequestLog:
    """Gives each request an id, and logs one line for it, without the URL's query part."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        began = time.perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID] = request_id
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            duration = (time.perf_counter() - began) * 1000
            path = _printable(scope["path"])
            _log.info("%s %s %d %.1f ms %s", scope["method"], path, status, duration, request_id)


class Cors(CORSMiddleware):
    """Starlette's, whose refusals are JSON, and which is for users' endpoints or for all others."""

    def __init__(self, app: ASGIApp, *, users: bool, **rules: Any) -> None:
        super().__init__(app, **rules)
        self._users = users

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_for_users(scope["path"]) != self._users:
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

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
    """Keeps caches from keeping what belongs to users, errors too."""

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
    """Whether a path is for users with a bearer token, and not for data with an API key."""
    return path == "/auth" or path.startswith("/auth/")


class SizeBounds:
    """Refuses what is too long before anything reads it: the URI, the headers, the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = _excess(scope) if scope["type"] == "http" else None
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


def _printable(path: str) -> str:
    """A path for the log: one line, not endless, and without a key that stands in it."""
    return quote(without_keys(path[:MAX_LOGGED_PATH]), safe="/.:@,;=()")


def _excess(scope: Scope) -> EdgarSearchError | None:
    if len(scope["raw_path"]) + len(scope["query_string"]) > MAX_URI_BYTES:
        return UriTooLong(f"the URI has more than {MAX_URI_BYTES} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        return HeadersTooLarge(f"the headers have more than {MAX_HEADER_BYTES} bytes")
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        return BodyTooLarge(f"the body has more than {MAX_BODY_BYTES} bytes")
    return None
