"""Calls of the endpoints for data, made for a tool: in this process, or of a service elsewhere.

A call in this process goes through the whole pipeline of calls, with the caller's key: it is
admitted, counted, and kept in the history as the same call over HTTP is.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeAlias
from urllib.parse import urlencode

import msgspec
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp, Message, Scope

from edgar_search.errors import FetchFailed
from edgar_search.http_client import HttpClient

Answer: TypeAlias = dict[str, Any]
Values: TypeAlias = Mapping[str, str | int | Sequence[str] | None]
# Makes the call of a path with parameters, for a key; the answer's status and body.
Ask: TypeAlias = Callable[[str, str], Awaitable[tuple[int, bytes]]]

_KEY = b"x-api-key"
_DECODER = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)
_NEXT = {
    401: "The server needs a valid API key: tell the user.",
    403: "This API key may not call that: tell the user.",
    404: "Find the right id with search_filings, list_filings or find_company.",
    410: "Begin again without the cursor.",
    429: "Wait as long as it says, then call again.",
    503: "Wait some seconds, then call again.",
}


async def answer_of(ask: Ask, path: str, values: Values) -> Answer:
    """Return the answer of an endpoint; ToolError says what is wrong, and what to do next.

    Numbers with a fraction are decimals with all their digits.
    """
    given = {
        name: value if isinstance(value, (str, int)) else ",".join(value)
        for name, value in values.items()
        if value is not None and value != "" and value != []
    }
    try:
        status, body = await ask(path, urlencode(given))
    except FetchFailed as error:
        raise ToolError(f"{error}. The service is away: tell the user.") from None
    try:
        answer: Answer = _DECODER.decode(body)
    except msgspec.MsgspecError:
        raise ToolError(f"the service answered {status} without JSON: tell the user.") from None
    if status != 200:
        reason = str(answer.get("error", status)).rstrip(".")
        raise ToolError(f"{reason}. {_NEXT.get(status, 'Correct the argument and call again.')}")
    return answer


def digits(value: int | Decimal) -> str:
    """Return an amount with all its digits, as text."""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def ask_in_process(app: ASGIApp, state: Mapping[str, Any], key: str) -> Ask:
    """Return what asks an application of this process with a key."""

    async def ask(path: str, query: str) -> tuple[int, bytes]:
        status, body = 0, bytearray()
        begun = False

        async def receive() -> Message:
            nonlocal begun
            if begun:
                await asyncio.Event().wait()  # The client of the tool may go away; this one stays.
            begun = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                body.extend(message.get("body", b""))

        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(b"host", b"mcp"), (_KEY, key.encode("latin-1"))],
            "client": None,
            "server": None,
            "state": dict(state),
        }
        await app(scope, receive, send)
        return status, bytes(body)

    return ask


def ask_service(http: HttpClient, url: str, key: str) -> Ask:
    """Return what asks the service at an address with a key."""

    async def ask(path: str, query: str) -> tuple[int, bytes]:
        reply = await http.get(f"{url.rstrip('/')}{path}?{query}", {"X-API-Key": key})
        return reply.status, reply.body

    return ask
