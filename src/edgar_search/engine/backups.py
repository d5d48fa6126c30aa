"""Backups: snapshots of an installation's indices, in a repository registered in Elasticsearch.

The settings name the repository. A backup is complete if it holds every shard of the indices that
must agree with each other or whose data exist nowhere else.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal
from urllib.parse import quote

import msgspec
from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import is_index_name, parse_index_name
from edgar_search.errors import SettingsError
from edgar_search.settings.values import PARTITIONED

# Without any one of these, a restored installation would lack data that cannot be loaded again, or
# its ledger would list filings as loaded that are missing.
NEEDED = frozenset(
    {*PARTITIONED, "entities", "tickers", "ledger", "accounts", "api_keys", "usage", "user_items"}
)
# The field that `edgar-ingest backups create` adds to a snapshot, with the installation's prefix.
METADATA = "edgar_search_prefix"
State = Literal["complete", "partial", "running", "failed"]


class _Shards(Struct):
    index: str


class _Snapshot(Struct):
    """A snapshot in Elasticsearch's reply; times are milliseconds since 1970."""

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
    """A snapshot that contains `indices` of one installation.

    `damaged` are the indices that lack a shard. `ours` is true if `edgar-ingest backups create`
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
    """List the backups of the installation with this prefix whose names match, oldest first.

    Raises SettingsError if Elasticsearch does not know the repository, EngineRefuses if the user
    lacks the right, and the errors of any request.
    """
    path = f"/_snapshot/{quote(repository, safe='')}/{quote(names, safe='*')}"
    reply = await engine.administer("GET", f"{path}?ignore_unavailable=true&sort=start_time")
    if reply is None:
        raise SettingsError(
            f"EDGAR_SEARCH_BACKUP_REPOSITORY: Elasticsearch has no repository `{repository}`;"
            " register it there, or name one that is registered"
        )
    snapshots = msgspec.convert(reply, _Snapshots).snapshots
    read = [_backup(snapshot, prefix) for snapshot in snapshots]
    return [backup for backup in read if backup.indices]


def newest_complete(candidates: Iterable[Backup]) -> Backup | None:
    """Return the complete backup that began last, or None."""
    complete = [backup for backup in candidates if backup.state == "complete"]
    return max(complete, key=lambda backup: backup.started_at, default=None)


def _backup(snapshot: _Snapshot, prefix: str) -> Backup:
    indices = [name for name in snapshot.indices if is_index_name(prefix, name)]
    damaged = {failure.index for failure in snapshot.failures}
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
    if state == "SUCCESS" and {parse_index_name(prefix, index).kind for index in indices} >= NEEDED:
        return "complete"
    return "partial" if state in ("SUCCESS", "PARTIAL") else "failed"
