"""Names of aliases, partitions and indices."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.engine.index_names import (
    KINDS,
    IndexName,
    index_name,
    month_of,
    parse_index_name,
    partition_of,
    read_alias,
    write_alias,
)
from edgar_search.errors import SettingsError

PREFIXES = st.from_regex(r"[a-z][a-z0-9_-]{0,20}", fullmatch=True)
YEARS = st.integers(1993, 9999).map(str)
MONTHS = st.dates().map(month_of)
NAMES = st.builds(
    IndexName, st.sampled_from(KINDS), st.just("all") | YEARS | MONTHS, st.integers(min_value=1)
)


def test_the_three_names_of_one_index() -> None:
    assert read_alias("edgar-", "documents") == "edgar-documents"
    assert write_alias("edgar-", "documents", "2024") == "edgar-documents.2024"
    assert index_name("edgar-", IndexName("documents", "2024", 3)) == "edgar-documents.2024.v3"


@given(prefix=PREFIXES, name=NAMES)
def test_parsing_is_the_inverse_of_building(prefix: str, name: IndexName) -> None:
    assert parse_index_name(prefix, index_name(prefix, name)) == name


@given(prefix=PREFIXES, text=st.from_regex(r"[a-z_]+\.([a-z]+|[0-9]+)\.v[0-9]+", fullmatch=True))
def test_what_is_parsed_is_built_again(prefix: str, text: str) -> None:
    try:
        name = parse_index_name(prefix, prefix + text)
    except SettingsError:
        return
    assert index_name(prefix, name) == prefix + text


@pytest.mark.parametrize(
    "text",
    [
        "documents.all.v1",
        "other-documents.all.v1",
        "edgar-documents",
        "edgar-documents.all",
        "edgar-documents.all.v",
        "edgar-documents.all.v0",
        "edgar-documents.all.v01",
        "edgar-documents.all.v1x",
        "edgar-documents.all.v1\n",
        "edgar-documents.all.v\u0661",
        "edgar-documents.latest.v1",
        "xedgar-documents.all.v1",
    ],
)
def test_name_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="is not an index of the installation with the prefix"):
        parse_index_name("edgar-", text)


def test_installation_whose_prefix_begins_with_ours_is_not_ours() -> None:
    theirs = index_name("edgar-test_", IndexName("documents", "all", 1))
    with pytest.raises(SettingsError):
        parse_index_name("edgar-", theirs)


def test_filings_share_one_partition_by_default() -> None:
    assert partition_of("none", date(2024, 1, 31)) == "all"


def test_filings_lie_by_year_where_that_is_set() -> None:
    assert partition_of("year", date(2024, 1, 31)) == "2024"
    assert partition_of("year", date(1, 1, 1)) == "0001"


def test_years_before_the_first_one_share_a_partition() -> None:
    days = (date(2019, 12, 31), date(2020, 1, 1), date(2024, 1, 31))
    assert [partition_of("year", day, 2020) for day in days] == ["all", "2020", "2024"]
    assert partition_of("none", date(2024, 1, 31), 2020) == "all"
