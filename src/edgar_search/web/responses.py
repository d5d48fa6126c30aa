"""Results and errors as responses: JSON, conditional requests, media types."""

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import (
    EdgarSearchError,
    Gone,
    InvalidBearerToken,
    NoBearerToken,
    TooManyRequests,
    Unavailable,
)
from edgar_search.metrics.masking import without_keys


def is_known(request: Request, etag: str) -> bool:
    """Return True if the client has this version; answers to a POST are never cached."""
    if request.method == "POST":
        return False
    header = ",".join(request.headers.getlist("if-none-match"))
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return etag in tags or tags == ["*"]


JSON = "application/json"
_QUALITY = re.compile(r"[01](\.[0-9]{0,3})?", re.ASCII)


def preferred_type(accept: str, offered: Sequence[str]) -> str:
    """Return the offered media type that the header prefers; the first of several.

    If the header is absent, malformed, or wants none of them, return the first.
    """
    wanted = dict(_ranges(accept))
    return max(offered, key=lambda offer: _quality(wanted, offer))


def _ranges(accept: str) -> Iterator[tuple[str, float]]:
    for item in accept.split(","):
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        quality = next(
            (parameter[2:] for parameter in parameters if parameter.startswith("q=")), "1"
        )
        if _QUALITY.fullmatch(quality):
            yield name, float(quality)


def _quality(wanted: dict[str, float], offer: str) -> float:
    for media_range in (offer, offer.partition("/")[0] + "/*", "*/*"):
        if media_range in wanted:
            return wanted[media_range]
    return 0.0


_log = logging.getLogger(__name__)

# Amounts are numbers with the digits as filed.
_ENCODER = msgspec.json.Encoder(decimal_format="number")
# Paths whose 401 and 403 repeat the status in the body (interface specification, section 7).
_WITH_STATUS = ("/v1/", "/auth/")
# Paths whose 429 has a plain text as its body.
_PLAIN_429 = ("/v1/lookup", "/v1/search", "/v2/")
_INTERNAL = "internal error"
# The key for a request's id in its scope.
SCOPE_ID = "edgar_search.request_id"
# The key for a finished request's method and route in its scope, as metrics label them.
SCOPE_ROUTE = "edgar_search.route"
# A longer text is cut to its beginning and end: it may quote what was sent.
MAX_MESSAGE = 1_000


def json_response(
    content: Any, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Encode Structs, lists and dicts as a JSON response."""
    return encoded_response(_ENCODER.encode(content), headers, status)


def encoded_response(
    body: bytes, headers: dict[str, str] | None = None, status: int = 200
) -> Response:
    """Return a response whose body is JSON already."""
    return Response(body, status, headers=headers, media_type="application/json")


def file_response(body: bytes, media_type: str, name: str) -> Response:
    """Return a file that browsers save under its name, which is plain ASCII."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, headers=headers, media_type=media_type)


def error_response(path: str, status: int, message: str, headers: dict[str, str]) -> Response:
    """Return an error's JSON body, in the form that the area of `path` uses."""
    # A message may quote what was sent, and a key may be sent anywhere by mistake.
    body: dict[str, Any] = {"error": _shorten(without_keys(message))}
    if status in (401, 403) and path.startswith(_WITH_STATUS):
        body["status"] = status
    if status == 429 and not path.startswith(_PLAIN_429):
        body |= {"status": status, "retry_after": int(headers["Retry-After"])}
    return json_response(body, status, headers)


async def on_error(request: Request, error: Exception) -> Response:
    """Answer one of our errors by its status; the text is for the caller unless it is a 5xx."""
    assert isinstance(error, EdgarSearchError)
    headers = {}
    if isinstance(error, Unavailable | TooManyRequests):
        headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, NoBearerToken | InvalidBearerToken):
        headers["WWW-Authenticate"] = error.challenge
    if isinstance(error, Gone):
        # Otherwise a cache may keep the answer after the resource comes back.
        headers["Cache-Control"] = "no-store"
    message = str(error)
    if error.status == 500:
        _log.error("a request failed: %s", request.scope.get(SCOPE_ID), exc_info=error)
        message = _INTERNAL
    return error_response(request.scope["path"], error.status, message, headers)


async def on_http_exception(request: Request, error: Exception) -> Response:
    """Answer a refusal of the router: no such path, or not with this method."""
    assert isinstance(error, HTTPException)
    messages = {404: "no such path", 405: "method not allowed"}
    message = messages.get(error.status_code, error.detail)
    headers = dict(error.headers or {})
    return error_response(request.scope["path"], error.status_code, message, headers)


async def on_unexpected(request: Request, error: Exception) -> Response:
    """Answer an unexpected error; only the log shows the details."""
    return error_response(request.scope["path"], 500, _INTERNAL, {})


def _shorten(message: str) -> str:
    if len(message) <= MAX_MESSAGE:
        return message
    half = MAX_MESSAGE // 2 - 3
    return f"{message[:half]} ... {message[-half:]}"
