"""The settings of an index that are not in its template."""

import pytest

from edgar_search.settings import Settings
from ingest.indices.indices import own_settings

SETTINGS = Settings(partition="year", shards="documents=2", compress_before=2020)
COMPRESSED = {"index.codec": "best_compression"}


@pytest.mark.parametrize(
    ("kind", "partition", "expected"),
    [
        ("passages", "2019", COMPRESSED),
        ("passages", "2020", {}),
        ("passages", "all", {}),
        ("documents", "2019", {"index.number_of_shards": "2", **COMPRESSED}),
        ("history", "2019-12", {}),
    ],
)
def test_years_that_are_over_are_compressed(
    kind: str, partition: str, expected: dict[str, str]
) -> None:
    assert own_settings(SETTINGS, kind, partition) == expected


def test_nothing_is_compressed_by_default() -> None:
    assert own_settings(Settings(partition="year"), "passages", "1994") == {}
