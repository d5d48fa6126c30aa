"""The contents of an installation, except for what depends on when and how often it was loaded."""

from pathlib import Path
from typing import Any

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, Kind, parse_index_name
from edgar_search.settings import Settings

TIMES = (
    "arrived_at",
    "loaded_at",
    "seen_at",
    "searchable_at",
    "accepted_lag",
    "listed_lag",
    "epoch",
    # Of an event of a filing.
    "at",
)
LOADED: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind not in ("api_keys", "tickers"))

# Kind to the entries by partition and id.
Contents = dict[str, dict[str, dict[str, Any]]]


class _Stored(Struct):
    index: str = field(name="_index")
    id: str = field(name="_id")
    source: dict[str, Any] = field(name="_source")


async def contents(engine: Engine, settings: Settings) -> Contents:
    """Everything of every index that a load writes, and the archive's files."""
    found: Contents = {kind: await _entries(engine, settings, kind) for kind in LOADED}
    archive = settings.absolute_home / "archive"
    files = {str(path.relative_to(archive)): path for path in archive.rglob("*.gz")}
    found["archive"] = {name: {"bytes": path.stat().st_size} for name, path in files.items()}
    found["left over"] = {path.name: {} for path in _left_over(settings.absolute_home)}
    return found


async def _entries(engine: Engine, settings: Settings, kind: Kind) -> dict[str, dict[str, Any]]:
    await engine.refresh(kind)
    body = {"query": {"match_all": {}}, "size": 10_000, "track_total_hits": True}
    reply = await engine.search(kind, body, _Stored)
    assert reply.total == len(reply.hits.hits)
    entries = {}
    for hit in reply.hits.hits:
        partition = parse_index_name(settings.prefix, hit.index).partition
        for name in TIMES:
            hit.source.pop(name, None)
        if "announced" in hit.source:
            hit.source["announced"] = sorted(hit.source["announced"])
        assert f"{partition} {hit.id}" not in entries
        entries[f"{partition} {hit.id}"] = hit.source
    return entries


def _left_over(home: Path) -> list[Path]:
    """Half-written files of the archive."""
    return [path for path in (home / "archive").rglob(".*") if path.is_file()]
