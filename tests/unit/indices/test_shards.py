"""The number of shards of each index, by the setting."""

import pytest

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import number_of_shards, shards_of


def test_year_has_its_own_number_and_others_that_of_the_kind() -> None:
    shards = shards_of("documents=2, documents.2024=5,passages.1999=3")
    found = [
        number_of_shards(shards, kind, partition)
        for kind in ("documents", "passages")
        for partition in ("1999", "2024", "all")
    ]
    assert found == [2, 5, 2, 3, None, None]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("documents", "`documents` is not valid"),
        ("documents=0", "`documents=0` is not valid"),
        ("documents=1025", "`documents=1025` is not valid"),
        ("documents=-1", "`documents=-1` is not valid"),
        ("documents=٣", "`documents=٣` is not valid"),
        ("documents.24=2", "`documents.24=2` is not valid"),
        ("arrivals=2", "arrivals is not one of filings, documents, passages, sections"),
        ("documents=1,documents=2", "documents is given twice"),
    ],
)
def test_others_are_refused_by_the_name_of_the_variable(text: str, what: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_environ({"EDGAR_SEARCH_SHARDS": text})
    assert str(caught.value).startswith(f"EDGAR_SEARCH_SHARDS: {what}")
