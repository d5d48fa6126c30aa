"""The style sheet and the scripts, at addresses that change with their content."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import NotFound

FOLDER = "static"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOR_EVER = "public, max-age=31536000, immutable"


class StaticFile(NamedTuple):
    """A file with its type of content; `etag` is made of what it holds."""

    content: bytes
    media_type: str
    etag: str


async def static_file(request: Request) -> Response:
    """GET /static/DIGEST/NAME; an old digest has the file of now, which is not kept."""
    digest, name = request.path_params["digest"], request.path_params["name"]
    found = static_files().get(name)
    if found is None:
        raise NotFound("no such path")
    headers = {
        "ETag": found.etag,
        "Cache-Control": _FOR_EVER if digest == static_digest() else "no-cache",
        "Content-Security-Policy": "default-src 'none'; style-src 'self'",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, headers={**headers, "Content-Type": found.media_type})


def static_address(name: str) -> str:
    """Where a file is, as it is now; scripts find each other by names beside their own."""
    assert name in static_files(), name
    return f"/{FOLDER}/{static_digest()}/{name}"


@cache
def static_files() -> dict[str, StaticFile]:
    """All files by name."""
    found = {}
    for file in files("edgar_search.web.pages").joinpath(FOLDER).iterdir():
        suffix = file.name[file.name.rfind(".") :]
        if suffix in _TYPES:
            content = file.read_bytes()
            etag = f'"{sha256(content).hexdigest()[:20]}"'
            found[file.name] = StaticFile(content, _TYPES[suffix], etag)
    return found


@cache
def static_digest() -> str:
    """One digest of all files: a script and those that it imports are of one version."""
    tags = "".join(f"{name}{file.etag}" for name, file in sorted(static_files().items()))
    return sha256(tags.encode()).hexdigest()[:12]


FILES = [Route(f"/{FOLDER}/{{digest}}/{{name}}", static_file)]
