"""The snapshots that are backups of an installation, and the newest complete one."""

from typing import Any

import msgspec
import pytest

from edgar_search.engine import backups as module
from edgar_search.engine.backups import NEEDED, Backup, newest_complete

INDICES = [f"edgar-{kind}.all.v1" for kind in sorted(NEEDED)]


def read(**changes: Any) -> Backup:
    """Return the backup read from a snapshot as Elasticsearch describes it."""
    told = {
        "snapshot": "one",
        "state": "SUCCESS",
        "start_time_in_millis": 1_700_000_000_000,
        "end_time_in_millis": 1_700_000_060_000,
        "indices": INDICES,
        **changes,
    }
    return module._backup(msgspec.convert(told, module._Snapshot), "edgar-")


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "complete"),
        ({"indices": INDICES[1:]}, "partial"),
        ({"state": "PARTIAL"}, "partial"),
        ({"state": "IN_PROGRESS", "end_time_in_millis": 0}, "running"),
        ({"state": "FAILED"}, "failed"),
        ({"state": "INCOMPATIBLE"}, "failed"),
    ],
)
def test_complete_is_what_has_all_that_must_agree(changes: dict[str, Any], state: str) -> None:
    assert read(**changes).state == state


def test_indices_are_those_of_the_installation() -> None:
    other = ["edgar-2-filings.all.v1", ".security", "edgar-filings"]
    backup = read(
        indices=[*INDICES, *other],
        failures=[{"index": INDICES[0]}, {"index": INDICES[0]}, {"index": other[0]}],
        state="PARTIAL",
    )
    assert backup.indices == tuple(INDICES)
    assert backup.damaged == (INDICES[0],)


def test_only_a_backup_with_this_prefix_is_ours() -> None:
    assert read(metadata={"edgar_search_prefix": "edgar-"}).ours
    assert not read(metadata={"edgar_search_prefix": "edgar-2-"}).ours
    assert not read().ours


def test_newest_complete_one_is_the_last_that_began() -> None:
    first, second = read(), read(snapshot="two", start_time_in_millis=1_700_000_100_000)
    partial = read(state="PARTIAL", start_time_in_millis=1_700_000_200_000)
    assert newest_complete([second, first, partial]) == second
    assert newest_complete([partial]) is None
