"""Calls to data endpoints made for a tool: in this process, or to a remote service.

A call in this process goes through the whole pipeline, with the caller's key: it is admitted,
counted, and recorded in the history like the same call over HTTP.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlencode

import msgspec
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from msgspec import UNSET, UnsetType
from starlette.types import ASGIApp, Message, Scope

from edgar_search.api.operation import Answer, AnyOperation
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.errors import FetchFailed
from edgar_search.http_client import HttpClient

A = TypeVar("A", bound=Answer)
T = TypeVar("T")
Value: TypeAlias = str | int | Sequence[str] | None
# Calls a path with parameters, for a key; with a body it is a POST. Returns status and body.
Ask: TypeAlias = Callable[[str, str, bytes], Awaitable[tuple[int, bytes]]]

_KEY = b"x-api-key"
_NEXT = {
    401: "The server needs a valid API key: tell the user.",
    403: "This API key may not call that: tell the user.",
    404: "Find the right id with search_filings, list_filings or find_company.",
    410: "Begin again without the cursor.",
    429: "Wait as long as it says, then call again.",
    503: "Wait some seconds, then call again.",
}


# Tool arguments, with the endpoint parameters that they become.
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
# Several parameters may be one argument.
_REPEATED = re.compile(r"(`\w+`)(?:(?:,| and| or) \1)+")


def shorten(text: str, most: int) -> str:
    """Return a text, or its beginning with a sign that it continues."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _with_arguments(sentence: str, names: Mapping[str, str]) -> str:
    """Rename parameters in a sentence to the tool's arguments."""

    def renamed(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return found[0].replace(name, names.get(name, name))

    return _REPEATED.sub(r"\1", _NAMED.sub(renamed, sentence))


class ToolCalls:
    """Calls endpoints for tools, on behalf of their caller.

    Each method raises ToolError, which says what is wrong and what to do next. Errors and warnings
    use the tool's argument names: `named` gives the ones that differ from most tools.
    """

    def __init__(self, ask_of: Callable[[Context[Any, Any]], Ask]) -> None:
        self._ask_of = ask_of

    async def __call__(
        self,
        context: Context[Any, Any],
        operation: AnyOperation[A],
        named: Mapping[str, str] = MappingProxyType({}),
        /,
        **values: Value,
    ) -> A:
        """Return the answer of an operation."""
        endpoint, names = operation.endpoint, {**_ARGUMENTS, **named}
        body = await self._ask(context, endpoint.path, values, b"", names)
        answer: A = _decoded(body, endpoint.answer)
        warnings = getattr(answer, "warnings", None)
        if warnings:
            warnings[:] = [_with_arguments(warning, names) for warning in warnings]
        return answer

    async def of_text(
        self,
        context: Context[Any, Any],
        endpoint: Endpoint,
        answer: type[T],
        body: Mapping[str, str],
        /,
        **values: Value,
    ) -> T:
        """Return the answer of an endpoint that takes a text in a body, and never in an address."""
        sent = msgspec.json.encode(body) if body else b""
        received = await self._ask(context, endpoint.path, values, sent, _ARGUMENTS)
        return _decoded(received, answer)

    async def version_2(
        self, context: Context[Any, Any], path: str, **values: Value
    ) -> dict[str, Any]:
        """Return the answer of a Version 2 endpoint, which has its own wire format."""
        body = await self._ask(context, path, values, b"", _ARGUMENTS)
        return _decoded(body, dict[str, Any])

    async def _ask(
        self,
        context: Context[Any, Any],
        path: str,
        values: Mapping[str, Value],
        sent: bytes,
        names: Mapping[str, str],
    ) -> bytes:
        parameters = {
            name: value if isinstance(value, (str, int)) else ",".join(value)
            for name, value in values.items()
            if value is not None and value != "" and value != []
        }
        try:
            status, body = await self._ask_of(context)(path, urlencode(parameters), sent)
        except FetchFailed as error:
            raise ToolError(f"{error}. The service is away: tell the user.") from None
        if status == 200:
            return body
        try:
            error_text = str(msgspec.json.decode(body)["error"])
        except (msgspec.MsgspecError, KeyError, TypeError):
            raise ToolError(f"the service answered {status} without JSON: tell the user.") from None
        reason = _with_arguments(error_text.rstrip("."), names)
        raise ToolError(f"{reason}. {_NEXT.get(status, 'Correct the argument and call again.')}")


def _decoded(body: bytes, kind: type[T]) -> T:
    """Decode an answer; its amounts are decimals with all their digits."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise ToolError(
            f"the service is of another version than this program: {error}. Tell the user to"
            " update the older one."
        ) from None
    except msgspec.MsgspecError:
        raise ToolError("the service answered 200 without JSON: tell the user.") from None


def known(value: T | UnsetType) -> T | None:
    """Return a field of an answer, or None if it is not set."""
    return None if value is UNSET else value


def iso(day: date | None) -> str | None:
    """Return a day as YYYY-MM-DD."""
    return None if day is None else day.isoformat()


def digits(value: int | Decimal) -> str:
    """Return an amount with all its digits, as text."""
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def ask_in_process(app: ASGIApp, state: Mapping[str, Any], key: str) -> Ask:
    """Return a function that calls an application in this process with a key."""

    async def ask(path: str, query: str, sent: bytes) -> tuple[int, bytes]:
        status, body = 0, bytearray()
        begun = False

        async def receive() -> Message:
            nonlocal begun
            if begun:
                # The tool's client may disconnect, but this one stays.
                await asyncio.Event().wait()
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
    """Return a function that calls the service at an address with a key."""

    async def ask(path: str, query: str, sent: bytes) -> tuple[int, bytes]:
        address, headers = f"{url.rstrip('/')}{path}?{query}", {"X-API-Key": key}
        reply = await (http.post(address, sent, headers) if sent else http.get(address, headers))
        return reply.status, reply.body

    return ask
