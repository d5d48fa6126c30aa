"""Header fields and document lists, value by value, against other readings of them."""

from datetime import date
from pathlib import Path

import pytest

from tests.fidelity import edgar_json, explained, facts
from tests.fidelity.comparison import Comparison
from tests.fidelity.explained import unexplained
from tests.fidelity.header_lines import utc


def test_all_facts_of_all_submissions(corpus: Path) -> None:
    found = facts.filings(corpus)
    assert found.differences == {}
    assert (found.files, found.compared > 39_000) == (583, True)


def test_bodies_of_all_documents(corpus: Path) -> None:
    found = facts.bodies(corpus)
    assert found.differences == {}
    assert found.compared > 2_300


def test_all_facts_of_headers_alone(corpus: Path) -> None:
    found = facts.headers(corpus)
    assert found.differences == {}
    assert (found.files, found.compared > 3_600) == (98, True)


def test_both_dialects_say_the_same(corpus: Path) -> None:
    found = facts.dialects(corpus)
    assert found.differences == {}
    assert (found.files, found.compared > 250) == (6, True)


def test_documents_in_their_wrappers(corpus: Path) -> None:
    found = facts.wrapped(corpus)
    assert unexplained(found.differences, explained.WRAPPED) == []
    assert found.files == 82


def test_submissions_json(corpus: Path) -> None:
    found = edgar_json.submissions_json(corpus)
    assert unexplained(found.differences, explained.SUBMISSIONS_JSON) == []
    assert (found.files, found.compared > 400) == (51, True)
    shifted = [pair for name, pair in found.differences.items() if name.endswith(" accepted")]
    assert [own for own, _ in shifted] == [utc(told or "") for _, told in shifted]


def test_former_names_are_dated_by_their_beginning(corpus: Path) -> None:
    dated = edgar_json.former_names(corpus)
    assert len(dated) == 9
    for since, first_used, last_used in dated.values():
        assert abs(since - first_used) < abs(since - last_used)


@pytest.mark.parametrize(
    ("eastern", "expected"),
    [
        ("20210104171500", "20210104221500"),
        ("20210704171500", "20210704211500"),
        ("20060402030000", "20060402070000"),
        ("20060401230000", "20060402040000"),
        ("20061029010000", "20061029050000"),
        ("20070311030000", "20070311070000"),
        ("20071104030000", "20071104080000"),
    ],
)
def test_second_reader_knows_summer_time(eastern: str, expected: str) -> None:
    assert utc(eastern) == expected


def test_explanations_are_held_both_ways() -> None:
    reasons = {r"a \d": "known", r"b \d": "nothing is like that any more"}
    assert unexplained(["a 1", "c 1"], reasons) == ["c 1", r"stale: b \d"]


def test_comparison_sees_what_differs_and_what_one_side_lacks() -> None:
    found = Comparison()
    found.add("f", {"a": "1", "b": "2"}, {"b": "3", "c": "4"})
    assert (found.files, found.compared) == (1, 3)
    assert found.differences == {"f a": ("1", None), "f b": ("2", "3"), "f c": (None, "4")}


def test_dates_of_former_names_are_days() -> None:
    assert edgar_json.day("2019-12-04T05:00:00.000Z") == date(2019, 12, 4)
