"""The snapshots that are closed if others need their places."""

from datetime import UTC, datetime, timedelta

from edgar_search.engine.engine import Stored
from edgar_search.search.snapshots import to_close
from edgar_search.stored.installation import StoredSnapshot

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def stored(key: str, seconds: int) -> Stored[StoredSnapshot]:
    """Return the snapshot of an account, which is the key's letter, that expires after so long."""
    ends = NOW + timedelta(seconds=seconds)
    return Stored(id=key, source=StoredSnapshot(key[0], NOW, ends))


def closed(wanted: int, *found: Stored[StoredSnapshot]) -> list[str]:
    return [each.id for each in to_close(found, wanted, NOW + timedelta(seconds=240))]


def test_least_recently_used_of_who_has_most_is_closed() -> None:
    found = [stored("a1", 10), stored("b1", 50), stored("b2", 40), stored("c1", 20)]
    assert closed(1, *found) == ["b2"]


def test_each_is_of_who_has_most_when_it_is_its_turn() -> None:
    found = [stored("a1", 10), stored("b1", 50), stored("b2", 40), stored("b3", 60)]
    assert closed(3, *found) == ["b2", "b1", "a1"]


def test_snapshots_in_use_count_and_stay() -> None:
    found = [stored("a1", 10), stored("a2", 20), stored("b1", 300), stored("b2", 241)]
    assert closed(4, *found, stored("b3", 240)) == ["b3", "a1", "a2"]


def test_nothing_is_closed_where_all_are_in_use() -> None:
    assert closed(2, stored("a1", 300), stored("a2", 350)) == []
