"""Alert triggers: kept, changed, and tried on what became searchable."""

import asyncio
from typing import Any

import pytest

from edgar_search.alerts.triggers import NOTHING_WATCHED
from edgar_search.settings import Settings
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.users import User, Users

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
NUMBER = "0009990601-21-000001"
STAR = MadeUp(
    NUMBER,
    (MadeUpEntity("0009990601", "STAR CORP", sic="3711"),),
    (MadeUpDocument("A star rises.\n", "8-K", "a.txt"), MadeUpDocument("A star.\n", "EX-99")),
)
EITHER = "`id` may not be given with a query, its word_forms or filters"
TRIGGER = {"name": "stars", "query": "star OR moon", "filters": {"cik": ["9990601"]}}
NO_FILTERS: dict[str, Any] = {
    "cik": [],
    "ticker": [],
    "sic": [],
    "form_type": [],
    "form_family": [],
    "company": None,
    "state": [],
    "incorporation_state": [],
    "item": [],
    "auditor": [],
    "period_from": None,
    "period_to": None,
    "fiscal_year": [],
    "document_type": [],
    "primary": False,
    "original": False,
    "figures": [],
    "currency": None,
}
FILTERS = {**NO_FILTERS, "cik": ["0009990601"]}


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    load_now(settings, tmp_path_factory.mktemp("files"), {"a.txt": txt(STAR)})


async def test_trigger_has_all_its_fields(user: User) -> None:
    status, made = await user.ask("POST", "alert_triggers/add", TRIGGER)
    assert status == 201
    assert made == {
        "id": made["id"],
        "name": "stars",
        "query": "star OR moon",
        "word_forms": "exact",
        "filters": FILTERS,
        "rows": None,
        "row_filters": {},
        "enabled": True,
        "created_at": made["created_at"],
        "last_matched_at": None,
    }
    assert await user.get("alert_triggers/get") == {"alert_triggers": [made], "total_count": 1}


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"cik": "1,2", "sic": ["100"]}, {"cik": ["0000000001", "0000000002"], "sic": ["0100"]}),
        ({"ciks": ["0000000001"]}, {"cik": ["0000000001"]}),
        ({"ticker": ["aapl", "AAPL"]}, {"ticker": ["AAPL"]}),
        ({"formType": "10-k, 8-K"}, {"form_type": ["10-K", "8-K"]}),
        ({"form_type": "8-K", "cik": None, "sic": []}, {"form_type": ["8-K"]}),
        ({"form_family": "10-k/a", "state": ["ca"]}, {"form_family": ["10-K"], "state": ["CA"]}),
        ({"company": "Star Corp", "item": "5.02"}, {"company": "Star Corp", "item": ["5.02"]}),
        (
            {"period_from": "2024-01-01", "period_to": ["2024-12-31"], "fiscal_year": "2024"},
            {"period_from": "2024-01-01", "period_to": "2024-12-31", "fiscal_year": ["2024"]},
        ),
        (
            {"document_type": ["ex-99.1"], "primary": True},
            {"document_type": ["EX-99.1"], "primary": True},
        ),
        (
            {"original": True},
            {"original": True},
        ),
        (
            {"figures": "revenue<previous, net_income<0", "currency": "eur"},
            {"figures": ["revenue<previous", "net_income<0"], "currency": "EUR"},
        ),
        (
            {"incorporation_states": ["de"]},
            {"incorporation_state": ["DE"]},
        ),
    ],
)
async def test_filters_are_read_as_those_of_a_search(
    user: User, sent: dict[str, Any], kept: dict[str, Any]
) -> None:
    made = await user.post("alert_triggers/add", {"name": "x", "filters": sent})
    assert (made["query"], made["filters"]) == (None, {**NO_FILTERS, **kept})


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"query": "a"}, "`name` is missing; give 1 to 100 characters"),
        ({"name": "x"}, NOTHING_WATCHED),
        ({"name": "x", "query": " "}, NOTHING_WATCHED),
        ({"name": "x", "filters": {"cik": ""}}, NOTHING_WATCHED),
        ({"name": "x", "query": 1}, "`query` must be a string, not 1"),
        ({"name": "x", "query": "a", "filters": []}, "`filters` must be a JSON object"),
        (
            {"name": "x", "query": "a", "enabled": None},
            "`enabled` must be true or false, not `null`",
        ),
        (
            {"name": "x", "filters": {"figures": ["revenue<"]}},
            "`figures`: a number or a figure is missing at its end of `revenue<`",
        ),
        ({"name": "x", "filters": {"cik": [1]}}, "`cik` must be a list of strings"),
        ({"name": "x", "filters": {"cik": 1}}, "`cik` must be a list of strings"),
        ({"name": "x", "filters": {"cik": "x"}}, "`cik` must be a CIK of 1 to 10 digits, not `x`"),
        (
            {"name": "x", "filters": {"ticker": [f"T{n}" for n in range(1001)]}},
            "`ticker` may have at most 1000 items, not 1001",
        ),
        (
            {"name": "x", "filters": {"from_date": "2021-01-01"}},
            "`from_date` is not a parameter; known are cik, ciks, ticker, tickers, sic, sics, "
            "form_type, form_types, formType, form_family, form_families, company, state, states, "
            "incorporation_state, incorporation_states, item, items, auditor, auditors, "
            "period_from, period_to, fiscal_year, fiscal_years, document_type, "
            "document_types, primary, original, figures, currency",
        ),
        (
            {"name": "x", "filters": {"period_from": "2024-02-01", "period_to": "2024-01-01"}},
            "`period_from` is 2024-02-01, which is later than `period_to`, 2024-01-01",
        ),
        (
            {"name": "x", "filters": {"company": "!"}},
            "`company` has no word; give words of the company's name",
        ),
        (
            {"name": "x", "filters": {"primary": "maybe"}},
            "`primary` must be true or false, not `maybe`",
        ),
        ({"name": "x", "filters": {"primary": False}}, NOTHING_WATCHED),
    ],
)
async def test_wrong_trigger_is_refused(user: User, sent: dict[str, Any], text: str) -> None:
    assert await user.refused("POST", "alert_triggers/add", sent) == (400, text)
    assert (await user.get("alert_triggers/get"))["total_count"] == 0


@pytest.mark.parametrize("query", ["a AND", "NOT a", '"a', "x" * 1001])
async def test_wrong_query_is_refused_as_a_search_refuses_it(user: User, query: str) -> None:
    status, text = await user.refused("POST", "alert_triggers/add", {"name": "x", "query": query})
    assert (status, text[:6]) == (400, "query:")
    tried = await user.refused("GET", "alert_triggers/test", query=query)
    assert tried == (status, text)


@pytest.mark.parametrize(
    ("sent", "then"),
    [
        ({"name": "new"}, {"name": "new"}),
        ({"enabled": False}, {"enabled": False}),
        ({"query": None}, {"query": None}),
        ({"filters": None}, {"filters": NO_FILTERS}),
        ({"filters": {"sic": "3711"}}, {"filters": {**NO_FILTERS, "sic": ["3711"]}}),
    ],
)
async def test_update_changes_the_fields_that_are_sent(
    user: User, sent: dict[str, Any], then: dict[str, Any]
) -> None:
    made = await user.post("alert_triggers/add", TRIGGER)
    changed = await user.post("alert_triggers/update", {"id": made["id"], **sent})
    assert changed == {**made, **then}
    assert await user.get("alert_triggers/get") == {"alert_triggers": [changed], "total_count": 1}


async def test_two_updates_at_once_cannot_leave_nothing_to_watch(user: User) -> None:
    made = await user.post("alert_triggers/add", TRIGGER)
    answers = await asyncio.gather(
        user.ask("POST", "alert_triggers/update", {"id": made["id"], "query": None}),
        user.ask("POST", "alert_triggers/update", {"id": made["id"], "filters": None}),
    )
    assert sorted(status for status, _ in answers) == [200, 400]


async def test_trigger_of_another_user_is_unknown(users: Users) -> None:
    one, other = users.new(), users.new()
    made = await one.post("alert_triggers/add", TRIGGER)
    change = {"id": made["id"], "name": "mine now"}
    not_found = (404, "no alert trigger has this id")
    assert await other.refused("POST", "alert_triggers/update", change) == not_found
    assert await other.refused("DELETE", "alert_triggers/remove", id=made["id"]) == not_found
    assert await other.refused("GET", "alert_triggers/test", id=made["id"]) == not_found
    assert await one.get("alert_triggers/get") == {"alert_triggers": [made], "total_count": 1}


async def test_removed_trigger_is_gone(user: User) -> None:
    made = await user.post("alert_triggers/add", TRIGGER)
    assert await user.post("alert_triggers/remove", {"id": made["id"]}) == {"changed": 1}
    assert await user.get("alert_triggers/get") == {"alert_triggers": [], "total_count": 0}


async def test_kept_trigger_is_tried_on_what_became_searchable(user: User) -> None:
    made = await user.post("alert_triggers/add", TRIGGER)
    tried = await user.get("alert_triggers/test", id=made["id"])
    documents = [item["document_id"] for item in tried["items"]]
    assert sorted(documents) == [f"{NUMBER}-1", f"{NUMBER}-2"]
    assert tried["total_count"] == 2
    assert (len(tried["days"]), sum(day["count"] for day in tried["days"])) == (31, 2)
    assert all("<mark>star</mark>" in item["snippet"] for item in tried["items"])
    assert all(0 < item["score"] < 1 for item in tried["items"])


async def test_trigger_with_forms_is_tried_with_them(user: User) -> None:
    asked = {"name": "x", "query": "rising", "word_forms": "all"}
    made = await user.post("alert_triggers/add", asked)
    assert made["word_forms"] == "all"
    kept = await user.get("alert_triggers/test", id=made["id"])
    tried = await user.get("alert_triggers/test", query="rising", word_forms="all", sic="3711")
    ids = [[item["document_id"] for item in each["items"]] for each in (kept, tried)]
    assert f"{NUMBER}-1" in ids[0]
    assert ids[1] == [f"{NUMBER}-1"]
    assert "<mark>rises</mark>" in tried["items"][0]["snippet"]
    changed = await user.post("alert_triggers/update", {"id": made["id"], "word_forms": "exact"})
    assert changed["word_forms"] == "exact"
    assert (await user.get("alert_triggers/test", id=made["id"]))["total_count"] == 0


async def test_trigger_without_a_query_shows_the_first_documents_beginning(user: User) -> None:
    tried = await user.get("alert_triggers/test", sic="3711")
    (item,) = tried["items"]
    assert (item["document_id"], item["snippet"], item["score"], item["form_type"]) == (
        f"{NUMBER}-1",
        "A star rises.",
        1.0,
        "8-K",
    )


async def test_trigger_is_tried_page_by_page(user: User) -> None:
    pages = [await user.get("alert_triggers/test", query="star", limit=1, offset=n) for n in (0, 1)]
    found = [item["document_id"] for page in pages for item in page["items"]]
    assert sorted(found) == [f"{NUMBER}-1", f"{NUMBER}-2"]


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({}, NOTHING_WATCHED),
        ({"id": "x", "query": "a"}, EITHER),
        ({"id": "x", "sic": "1"}, EITHER),
        ({"id": "x", "word_forms": "all"}, EITHER),
        (
            {"query": "a", "word_forms": "some"},
            "`word_forms` must be one of exact, all, related, not `some`",
        ),
        ({"query": "a", "limit": "201"}, "`limit` must be from 1 to 200, not 201"),
        ({"query": "a", "offset": "10001"}, "`offset` must be from 0 to 10000, not 10001"),
    ],
)
async def test_wrong_trial_is_refused(user: User, parameters: dict[str, Any], text: str) -> None:
    assert await user.refused("GET", "alert_triggers/test", **parameters) == (400, text)
