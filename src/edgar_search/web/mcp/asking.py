"""Calls of the endpoints for data, made for a tool: in this process, or of a service elsewhere.

A call in this process goes through the whole pipeline of calls, with the caller's key: it is
admitted, counted, and kept in the history as the same call over HTTP is.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any, TypeAlias
from urllib.parse import urlencode

import msgspec
from mcp.server.mcpserver.exceptions import ToolError
from starlette.types import ASGIApp, Message, Scope

from edgar_search.errors import FetchFailed
from edgar_search.http_client import HttpClient

Answer: TypeAlias = dict[str, Any]
Values: TypeAlias = Mapping[str, str | int | Sequence[str] | None]
# Makes the call of a path with parameters, for a key; with a body it is a POST. The answer's status
# and body.
Ask: TypeAlias = Callable[[str, str, bytes], Awaitable[tuple[int, bytes]]]

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


# Arguments of tools by the parameters of endpoints that they become.
_ARGUMENTS = {
    "form_type": "forms",
    "document_type": "document_types",
    "cik": "companies",
    "ticker": "companies",
    "issuer_cik": "companies",
    "owner_cik": "owner",
    "person_cik": "person",
    "manager_cik": "manager",
    "role": "roles",
    "code": "codes",
    "trade_from": "traded_from",
    "trade_to": "traded_to",
    "concept": "concepts",
    "item": "items",
    "accnum": "accession_number",
    "from": "from_document",
    "to": "to_document",
    "name_includes": "name_or_ticker",
    "tickers": "name_or_ticker",
    "ciks": "name_or_ticker",
}
_NAMED = re.compile(r"`(\w+)`|^(?:unknown )?(\w+)(?=: )")


def shorten(text: str, most: int) -> str:
    """Return a text, or its beginning with a sign that it continues."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _with_arguments(sentence: str, names: Mapping[str, str]) -> str:
    """Return a sentence in which parameters have the names of the tool's arguments."""

    def renamed(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return found[0].replace(name, names.get(name, name))

    return _NAMED.sub(renamed, sentence)


async def answer_of(
    ask: Ask,
    path: str,
    values: Values,
    arguments: Mapping[str, str] = MappingProxyType({}),
    body: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """Return the answer of an endpoint; ToolError says what is wrong, and what to do next.

    Fields of a `body` are sent in it, and in no address. Numbers with a fraction are decimals with
    all their digits. Errors and warnings name the arguments of the tool: `arguments` has those that
    are not called as in most tools.
    """
    names = {**_ARGUMENTS, **arguments}
    given = {
        name: value if isinstance(value, (str, int)) else ",".join(value)
        for name, value in values.items()
        if value is not None and value != "" and value != []
    }
    try:
        sent = msgspec.json.encode(body) if body else b""
        status, received = await ask(path, urlencode(given), sent)
    except FetchFailed as error:
        raise ToolError(f"{error}. The service is away: tell the user.") from None
    try:
        answer: Answer = _DECODER.decode(received)
    except msgspec.MsgspecError:
        raise ToolError(f"the service answered {status} without JSON: tell the user.") from None
    if status != 200:
        reason = _with_arguments(str(answer.get("error", status)).rstrip("."), names)
        raise ToolError(f"{reason}. {_NEXT.get(status, 'Correct the argument and call again.')}")
    if "warnings" in answer:
        answer["warnings"] = [_with_arguments(each, names) for each in answer["warnings"]]
    return answer


def digits(value: int | Decimal) -> str:
    """Return an amount with all its digits, as text."""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def ask_in_process(app: ASGIApp, state: Mapping[str, Any], key: str) -> Ask:
    """Return what asks an application of this process with a key."""

    async def ask(path: str, query: str, sent: bytes) -> tuple[int, bytes]:
        status, body = 0, bytearray()
        begun = False

        async def receive() -> Message:
            nonlocal begun
            if begun:
                await asyncio.Event().wait()  # The client of the tool may go away; this one stays.
            begun = True
            return {"type": "http.request", "body": sent, "more_body": False}

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
            "method": "POST" if sent else "GET",
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

    async def ask(path: str, query: str, sent: bytes) -> tuple[int, bytes]:
        address, headers = f"{url.rstrip('/')}{path}?{query}", {"X-API-Key": key}
        reply = await (http.post(address, sent, headers) if sent else http.get(address, headers))
        return reply.status, reply.body

    return ask
