"""Parts of a company that numbers are of, and their names."""

import pytest

from edgar_search.financials.parts import has_words, is_name_of, part_of, words_of_part

SEGMENTS = "us-gaap:StatementBusinessSegmentsAxis="
OPERATING = "srt:ConsolidationItemsAxis=us-gaap:OperatingSegmentsMember"


@pytest.mark.parametrize(
    ("dimensions", "part"),
    [
        ([f"{SEGMENTS}x:NorthAmericaMember"], "NorthAmerica"),
        ([f"{SEGMENTS}x:NorthAmericaSegmentMember"], "NorthAmericaSegment"),
        (["srt:StatementGeographicalAxis=country:US"], "US"),
        ([OPERATING, f"{SEGMENTS}x:NorthAmericaMember"], "NorthAmerica"),
        ([f"{SEGMENTS}x:NorthAmericaMember", "srt:ProductOrServiceAxis=x:MediaMember"], ""),
        (["moss:RegionAxis=x:NorthAmericaMember"], "NorthAmerica"),
        ([OPERATING], ""),
        ([], ""),
    ],
)
def test_part_of_a_number(dimensions: list[str], part: str) -> None:
    assert part_of(dimensions) == part


@pytest.mark.parametrize(
    ("axis", "part"), [(SEGMENTS, "NorthAmerica"), ("us-gaap:AwardTypeAxis=", "")]
)
def test_part_of_an_axis_that_has_nothing_else(axis: str, part: str) -> None:
    assert part_of([f"{axis}x:NorthAmericaMember"], certain=True) == part


@pytest.mark.parametrize(
    ("name", "part", "is_name"),
    [
        ("North America", "NorthAmerica", True),
        ("north america", "NorthAmericaSegment", True),
        ("iPhone", "IPhone", True),
        ("U.S.", "US", True),
        ("America", "NorthAmerica", False),
        ("", "NorthAmerica", False),
        ("North America", "", False),
        ("", "", False),
    ],
)
def test_name_of_a_part(name: str, part: str, is_name: bool) -> None:
    assert is_name_of(name, part) is is_name


@pytest.mark.parametrize(
    ("words", "has"),
    [
        (["energy"], True),
        (["storages", "energy"], True),
        (["solar", "energy"], False),
        (["member"], False),
    ],
)
def test_words_of_a_question_in_the_name_of_a_part(words: list[str], has: bool) -> None:
    assert has_words(part_of([f"{SEGMENTS}x:EnergyGenerationAndStorageMember"]), words) is has


def test_part_in_words() -> None:
    assert words_of_part("NorthAmericaSegment") == "North America Segment"
