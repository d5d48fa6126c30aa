"""Reading query strings and JSON bodies of requests within bounds."""

import json
from typing import Any

import msgspec
from msgspec import Raw, Struct
from starlette.requests import ClientDisconnect, Request

from edgar_search.errors import BadRequest, BodyTooLarge, ClientGone
from edgar_search.web.middleware import most_body_bytes

NOT_JSON = "the body is not valid JSON in UTF-8"
NOT_AN_OBJECT = "the body is not a JSON object"
# Each of them is an object in memory: a megabyte of empty arrays takes half a second to read.
# Brackets and colons inside strings, where they are rare, count too.
MAX_PARTS = 10_000
TOO_MANY_PARTS = f"the body has more than {MAX_PARTS} arrays, objects and fields"

JsonObject = dict[str, Any]
_NULL = Raw(b"null")


class _Keyed(Struct):
    """The API key of a body; all other fields are checked and ignored."""

    api_key: Raw = _NULL


async def read_body(request: Request, most: int | None = None) -> bytes:
    """Return the whole body.

    Raises BodyTooLarge as soon as more than `most` bytes have arrived, or than its path allows,
    whatever the headers say, and ClientGone if the client leaves before the end.
    """
    body = bytearray()
    most = most_body_bytes(request.scope["path"]) if most is None else most
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise BodyTooLarge(f"the body has more than {most} bytes")
    except ClientDisconnect:
        raise ClientGone("the client closed the connection") from None
    return bytes(body)


def json_object(body: bytes) -> JsonObject:
    """Parse a body as a JSON object, whatever its content type; an empty body counts as `{}`.

    Raises BadRequest if it is not JSON in UTF-8, is not an object or has too many parts, or if an
    object in it repeats a field, which the message names.
    """
    if not body.strip():
        return {}
    try:
        if sum(map(body.count, (b"[", b"{", b":"))) > MAX_PARTS:
            msgspec.json.decode(body, type=Raw)
            raise BadRequest(TOO_MANY_PARTS)
        # The stricter of two parsers comes first: no NaN, no half of a surrogate pair.
        content = msgspec.json.decode(body)
        if not isinstance(content, dict):
            raise BadRequest(NOT_AN_OBJECT)
        json.loads(body.decode(), object_pairs_hook=_refuse_twice)
    # msgspec's own errors leave some of these out; Python refuses to read very long numbers.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        raise BadRequest(NOT_JSON) from None
    return content


def key_in_body(body: bytes) -> str | None:
    """Return the field `api_key` of a body, at a cost that is safe before the key is checked.

    None without the field, or if the body is not a JSON object. A value that is not a text is
    returned as written.
    """
    try:
        written = msgspec.json.decode(body, type=_Keyed).api_key
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    try:
        return msgspec.json.decode(written, type=str | None)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return bytes(written).decode("latin-1")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in pairs:
        if name in seen:
            raise BadRequest(f"`{name}` may be given only once in the body")
        seen.add(name)
