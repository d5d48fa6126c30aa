"""Pagination by cursor: its parameters, the page that a request asks for, the link to the next."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.filters import FILING
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.search.cursors import Cursor, CursorPosition
from edgar_search.search.pagination import Start
from edgar_search.web.calls import V1Call
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

BEGIN = "*"
CURSOR = Parameter(
    "cursor",
    "text",
    "`*` begins [pagination by cursor](#pagination-by-cursor); `next_cursor` of an answer continues"
    " it, and only the key and `limit` may be given with it",
)
SNAPSHOT = Parameter(
    "snapshot",
    "flag",
    "with `cursor=*`: all pages show the documents of this moment, and none that is loaded later",
    default=False,
)
WALK_RULES = (
    "`snapshot=true` needs `cursor=*`.",
    "With any other `cursor` only `limit` and the key may be given.",
)
# A request with neither of them has nothing to do with cursors.
WALKING = frozenset({CURSOR.name, SNAPSHOT.name})
# Parameters allowed beside a cursor that goes on; a key is taken out before.
_BESIDE = ("cursor", "limit")
# Proxies take headers of 4 or 8 kB in all; with a longer link they would answer for us, with a 502.
MAX_LINK = 3_000


class Walk(NamedTuple):
    """A walk that a request begins or goes on with: its endpoint, its question, its start."""

    endpoint: Endpoint
    question: dict[str, list[str]]
    start: Start


async def walk_of(request: Request, call: V1Call, endpoint: Endpoint) -> Walk | None:
    """The walk that a request is a step of; None if it has no cursor.

    Raises BadRequest if the cursor is wrong, or a parameter beside it.
    """
    text = given_cursor(call.raw, endpoint)
    if text is None:
        return None
    if text == BEGIN:
        snapshot = "true" in (value.strip().lower() for value in call.raw.get("snapshot", ()))
        return Walk(endpoint, begun_question(call.raw), Start(None, snapshot))
    cursor = await service(request).pagination.signer.verify(text, call.account)
    if cursor.endpoint != endpoint.path:
        raise BadRequest(f"`cursor` belongs to {cursor.endpoint}; begin with `cursor=*`")
    return Walk(endpoint, continued_question(cursor.question, call.raw), Start(cursor.place))


def given_cursor(raw: Raw, endpoint: Endpoint) -> str | None:
    """The cursor of a request; None if it has none. BadRequest names what is wrong."""
    parameters = Parameters(raw, endpoint.declared)
    text, snapshot = parameters.text("cursor"), parameters.flag("snapshot")
    if text is None:
        if snapshot:
            raise BadRequest("`snapshot` needs `cursor=*`, which begins pagination by cursor")
        return None
    text = text.strip()
    if text != BEGIN:
        _refuse_others(raw)
    elif "offset" in raw and parameters.integer("offset"):
        raise BadRequest(
            "`offset` may not be given with a cursor, which continues after the last page"
        )
    elif "group_by" in raw and parameters.choice("group_by") == FILING:
        raise BadRequest("`group_by=filing` may not be given with a cursor; use `offset`")
    return text


def begun_question(raw: Raw) -> dict[str, list[str]]:
    """The parameters that a cursor keeps of the request that begins a walk."""
    return {
        name: list(values) for name, values in raw.items() if name not in ("cursor", "snapshot")
    }


def continued_question(kept: Mapping[str, Sequence[str]], raw: Raw) -> dict[str, list[str]]:
    """The parameters that a cursor has kept, with the limit of the request that goes on, if any."""
    limit = {name: list(raw[name]) for name in ("limit",) if any(raw.get(name, ()))}
    return {name: list(values) for name, values in kept.items()} | limit


def _refuse_others(raw: Raw) -> None:
    others = [name for name in raw if name not in _BESIDE and any(map(str.strip, raw[name]))]
    if others:
        raise BadRequest(
            f"`{', '.join(others)}` may not be given with a cursor, which contains its query;"
            " only `limit` and the key may"
        )


async def page_response(
    request: Request, call: V1Call, walk: Walk, reply: Any, place: CursorPosition | None
) -> Response:
    """The answer with the cursor to the next one, in its body and as a link."""
    reply.next_cursor = None
    headers = {}
    if place is not None:
        cursor = Cursor(walk.endpoint.path, walk.question, place)
        reply.next_cursor = await service(request).pagination.signer.sign(cursor, call.account)
        link = f'<{walk.endpoint.path}?cursor={reply.next_cursor}>; rel="next"'
        if len(link) <= MAX_LINK:
            headers["Link"] = link
    return json_response(reply, headers=headers)
