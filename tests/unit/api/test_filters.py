"""Filters: declared once, each with its parameter, its clause and its look."""

from msgspec import structs

from edgar_search.api.parameters.filters import FROM_DATE, TO_DATE, UNDATED_FILTERS
from edgar_search.api.search import SEARCH
from edgar_search.search.filters import FILTERS
from edgar_search.stored.filters import DocumentFilters
from edgar_search.web.pages import search_results

FIELDS = {field.name for field in structs.fields(DocumentFilters)}
DATES = {FROM_DATE.name, TO_DATE.name}


def test_each_filter_has_a_parameter_and_a_clause() -> None:
    assert {each.name for each in UNDATED_FILTERS} == FIELDS
    assert {name for each in FILTERS for name in each.names} == FIELDS | DATES


def test_each_filter_of_a_search_has_its_look() -> None:
    looks = {
        parameter.name: parameter.shown
        for parameter in SEARCH.parameters
        if parameter.name in FIELDS | DATES
    }
    assert looks.keys() == FIELDS | DATES
    assert [name for name, shown in looks.items() if not (shown and shown.label)] == []


def test_each_filter_of_a_search_can_be_left_out() -> None:
    left_out = {name for names in search_results.GROUPS_OF_FILTERS.values() for name in names}
    others = {"ids", "word_forms", "operands", "reading", "with"}
    assert left_out == FIELDS | DATES | others
