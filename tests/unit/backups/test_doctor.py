"""The doctor's findings about the last backup, by its age."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from edgar_search.doctor.indices import look_at_backups
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, IndexName, index_name
from edgar_search.errors import EngineRefuses
from edgar_search.settings import Settings

pytestmark = pytest.mark.anyio
SETTINGS = Settings(backup_repository="nightly")


class Repository:
    """An engine whose repository has complete backups of these ages in hours."""

    def __init__(self, *hours: float) -> None:
        indices = [index_name("edgar-", IndexName(kind, "all", 1)) for kind in KINDS]
        moments = [datetime.now(UTC) - timedelta(hours=hour) for hour in hours]
        times = [int(moment.timestamp() * 1_000) for moment in moments]
        self._found: Any = {
            "snapshots": [
                {
                    "snapshot": f"s{number}",
                    "state": "SUCCESS",
                    "indices": indices,
                    "start_time_in_millis": each,
                    "end_time_in_millis": each,
                }
                for number, each in enumerate(times)
            ]
        }

    async def administer(self, method: str, path: str) -> Any:
        return self._found


class Missing(Repository):
    """An engine that knows no such repository."""

    async def administer(self, method: str, path: str) -> Any:
        return None


class Refusing(Repository):
    """An engine that does not let the user look."""

    async def administer(self, method: str, path: str) -> Any:
        raise EngineRefuses("no")


@pytest.mark.parametrize(
    ("repository", "level", "text"),
    [
        (Repository(60, 30), "ok", "the last complete one, s1, is 30 hours old"),
        (Repository(90, 60), "warning", "the last complete one, s1, is 60 hours old"),
        (Repository(), "warning", "there is none yet in `nightly`"),
        (Refusing(), "warning", "those in `nightly` could not be checked"),
        (
            Missing(),
            "wrong",
            "EDGAR_SEARCH_BACKUP_REPOSITORY: Elasticsearch has no repository `nightly`; register it"
            " there, or name one that is registered",
        ),
    ],
)
async def test_last_backup_is_named_with_its_age(
    repository: Repository, level: str, text: str
) -> None:
    (found,) = await look_at_backups(cast(Engine, repository), SETTINGS)
    assert (found.level, found.text) == (level, text)


async def test_no_repository_is_a_warning_with_what_it_would_take() -> None:
    (found,) = await look_at_backups(cast(Engine, Repository()), Settings())
    assert (found.level, found.text) == (
        "warning",
        "there are none: EDGAR_SEARCH_BACKUP_REPOSITORY is not set",
    )
    assert "`path.repo`" in found.remedy
