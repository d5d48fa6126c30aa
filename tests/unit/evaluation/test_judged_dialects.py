"""Judged queries of other systems keep their meanings, and what is lost is named."""

from collections import Counter

import pytest

from edgar_search.search.language.dialects import DIALECTS, guess
from evaluation.dialects import JudgedDialect, judged_dialects, read_as


def test_each_language_has_queries_some_with_exclusions() -> None:
    judged = judged_dialects()
    assert len(judged) == 42
    assert all(Counter(each.dialect for each in judged)[name] >= 8 for name in DIALECTS)
    assert sum(bool(each.excluded) for each in judged) >= 10


@pytest.mark.parametrize("judged", judged_dialects(), ids=lambda judged: judged.query)
def test_query_of_another_system_has_its_meaning(judged: JudgedDialect) -> None:
    assert read_as(judged, judged.dialect).text == judged.meaning


@pytest.mark.parametrize(
    "judged", [each for each in judged_dialects() if each.excluded], ids=lambda judged: judged.query
)
def test_no_page_demands_a_word_that_is_to_be_excluded(judged: JudgedDialect) -> None:
    assert read_as(judged, guess(judged.query)).kind != "opposite"


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("fraud NOT settlement", "right"),
        ("fraud NOT settlement date(aft 1/1/2020)", "named"),
        ("fraud OR trial", "other"),
        ("fraud settlement", "opposite"),
        ("NOT settlement", "refused"),
    ],
)
def test_kinds_of_readings(query: str, kind: str) -> None:
    judged = JudgedDialect("lexis", query, "fraud NOT settlement", "settlement")
    assert read_as(judged, "lexis").kind == kind
