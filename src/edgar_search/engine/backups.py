"""Backups: snapshots of an installation's indices, in a repository that Elasticsearch knows.

The settings name the repository. A backup is complete if it has every shard of all indices that
must agree or exist nowhere else.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import quote

import msgspec
from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import PARTITIONED, is_index_name, parse_index_name
from edgar_search.errors import SettingsError

# Without one of these a restored installation would lack what cannot be loaded again, or its
# ledger would say that something is loaded and is not.
NEEDED = frozenset(
    {*PARTITIONED, "entities", "tickers", "ledger", "accounts", "api_keys", "usage", "user_items"}
)
# The metadata of a snapshot that `edgar-ingest backups create` made: the prefix that it is of.
METADATA = "edgar_search_prefix"
State = Literal["complete", "partial", "running", "failed"]


class _Shards(Struct):
    index: str


class _Snapshot(Struct):
    """A snapshot as Elasticsearch tells of it; times are milliseconds since 1970."""

    name: str = field(name="snapshot")
    state: str
    start_time_in_millis: int
    end_time_in_millis: int = 0
    indices: list[str] = []
    failures: list[_Shards] = []
    metadata: dict[str, object] = {}


class _Snapshots(Struct):
    snapshots: list[_Snapshot]


class Backup(Struct, frozen=True):
    """A snapshot that has indices of one installation, which are `indices`.

    `damaged` are those of them that lack a shard. `ours` says that `edgar-ingest backups create`
    made it.
    """

    name: str
    state: State
    started_at: datetime
    ended_at: datetime | None
    indices: tuple[str, ...]
    damaged: tuple[str, ...]
    ours: bool


async def backups(engine: Engine, repository: str, prefix: str, names: str = "*") -> list[Backup]:
    """The backups of the installation with this prefix, oldest first: those of a name, or all.

    Raises SettingsError if Elasticsearch does not know the repository, EngineRefuses if the user
    may not look, and as any request.
    """
    path = f"/_snapshot/{quote(repository, safe='')}/{quote(names, safe='*')}"
    found = await engine.administer("GET", f"{path}?ignore_unavailable=true&sort=start_time")
    if found is None:
        raise SettingsError(
            f"EDGAR_SEARCH_BACKUP_REPOSITORY: Elasticsearch has no repository `{repository}`;"
            " register it there, or name one that is"
        )
    snapshots = msgspec.convert(found, _Snapshots).snapshots
    read = [_backup(each, prefix) for each in snapshots]
    return [each for each in read if each.indices]


def newest_complete(found: Iterable[Backup]) -> Backup | None:
    """The complete backup that began last; None if there is none."""
    complete = [each for each in found if each.state == "complete"]
    return max(complete, key=lambda each: each.started_at, default=None)


def _backup(snapshot: _Snapshot, prefix: str) -> Backup:
    indices = [name for name in snapshot.indices if is_index_name(prefix, name)]
    damaged = {each.index for each in snapshot.failures}
    ended = snapshot.end_time_in_millis
    return Backup(
        snapshot.name,
        _state(snapshot.state, prefix, indices),
        datetime.fromtimestamp(snapshot.start_time_in_millis / 1_000, UTC),
        datetime.fromtimestamp(ended / 1_000, UTC) if ended else None,
        tuple(sorted(indices)),
        tuple(name for name in sorted(indices) if name in damaged),
        snapshot.metadata.get(METADATA) == prefix,
    )


def _state(state: str, prefix: str, indices: Iterable[str]) -> State:
    if state == "IN_PROGRESS":
        return "running"
    if state == "SUCCESS" and {parse_index_name(prefix, each).kind for each in indices} >= NEEDED:
        return "complete"
    return "partial" if state in ("SUCCESS", "PARTIAL") else "failed"
