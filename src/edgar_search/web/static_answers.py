"""Answers that are the same for everybody until the next version: compressed once, with an ETag."""

import gzip
from collections.abc import Mapping
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

# Compression must save this fraction; on a picture it saves nothing.
_LEAST_SAVED = 0.1


class StaticAnswer:
    """A body in both forms; a client that already has it gets neither."""

    def __init__(self, body: bytes, media_type: str) -> None:
        self.etag = f'"{sha256(body).hexdigest()[:20]}"'
        self._media_type = media_type
        self.content = body
        packed = gzip.compress(body, mtime=0)
        self._packed = packed if len(packed) < (1 - _LEAST_SAVED) * len(body) else None

    def respond(self, request: Request, headers: Mapping[str, str]) -> Response:
        """Return the answer with these headers, or a 304 if the client names the ETag."""
        headers = {**headers, "ETag": self.etag}
        if request.headers.get("if-none-match") == self.etag:
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self._media_type
        if self._packed is None:
            return Response(self.content, headers=headers)
        headers["Vary"] = "Accept-Encoding"
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self.content, headers=headers)
        return Response(self._packed, headers={**headers, "Content-Encoding": "gzip"})
