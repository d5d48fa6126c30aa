"""The index versions that are deleted, and the order of their names."""

import pytest

from edgar_search.stored.installation import Stage, StoredRebuild
from ingest.indices.indices import IndexState
from ingest.upkeep.old_versions import choose_versions


def states(kind: str, in_use: int, *others: int, partition: str = "all") -> list[IndexState]:
    """Return versions of one partition, by their number."""
    return [
        IndexState(
            f"x-{kind}.{partition}.v{version}",
            kind,
            partition,
            version,
            current=version == in_use,
            named=version == in_use,
            documents=1,
            bytes=1,
        )
        for version in sorted((in_use, *others))
    ]


def record(stage: Stage, old: int, new: int) -> StoredRebuild:
    return StoredRebuild(stage, f"x-filings.all.v{old}", f"x-filings.all.v{new}", "new")


def names(some: list[IndexState]) -> list[str]:
    return [state.name.removeprefix("x-") for state in some]


def test_versions_are_named_in_the_order_of_the_indices() -> None:
    listed = [
        *states("filings", 11, 2, 9, 10),
        *states("sections", 2, 1, partition="2023"),
        *states("sections", 2, 1, partition="2024"),
    ]
    # Where a switch is known, its old version was looked at last, and is named first all the same.
    found = choose_versions(listed, [record("switched", 10, 11)])
    assert names(found.deleted) == ["filings.all.v2", "filings.all.v9"]
    assert names(found.kept) == ["filings.all.v10", "sections.2023.v1", "sections.2024.v1"]
    found = choose_versions(listed, [record("switched", 10, 11)], previous=True)
    assert [names(found.deleted)[1:3], found.kept] == [["filings.all.v9", "filings.all.v10"], []]


def test_version_that_was_left_by_going_back_is_not_the_one_before() -> None:
    # Of 1 to 2, back to 1; then 1 to 3: 2 was given up, though its number is just below.
    found = choose_versions(states("filings", 3, 1, 2), [record("switched", 1, 3)])
    assert [names(found.deleted), names(found.kept)] == [["filings.all.v2"], ["filings.all.v1"]]


@pytest.mark.parametrize("stage", ["copying", "switching", "going back"])
def test_what_is_under_way_stays(stage: Stage) -> None:
    found = choose_versions(states("filings", 2, 1, 3), [record(stage, 2, 3)], previous=True)
    assert names(found.deleted) == ["filings.all.v1"]
