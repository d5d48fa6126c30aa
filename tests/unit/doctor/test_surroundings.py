"""What the doctor says of settings by themselves."""

import pytest

from edgar_search.doctor.surroundings import look_at_issuer, look_at_settings
from edgar_search.settings import Settings

OF_YEARS = {"EDGAR_SEARCH_PARTITION_FROM": "2010", "EDGAR_SEARCH_SHARDS": "passages.2024=3"}


@pytest.mark.parametrize(
    ("environ", "text"),
    [
        (
            {"EDGAR_SEARCH_PARTITION_FROM": "2010"},
            "EDGAR_SEARCH_PARTITION_FROM=2010 is without effect",
        ),
        (
            {"EDGAR_SEARCH_SHARDS": "documents=2,passages.2024=3"},
            "EDGAR_SEARCH_SHARDS=passages.2024 is without effect",
        ),
        (
            OF_YEARS,
            "EDGAR_SEARCH_SHARDS=passages.2024, EDGAR_SEARCH_PARTITION_FROM=2010"
            " are without effect",
        ),
    ],
)
def test_settings_of_years_that_are_not_apart_are_a_warning(
    environ: dict[str, str], text: str
) -> None:
    found = look_at_settings(Settings.from_environ(environ))
    assert (found.level, found.text) == ("warning", text)
    assert found.remedy == "set EDGAR_SEARCH_PARTITION=year"


@pytest.mark.parametrize(
    "environ",
    [{}, {"EDGAR_SEARCH_SHARDS": "documents=2"}, {**OF_YEARS, "EDGAR_SEARCH_PARTITION": "year"}],
)
def test_settings_with_effect_are_right(environ: dict[str, str]) -> None:
    assert look_at_settings(Settings.from_environ(environ)).level == "ok"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("local", "text"),
    [
        (False, "none is set; tokens are refused"),
        (True, "none but the local one, which is for development"),
    ],
)
async def test_issuer_that_is_not_set_is_told_from_the_local_one(local: bool, text: str) -> None:
    assert (await look_at_issuer(Settings(local_issuer=local))).text == text
