"""`/mcp`: Streamable HTTP, whose key is a bearer token or in the header of data calls."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from edgar_search.errors import EdgarSearchError, Unauthorized
from edgar_search.web.responses import on_error
from edgar_search.web.service import service

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from edgar_search.web.mcp.asking import Ask

PATH = "/mcp"
NO_KEY = "an API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY"


class McpEndpoint:
    """The ASGI application at `/mcp`, whose tools call the application that it belongs to.

    Each request stands alone, so that any worker may answer it. The caller is known by a key that
    no browser sends by itself, so the Host header says nothing that must be checked.
    """

    def __init__(self) -> None:
        self._is_wanted = asyncio.Event()
        self._is_made = asyncio.Event()
        self._sessions: StreamableHTTPSessionManager | None = None

    async def run_forever(self) -> None:
        """Take requests, from the first one with a key on.

        The library takes a second to be imported and 30 MB in each worker, which is too much
        where nobody asks.
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
            if await service(request).keys.verify(key_of(request)) is None:
                raise Unauthorized(NO_KEY)
        except EdgarSearchError as error:
            response = await on_error(request, error)
            if error.status == Unauthorized.status:
                response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        self._is_wanted.set()
        await self._is_made.wait()
        assert self._sessions is not None, "the server of MCP could not be made"
        await self._sessions.handle_request(scope, receive, send)

    def route(self) -> Route:
        """The route; a mounted application would answer with a redirect."""
        return Route(PATH, self, methods=["GET", "POST", "DELETE"])


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
    """Return the key of a request, "" if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    keys: Sequence[str] = request.headers.getlist("x-api-key")
    return keys[0].strip() if keys else ""
