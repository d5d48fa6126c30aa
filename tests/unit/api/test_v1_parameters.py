"""The parameters of the v1 endpoints."""

from datetime import date

import pytest

from edgar_search.api.lookup import lookup_params
from edgar_search.api.search import search_params
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentSearch,
    FilingCriteria,
    FilingSearch,
    Window,
)
from edgar_search.search.language import Word
from tests.support.refusals import NO_QUERY

WINDOW = 100_000
LOOKUP_NAMES = (
    "api_key, cik, ciks, ticker, tickers, sic, sics, form_type, form_types, formType, from_date,"
    " to_date, form_family, form_families, company, state, states,"
    " incorporation_state, incorporation_states, item, items, auditor, auditors, figures,"
    " currency, with, limit, include, cursor, snapshot"
)
SEARCH_NAMES = (
    "api_key, query, cik, ciks, ticker, tickers, sic, sics, form_type, form_types, formType,"
    " from_date, to_date, form_family, form_families, company, state, states,"
    " incorporation_state, incorporation_states, item, items, auditor, auditors,"
    " period_from, period_to, fiscal_year, fiscal_years,"
    " document_type, document_types, primary, original, figures, currency, with, word_forms,"
    " reading, dialect, ids,"
    " document_ids,"
    " limit, offset, sort, include, snippets, operands, group_by, cursor, snapshot"
)


def lookup(**raw: str) -> FilingSearch:
    return lookup_params({name: [value] for name, value in raw.items()})


def search(**raw: str) -> DocumentSearch:
    return search_params({name: [value] for name, value in raw.items()}, WINDOW)


def lookup_refusal(**raw: str) -> str:
    with pytest.raises(BadRequest) as caught:
        lookup(**raw)
    return str(caught.value)


def search_refusal(**raw: str) -> str:
    with pytest.raises(BadRequest) as caught:
        search(**raw)
    return str(caught.value)


def test_lookup_with_everything() -> None:
    params = lookup(
        cik="0000320193",
        ticker="aapl, msft",
        sic="3571",
        form_type="10-k",
        from_date="2024-01-01",
        to_date="2024-12-31",
        limit="7",
    )
    filters = FilingCriteria(
        cik=("0000320193",),
        ticker=("AAPL", "MSFT"),
        sic=("3571",),
        form_type=("10-K",),
        from_date=date(2024, 1, 1),
        to_date=date(2024, 12, 31),
    )
    assert params == FilingSearch(filters, Window(0, 7))


def test_lookup_returns_a_thousand_filings_at_most() -> None:
    assert lookup(sic="3571").window.size == 1000


@pytest.mark.parametrize("name", ["cik", "ticker", "sic", "form_type"])
def test_lookup_needs_one_filter_only(name: str) -> None:
    assert lookup(**{name: "0000000001" if name == "cik" else "1"}).window.size == 1000


@pytest.mark.parametrize("raw", [{}, {"cik": ","}, {"from_date": "2024-01-01"}, {"limit": "5"}])
def test_lookup_without_a_filter_is_refused(raw: dict[str, str]) -> None:
    assert lookup_refusal(**raw) == "at least one of cik, ticker, sic, form_type must be given"


def test_lookup_refuses_a_cik_without_its_zeros() -> None:
    assert lookup_refusal(cik="320193") == (
        "`cik` must be a CIK of 10 digits, padded with zeros, not 320193"
    )


def test_lookup_takes_dates_only() -> None:
    assert lookup_refusal(sic="1", to_date="2024-01-01T00:00:00Z") == (
        "`to_date` must be a date in the format YYYY-MM-DD, not `2024-01-01T00:00:00Z`"
    )


@pytest.mark.parametrize("limit", ["0", "1001"])
def test_lookup_refuses_a_limit_out_of_bounds(limit: str) -> None:
    expected = f"`limit` must be from 1 to 1000, not {limit}"
    assert lookup_refusal(sic="1", limit=limit) == expected


@pytest.mark.parametrize("name", ["query", "ids", "document_ids", "offset", "sort"])
def test_lookup_refuses_what_it_does_not_know(name: str) -> None:
    assert lookup_refusal(**{name: "1"}) == f"`{name}` is not a parameter; known are {LOOKUP_NAMES}"


def test_search_with_everything() -> None:
    params = search(
        query="goodwill",
        cik="320193",
        ticker="Aapl",
        ids="0000320193-24-000001-1, 0000320193-24-000001-2",
        sic="3571",
        formType="10-k,8-k",
        from_date="2024-01-01T10:00:00Z",
        to_date="2024-12-31",
        limit="100",
        offset="40",
    )
    filters = FilingCriteria(
        cik=("0000320193",),
        ticker=("AAPL",),
        sic=("3571",),
        form_type=("10-K", "8-K"),
        from_date=date(2024, 1, 1),
        to_date=date(2024, 12, 31),
    )
    ids = ("0000320193-24-000001-1", "0000320193-24-000001-2")
    assert params == DocumentSearch(
        DocumentCriteria(Word("goodwill", 1), filters, ids), Window(40, 140)
    )


def test_search_has_twenty_hits_from_the_first_by_default() -> None:
    assert search(query="a") == DocumentSearch(
        DocumentCriteria(Word("a", 1), FilingCriteria(), ()), Window(0, 20)
    )


@pytest.mark.parametrize("raw", [{}, {"query": ""}, {"query": " \t"}])
def test_search_without_a_query_is_refused(raw: dict[str, str]) -> None:
    assert search_refusal(**raw) == NO_QUERY


def test_two_queries_are_refused() -> None:
    with pytest.raises(BadRequest, match="^`query` may be given only once, not 2 times$"):
        search_params({"query": ["a", "b"]}, WINDOW)


def test_position_in_a_query_counts_its_leading_blanks() -> None:
    assert search_refusal(query="  (a").startswith(
        "query: a parenthesis that is never closed at character 3;"
    )


@pytest.mark.parametrize("limit", ["0", "101", "-1"])
def test_search_refuses_a_limit_out_of_bounds(limit: str) -> None:
    expected = f"`limit` must be from 1 to 100, not {limit}"
    assert search_refusal(query="a", limit=limit) == expected


def test_search_refuses_a_limit_that_is_not_a_number() -> None:
    expected = "`limit` must be a whole number from 1 to 100, not `x`"
    assert search_refusal(query="a", limit="x") == expected


def test_search_refuses_a_negative_offset() -> None:
    assert search_refusal(query="a", offset="-1") == "`offset` must be at least 0, not -1"


def test_pages_go_as_far_as_the_window() -> None:
    assert search(query="a", offset="99980").window.start == 99_980


@pytest.mark.parametrize("offset", ["99981", "100000", "9" * 18, "9" * 30])
def test_page_past_the_window_is_refused_with_the_bound(offset: str) -> None:
    assert search_refusal(query="a", offset=offset) == (
        "`offset` plus `limit` must be at most 100000; narrow the search"
    )


@pytest.mark.parametrize(("value", "expected"), [(None, "all"), ("all", "all"), (" most ", "most")])
def test_operands(value: str | None, expected: str) -> None:
    given = {} if value is None else {"operands": value}
    assert search(query="a", **given).operands == expected


@pytest.mark.parametrize("value", ["some", "MOST", "all,most"])
def test_operands_are_all_or_most(value: str) -> None:
    expected = f"`operands` must be one of all, most, not `{value}`"
    assert search_refusal(query="a", operands=value) == expected


@pytest.mark.parametrize("name", ["q", "sort_by", "page", "document_id"])
def test_search_refuses_what_it_does_not_know(name: str) -> None:
    expected = f"`{name}` is not a parameter; known are {SEARCH_NAMES}"
    assert search_refusal(**{"query": "a", name: "1"}) == expected


@pytest.mark.parametrize(
    ("spelling", "value", "filters"),
    [
        ("ciks", "0000000001", FilingCriteria(cik=("0000000001",))),
        ("tickers", "a", FilingCriteria(ticker=("A",))),
        ("sics", "1", FilingCriteria(sic=("0001",))),
        ("form_types", "10-k", FilingCriteria(form_type=("10-K",))),
        ("formType", "10-k", FilingCriteria(form_type=("10-K",))),
        ("form_family", "10-k,10-K/A", FilingCriteria(form_family=("10-K",))),
        ("form_families", "sc 13d/a", FilingCriteria(form_family=("SC 13D",))),
        ("state", "vt,X0", FilingCriteria(state=("VT", "X0"))),
        ("states", "vt", FilingCriteria(state=("VT",))),
        ("item", "5.02,Item 2.02", FilingCriteria(item=("5.02", "2.02"))),
        ("items", "12", FilingCriteria(item=("12",))),
        ("company", "Marble & Moss", FilingCriteria(company="Marble & Moss")),
    ],
)
def test_both_endpoints_take_the_other_spellings(
    spelling: str, value: str, filters: FilingCriteria
) -> None:
    raw = {spelling: value}
    found = lookup(**raw).criteria, search(query="a", **raw).criteria.filings
    assert found == (filters, filters)


def test_document_ids_are_another_spelling_of_ids() -> None:
    assert search(query="a", document_ids="x,y").criteria.ids == ("x", "y")


def test_forms_of_words_are_asked_for() -> None:
    exact = search(query="swap").criteria.query
    assert exact == search(query="swap", word_forms="exact").criteria.query == Word("swap", 1)
    found = search(query="swap", word_forms="all").criteria.query
    assert isinstance(found, Word) and "swaps" in found.forms


def test_other_word_forms_are_refused() -> None:
    expected = "`word_forms` must be one of exact, all, related, not `some`"
    assert search_refusal(query="swap", word_forms="some") == expected


def test_filters_of_documents() -> None:
    criteria = search(query="a", document_type="ex-99.1,EX-99.1", primary="true").criteria.filings
    assert (criteria.document_type, criteria.primary) == (("EX-99.1",), True)


@pytest.mark.parametrize(
    ("sort", "field", "order"),
    [
        ("relevance", "_score", "desc"),
        ("newest", "filing_date", "desc"),
        ("oldest", "filing_date", "asc"),
    ],
)
def test_ways_to_sort(sort: str, field: str, order: str) -> None:
    asked = search(query="a", sort=sort)
    assert (asked.sort_by, asked.order) == (field, order)


def test_included_fields_are_kept_in_their_order() -> None:
    assert search(query="a", include="url,period,url").details == ("url", "period")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "state",
            "Vermont",
            "must be a code of EDGAR's for a state, such as NY or X0, not `VERMONT`",
        ),
        ("item", "5.2", "must be an item of an 8-K, such as 5.02, not `5.2`"),
        ("company", "& -", "has no word; give words of the company's name"),
        ("company", "x" * 301, "may have at most 300 characters, not 301"),
        ("primary", "yes", "must be true or false, not `yes`"),
        ("snippets", "6", "must be from 0 to 5, not 6"),
        ("sort", "best", "must be one of relevance, newest, oldest, not `best`"),
        (
            "include",
            "period,score",
            "may have document_type, description, period, accepted_at, eight_k_items, primary, url,"
            " edgar_url, lacks, size, auditor, auditor_location, auditor_firm_id, section,"
            " withdrawn, offsets, citation, not `score`",
        ),
    ],
)
def test_values_of_new_parameters_that_are_refused(name: str, value: str, message: str) -> None:
    assert search_refusal(**{"query": "a", name: value}) == f"`{name}` {message}"


@pytest.mark.parametrize(("limit", "snippets"), [("40", "5"), ("66", "3"), ("100", "2")])
def test_page_may_have_two_hundred_snippets(limit: str, snippets: str) -> None:
    asked = search(query="a", limit=limit, snippets=snippets)
    assert (asked.window.size, asked.snippets) == (int(limit), int(snippets))


@pytest.mark.parametrize(
    ("limit", "snippets", "given", "right"),
    [("41", "5", "205 (41 times 5)", "40"), ("67", "3", "201 (67 times 3)", "66")],
)
def test_page_with_more_snippets_is_refused_by_both_names(
    limit: str, snippets: str, given: str, right: str
) -> None:
    assert search_refusal(query="a", limit=limit, snippets=snippets) == (
        f"`limit` times `snippets` must be at most 200, not {given}; with `snippets={snippets}`,"
        f" `limit` must be from 1 to {right}"
    )


def test_hits_are_filings_where_asked() -> None:
    assert search(query="a", group_by="filing").grouped
    assert not search(query="a", group_by="document").grouped
    names = "document, filing"
    assert search_refusal(query="a", group_by="x") == f"`group_by` must be one of {names}, not `x`"
