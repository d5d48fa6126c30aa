"""A span around each request, with its route and status."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edgar_search.metrics.spans import span
from edgar_search.web.responses import SCOPE_ID, SCOPE_ROUTE

# What names the span of whoever asks, by W3C's Trace Context.
_TRACE = (b"traceparent", b"tracestate")
_FAULT = 500


class Tracing:
    """Goes around the log of requests, which knows what a request was when it is over."""

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
