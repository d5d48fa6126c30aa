"""GET /openapi.json and GET /llms.txt"""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.api.parameters.declaration import API_KEY, Credential, Endpoint, Parameter
from edgar_search.web.endpoints import ENDPOINTS, LLMS, OPENAPI
from edgar_search.web.openapi.document import openapi_document
from edgar_search.web.openapi.schemas import plain
from edgar_search.web.static_answers import StaticAnswer
from edgar_search.web.strangers import admit_stranger

_HEAD = """\
# edgar-search

> Lookups and full-text search over filings of the SEC's EDGAR system, by HTTP and JSON.

The whole reference is [OpenAPI 3.1](/openapi.json). Send an API key in the header `X-API-Key`, and
a bearer token to paths below `/auth/`. An unknown parameter is a 400 that lists the known ones;
every error is an object with `error`.

The query language: all words must occur; `AND`, `OR`, `NOT` in capitals; parentheses; `"a phrase"`;
`"a phrase"~5` with up to five words between; `*` inside or at the end of a word; `?` inside a word.
Nothing is stemmed unless `word_forms=all` is sent.

## Endpoints
"""
_NEEDS: dict[Credential, str] = {"key": "API key", "token": "bearer token", "none": "no key"}


def llms_text(endpoints: Iterable[Endpoint]) -> str:
    """Describe each endpoint in a paragraph: its purpose and its parameters."""
    return _HEAD + "".join(map(_entry, endpoints))


def _entry(endpoint: Endpoint) -> str:
    methods = ", ".join(endpoint.methods)
    what = f"{plain(endpoint.summary)} ({_NEEDS[endpoint.credential]})"
    head = f"\n### {methods} {endpoint.path}\n\n{what}\n"
    lines = [_line(parameter) for parameter in endpoint.parameters if parameter != API_KEY]
    return head + ("\n" + "".join(lines) if lines else "")


def _line(parameter: Parameter) -> str:
    needed = ", needed" if parameter.required else ""
    kind = "|".join(parameter.choices) if parameter.kind == "choice" else parameter.kind
    default = "" if parameter.default is None else f", default {str(parameter.default).lower()}"
    return f"- `{parameter.name}` ({kind}{needed}{default}): {plain(parameter.description)}\n"


EXAMPLES = "examples.json"
MARKDOWN = "text/markdown; charset=utf-8"


async def openapi(request: Request) -> Response:
    """GET /openapi.json"""
    return await _answer(request, _openapi())


async def llms(request: Request) -> Response:
    """GET /llms.txt"""
    return await _answer(request, _llms())


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document of everything that is served."""
    examples = msgspec.json.decode(files(__package__).joinpath(EXAMPLES).read_bytes())
    return openapi_document(ENDPOINTS, examples)


@cache
def _openapi() -> StaticAnswer:
    return StaticAnswer(msgspec.json.encode(document()), "application/json")


@cache
def _llms() -> StaticAnswer:
    return StaticAnswer(llms_text(ENDPOINTS).encode(), MARKDOWN)


def make_ready() -> None:
    """Build both answers in advance, so that no request waits for them."""
    _openapi()
    _llms()


async def _answer(request: Request, answer: StaticAnswer) -> Response:
    await admit_stranger(request)
    return answer.respond(request, {"Cache-Control": "no-cache"})


routes = [Route(OPENAPI.path, openapi), Route(LLMS.path, llms)]
