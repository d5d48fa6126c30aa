"""`/mcp`: Streamable HTTP, with the key as a bearer token or in the header of data calls.

A message that calls a tool or reads a resource counts as a data call. All others, such as lists of
tools, take a slot while they are answered, but count as no call. All are within the plan's rate.
The server never sends messages unasked, so there is no stream to open (405).
"""

import asyncio
import re
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from edgar_search.access.accounts import Plan
from edgar_search.access.admission import Admission
from edgar_search.errors import ClientGone, EdgarSearchError, Forbidden, Unauthorized
from edgar_search.settings import Settings
from edgar_search.settings.issuer import is_loopback_name
from edgar_search.web.calls import while_connected
from edgar_search.web.operations import is_forwarded
from edgar_search.web.requests import read_body
from edgar_search.web.responses import on_error
from edgar_search.web.service import service
from edgar_search.web.strangers import refusal_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from edgar_search.web.mcp.asking import Ask

PATH = "/mcp"
NO_KEY = "an API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY"

# A draft is the longest argument; anything longer only takes long to read.
MAX_MESSAGE_BYTES = 262_144
_CALLS = ("tools/call", "resources/read")


class _Asked(Struct):
    method: str = ""


_MESSAGE = Decoder(_Asked)


class McpEndpoint:
    """The ASGI application at `/mcp`, whose tools call the surrounding application.

    Requests are stateless, so any worker may answer them. A page of another site, whose name may
    resolve to this machine, is refused whatever key it has.
    """

    def __init__(self) -> None:
        self._is_wanted = asyncio.Event()
        self._is_made = asyncio.Event()
        self._sessions: StreamableHTTPSessionManager | None = None

    async def run_forever(self) -> None:
        """Serve requests, starting with the first one that has a key.

        Importing the library takes a second and 30 MB in each worker, which is wasted if no one
        uses it.
        """
        await self._is_wanted.wait()
        try:
            sessions = await asyncio.to_thread(_make_sessions)
            async with sessions.run():
                self._sessions = sessions
                self._is_made.set()
                await asyncio.Event().wait()
        finally:
            self._sessions = None
            self._is_made.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            answer = await self._admitted(request, send)
            await while_connected(request, answer)
        except ClientGone:
            pass
        except EdgarSearchError as error:
            response = await on_error(request, await refusal_of(request, error))
            if response.status_code == Unauthorized.status:
                response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)

    async def _admitted(self, request: Request, send: Send) -> Coroutine[Any, Any, None]:
        """Return the coroutine that answers a message, after refusals that need not read it."""
        state = service(request)
        refuse_foreign(request, state.settings)
        key = await state.keys.verify(key_of(request))
        if key is None:
            raise Unauthorized(NO_KEY)
        admission = state.admission
        plan = await admission.accounts.plan(key.account)
        # It has its own rate, because a data call counts against the plan's again, as over HTTP.
        await admission.rates.check(f"mcp/{key.account}", plan)
        body = await read_body(request, MAX_MESSAGE_BYTES)
        answer = self._answer(request, body, send)
        return answer if _is_call(body) else _in_a_share(admission, key.account, plan, answer)

    async def _answer(self, request: Request, body: bytes, send: Send) -> None:
        self._is_wanted.set()
        await self._is_made.wait()
        assert self._sessions is not None, "the server of MCP could not be made"
        read = False

        async def receive() -> Message:
            nonlocal read
            if read:
                await asyncio.Event().wait()  # Cancelled if the client disconnects.
            read = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._sessions.handle_request(request.scope, receive, send)

    def route(self) -> Route:
        """Return the route, because a mounted application would answer with a redirect."""
        return Route(PATH, self, methods=["POST"])


async def _in_a_share(
    admission: Admission, account: str, plan: Plan, answer: Coroutine[Any, Any, None]
) -> None:
    try:
        async with admission.shares.share(account, plan):
            await answer
    finally:
        answer.close()


def _is_call(body: bytes) -> bool:
    """Return True if a message counts as a data call."""
    try:
        return _MESSAGE.decode(body).method in _CALLS
    except MsgspecError:
        return False


def refuse_foreign(request: Request, settings: Settings) -> None:
    """Raise Forbidden for a Host that is not this service's, or a page of another site.

    Without a list of hosts, only a service that is bound to loopback knows its own: it is called by
    a loopback name, unless a proxy forwards the call.
    """
    host, origin = request.headers.get("host", "").lower(), request.headers.get("origin", "")
    name = (urlsplit(f"//{host}").hostname or "") if _is_host(host) else ""
    hosts, origins = _listed(settings.mcp_hosts), _listed(settings.mcp_origins)
    server = request.scope.get("server") or ("", 0)
    is_local = is_loopback_name(str(server[0])) and not is_forwarded(request)
    if hosts and not {host, name} & hosts:
        raise Forbidden(f"Host: {host[:100]} is not among EDGAR_SEARCH_MCP_HOSTS")
    if not hosts and is_local and not is_loopback_name(name):
        raise Forbidden(
            f"Host: {host[:100]} is not this machine, where the service listens;"
            " EDGAR_SEARCH_MCP_HOSTS lists other names"
        )
    own = {f"http://{host}", f"https://{host}"}
    if origin and origin.lower() not in own | origins:
        raise Forbidden(
            f"Origin: {origin[:100]} is another site; EDGAR_SEARCH_MCP_ORIGINS lists those that may"
        )


def _is_host(text: str) -> bool:
    return re.fullmatch(r"[\w.-]+(?::[0-9]+)?|\[[0-9a-f:.]+\](?::[0-9]+)?", text) is not None


def _listed(values: str) -> set[str]:
    """Split a setting's comma-separated list."""
    return {value.strip().lower() for value in values.split(",") if value.strip()}


def _make_sessions() -> "StreamableHTTPSessionManager":
    from mcp.server.transport_security import TransportSecuritySettings

    from edgar_search.web.mcp.tools import make_server

    server = make_server(_ask_of)
    server.streamable_http_app(
        stateless_http=True,
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return server.session_manager


def _ask_of(context: "Context[Any, Any]") -> "Ask":
    from edgar_search.web.mcp.asking import ask_in_process

    request = context.request_context.request
    assert isinstance(request, Request)
    return ask_in_process(request.app, request.scope["state"], key_of(request))


def key_of(request: Request) -> str:
    """Return the key of a request, or ""."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    keys: Sequence[str] = request.headers.getlist("x-api-key")
    return keys[0].strip() if keys else ""
