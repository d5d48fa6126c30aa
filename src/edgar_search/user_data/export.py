"""The export of an account: every entry stored under its name, without secrets."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SortedHit
from edgar_search.user_data.deletion import PARTS, Part

# A call with the longest values takes 100 kB.
_PAGE = 200
_POINT_SECONDS = 60


class Entry(NamedTuple):
    """An entry as it is stored, with the name of its part."""

    part: str
    content: dict[str, Any]


async def export_belongings(engine: Engine, account: str) -> AsyncIterator[Entry]:
    """Yield the entries of an account by part, in the order of deletion.

    Each part is a view of one moment. Raises as `Engine.search`.
    """
    for part in PARTS:
        async for content in _entries(engine, part, account):
            yield Entry(part.name, content)


async def _entries(engine: Engine, part: Part, account: str) -> AsyncIterator[dict[str, Any]]:
    await engine.refresh(part.kind)
    point = await engine.open_point(part.kind, _POINT_SECONDS, None)
    body: dict[str, Any] = {
        "query": part.query(account),
        "_source": {"excludes": list(part.secrets)},
        "size": _PAGE,
        "sort": ["_shard_doc"],
        "track_total_hits": False,
    }
    then = engine.at({part.kind: point})
    try:
        while hits := (await then.search(part.kind, body, SortedHit[dict[str, Any]])).hits.hits:
            for hit in hits:
                yield hit.source
            body["search_after"] = hits[-1].sort
    finally:
        await engine.close_point(point)
