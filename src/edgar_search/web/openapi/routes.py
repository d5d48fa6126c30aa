"""GET /openapi.json and GET /llms.txt"""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.web.endpoints import ENDPOINTS, LLMS, OPENAPI
from edgar_search.web.openapi.document import openapi_document
from edgar_search.web.openapi.llms import llms_text

EXAMPLES = "examples.json"
MARKDOWN = "text/markdown; charset=utf-8"


async def openapi(request: Request) -> Response:
    """GET /openapi.json"""
    return _answer(request, _openapi(), "application/json")


async def llms(request: Request) -> Response:
    """GET /llms.txt"""
    return _answer(request, llms_text(ENDPOINTS).encode(), MARKDOWN)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document of everything that is served."""
    examples = msgspec.json.decode(files(__package__).joinpath(EXAMPLES).read_bytes())
    return openapi_document(ENDPOINTS, examples)


@cache
def _openapi() -> bytes:
    return msgspec.json.encode(document())


def _answer(request: Request, body: bytes, media_type: str) -> Response:
    """The same for everybody until the next version; asked for again, it is not sent again."""
    headers = {"ETag": f'"{sha256(body).hexdigest()[:20]}"', "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


routes = [Route(OPENAPI.path, openapi), Route(LLMS.path, llms)]
