"""Answers of Version 1: the JSON of an operation, or one of its file formats."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.operation import Answer, AnyOperation
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.api.parameters.reader import Parameters
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.responses import json_response

# Proxies accept 4 or 8 kB of headers in all; with a longer link they would answer for us, with a
# 502.
MAX_LINK = 3_000

A = TypeVar("A", bound=Answer)
V1Handler: TypeAlias = Callable[[Request, V1Call], Awaitable[Response]]
Files: TypeAlias = Mapping[str, Callable[[A], Awaitable[Response]]]


def answered_by(
    operation: AnyOperation[A], files: Files[A] = MappingProxyType({})
) -> tuple[Endpoint, V1Handler]:
    """Make an operation's endpoint and handler.

    It answers with JSON, or with a file in a `format` other than JSON.
    """

    async def handler(request: Request, call: V1Call) -> Response:
        form = "json"
        if files:
            form = Parameters(call.raw, operation.endpoint.declared).choice("format")
        answer = await operation.answer(context_of(request, call), call.raw)
        call.result_count = answer.result_count
        if form in files:
            return await files[form](answer)
        return json_response(answer, headers=link_headers(operation.endpoint, answer))

    return operation.endpoint, handler


def link_headers(endpoint: Endpoint, answer: Any) -> dict[str, str]:
    """Return the header that links to the next page, if an answer has its cursor."""
    cursor = getattr(answer, "next_cursor", None)
    link = f'<{endpoint.path}?cursor={cursor}>; rel="next"'
    return {"Link": link} if isinstance(cursor, str) and len(link) <= MAX_LINK else {}
