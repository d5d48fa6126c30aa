"""The years that a query searches."""

from datetime import UTC, datetime
from typing import Any

import pytest

from edgar_search.engine.targets import Years, partitions_of, partitions_of_dates, years_of

THIS = datetime.now(UTC).year


def dated(**bounds: str) -> dict[str, Any]:
    return {"range": {"filing_date": bounds}}


@pytest.mark.parametrize(
    ("query", "years"),
    [
        (None, (None, None)),
        ({"match_all": {}}, (None, None)),
        (dated(gte="2020-02-01"), (2020, None)),
        ({"bool": {"filter": [dated(gte="2020-02-01", lte="2021-01-01")]}}, (2020, 2021)),
        ({"bool": {"filter": dated(lt="2021-01-01"), "must": [{"term": {"a": 1}}]}}, (None, 2021)),
        (
            {
                "bool": {
                    "filter": [dated(gte="2019"), {"bool": {"must": [dated(gte="2021-01-01")]}}]
                }
            },
            (2021, None),
        ),
        (
            {"function_score": {"query": {"bool": {"filter": [dated(lte="2001-01-01")]}}}},
            (None, 2001),
        ),
        ({"constant_score": {"filter": dated(gte="2001-01-01")}}, (2001, None)),
        # What may match without the bound, or must not match, says nothing.
        ({"bool": {"should": [dated(gte="2020-01-01")]}}, (None, None)),
        ({"bool": {"must_not": [dated(gte="2020-01-01")]}}, (None, None)),
        ({"range": {"period": {"gte": "2020-01-01"}}}, (None, None)),
        (dated(gte="now-1y"), (None, None)),
    ],
)
def test_years_that_can_match(query: Any, years: tuple[int | None, int | None]) -> None:
    assert years_of(query) == years


@pytest.mark.parametrize(
    ("years", "known", "asked"),
    [
        (Years(2020, 2021), ["all"], None),
        (Years(None, None), ["2020", "2021"], None),
        (Years(2020, 2021), ["2020", "2021"], None),
        (Years(2020, 2020), ["all", "2019", "2020"], ["all", "2020"]),
        # One that is not known here may have been made by a load in this minute.
        (Years(2020, 2021), ["2019", "2020"], ["all", "2020", "2021"]),
        (Years(THIS, None), ["2019"], ["all", f"{THIS}", f"{THIS + 1}"]),
        (Years(None, 1994), ["1970", "1993", "2020"], ["all", "1993", "1994", "1970"]),
        (Years(1980, 1994), ["1970", "2020"], ["all", "1993", "1994"]),
        (Years(2500, None), ["2020"], ["all"]),
    ],
)
def test_partitions_that_are_asked(years: Years, known: list[str], asked: list[str] | None) -> None:
    assert partitions_of(years, known) == asked


def test_partitions_of_known_dates() -> None:
    assert partitions_of_dates(["2020-01-31", "2020-02-01"], ["2020", "2021"]) == ["all", "2020"]
    # A year that is not known yet may have been made since.
    assert partitions_of_dates(["2022-01-31"], ["2020", "2021"]) == ["all", "2022"]
    assert partitions_of_dates([], ["2020", "2021"]) == ["all"]
    # Nothing is gained where all are asked.
    assert partitions_of_dates(["2020-01-31", "2021-01-31"], ["2020", "2021"]) is None
    assert partitions_of_dates(["2020-01-31"], ["all"]) is None
