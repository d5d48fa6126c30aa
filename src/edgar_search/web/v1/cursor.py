"""The parameters of a cursor, and what may be given beside them."""

from collections.abc import Mapping, Sequence

from edgar_search.errors import BadRequest
from edgar_search.web.declaration import Endpoint, Parameter
from edgar_search.web.filters import FILING
from edgar_search.web.parameters import Parameters, Raw

BEGIN = "*"
CURSOR = Parameter(
    "cursor",
    "text",
    "`*` begins a [walk](#walks-by-cursor); `next_cursor` of an answer goes on, and has nothing"
    " beside it but the key and, where wanted, `limit`",
)
SNAPSHOT = Parameter(
    "snapshot",
    "flag",
    "with `cursor=*`: the walk goes over what is there now, whatever is loaded meanwhile",
    default=False,
)
WALK_RULES = (
    "`snapshot=true` needs `cursor=*`.",
    "Any other `cursor` takes no parameter beside it but `limit` and the key.",
)
# What may stand beside a cursor that goes on; a key is taken out before.
_BESIDE = ("cursor", "limit")


def given_cursor(raw: Raw, endpoint: Endpoint) -> str | None:
    """The cursor of a request; None where it is no walk. BadRequest names what is wrong."""
    parameters = Parameters(raw, endpoint.parameters)
    text, snapshot = parameters.single("cursor"), parameters.flag("snapshot")
    if text is None:
        if snapshot:
            raise BadRequest("snapshot: goes with cursor=*, which begins a walk")
        return None
    text = text.strip()
    if text != BEGIN:
        _refuse_others(raw)
    elif "offset" in raw and parameters.integer("offset"):
        raise BadRequest("offset: a cursor goes on where the last page ended; leave offset out")
    elif "group_by" in raw and parameters.choice("group_by") == FILING:
        raise BadRequest("group_by: filings are not walked through by cursor; use offset")
    return text


def begun_question(raw: Raw) -> dict[str, list[str]]:
    """What a cursor keeps of the request that begins a walk."""
    return {
        name: list(values) for name, values in raw.items() if name not in ("cursor", "snapshot")
    }


def continued_question(kept: Mapping[str, Sequence[str]], raw: Raw) -> dict[str, list[str]]:
    """What a cursor has kept, with the limit of the request that goes on, if it has one."""
    limit = {name: list(raw[name]) for name in ("limit",) if any(raw.get(name, ()))}
    return {name: list(values) for name, values in kept.items()} | limit


def _refuse_others(raw: Raw) -> None:
    others = [name for name in raw if name not in _BESIDE and any(map(str.strip, raw[name]))]
    if others:
        raise BadRequest(
            f"{', '.join(others)}: a cursor keeps the query that it began with; beside it may stand"
            " only limit and the key"
        )
