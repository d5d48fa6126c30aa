"""Reports on Form 13F: holdings, portfolios with their changes, holders of a security."""

import json
import re
from datetime import date
from typing import Any

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now, stored
from tests.support.ownership_forms import SCHEDULE_13D, cover_13f, row_13f, table_13f
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.any_engine]
HERON, EGRET, OTHER = ("9990021", "9990022", "9990023")
MOSS, FERN, REED = "999000101", "999000202", "999000303"
LAST = "09-30-2024"


def report(manager: str, number: int, *rows: str, filed: int = 14, **cover: Any) -> MadeUp:
    """Return a report of a manager, filed on a day of February 2025."""
    form = "13F-HR/A" if cover.get("amendment") else "13F-HR"
    total = sum(int(value) for row in rows for value in re.findall("<ns1:value>([0-9]+)<", row))
    xml = cover_13f(len(rows), total, **cover)
    documents = (
        MadeUpDocument(f"<XML>\n{xml}</XML>\n", form, "primary_doc.xml"),
        MadeUpDocument(table_13f(*rows), "INFORMATION TABLE", "table.xml"),
    )
    return MadeUp(
        f"000{manager}-25-00000{number}",
        (MadeUpEntity(f"000{manager}", f"MANAGER {manager}"),),
        documents,
        form,
        date(2025, 2, filed),
    )


REPORTS = (
    # The quarter before; a report that is replaced, its restatement, and an addition.
    report(HERON, 1, row_13f(cusip=MOSS), row_13f("REED", REED, "900", "9"), period=LAST, filed=3),
    report(HERON, 2, row_13f(cusip=MOSS, value="1", shares="1"), filed=4),
    report(
        HERON,
        3,
        row_13f(cusip=MOSS, value="5000", shares="50"),
        row_13f(cusip=MOSS, value="1000", shares="10"),
        filed=5,
        amendment="RESTATEMENT",
    ),
    report(HERON, 4, row_13f("FERN", FERN, "300", "3"), filed=6, amendment="NEW HOLDINGS"),
    report(EGRET, 1, row_13f(cusip=MOSS, value="9000", shares="90")),
    report(
        OTHER,
        1,
        row_13f(cusip=MOSS, value="8", shares="80", more="<putCall>Put</putCall>"),
        row_13f("REED", REED, "400", "500000").replace(">SH<", ">PRN<"),
    ),
)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Reports of three managers, and a schedule 13D that names a CUSIP of MOSS & SONS."""
    schedule = MadeUp(
        "0009990093-25-000001",
        (MadeUpEntity("0009990001", "MOSS & SONS", role="SUBJECT COMPANY"),),
        (MadeUpDocument(f"<XML>\n{SCHEDULE_13D}</XML>\n", "SCHEDULE 13D/A", "primary_doc.xml"),),
        "SCHEDULE 13D/A",
    )
    company = MadeUp(
        "0009990002-25-000001",
        (MadeUpEntity("0009990002", "FERN /DE/"),),
        (MadeUpDocument("Ferns.\n"),),
    )
    files = {f"{each.accession_number}.txt": txt(each) for each in (*REPORTS, schedule, company)}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


@pytest.mark.parametrize(
    ("parameters", "number"),
    [
        ({"manager_cik": HERON}, 6),
        ({"manager_cik": HERON, "quarter": "2024q3"}, 2),
        ({"manager": "heron"}, 9),
        ({"issuer": "sons MOSS"}, 6),
        ({"cusip": MOSS}, 6),
        ({"cusip": "999000"}, 9),
        ({"put_call": "put"}, 1),
        ({"put_call": "none"}, 8),
        ({"min_value": "5000"}, 2),
        ({"accnum": REPORTS[3].accession_number}, 1),
        ({"to_date": "2025-02-03"}, 2),
    ],
)
async def test_filters(client: Client, parameters: dict[str, Any], number: int) -> None:
    reply = await client.get("/v1/holdings", **parameters)
    assert (reply["total_count"], len(reply["items"])) == (number, number)


async def test_portfolio_is_of_the_reports_that_count(client: Client) -> None:
    asked = {"manager_cik": HERON, "quarter": "2024Q4"}
    reply = await client.get("/v1/portfolio", **asked)
    rows = [(row["cusip"], row["shares"], row["source"][-1]) for row in reply["items"]]
    assert rows == [(MOSS, 50, "3"), (MOSS, 10, "3"), (FERN, 3, "4")]
    statuses = [each["status"] for each in reply["reports"]]
    assert statuses == ["replaced", "in_effect", "in_effect"]
    totals = [(each["total_read"], each["total_difference"]) for each in reply["reports"]]
    assert totals == [(1, 0), (6000, 0), (300, 0)]
    assert reply["warnings"] == []
    # As it was known before the amendments.
    reply = await client.get("/v1/portfolio", **asked, to_date="2025-02-04")
    assert [row["shares"] for row in reply["items"]] == [1]


async def test_changes_are_by_security(client: Client) -> None:
    asked = {"manager_cik": HERON, "quarter": "2024Q4", "compare_to": "2024Q3"}
    reply = await client.get("/v1/portfolio", **asked)
    changes = [
        (each["cusip"], each["change"], each["shares_before"], each["shares"])
        for each in reply["changes"]
    ]
    assert changes == [(MOSS, "more", 40, 60), (REED, "gone", 9, 0), (FERN, "new", 0, 3)]
    assert (reply["total_count"], reply["items"]) == (3, [])


async def test_positions_are_sums_of_the_rows_of_a_security(client: Client) -> None:
    asked = {"manager_cik": HERON, "quarter": "2024Q4", "group_by": "security"}
    reply = await client.get("/v1/portfolio", **asked)
    positions = [
        (each["cusip"], each["shares"], each["principal"], each["value"], each["rows"])
        for each in reply["positions"]
    ]
    assert positions == [(MOSS, 60, None, 6000, 2), (FERN, 3, None, 300, 1)]
    assert (reply["total_count"], reply["items"], reply["changes"]) == (2, [], [])
    assert [each["status"] for each in reply["reports"]] == ["replaced", "in_effect", "in_effect"]


async def test_principal_amounts_are_not_shares(client: Client) -> None:
    asked = {"manager_cik": OTHER, "quarter": "2024Q4"}
    debt = {"cusip": REED, "shares": None, "principal": 500_000}
    for found, name in (
        (await client.get("/v1/holdings", **asked), "items"),
        (await client.get("/v1/portfolio", **asked), "items"),
        (await client.get("/v1/portfolio", **asked, group_by="security"), "positions"),
        (await client.get("/v1/portfolio", **asked, compare_to="2024Q3"), "changes"),
        (await client.get("/v1/holders", cusip=REED, quarter="2024Q4"), "items"),
    ):
        rows = [{field: row[field] for field in debt} for row in found[name]]
        assert debt in rows


async def test_walk_of_changes_has_each_once(client: Client) -> None:
    asked = {"manager_cik": HERON, "quarter": "2024Q4", "compare_to": "2024Q3", "limit": "1"}
    reply = await client.get("/v1/portfolio", **asked, cursor="*")
    found = [each["cusip"] for each in reply["changes"]]
    while cursor := reply["next_cursor"]:
        reply = await client.get("/v1/portfolio", cursor=cursor)
        found += [each["cusip"] for each in reply["changes"]]
    assert found == [MOSS, REED, FERN]


@pytest.mark.parametrize("asked", [{"cusip": MOSS}, {"issuer_cik": "9990001"}])
async def test_holders_are_summed_and_the_largest_comes_first(
    client: Client, asked: dict[str, str]
) -> None:
    reply = await client.get("/v1/holders", quarter="2024Q4", **asked)
    holders = [(row["manager"]["cik"], row["shares"], row["put_call"]) for row in reply["items"]]
    assert holders == [
        (f"000{EGRET}", 90, None),
        (f"000{HERON}", 60, None),
        (f"000{OTHER}", 80, "Put"),
    ]
    assert {row["found_by"] for row in reply["items"]} == {"cusip"}


async def test_holders_of_an_issuer_without_a_cusip_are_found_by_name(client: Client) -> None:
    reply = await client.get("/v1/holders", quarter="2024Q4", issuer_cik="9990002")
    (row,) = reply["items"]
    assert (row["cusip"], row["found_by"]) == (FERN, "name")
    assert reply["warnings"] == [
        "no schedule 13D or 13G here names a CUSIP of 0009990002; rows are found by the words of"
        " its name, FERN /DE/, which other issuers may have too"
    ]


@pytest.mark.parametrize(
    ("path", "parameters", "warning"),
    [
        ("holdings", {"cusip": "111111111"}, "unknown cusip: 111111111"),
        ("holdings", {"manager_cik": f"{HERON},5"}, "unknown manager_cik: 0000000005"),
        ("portfolio", {"manager_cik": "5", "quarter": "2024Q4"}, "unknown manager_cik: 0000000005"),
        ("holders", {"cusip": MOSS, "quarter": "2019Q4"}, "unknown quarter: 2019Q4"),
        ("stakes", {"person_cik": "5"}, "unknown person_cik: 0000000005"),
        ("insider_trades", {"issuer_cik": "5"}, "unknown issuer_cik: 0000000005"),
        ("planned_sales", {"issuer_cik": "5"}, "unknown issuer_cik: 0000000005"),
    ],
)
async def test_unknown_value_is_named(
    client: Client, path: str, parameters: dict[str, str], warning: str
) -> None:
    assert (await client.get(f"/v1/{path}", **parameters))["warnings"] == [warning]


@pytest.mark.parametrize(
    ("path", "parameters", "error"),
    [
        ("portfolio", {"quarter": "2024Q4"}, "`manager_cik` is missing"),
        ("portfolio", {"manager_cik": "5"}, "`quarter` is missing"),
        (
            "portfolio",
            {"manager_cik": "5", "quarter": "2024Q5"},
            "`quarter` must be a quarter such as 2025Q2, not `2024Q5`",
        ),
        (
            "portfolio",
            {"manager_cik": "5", "quarter": "2024Q4", "compare_to": "2024q4"},
            "`compare_to` is the quarter itself, 2024Q4",
        ),
        ("holders", {"quarter": "2024Q4"}, "`cusip` or `issuer_cik` must be given, and not both"),
        (
            "export",
            {"what": "portfolio", "manager_cik": "5", "quarter": "2024Q4", "compare_to": "2024Q3"},
            "`compare_to` may not be given with an export, which has rows as filed",
        ),
    ],
)
async def test_wrong_request_is_refused(
    client: Client, path: str, parameters: dict[str, str], error: str
) -> None:
    reply = await client.http.get(f"/v1/{path}", params=parameters)
    assert (reply.status_code, reply.json()["error"]) == (400, error)


@pytest.mark.parametrize(
    ("what", "asked"),
    [
        ("holdings", {"manager_cik": HERON}),
        ("portfolio", {"manager_cik": HERON, "quarter": "2024Q4"}),
        ("holders", {"cusip": MOSS, "quarter": "2024Q4"}),
    ],
)
async def test_export_has_all_rows(client: Client, what: str, asked: dict[str, str]) -> None:
    listed = (await client.get(f"/v1/{what}", **asked))["items"]
    reply = await client.http.get("/v1/export", params={"what": what, **asked})
    assert [json.loads(line) for line in reply.text.splitlines()[:-1]] == listed
    for format_ in ("csv", "parquet"):
        reply = await client.http.get(
            "/v1/export", params={"what": what, "format": format_, **asked}
        )
        assert (reply.status_code, reply.headers["x-total-count"]) == (200, str(len(listed)))


async def test_report_is_stored_with_its_count(engine: Engine) -> None:
    (hit,) = await stored(engine, "manager_reports", REPORTS[2].accession_number)
    assert (hit.source["rows"], hit.source["amendment"]) == (2, "restatement")
