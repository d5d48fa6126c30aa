"""The places that an archive may have."""

from pathlib import Path

import pytest

from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import ArchivePlace, archive_place


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (
            "file:///srv/the%20archive",
            ArchivePlace(Path("/srv/the archive"), "file:///srv/the%20archive"),
        ),
        ("s3://bucket/a/prefix/", ArchivePlace(None, "s3://bucket/a/prefix")),
        ("gs://bucket", ArchivePlace(None, "gs://bucket")),
        ("az://container/prefix", ArchivePlace(None, "az://container/prefix")),
    ],
)
def test_place_of_an_address(url: str, place: ArchivePlace) -> None:
    assert archive_place(url) == place


@pytest.mark.parametrize(
    "url",
    [
        *("/srv/archive", "file://srv/archive", "file:///", "s3://", "s3:///prefix", "s3:bucket"),
        *("https://bucket.s3.amazonaws.com/", "memory:///x", "s3://a b/c", "s3://[/x"),
        *("s3://bucket:9000/x", "s3://bucket/x?versionId=1", "s3://bucket/x#y"),
    ],
)
def test_other_addresses_are_refused_by_the_name_of_the_variable(url: str) -> None:
    with pytest.raises(SettingsError, match=r"^EDGAR_SEARCH_ARCHIVE_URL: .* write file:///folder"):
        Settings.from_environ({"EDGAR_SEARCH_ARCHIVE_URL": url})


def test_credentials_in_an_address_are_refused_and_not_repeated() -> None:
    with pytest.raises(SettingsError, match="must not hold a user") as caught:
        Settings.from_environ({"EDGAR_SEARCH_ARCHIVE_URL": "s3://key:hidden@bucket/x"})
    assert "hidden" not in str(caught.value)


def test_archive_is_in_the_home_where_nothing_is_set(tmp_path: Path) -> None:
    place = Settings(home=tmp_path).archive_place
    assert place.folder == tmp_path.resolve() / "archive"
