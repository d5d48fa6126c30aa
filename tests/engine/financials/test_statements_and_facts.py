"""Statements, facts and concepts of loaded filings, and what becomes of them."""

import csv
import io
import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow.parquet
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.loading.owner import Owner
from ingest.upkeep.delete import Deleter
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.made_up_xbrl import MadeUpFact, report, report_facts

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.one_client,
    pytest.mark.usefixtures("made_settings"),
]


@pytest.fixture
def cik(new_number: Callable[[], str]) -> str:
    """The CIK of a company that no other test has."""
    return f"00088{new_number()[-5:]}"


async def test_statements_have_lines_labels_signs_and_columns_as_filed(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    await loads(report(number, cik, report_facts(2023), date(2024, 2, 1)))

    reply = await client.get("/v1/statements", cik=cik)

    assert reply["filing"] == {
        "accnum": number,
        "cik": cik,
        "name": "MOSS QUARRIES CORP",
        "form_type": "10-K",
        "filing_date": "2024-02-01",
        "period": "2023-12-31",
        "fiscal_year": 2023,
        "fiscal_period": "FY",
        "document_id": reply["filing"]["document_id"],
    }
    assert reply["filing"]["document_id"].startswith(number)
    balance, income, flow = reply["statements"]
    assert [each["statement"] for each in reply["statements"]] == [
        "balance_sheet",
        "income_statement",
        "cash_flow",
    ]
    assert balance["periods"] == [
        {"start": None, "end": "2023-12-31"},
        {"start": None, "end": "2022-12-31"},
    ]
    assert balance["title"] == "BALANCE SHEETS"
    assert [(line["label"], line["total"]) for line in balance["lines"][1:3]] == [
        ("Cash", False),
        ("Total assets", True),
    ]
    assert [(line["label"], line["heading"]) for line in balance["lines"][:2]] == [
        (balance["definition"], True),
        ("Cash", False),
    ]
    cost = income["lines"][2]
    assert [value["columns"] for value in cost["values"]] == [[0], [1]]
    assert (cost["label"], cost["negated"], cost["values"][0]["value"]) == (
        "Cost of slate",
        True,
        30_000_000,
    )
    beginning, end = flow["lines"][1], flow["lines"][-1]
    assert [(v["end"], v["value"]) for v in beginning["values"]] == [
        ("2022-12-31", 20_000_000),
        ("2021-12-31", 17_000_000),
    ]
    assert [(v["end"], v["value"]) for v in end["values"]] == [
        ("2023-12-31", 20_000_000),
        ("2022-12-31", 20_000_000),
    ]
    assert reply["items"] == []


async def test_amounts_keep_their_digits(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    end = date(2023, 12, 31)
    facts = [
        MadeUpFact("us-gaap:Assets", "1234567890123456789.10", end),
        MadeUpFact("moss:Ratio", "0.123456789012", end, unit="shares", decimals="12"),
    ]
    await loads(report(new_number(), cik, facts, date(2024, 2, 1)))

    response = await client.http.get("/v1/facts", params={"cik": cik, "sort": "largest"})

    values = json.loads(response.text, parse_float=Decimal)["items"]
    assert [str(row["value"]) for row in values] == ["1234567890123456789.10", "0.123456789012"]
    assert [row["concept"] for row in values] == ["us-gaap:Assets", "moss:Ratio"]


async def test_another_filing_answers_for_a_company_without_reports(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    half, annual = new_number(), new_number()
    await loads(report(half, cik, report_facts(2023), date(2024, 8, 1), "6-K"))
    before = await client.get("/v1/statements", cik=cik)
    await loads(report(annual, cik, report_facts(2022), date(2023, 4, 1), "20-F"))

    after = await client.get("/v1/statements", cik=cik)

    assert [before["filing"]["accnum"], after["filing"]["accnum"]] == [half, annual]


@pytest.mark.parametrize(
    ("dimension", "values"),
    [
        ("moss:NorthMember", [30_000_000]),
        ("NorthMember", [30_000_000]),
        ("AreaAxis", [20_000_000, 30_000_000]),
        ("moss:AreaAxis=moss:SouthMember", [20_000_000]),
        ("AreaAxis=SouthMember,NorthMember", [20_000_000, 30_000_000]),
        ("moss:EastMember", []),
    ],
)
async def test_facts_are_found_by_dimension(
    loads: Loads,
    client: Client,
    new_number: Callable[[], str],
    cik: str,
    dimension: str,
    values: list[int],
) -> None:
    parts = [
        MadeUpFact(
            "us-gaap:Revenues",
            f"{amount}000000",
            date(2023, 12, 31),
            date(2023, 1, 1),
            members=(("moss:AreaAxis", f"moss:{name}Member"),),
        )
        for name, amount in (("North", 30), ("South", 20))
    ]
    await loads(report(new_number(), cik, [*report_facts(2023), *parts], date(2024, 2, 1)))

    found = await client.get("/v1/facts", cik=cik, dimension=dimension)

    assert sorted(row["value"] for row in found["items"]) == values


async def test_restated_facts_are_as_filed_last_first_or_by_a_day(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    first, second = new_number(), new_number()
    # The later report is loaded first.
    await loads(report(second, cik, report_facts(2023, 3, earlier=2), date(2024, 2, 1)))
    await loads(report(first, cik, report_facts(2022, 1), date(2023, 2, 1)))

    async def revenues(**more: Any) -> list[tuple[str, int, str | None]]:
        reply = await client.get(
            "/v1/facts", cik=cik, concept="Revenues", period_to="2022-12-31", **more
        )
        assert reply["total_count"] == len(reply["items"])
        rows = [row for row in reply["items"] if row["end"] == "2022-12-31"]
        return [(row["accnum"], row["value"], row["superseded_by"]) for row in rows]

    assert await revenues() == [(second, 100_000_000, None)]
    assert await revenues(original=True) == [(first, 50_000_000, second)]
    # What was filed later is not named.
    assert await revenues(as_of="2023-06-30") == [(first, 50_000_000, None)]
    assert await revenues(as_of="2024-01-31", original=True) == [(first, 50_000_000, None)]
    assert await revenues(as_of="2024-02-01", original=True) == [(first, 50_000_000, second)]
    params = {"what": "facts", "cik": cik, "concept": "Revenues", "as_of": "2023-06-30"}
    lines = (await client.http.get("/v1/export", params=params)).text.splitlines()
    assert {json.loads(line).get("superseded_by") for line in lines} == {None}
    assert await revenues(as_of="2023-01-31") == []
    assert await revenues(accnum=first) == [(first, 50_000_000, second)]
    newest = await client.get("/v1/statements", cik=cik, as_of="2023-12-31")
    assert newest["filing"]["accnum"] == first


async def test_deletion_takes_rows_and_lets_the_earlier_value_be_the_last(
    loads: Loads,
    client: Client,
    engine: Engine,
    settings: Settings,
    new_number: Callable[[], str],
    cik: str,
) -> None:
    first, second = new_number(), new_number()
    await loads(report(first, cik, report_facts(2022, 1), date(2023, 2, 1)))
    await loads(report(second, cik, report_facts(2023, 3, earlier=2), date(2024, 2, 1)))

    with Owner(settings.home) as owner:
        await Deleter(engine, settings, owner).delete(second)

    reply = await client.get("/v1/facts", cik=cik, concept="Revenues", period_from="2022-12-31")
    assert [(row["accnum"], row["superseded_by"]) for row in reply["items"]] == [(first, None)]
    gone = await client.http.get("/v1/statements", params={"accnum": second})
    assert (gone.status_code, gone.json()["error"]) == (
        404,
        f"accnum {second} is not a filing that is here",
    )


async def test_loading_another_version_leaves_no_row_of_the_one_before(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    await loads(report(number, cik, report_facts(2023), date(2024, 2, 1)))
    before = await client.get("/v1/facts", cik=cik, limit=1)
    fewer = report_facts(2023, 2)[:5]

    await loads(report(number, cik, fewer, date(2024, 2, 1)))

    after = await client.get("/v1/facts", cik=cik)
    assert before["total_count"] == len(report_facts(2023))
    assert after["total_count"] == len(fewer)
    assert {row["accnum"] for row in after["items"]} == {number}


async def test_what_cannot_be_read_is_in_the_ledger_and_the_filing_is_loaded(
    loads: Loads, client: Client, engine: Engine, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    files = report(number, cik, report_facts(2023), date(2024, 2, 1))
    broken = {name: data.replace(b"</xbrl>", b"") for name, data in files.items()}

    summary = await loads(broken)

    entry = await engine.get("ledger", number, LedgerEntry)
    assert summary.loaded == 1
    assert entry is not None and entry.source is not None
    assert (entry.source.status, entry.source.rows) == ("loaded", {})
    assert (entry.source.reason or "").startswith("financials: not well-formed")
    missing = await client.http.get("/v1/statements", params={"accnum": number})
    assert (missing.status_code, missing.json()["error"]) == (
        404,
        f"accnum {number} has no XBRL statements",
    )


async def test_standard_items_name_their_sources(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    facts = report_facts(2023)
    spent = MadeUpFact(
        "us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",
        "5000000",
        date(2023, 12, 31),
        date(2023, 1, 1),
    )
    await loads(report(new_number(), cik, [*facts, spent], date(2024, 2, 1)))

    rows = await client.get("/v1/facts", cik=cik, item="free_cash_flow,revenue")
    statements = await client.get("/v1/statements", cik=cik, normalize=True)

    found = [(row["concept"], row["value"], row["sources"]) for row in rows["items"]]
    assert found == [
        ("standard:revenue", 50_000_000, ["us-gaap:Revenues"]),
        (
            "standard:free_cash_flow",
            4_000_000,
            [
                "us-gaap:NetCashProvidedByUsedInOperatingActivities",
                "-us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",
            ],
        ),
        ("standard:revenue", 50_000_000, ["us-gaap:Revenues"]),
    ]
    items = {statement["item"]: statement["values"] for statement in statements["items"]}
    assert [value["derived"] for value in items["free_cash_flow"]] == [True]
    assert [value["derived"] for value in items["total_assets"]] == [False, False]
    assert "gross_profit" not in items


async def test_concepts_are_found_by_words_of_their_names_and_labels(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    await loads(report(new_number(), cik, report_facts(2023), date(2024, 2, 1)))

    by_name = await client.get("/v1/concepts", query="liabilities equity", cik=cik)
    by_label = await client.get("/v1/concepts", query="slate sales", cik=cik)

    assert [each["concept"] for each in by_name["items"]] == [
        "us-gaap:LiabilitiesAndStockholdersEquity"
    ]
    assert by_label["items"] == [
        {
            "concept": "us-gaap:Revenues",
            "label": "Sales of slate",
            "companies": 1,
            "facts": 2,
            "units": ["USD"],
            "first": "2022-12-31",
            "last": "2023-12-31",
        }
    ]


async def test_values_of_inline_xbrl_have_their_places_in_the_text(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    facts = [fact._replace(id=f"f-{at}") for at, fact in enumerate(report_facts(2023))]
    assets = next(fact for fact in facts if fact.concept == "us-gaap:Assets")
    shown = f'<p>Slate: <ix:nonFraction id="{assets.id}" scale="6">100</ix:nonFraction> in all</p>'
    await loads(report(number, cik, facts, date(2024, 2, 1), text=shown))

    rows = (await client.get("/v1/facts", cik=cik))["items"]
    balance = (await client.get("/v1/statements", cik=cik))["statements"][0]
    item = (await client.get("/v1/facts", cik=cik, item="total_assets"))["items"][0]

    placed = [row for row in rows if row["place"]]
    assert [(row["concept"], row["end"]) for row in placed] == [("us-gaap:Assets", "2023-12-31")]
    place = placed[0]["place"]
    text = await client.get("/v1/text", document_id=place["document_id"])
    assert text["text_sha256"] == place["text_sha256"]
    assert text["text"][place["start"] : place["end"]] == "100"
    assert [value["place"] for value in balance["lines"][2]["values"]] == [place, None]
    assert item["place"] == place


async def test_a_walk_gives_every_fact_once(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    await loads(report(new_number(), cik, report_facts(2023), date(2024, 2, 1)))
    whole = await client.get("/v1/facts", cik=cik, limit=1_000)
    page = await client.get("/v1/facts", cik=cik, limit=7, cursor="*", snapshot=True)
    walked = list(page["items"])
    while page["next_cursor"]:
        page = await client.get("/v1/facts", cursor=page["next_cursor"])
        walked += page["items"]

    assert walked == whole["items"]
    assert len(walked) == page["total_count"] == len(report_facts(2023))


async def test_an_export_has_the_facts_of_the_endpoint_in_its_order(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    end = date(2023, 12, 31)
    more = [
        MadeUpFact("moss:Vast", "1E+40", end, unit="shares"),
        MadeUpFact("moss:Fine", "0.12345678901251", end, unit="shares"),
    ]
    await loads(report(new_number(), cik, [*report_facts(2023), *more], date(2024, 2, 1)))
    asked = {"cik": cik, "sort": "largest"}
    whole = await client.http.get("/v1/facts", params={**asked, "limit": 1_000})
    items = json.loads(whole.text, parse_float=Decimal)["items"]

    async def export(form: str) -> bytes:
        values = {**asked, "what": "facts", "format": form}
        response = await client.http.get("/v1/export", params=values)
        assert response.headers["X-Total-Count"] == str(len(items))
        return response.content

    lines = (await export("jsonl")).decode().splitlines()
    records = [json.loads(line, parse_float=Decimal) for line in lines]
    table = pyarrow.parquet.read_table(io.BytesIO(await export("parquet")))
    rows = list(csv.DictReader(io.StringIO((await export("csv")).decode())))

    assert records[:-1] == items
    assert records[-1] == {"records": len(items), "complete": True}
    assert [row["concept"] for row in rows[:-1]] == [item["concept"] for item in items]
    values = dict(zip(table["concept"].to_pylist(), table["value"].to_pylist(), strict=True))
    assert values["us-gaap:Assets"] == Decimal(100_000_000)
    assert values["moss:Fine"] == Decimal("0.123456789013")
    assert values["moss:Vast"] is None
    item = {"what": "facts", "cik": cik, "item": "revenue", "period_from": "2023-12-31"}
    found = (await client.http.get("/v1/export", params=item)).text.splitlines()
    assert [json.loads(line)["value"] for line in found[:-1]] == [50_000_000]


async def test_fourth_quarters_are_derived_of_facts_and_items(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    nine_months = MadeUpFact("us-gaap:Revenues", "38000000", date(2023, 9, 30), date(2023, 1, 1))
    number = new_number()
    await loads(report(number, cik, [*report_facts(2023), nine_months], date(2024, 2, 1)))
    asked = {"cik": cik, "concept": "Revenues", "derived": "q4,ttm"}

    plain = await client.get("/v1/facts", cik=cik, concept="Revenues", limit=1)
    reply = await client.get("/v1/facts", **asked, limit=1, cursor="*")
    following = await client.get("/v1/facts", cursor=reply["next_cursor"])
    within = await client.get("/v1/facts", **asked, period_to="2023-12-30")

    assert "derived" not in plain and "derived" not in following
    assert (reply["items"], reply["total_count"]) == (plain["items"], plain["total_count"])
    assert reply["derived"] == [
        {
            "derived": "q4",
            "cik": cik,
            "name": "MOSS QUARRIES CORP",
            "concept": "us-gaap:Revenues",
            "label": "Sales of slate",
            "value": 12_000_000,
            "unit": "USD",
            "start": "2023-10-01",
            "end": "2023-12-31",
            "parts": [
                {
                    "sign": 1,
                    "value": 50_000_000,
                    "start": "2023-01-01",
                    "end": "2023-12-31",
                    "accnum": number,
                },
                {
                    "sign": -1,
                    "value": 38_000_000,
                    "start": "2023-01-01",
                    "end": "2023-09-30",
                    "accnum": number,
                },
            ],
        }
    ]
    assert within["derived"] == []


async def test_filters_of_facts(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    end, members = date(2023, 12, 31), (("moss:AreaAxis", "moss:NorthMember"),)
    part = MadeUpFact("us-gaap:Revenues", "11", end, date(2023, 1, 1), members=members)
    await loads(report(new_number(), cik, [*report_facts(2023), part], date(2024, 2, 1)))

    async def count(**filters: Any) -> int:
        reply = await client.get("/v1/facts", cik=cik, **filters)
        return int(reply["total_count"])

    assert await count(concept="us-gaap:Revenues") == 2
    assert await count(concept="Revenues", dimensions=True) == 3
    assert await count(concept="Assets,Liabilities", instant="true") == 4
    assert await count(instant="false") == 16
    assert await count(unit="USD/shares") == 2
    assert await count(fiscal_year="2023", fiscal_period="fy", sic="1400") == 27
    assert await count(form_type="10-Q") == 0
    largest = await client.get("/v1/facts", cik=cik, concept="Revenues,Assets", sort="largest")
    assert largest["items"][0]["concept"] == "us-gaap:Assets"


@pytest.mark.parametrize(
    ("path", "parameters", "status", "error"),
    [
        ("statements", {}, 400, "one of `cik`, `ticker` and `accnum` must be given"),
        ("statements", {"cik": "1,2"}, 400, "`cik` may have only one value"),
        ("statements", {"ticker": "NOSUCH"}, 404, "ticker: NOSUCH is not known; try the"),
        ("statements", {"cik": "7"}, 404, "cik 0000000007: none of its filings here has"),
        ("statements", {"cik": "7", "statement": "luck"}, 400, "`statement` may have balance_"),
        ("facts", {"cik": "7", "dimension": "a b"}, 400, "`dimension` must be an axis, a member"),
        ("facts", {}, 400, "one of `cik`, `ticker`, `sic`, `accnum`, `concept`, `item` must"),
        ("facts", {"concept": "NoSuchThing"}, 404, "concept: no filing here has facts for NoSuch"),
        ("facts", {"item": "luck"}, 400, "`item` may have revenue, cost_of_revenue"),
        ("facts", {"cik": "7", "fiscal_year": "24"}, 400, "`fiscal_year` must be a year such as"),
        ("export", {"what": "facts"}, 400, "one of `cik`, `ticker`, `sic`, `accnum`, `concept`"),
        ("export", {"what": "facts", "cik": "7", "limit": 5}, 400, "`limit` is not a parameter"),
        (
            "facts",
            {"cik": "7", "concept": "Assets", "derived": "q4", "fiscal_year": 2023},
            400,
            "`fiscal_year` may not be given with `derived`",
        ),
        (
            "facts",
            {"concept": "Assets", "derived": "q4"},
            400,
            "`derived` needs one company, and 1 to 50 values of `concept` and `item`",
        ),
        ("concepts", {}, 400, "`query` or `cik` must be given"),
    ],
)
async def test_refusals_name_what_is_wrong(
    client: Client, path: str, parameters: Any, status: int, error: str
) -> None:
    response = await client.http.get(f"/v1/{path}", params=parameters)

    assert response.status_code == status
    assert response.json()["error"].startswith(error)
