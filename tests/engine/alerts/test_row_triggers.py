"""Triggers of rows: "a director sold more than a million", reported once for a filing."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.alerting import Watcher, match
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.ownership_forms import FORM_4, FORMS, row_13f, table_13f
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.users import User

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]
MOSS = MadeUpEntity("0009990001", "MOSS & SONS", role="ISSUER")
ROW = FORM_4[FORM_4.index("<nonDerivativeTransaction>") : FORM_4.index("  </nonDerivativeTable>")]
SALE = {"role": ["director"], "code": ["S"], "min_value": "400000"}


def files(
    number: str, *documents: MadeUpDocument, filed: date = date(2021, 1, 5)
) -> dict[str, bytes]:
    """One filing with these documents, as a file."""
    made = MadeUp(number, (MOSS,), documents or FORMS, "4", filed)
    return {f"{number}.txt": txt(made)}


@pytest.mark.parametrize(
    ("rows", "matching", "other"),
    [
        ("insider_trades", SALE, {**SALE, "min_value": "471380.01"}),
        ("insider_trades", {"ticker": ["MOSS"]}, {"ticker": ["FERN"]}),
        ("insider_trades", {"owner": "ada fern", "acquired": "D"}, {"acquired": "A"}),
        (
            "insider_trades",
            {"derivative": False, "trade_from": "2025-04-30", "trade_to": "2025-04-30"},
            {"derivative": True},
        ),
        ("insider_trades", {"max_value": "471380"}, {"plan_10b5_1": True}),
        ("holdings", {"manager": "sons", "cusip": ["999000"]}, {"quarter": ["2024Q3"]}),
        ("holdings", {"put_call": "none", "min_value": "4000"}, {"put_call": "put"}),
        ("stakes", {"person_cik": ["0009990011"]}, {"person": "moss"}),
        ("planned_sales", {"issuer_cik": ["0009990001"]}, {"seller": "bea"}),
    ],
)
async def test_trigger_matches_rows_that_the_endpoint_finds(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    watcher: Watcher,
    new_number: NewNumber,
    client: Client,
    rows: str,
    matching: dict[str, Any],
    other: dict[str, Any],
) -> None:
    number = new_number()
    trigger = await watcher.watch_rows(rows, **matching)
    await watcher.watch_rows(rows, **other)
    await loads(files(number))
    await match(engine, settings)
    (made,) = await watcher.notified()
    (row,) = {
        (item["accnum"], item["place"]["document_id"])
        for item in (await client.get(f"/v1/{rows}", accnum=number, **_asked(matching)))["items"]
    }
    assert made.document is not None
    assert (made.alert_trigger_id, made.document.accnum, made.document.document_id) == (
        trigger.id,
        *row,
    )
    assert (await client.get(f"/v1/{rows}", accnum=number, **_asked(other)))["total_count"] == 0


def _asked(filters: dict[str, Any]) -> dict[str, str]:
    return {
        name: ",".join(value)
        if isinstance(value, list)
        else {True: "true", False: "false"}.get(value, value)
        for name, value in filters.items()
    }


async def test_filing_is_told_once_however_many_of_its_rows_match(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    await watcher.watch_rows("insider_trades", **SALE)
    twice = MadeUpDocument(FORM_4.replace(ROW, ROW * 3), "4", "form4.xml")
    await loads(files(number, twice, MadeUpDocument(FORM_4, "4", "again.xml")))
    assert await match(engine, settings) == (2, 0, 1)
    (made,) = await watcher.notified()
    assert made.document is not None
    assert made.document.related_company_names == ["MOSS & SONS"]
    assert (made.document.document_id, made.document.score) == (f"{number}-1", 1.0)
    assert made.document.snippet == (
        "Fern Ada (director), open market or private sale of 2,590 Common Stock at 182.00,"
        " 471,380.00 dollars, on 2025-04-30; and 2 more rows"
    )
    # A later version has one more document with such a row.
    third = MadeUpDocument(FORM_4.replace("2590", "2591"), "4", "third.xml")
    await loads(files(number, twice, MadeUpDocument(FORM_4, "4", "again.xml"), third))
    assert await match(engine, settings) == (1, 0, 0)
    assert len(await watcher.notified()) == 1


async def test_rows_that_arrived_before_the_trigger_are_not_told(
    engine: Engine, settings: Settings, loads: Loads, watcher: Watcher, new_number: NewNumber
) -> None:
    number = new_number()
    form = MadeUpDocument(FORM_4, "4", "form4.xml")
    await loads(files(number, form))
    await watcher.watch_rows("insider_trades", **SALE)
    table = MadeUpDocument(table_13f(row_13f()), "INFORMATION TABLE", "table.xml")
    await loads(files(number, form, table))
    await match(engine, settings)
    assert await watcher.notified() == []


async def test_trigger_of_rows_is_kept_changed_and_tried(
    loads: Loads, new_number: NewNumber, user: User
) -> None:
    sent = {"role": "director", "min_value": 400000, "plan_10b5_1": None, "derivative": False}
    made = await user.post(
        "alert_triggers/add", {"name": "x", "rows": "insider_trades", "row_filters": sent}
    )
    kept = {"role": ["director"], "derivative": False, "min_value": 400000}
    assert (made["rows"], made["row_filters"], made["query"]) == ("insider_trades", kept, None)
    update = {"id": made["id"], "rows": "stakes", "row_filters": {"cusip": "999000101"}}
    changed = await user.post("alert_triggers/update", update)
    assert (changed["rows"], changed["row_filters"]) == ("stakes", {"cusip": ["999000101"]})
    filed = date.today() - timedelta(days=1)
    number = new_number()
    await loads(files(number, filed=filed))
    tried = await user.get("alert_triggers/test", id=made["id"])
    assert [(each["accnum"], each["document_id"]) for each in tried["items"]] == [
        (number, f"{number}-2")
    ]
    assert tried["items"][0]["snippet"].startswith("Lichen Partners, L.P. 8.5 percent, Fern Ada")
    assert (tried["total_count"], len(tried["days"])) == (1, 31)
    assert {"date": str(filed), "count": 1} in tried["days"]
    asked = {"rows": "insider_trades", "ticker": "moss", "code": "S"}
    assert (await user.get("alert_triggers/test", **asked))["total_count"] == 1
    assert (await user.get("alert_triggers/test", **asked, min_value="500000"))["total_count"] == 0


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ({"rows": "insider_trades"}, "row_filters: needed with rows; known are issuer_cik,"),
        ({"row_filters": {"code": "S"}}, "`row_filters` need `rows`, one of insider_trades,"),
        (
            {"rows": "stakes", "row_filters": {"code": "S"}},
            "`code` is not a filter of stakes; known are issuer_cik, cusip, person_cik, person",
        ),
        (
            {"rows": "stakes", "row_filters": {"person": "a"}, "query": "a"},
            "`rows` go with `row_filters` only",
        ),
        ({"rows": "trades", "row_filters": {"code": "S"}}, "`rows` must be one of insider_trades,"),
        (
            {"rows": "insider_trades", "row_filters": {"min_value": -1}},
            "`min_value` must be an amount such as 1000000 or 0.25",
        ),
        (
            {"rows": "insider_trades", "row_filters": {"min_value": 2, "max_value": 1}},
            "`min_value` is 2, which is more than `max_value`, 1",
        ),
        (
            {"rows": "insider_trades", "row_filters": {"cik": "1"}},
            "`cik` is not a parameter; known are issuer_cik,",
        ),
        ({"rows": "insider_trades", "row_filters": {"code": [1]}}, "`code` must be a list of"),
        ({"rows": "insider_trades", "row_filters": []}, "`row_filters` must be a JSON object"),
    ],
)
async def test_wrong_trigger_of_rows_is_refused(
    user: User, sent: dict[str, Any], text: str
) -> None:
    status, message = await user.refused("POST", "alert_triggers/add", {"name": "x", **sent})
    assert (status, message[: len(text)]) == (400, text)
