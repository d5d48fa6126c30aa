"""`/mcp`: Streamable HTTP, whose key is a bearer token or in the header of data calls."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from edgar_search.errors import EdgarSearchError, Unauthorized
from edgar_search.web.mcp.asking import Ask, ask_in_process
from edgar_search.web.mcp.tools import make_server
from edgar_search.web.responses import on_error
from edgar_search.web.service import service

PATH = "/mcp"
NO_KEY = "an API key is needed: Authorization: Bearer KEY, or X-API-Key: KEY"


class McpEndpoint:
    """The ASGI application at `/mcp`; `app` answers the calls of its tools.

    Each request stands alone, so that any worker may answer it. The caller is known by a key that
    no browser sends by itself, so the Host header says nothing that must be checked.
    """

    def __init__(self) -> None:
        self.app: ASGIApp | None = None
        self._server = make_server(self._ask_of)
        self._server.streamable_http_app(
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take requests while this is open."""
        async with self._server.session_manager.run():
            yield

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
        await self._server.session_manager.handle_request(scope, receive, send)

    def route(self) -> Route:
        """The route; a mounted application would answer with a redirect."""
        return Route(PATH, self, methods=["GET", "POST", "DELETE"])

    def _ask_of(self, context: Context[Any, Any]) -> Ask:
        request = context.request_context.request
        assert isinstance(request, Request) and self.app is not None
        return ask_in_process(self.app, request.scope["state"], key_of(request))


def key_of(request: Request) -> str:
    """Return the key of a request, "" if there is none."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    keys: Sequence[str] = request.headers.getlist("x-api-key")
    return keys[0].strip() if keys else ""
