"""Long answers compressed, for clients that take it."""

from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

# Smaller answers fit into one packet as they are; a higher level costs more time than it saves.
_LEAST_BYTES, _LEVEL = 1_000, 4
# Documents as filed are sent as they are: their length is known and told before.
_AS_THEY_ARE = ("/v2/document", "/as-filed/")


class Compression:
    """ASGI middleware; compresses answers of at least a kilobyte, but no document as filed."""

    def __init__(self, app: ASGIApp) -> None:
        self._plain = app
        self._compressing = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        filed = scope["type"] == "http" and scope["path"].startswith(_AS_THEY_ARE)
        await (self._plain if filed else self._compressing)(scope, receive, send)
