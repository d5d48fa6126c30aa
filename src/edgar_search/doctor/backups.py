"""The last backup: that there is one, and how old it is."""

from datetime import UTC, datetime, timedelta

from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.backups import Backup, backups, newest_complete
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineRefuses, SettingsError
from edgar_search.settings import Settings

# Backups are made each night; one that failed is no reason to be called, two are.
_OLD = timedelta(days=2)
_SEE = "see Backups in docs/operations.md"


async def look_at_backups(engine: Engine, settings: Settings) -> list[Finding]:
    """One finding; no more than a warning if backups are not set up."""
    repository = settings.backup_repository
    if repository is None:
        text = "there are none: EDGAR_SEARCH_BACKUP_REPOSITORY is not set"
        remedy = (
            "name a folder or bucket in Elasticsearch's `path.repo`, register it as a snapshot"
            f" repository and set its name: {_SEE}"
        )
        return [warning("backups", text, remedy)]
    try:
        found = await backups(engine, repository, settings.prefix)
    except SettingsError as error:
        return [wrong("backups", str(error), _SEE)]
    except EngineRefuses:
        text = f"those in `{repository}` could not be looked at"
        return [warning("backups", text, "run this with the user of the backups")]
    return [_age(newest_complete(found), len(found), repository)]


def _age(newest: Backup | None, number: int, repository: str) -> Finding:
    make = "run `edgar-ingest backups create`"
    if newest is None:
        found = f"none of {number} is complete" if number else "there is none yet"
        return warning("backups", f"{found} in `{repository}`", make)
    age = datetime.now(UTC) - (newest.ended_at or newest.started_at)
    hours = age / timedelta(hours=1)
    text = f"the last complete one, {newest.name}, is {hours:.0f} hours old"
    return warning("backups", text, make) if age > _OLD else ok("backups", text)
