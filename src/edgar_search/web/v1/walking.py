"""Walks by cursor: answers as of the endpoint itself, each with the cursor to the next one."""

from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import BadRequest
from edgar_search.search.shape import search_places
from edgar_search.search.walks.place import Cursor, Place
from edgar_search.search.walks.walks import Start, walk_documents, walk_filings
from edgar_search.search.warnings.searches import checked, warned
from edgar_search.web.data_call import V1Call
from edgar_search.web.declaration import Endpoint
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import json_response
from edgar_search.web.state import directory_of, service
from edgar_search.web.v1.answers import LookupReply, SearchReply, lookup_reply, search_reply
from edgar_search.web.v1.cursors import BEGIN, begun_question, continued_question, given_cursor
from edgar_search.web.v1.parameters import lookup_params, search_params

# Proxies take headers of 4 or 8 kB in all; with a longer link they would answer for us, with a 502.
MAX_LINK = 3_000


class Walk(NamedTuple):
    """A walk that a request begins or goes on with: its endpoint, its question, its start."""

    endpoint: Endpoint
    question: dict[str, list[str]]
    start: Start


async def walk_of(request: Request, call: V1Call, endpoint: Endpoint) -> Walk | None:
    """The walk that a request is a step of; None where it has no cursor.

    Raises BadRequest for what is wrong with the cursor, or beside it.
    """
    text = given_cursor(call.raw, endpoint)
    if text is None:
        return None
    if text == BEGIN:
        snapshot = "true" in (value.strip().lower() for value in call.raw.get("snapshot", ()))
        return Walk(endpoint, begun_question(call.raw), Start(None, snapshot))
    cursor = await service(request).walks.seal.opened(text, call.key.account)
    if cursor.walk != endpoint.path:
        raise BadRequest(f"cursor: is one of {cursor.walk}; begin with cursor=*")
    return Walk(endpoint, continued_question(cursor.question, call.raw), Start(cursor.place))


async def walked_search(request: Request, call: V1Call, walk: Walk) -> Response:
    """A page of documents, and the cursor to the next one."""
    state, account = service(request), call.key.account
    params = search_params(walk.question, state.settings.max_window)
    await call.share.weigh(search_places(params))
    directory = await directory_of(request)

    async def found() -> tuple[SearchReply, Place | None]:
        walked = await walk_documents(state.walks, directory, params, walk.start, account)
        page = await warned(directory, state.known, params, walked.page, account)
        return search_reply(page, params.details, params.snippets), walked.place

    reply, place = await while_connected(request, found())
    call.result_count = reply.total_count
    return await _response(request, call, walk, reply, place)


async def walked_lookup(request: Request, call: V1Call, walk: Walk) -> Response:
    """A page of filings, and the cursor to the next one."""
    state = service(request)
    params = lookup_params(walk.question)
    directory = await directory_of(request)

    async def found() -> tuple[LookupReply, Place | None]:
        walked = await walk_filings(state.walks, directory, params, walk.start, call.key.account)
        found = await checked(directory, state.known, params, walked.page)
        reply = lookup_reply(found.page, directory.table, found.errors, found.withdrawn)
        return reply, walked.place

    reply, place = await while_connected(request, found())
    call.result_count = reply.response_details.filings_found
    return await _response(request, call, walk, reply, place)


async def _response(
    request: Request, call: V1Call, walk: Walk, reply: Any, place: Place | None
) -> Response:
    """The answer with the cursor to the next one, in its body and as a link."""
    reply.next_cursor = None
    headers = {}
    if place is not None:
        cursor = Cursor(walk.endpoint.path, walk.question, place)
        reply.next_cursor = await service(request).walks.seal.seal(cursor, call.key.account)
        link = f'<{walk.endpoint.path}?cursor={reply.next_cursor}>; rel="next"'
        if len(link) <= MAX_LINK:
            headers["Link"] = link
    return json_response(reply, headers=headers)
