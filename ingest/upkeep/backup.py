"""Backups: taken of all indices of the installation, and deleted when they are old."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from edgar_search.engine.backups import METADATA, Backup, backups, newest_complete
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import is_index_name, parse_index_name
from edgar_search.errors import EngineRefuses, SettingsError
from edgar_search.settings import Settings
from ingest.loading.retry import Retry

_log = logging.getLogger(__name__)
# Seconds between checks whether Elasticsearch has finished, and between lines of progress.
POLL_SECONDS = 1.0
LINE_SECONDS = 30.0


def repository_of(settings: Settings) -> str:
    """Return the repository of the settings; raises SettingsError if they name none."""
    if settings.backup_repository is None:
        raise SettingsError(
            "EDGAR_SEARCH_BACKUP_REPOSITORY: name the snapshot repository of Elasticsearch that"
            " backups are in"
        )
    return settings.backup_repository


async def indices_in_use(engine: Engine, prefix: str) -> list[str]:
    """Return the indices in use, without former versions and copies under way."""
    installed = await installed_indices(engine, prefix)
    return sorted(
        name
        for name, aliases in installed.items()
        if prefix + parse_index_name(prefix, name).kind in aliases
    )


async def installed_indices(engine: Engine, prefix: str) -> dict[str, frozenset[str]]:
    """Return all indices of the installation with their aliases."""
    reply = await engine.administer("GET", f"/{prefix}*/_alias") or {}
    return {
        name: frozenset(index["aliases"])
        for name, index in reply.items()
        if is_index_name(prefix, name)
    }


async def take_backup(engine: Engine, settings: Settings, now: datetime) -> Backup:
    """Take a snapshot of all indices in use and wait for it; it names the ones that lack a shard.

    If one of this installation is under way, wait for that instead. Raises EngineRefuses if the
    installation has no indices, and the errors of `backups`.
    """
    repository, retry = repository_of(settings), Retry(settings.load_patience)
    existing = await backups(engine, repository, settings.prefix)
    running = [backup.name for backup in existing if backup.ours and backup.state == "running"]
    if running:
        _log.info("%s is under way already", running[-1])
        return await _wait_for(engine, settings, repository, running[-1], retry)
    indices = await indices_in_use(engine, settings.prefix)
    if not indices:
        raise EngineRefuses(f"there are no indices with the prefix {settings.prefix} to back up")
    name = f"{settings.prefix}{now:%Y.%m.%d-%H%M%S}"
    snapshot = {
        "indices": indices,
        # If an index is deleted meanwhile or has lost a shard, the others are saved.
        "ignore_unavailable": True,
        "partial": True,
        "include_global_state": False,
        "metadata": {METADATA: settings.prefix},
    }
    await engine.administer(
        "PUT", f"{snapshot_path(repository, name)}?wait_for_completion=false", snapshot
    )
    return await _wait_for(engine, settings, repository, name, retry)


async def delete_old(engine: Engine, settings: Settings, now: datetime) -> list[str]:
    """Delete backups that are older than the settings allow; return their names.

    The newest complete one stays, and so does every one not made by `edgar-ingest backups create`.
    """
    repository = repository_of(settings)
    existing = await backups(engine, repository, settings.prefix)
    newest = newest_complete(backup for backup in existing if backup.ours)
    oldest = now - timedelta(days=settings.backup_days)
    old = [
        backup.name
        for backup in existing
        if backup.ours
        and backup.started_at < oldest
        and backup.state != "running"
        and backup != newest
    ]
    for name in old:
        await engine.administer("DELETE", snapshot_path(repository, name))
    return old


async def _wait_for(
    engine: Engine, settings: Settings, repository: str, name: str, retry: Retry
) -> Backup:
    """Wait until the backup of this name has ended; return it."""
    began = datetime.now(UTC)
    reported_at = began
    while True:
        (backup,) = await retry(backups, engine, repository, settings.prefix, name)
        if backup.state != "running":
            return backup
        if datetime.now(UTC) - reported_at > timedelta(seconds=LINE_SECONDS):
            reported_at = datetime.now(UTC)
            _log.info("%s: under way for %d s", name, (reported_at - began).total_seconds())
        await asyncio.sleep(POLL_SECONDS)


def snapshot_path(repository: str, name: str) -> str:
    return f"/_snapshot/{quote(repository, safe='')}/{quote(name, safe='')}"
