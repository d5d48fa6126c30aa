"""Pagination by cursor: its parameters, the requested page, and the next cursor."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from edgar_search.api.context import Context
from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.filters import FILING
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.search.cursors import Cursor, CursorPosition
from edgar_search.search.pagination import Start

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
# A request with neither of these does not use cursors.
_WALKING = frozenset({CURSOR.name, SNAPSHOT.name})
# Parameters allowed beside a cursor; the API key has been removed before.
_BESIDE = ("cursor", "limit")


class Walk(NamedTuple):
    """A walk that a request begins or continues: its parameters, and where it starts."""

    question: Raw
    start: Start


async def walk_of(context: Context, raw: Raw, endpoint: Endpoint) -> Walk | None:
    """Return the walk that a request belongs to; None if it uses no cursor.

    Raises BadRequest if the cursor is invalid, or a parameter beside it is.
    """
    if _WALKING.isdisjoint(raw):
        return None
    text = given_cursor(raw, endpoint)
    if text is None:
        return None
    if text == BEGIN:
        snapshot = "true" in (value.strip().lower() for value in raw.get(SNAPSHOT.name, ()))
        return Walk(begun_question(raw), Start(None, snapshot))
    cursor = await context.pagination.signer.verify(text, context.account)
    if cursor.endpoint != endpoint.path:
        raise BadRequest(f"`cursor` belongs to {cursor.endpoint}; begin with `cursor=*`")
    return Walk(continued_question(cursor.question, raw), Start(cursor.place))


async def sign_next(
    context: Context, endpoint: Endpoint, walk: Walk, position: CursorPosition | None
) -> str | None:
    """Sign the cursor of the page after a position; None at the end."""
    if position is None:
        return None
    question = {name: list(values) for name, values in walk.question.items()}
    return await context.pagination.signer.sign(
        Cursor(endpoint.path, question, position), context.account
    )


def given_cursor(raw: Raw, endpoint: Endpoint) -> str | None:
    """Return the cursor of a request, or None. Raises BadRequest."""
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
    """Return the parameters that a cursor keeps of the request that begins a walk."""
    return {
        name: list(values) for name, values in raw.items() if name not in ("cursor", "snapshot")
    }


def continued_question(kept: Mapping[str, Sequence[str]], raw: Raw) -> dict[str, list[str]]:
    """Return the parameters kept in a cursor, with the limit of this request if it has one."""
    limit = {name: list(raw[name]) for name in ("limit",) if any(raw.get(name, ()))}
    return {name: list(values) for name, values in kept.items()} | limit


def _refuse_others(raw: Raw) -> None:
    others = [name for name in raw if name not in _BESIDE and any(map(str.strip, raw[name]))]
    if others:
        raise BadRequest(
            f"`{', '.join(others)}` may not be given with a cursor, which contains its query;"
            " only `limit` and the key may"
        )
