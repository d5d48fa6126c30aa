"""Ranges of bytes (RFC 9110, section 14): a part of a file, for clients that resume a download."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from edgar_search.web.responses import error_response, is_known

# For several ranges the answer is the whole file, as the standard allows.
_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})", re.ASCII | re.IGNORECASE)


class Part(NamedTuple):
    """The bytes of a file from `start` to `end`, exclusive; all of it by default.

    A part with the status 416 contains no bytes: the file ends before it.
    """

    status: HTTPStatus
    start: int
    end: int
    size: int

    @property
    def headers(self) -> dict[str, str]:
        """The headers that identify the part."""
        headers = {"Accept-Ranges": "bytes", "Content-Length": str(self.end - self.start)}
        if self.status == HTTPStatus.PARTIAL_CONTENT:
            headers["Content-Range"] = f"bytes {self.start}-{self.end - 1}/{self.size}"
        return headers

    def of(self, chunks: Iterator[bytes], skipped: int = 0) -> Iterator[bytes]:
        """Yield the part from the chunks of a file without its first `skipped` bytes."""
        place = skipped
        for chunk in chunks:
            if place >= self.end:
                return
            piece = chunk[max(0, self.start - place) : self.end - place]
            place += len(chunk)
            if piece:
                yield piece


def asked_part(request: Request, etag: str, size: int) -> Part:
    """Return the part of a file that a request asks for; malformed ranges are ignored.

    With `If-Range` the part is only for a client that holds the beginning of this version.
    """
    whole_file = Part(HTTPStatus.OK, 0, size, size)
    match = _RANGE.fullmatch(request.headers.get("range", "").strip())
    if request.method != "GET" or match is None or request.headers.get("if-range", etag) != etag:
        return whole_file
    first, last = match[1], match[2]
    if not first:
        if not last:
            return whole_file
        start, end = size - min(int(last), size), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return whole_file
    if start >= size:
        return Part(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, 0, 0, size)
    return Part(HTTPStatus.PARTIAL_CONTENT, start, end, size)


async def part_response(
    request: Request,
    etag: str,
    part: Part,
    headers: Mapping[str, str],
    read: Callable[[Part], Iterator[bytes]],
) -> Response:
    """Return the part of a file that `asked_part` found, or a 304 or 416.

    `read` runs in a thread.
    """
    about = {"ETag": etag, **headers}
    if is_known(request, etag):
        return Response(status_code=304, headers=about)
    if part.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
        about["Content-Range"] = f"bytes */{part.size}"
        del about["Content-Type"]
        message = f"the file has {part.size} bytes: `Range` must begin before its end"
        return error_response(request.url.path, part.status, message, about)
    about |= part.headers
    if request.method == "HEAD":
        return Response(headers=about)
    return StreamingResponse(await asyncio.to_thread(read, part), part.status, about)
