"""EDGAR's own addresses: loaded filings, in EDGAR's formats and under EDGAR's paths.

A program that is pointed at another host finds everything under the path that EDGAR uses. Each path
also exists below `/efts/{key}`, for programs that cannot send a key.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.admission import CallLimits
from edgar_search.web.callers import identify_client_of_edgar
from edgar_search.web.calls import CallKind, V1Call, call_endpoint
from edgar_search.web.ranges import asked_part, part_response
from edgar_search.web.responses import json_response

SCOPE = "mirror"
_KIND = CallKind(CallLimits(counts=True), identify_client_of_edgar, tells_limits=True)
Handler: TypeAlias = Callable[[Request, V1Call], Awaitable[Response]]


def routes_at(path: str, handler: Handler) -> list[Route]:
    """Make the routes of one of EDGAR's paths, with and without a key in front."""
    endpoint = call_endpoint(_KIND, SCOPE, handler)
    return [Route(route_path, endpoint) for route_path in (path, f"/efts/{{key}}{path}")]


async def mirrored(request: Request, body: bytes, media_type: str) -> Response:
    """Return an answer with an ETag, or the requested range of it; 304 if the client has it.

    A body is built anew for each request, so a range saves traffic but no reading.
    """
    etag = f'"{sha256(body).hexdigest()[:20]}"'
    headers = {"Content-Type": media_type, "Cache-Control": "private, no-cache"}
    part = asked_part(request, etag, len(body))
    return await part_response(
        request, etag, part, headers, lambda part: iter((body[part.start : part.end],))
    )


async def mirrored_json(request: Request, make: Callable[[], object]) -> Response:
    """Return the same for a JSON body that `make` returns.

    Building and encoding it do not block other requests.
    """
    body = await asyncio.to_thread(lambda: bytes(json_response(make()).body))
    return await mirrored(request, body, "application/json")


async def folder_of(request: Request, names: Sequence[str]) -> Response:
    """List a folder of index files or of the feed, as `index.json` or as a page."""
    folder, _, listing = request.url.path.rpartition("/")
    folder = folder[folder.index("/Archives") :]
    if listing == "index.json":
        items = [
            {"last-modified": "", "name": name, "type": "file", "href": name, "size": ""}
            for name in names
        ]
        parent = folder.rpartition("/")[0]
        listed = {"directory": {"item": items, "name": folder, "parent-dir": parent}}
        return await mirrored_json(request, lambda: listed)
    links = "".join(f'<a href="{name}">{name}</a>\n' for name in names)
    page = page_of(f"Directory Listing of {folder}", f"<pre>{links}</pre>")
    return await mirrored(request, page.encode(), "text/html; charset=utf-8")


def page_of(title: str, body: str, charset: str = "utf-8") -> str:
    """Return a bare HTML page.

    The title and the body must already be escaped.
    """
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="{charset}"><title>{title}</title>'
        f"</head><body>\n{body}\n</body></html>\n"
    )
