"""The matches of a stored trigger, and their first moment."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import structs

from edgar_search.alerts.triggers import NOTHING_WATCHED, apply_fields, document_criteria
from edgar_search.api.search import search_params
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import DocumentCriteria, FilingCriteria
from edgar_search.search.language import QueryError, parse, query_text, with_forms
from edgar_search.search.reading.names import Names
from edgar_search.stored.filters import DocumentFilters
from edgar_search.stored.user_items import LogPosition, StoredAlertTrigger

MADE, NOW = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)
HERE = LogPosition("an index", 7)
TRIGGER = StoredAlertTrigger(
    "mine", MADE, query="net sales", filters=DocumentFilters(cik=("0000320193",))
)


def test_trigger_matches_what_a_search_with_its_query_and_filters_does() -> None:
    filters = DocumentFilters(("0000320193",), ("AAPL",), ("3571",), ("10-K",))
    assert document_criteria(
        StoredAlertTrigger("all", MADE, "a OR b", filters)
    ) == DocumentCriteria(
        parse("a OR b"),
        FilingCriteria(("0000320193",), ("AAPL",), ("3571",), ("10-K",)),
    )


def test_trigger_finds_forms_where_it_asks_for_them() -> None:
    content = StoredAlertTrigger("all", MADE, "swap", word_forms="all")
    assert document_criteria(content).query == with_forms(parse("swap"), "all") != parse("swap")


def test_trigger_reads_a_question_as_the_search_that_it_was_made_of() -> None:
    raw = {
        "query": ["which pipes did quillfeather paper buy"],
        "word_forms": ["related"],
        "reading": ["person"],
        "form_family": ["8-K"],
    }
    names = Names({"quillfeather paper": ("0009990101",)})
    content = StoredAlertTrigger(
        "pipes",
        MADE,
        raw["query"][0],
        DocumentFilters(form_family=("8-K",)),
        word_forms="related",
        reading="person",
        names=(("quillfeather paper", ("0009990101",)),),
    )
    search = search_params(raw, 100, names).criteria
    assert search.reading is not None and search.reading.question is not None
    # A trigger is asked on no day: what arrives is always of today.
    question = structs.replace(search.reading.question, today=None)
    reading = structs.replace(search.reading, question=question)
    assert document_criteria(content) == structs.replace(search, reading=reading)


def test_trigger_lets_one_of_three_operands_be_absent() -> None:
    content = StoredAlertTrigger("some", MADE, "a b c NOT d", operands="most")
    node = document_criteria(content).query
    assert node is not None
    assert query_text(node) == "((b AND c) OR (a AND c) OR (a AND b)) NOT d"
    both = StoredAlertTrigger("both", MADE, "a b", operands="most")
    assert document_criteria(both).query == parse("a b")


def test_trigger_without_a_query_has_none() -> None:
    content = StoredAlertTrigger("filings", MADE, filters=DocumentFilters(form_type=("8-K",)))
    assert document_criteria(content) == DocumentCriteria(None, FilingCriteria(form_type=("8-K",)))


def test_trigger_without_query_and_filters_is_refused() -> None:
    with pytest.raises(BadRequest) as refused:
        document_criteria(StoredAlertTrigger("nothing", MADE))
    assert str(refused.value) == NOTHING_WATCHED


def test_wrong_query_is_refused_with_its_place() -> None:
    with pytest.raises(QueryError, match="^query: .* at character 3;"):
        document_criteria(StoredAlertTrigger("wrong", MADE, "a ("))


@pytest.mark.parametrize(
    "fields",
    [
        {"query": "net"},
        {"query": None},
        {"word_forms": "all"},
        {"reading": "person"},
        {"operands": "most"},
        {"filters": DocumentFilters()},
        {"filters": DocumentFilters(sic=("3571",))},
        {"query": "net", "enabled": False},
    ],
)
def test_change_of_what_is_matched_begins_anew(fields: dict[str, Any]) -> None:
    assert apply_fields(TRIGGER, fields, NOW, HERE) == structs.replace(
        TRIGGER, **fields, watching_since=NOW, after=HERE
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "other"},
        {"enabled": True},
        {"enabled": False},
        {"query": "net sales", "filters": DocumentFilters(cik=("0000320193",))},
    ],
)
def test_other_change_does_not(fields: dict[str, Any]) -> None:
    assert apply_fields(TRIGGER, fields, NOW, HERE) == structs.replace(TRIGGER, **fields)


def test_trigger_that_is_enabled_again_begins_anew() -> None:
    disabled = structs.replace(TRIGGER, enabled=False)
    assert apply_fields(disabled, {"enabled": True}, NOW, HERE).watching_since == NOW


def test_disabled_trigger_that_stays_so_does_not_begin() -> None:
    disabled = structs.replace(TRIGGER, enabled=False)
    assert apply_fields(disabled, {"name": "x"}, NOW, HERE).watching_since == MADE


def test_change_that_leaves_nothing_to_match_is_refused() -> None:
    with pytest.raises(BadRequest) as refused:
        apply_fields(TRIGGER, {"query": None, "filters": DocumentFilters()}, NOW, HERE)
    assert str(refused.value) == NOTHING_WATCHED


@pytest.mark.parametrize(
    ("after", "place", "expected"),
    [
        (LogPosition("one", 7), LogPosition("one", 8), True),
        (LogPosition("one", 7), LogPosition("one", 6), False),
        (LogPosition("one", 7), LogPosition("another", 6), True),
        (None, LogPosition("one", 0), True),
    ],
)
def test_trigger_sees_what_arrived_behind_its_place(
    after: LogPosition | None, place: LogPosition, expected: bool
) -> None:
    assert structs.replace(TRIGGER, after=after).covers(place) is expected
