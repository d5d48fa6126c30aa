"""Auditors of reports."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import ABOUT, report, report_facts

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.one_client]
AUDITORS: Mapping[str, dict[str, str]] = {
    "ernst": {
        "AuditorName": "Ernst & Young LLP",
        "AuditorLocation": "Boston, Massachusetts",
        "AuditorFirmId": "42",
    },
    "capitals": {"AuditorName": "ERNST & YOUNG, L.L.P."},
    "again": {"AuditorName": "Ernst & Young LLP"},
    "deloitte": {"AuditorName": "Deloitte & Touche LLP", "AuditorLocation": "Omaha, Nebraska"},
    "none": {},
}
NUMBERS = {name: f"00099925{place}-24-000001" for place, name in enumerate(AUDITORS, 10)}


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load a report for each auditor."""
    files: dict[str, bytes] = {}
    for name, about in AUDITORS.items():
        number = NUMBERS[name]
        files |= report(
            number, number[:10], report_facts(2023), date(2024, 2, 1), about={**ABOUT, **about}
        )
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def test_auditor_is_a_field_of_hits(client: Client) -> None:
    include = "auditor,auditor_location,auditor_firm_id"
    items = (await client.search("report", include=include))["items"]
    assert {
        item["accnum"]: (item["auditor"], item["auditor_location"], item["auditor_firm_id"])
        for item in items
    } == {
        NUMBERS["ernst"]: ("Ernst & Young LLP", "Boston, Massachusetts", "42"),
        NUMBERS["capitals"]: ("ERNST & YOUNG, L.L.P.", None, None),
        NUMBERS["again"]: ("Ernst & Young LLP", None, None),
        NUMBERS["deloitte"]: ("Deloitte & Touche LLP", "Omaha, Nebraska", None),
        NUMBERS["none"]: (None, None, None),
    }


ERNST = {"ernst", "capitals", "again"}
CASES = [
    ("Ernst & Young LLP", ERNST),
    ("ernst and young", ERNST),
    ("EY", ERNST),
    ("deloitte", {"deloitte"}),
    ("ernst young,Deloitte & Touche", {*ERNST, "deloitte"}),
    ("Ernst", set()),
]


@pytest.mark.parametrize(("auditor", "expected"), CASES)
async def test_filter_by_auditor(client: Client, auditor: str, expected: set[str]) -> None:
    numbers = {NUMBERS[name] for name in expected}
    assert {
        item["accnum"] for item in (await client.search("report", auditor=auditor))["items"]
    } == (numbers)


async def test_filter_of_lookups(client: Client) -> None:
    numbers = {NUMBERS[name] for name in ERNST}
    assert set(await client.looked_up(auditor="ey")) == numbers
    assert await client.looked_up(auditor="ey", cik=NUMBERS["deloitte"][:10]) == []


async def test_filter_of_screens(client: Client) -> None:
    page = await client.get("/v1/screen", auditor="PwC,Deloitte", columns="company,revenue")
    assert [row["accnum"] for row in page["items"]] == [NUMBERS["deloitte"]]


async def test_unknown_auditor_is_named(client: Client) -> None:
    reply = await client.search("report", auditor="Fern & Fen LLP")
    assert reply["warnings"] == ["auditor: no report here was audited by Fern & Fen LLP"]


@pytest.mark.parametrize("value", ["Ernst & Young, LLP", "& Co."])
async def test_value_that_names_no_firm_is_refused(client: Client, value: str) -> None:
    reply = await client.http.get("/v1/search", params={"query": "report", "auditor": value})
    said = value.rpartition(",")[2].strip()
    assert (reply.status_code, reply.json()["error"]) == (
        400,
        "`auditor` must be the name of a firm, without a comma before its legal form"
        f" (`Ernst & Young LLP`), not `{said}`",
    )


async def test_facet_counts_spellings_together(client: Client) -> None:
    found: Any = await client.get("/v1/facets", query="report", by="auditor")
    assert found["facets"]["auditor"] == {
        "values": [
            {"value": "ernst young", "count": 3, "name": "Ernst & Young LLP"},
            {"value": "deloitte touche", "count": 1, "name": "Deloitte & Touche LLP"},
        ],
        "values_exact": True,
        "sum_other": 0,
        "value_count": 2,
        "value_count_exact": True,
    }
    every: Any = await client.get("/v1/facets", query="report")
    assert "auditor" not in every["facets"]
