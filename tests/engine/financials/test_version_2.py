"""Financial statements of Version 2, over loaded filings."""

import io
import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import httpx
import pytest
from openpyxl import load_workbook

from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.made_up_xbrl import (
    ROLES,
    MadeUpFact,
    documents,
    instance,
    report,
    report_facts,
)
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.one_client,
    pytest.mark.usefixtures("made_settings"),
]
FINANCIALS = "/v2/financials"


@pytest.fixture
def cik(new_number: Callable[[], str]) -> str:
    """The CIK of a company that no other test has."""
    return f"00088{new_number()[-5:]}"


async def posted(client: Client, path: str, **parameters: Any) -> Any:
    response = await client.http.post(f"{FINANCIALS}{path}", json=parameters)
    assert response.status_code == 200, response.text
    return json.loads(response.text, parse_float=Decimal)


async def test_statement_has_lines_with_values_the_newest_first(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    await loads(report(number, cik, report_facts(2023), date(2024, 2, 1)))

    income = await posted(client, "/income-statement", cik=cik.lstrip("0"))
    flow = await posted(client, "/cash-flow", cik=cik, accession_number=number.replace("-", ""))

    assert {name: income[name] for name in income if name not in ("line_items", "breakdowns")} == {
        "cik": cik,
        "accession_number": number,
        "filing_date": "2024-02-01",
        "form_type": "10-K",
        "statement_type": "income_statement",
        "short_name": "STATEMENTS OF INCOME",
        "periods": [
            {"period_end": "2023-12-31", "period_start": "2023-01-01", "period_type": "duration"},
            {"period_end": "2022-12-31", "period_start": "2022-01-01", "period_type": "duration"},
        ],
    }
    cost, earnings = income["line_items"][1], income["line_items"][3]
    assert (cost["concept"], cost["label"], cost["negated"]) == (
        "CostOfRevenue",
        "Cost of slate",
        True,
    )
    assert earnings["values"][0] == {
        "period_end": "2023-12-31",
        "period_start": "2023-01-01",
        "value": Decimal("0.70"),
        "unit": "USD/shares",
        "decimals": 2,
    }
    cash = [line for line in flow["line_items"] if line["label"].startswith("Cash")]
    assert [line["label"] for line in cash] == ["Cash, beginning", "Cash, end"]
    ends = ["2023-12-31", "2022-12-31", "2021-12-31"]
    assert [[v["period_end"] for v in line["values"]] for line in cash] == [ends, ends]


async def test_table_has_each_concept_once_and_cash_as_of_the_ends(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    await loads(report(new_number(), cik, report_facts(2023, 2), date(2024, 2, 1)))

    table = await posted(client, "/cash-flow", cik=cik, format="table")

    assert table["columns"] == ["2023-12-31", "2022-12-31"]
    assert [row["concept"] for row in table["rows"]][-2:] == [
        "CashAndCashEquivalentsPeriodIncreaseDecrease",
        "CashAndCashEquivalentsAtCarryingValue",
    ]
    assert table["rows"][-1]["label"] == "Cash, end"
    assert table["rows"][-1]["values"] == [40_000_000, 40_000_000]
    assert "line_items" not in table and "periods" not in table


async def test_form_s_own_length_comes_first(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    def income(scale: int, start: date) -> list[MadeUpFact]:
        names = ("Revenues", "NetIncomeLoss", "CostOfRevenue")
        end = date(2023, 9, 30)
        return [MadeUpFact(f"us-gaap:{name}", str(scale), end, start) for name in names]

    both = [*income(9, date(2023, 1, 1)), *income(3, date(2023, 7, 1))]
    quarterly, annual = new_number(), new_number()
    await loads(report(quarterly, cik, both, date(2023, 11, 1), "10-Q"))
    await loads(report(annual, cik, both, date(2023, 11, 2), "10-K"))

    async def first(number: str) -> list[int]:
        statement = await posted(client, "/income-statement", cik=cik, accession_number=number)
        return [each["value"] for each in statement["line_items"][0]["values"]]

    assert (await first(quarterly), await first(annual)) == ([3, 9], [9, 3])


async def test_all_statements_raw_values_and_filings(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    first, second = new_number(), new_number()
    nil = MadeUpFact("us-gaap:StockholdersEquity", None, date(2021, 12, 31))
    await loads(report(first, cik, report_facts(2022), date(2023, 2, 1)))
    await loads(report(second, cik, [*report_facts(2023), nil], date(2024, 2, 1)))

    whole = await posted(client, "", cik=cik)
    raw = await posted(client, "/raw", cik=cik)
    listed = await posted(client, "/filings", cik=cik)

    assert [whole[kind]["accession_number"] for kind in ("balance_sheet", "cash_flow")] == [
        second,
        second,
    ]
    assert whole["filings"] == listed["filings"]
    assert [each["accession_number"] for each in listed["filings"]] == [second, first]
    assert listed["filings"][0]["fiscal_period"] == "FY"
    (balance,) = raw["statements"]["balance_sheet"]
    assert (balance["short_name"], balance["long_name"]) == (
        "BALANCE SHEETS",
        "0002 - Statement - BALANCE SHEETS",
    )
    assert [fact["value"] for fact in balance["facts"]["StockholdersEquity"]] == [
        40_000_000,
        40_000_000,
        None,
    ]


async def test_history_takes_the_last_filed_by_default_or_as_of_a_day_or_the_first(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    first, second = new_number(), new_number()
    await loads(report(first, cik, report_facts(2022, 1), date(2023, 2, 1)))
    await loads(report(second, cik, report_facts(2023, 3, earlier=2), date(2024, 2, 1)))

    async def revenues(**more: Any) -> list[tuple[str, int, str]]:
        reply = await posted(client, "/history", cik=cik, concepts="Revenues,Assets", **more)
        assert list(reply["concepts"]) == ["Revenues", "Assets"]
        return [
            (each["period_end"][:4], each["value"], each["accession_number"])
            for each in reply["concepts"]["Revenues"]
        ]

    newest = [("2023", 150_000_000, second), ("2022", 100_000_000, second)]
    oldest = ("2021", 50_000_000, first)
    assert await revenues() == [*newest, oldest]
    assert await revenues(as_of="2023-12-31") == [("2022", 50_000_000, first), oldest]
    assert await revenues(original=True) == [newest[0], ("2022", 50_000_000, first), oldest]
    assert await revenues(unit="EUR") == []


async def test_history_has_one_value_for_an_end_or_those_of_a_length(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    starts = {"ytd": date(2023, 1, 1), "quarter": date(2023, 7, 1), "month": date(2023, 9, 1)}
    end, year = date(2023, 9, 30), date(2022, 12, 31)
    facts = [
        *(
            MadeUpFact("us-gaap:Revenues", str(number), end, start)
            for number, start in enumerate(starts.values(), 1)
        ),
        MadeUpFact("us-gaap:Revenues", "4", year, date(2022, 1, 1)),
        MadeUpFact("us-gaap:Assets", "5", end),
        MadeUpFact("us-gaap:Assets", "6", end, unit="EUR"),
        MadeUpFact("us-gaap:Assets", "7", year),
        MadeUpFact("moss:Revenues", "8", end, starts["quarter"]),
    ]
    await loads(report(new_number(), cik, facts, date(2023, 11, 1), "10-Q"))

    async def found(concept: str, periods: str = "shortest", **more: Any) -> list[int]:
        reply = await posted(
            client, "/history", cik=cik, concepts=[concept], periods=periods, **more
        )
        return [each["value"] for each in reply["concepts"][concept]]

    assert await found("Revenues") == [2, 4]
    assert await found("us-gaap:Revenues", "quarter") == [2]
    assert await found("Revenues", "ytd") == [1]
    assert await found("Revenues", "year") == [4]
    assert await found("Revenues", "all") == [3, 2, 1, 4]
    assert await found("Revenues", "instant") == []
    assert await found("moss:Revenues") == [8]
    assert await found("Assets", "instant") == [5, 7]
    assert await found("Assets", unit="EUR") == [6]
    assert await found("NoSuchConcept") == []


async def test_fourth_quarter_is_derived_if_it_is_asked_for(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    nine_months = MadeUpFact("us-gaap:Revenues", "38000000", date(2023, 9, 30), date(2023, 1, 1))
    number = new_number()
    await loads(report(number, cik, [*report_facts(2023), nine_months], date(2024, 2, 1)))

    reply = await posted(client, "/history", cik=cik, concepts="Revenues", derived="q4,ttm")
    plain = await posted(client, "/history", cik=cik, concepts="Revenues")

    (found,) = reply["derived"]["Revenues"]
    assert [found[name] for name in ("derived", "period_start", "period_end", "value")] == [
        "q4",
        "2023-10-01",
        "2023-12-31",
        12_000_000,
    ]
    assert [(part["sign"], part["value"]) for part in found["parts"]] == [
        (1, 50_000_000),
        (-1, 38_000_000),
    ]
    assert {part["accession_number"] for part in found["parts"]} == {number}
    assert plain == {name: reply[name] for name in ("cik", "concepts")}


async def test_workbook_has_the_presented_numbers_and_their_sources(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    await loads(report(number, cik, report_facts(2023), date(2024, 2, 1)))

    response = await client.http.get(f"{FINANCIALS}/export/excel", params={"cik": cik})
    same = await client.http.get("/v1/statements", params={"accnum": number, "format": "xlsx"})
    part = await client.http.get(
        "/v1/statements",
        params={"cik": cik, "format": "xlsx", "statement": "cash_flow", "normalize": "true"},
    )

    assert response.headers["content-type"].endswith("spreadsheetml.sheet")
    assert response.headers["content-disposition"] == f'attachment; filename="{number}.xlsx"'
    book = read(response)
    assert book.sheetnames == [
        "Balance sheet",
        "Income statement",
        "Cash flow statement",
        "Sources",
    ]
    rows = {row[0].value: row for row in book["Income statement"].iter_rows()}
    assert [cell.value for cell in rows["Cost of slate"]] == ["Cost of slate", -30e6, -30e6, "USD"]
    assert rows["Earnings per share"][1].value == 0.7
    assert rows["Earnings per share"][1].number_format == "#,##0.00_);(#,##0.00)"
    assert book["Income statement"].freeze_panes == "B4"
    sources = [[cell.value for cell in row] for row in book["Sources"].iter_rows()]
    assert ["accession number", number] in [row[:2] for row in sources]
    assert [
        "0004 - Statement - STATEMENTS OF INCOME",
        "Cost of slate",
        "us-gaap:CostOfRevenue",
        "reversed",
        "USD",
        "-6",
    ] in [row[:6] for row in sources]
    assert [[c.value for c in row] for row in read(same)["Sources"].iter_rows()] == sources
    assert read(part).sheetnames == ["Cash flow statement", "Standard items", "Sources"]


def read(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return load_workbook(io.BytesIO(response.content))


async def test_co_registrant_is_told_whose_statements_are_here(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number, other = new_number(), f"00087{cik[-5:]}"
    entities = (MadeUpEntity(cik, "MOSS QUARRIES CORP"), MadeUpEntity(other, "MOSS POWER LLC"))
    text = instance(report_facts(2023), {}, cik)
    body = (MadeUpDocument("<html></html>", "10-K", "a.htm"), *documents(text, ROLES))
    made = MadeUp(number, entities, body, "10-K", date(2024, 2, 1))
    await loads({f"{number}.txt": txt(made)})

    told = f"co-registrant in filings of {cik}, whose statements are here"
    of_filing = f"co-registrant in this filing of {cik}, whose statements are here"
    assert await refused(client, "/balance-sheet", cik=other) == (404, told)
    assert await refused(client, "/filings", cik=other) == (404, told)
    assert await refused(client, "/raw", cik=other, accession_number=number) == (404, of_filing)
    mine = await posted(client, "/balance-sheet", cik=cik)
    assert mine["accession_number"] == number


async def refused(client: Client, path: str, **parameters: Any) -> tuple[int, str]:
    response = await client.http.post(f"{FINANCIALS}{path}", json=parameters)
    return response.status_code, response.json()["error"].rpartition(" is a ")[2]


@pytest.mark.parametrize(
    ("path", "parameters", "status", "error"),
    [
        ("", {}, 400, "`cik` is missing"),
        ("", {"cik": 320193}, 400, "`cik` must be a string, not 320193"),
        ("/raw", {"cik": "apple"}, 400, "`cik` must be a CIK of 1 to 10 digits, not `apple`"),
        ("/raw", {"cik": "7", "accession_number": "1"}, 400, "`accession_number` must be an"),
        ("/raw", {"cik": "7", "accession_number": "000000000124000001"}, 404, "accession_number 0"),
        ("/balance-sheet", {"cik": "7", "format": "csv"}, 400, "`format` must be one of default,"),
        ("/cash-flow", {"cik": "7"}, 404, "cik 0000000007: none of its annual and quarterly repor"),
        ("/filings", {"cik": "7"}, 404, "cik 0000000007: no filing of this company is here"),
        ("/history", {"cik": "7"}, 400, "`concepts` is missing"),
        ("/history", {"cik": "7", "concepts": " , "}, 400, "`concepts` is missing"),
        ("/history", {"cik": "7", "concepts": "A,B C"}, 400, "`concepts` must be the name of a"),
        ("/history", {"cik": "7", "concepts": ["A"] * 2, "concept": "B"}, 400, "`concepts` may be"),
        ("/history", {"cik": "7", "concepts": [1]}, 400, "`concepts` must be an array of strings"),
        ("/history", {"cik": "7", "concepts": "Assets"}, 404, "cik: no filing here has facts for"),
        ("/history", {"cik": "7", "concepts": "A", "periods": "fy"}, 400, "`periods` must be one"),
        ("/history", {"cik": "7", "concepts": "A", "as_of": "2024"}, 400, "`as_of` must be a date"),
        ("/export/excel", {"cik": "7"}, 404, "cik 0000000007: none of its annual and quarterly"),
    ],
)
async def test_refusals_name_what_is_wrong(
    client: Client, path: str, parameters: Any, status: int, error: str
) -> None:
    response = await client.http.post(f"{FINANCIALS}{path}", json=parameters)

    assert (response.status_code, list(response.json())) == (status, ["error"])
    assert response.json()["error"].startswith(error)


async def test_more_concepts_than_the_bound_are_refused(client: Client) -> None:
    names = ",".join(f"A{n}" for n in range(51))
    response = await client.http.post(f"{FINANCIALS}/history", json={"cik": "7", "concepts": names})
    assert response.status_code == 400
    assert response.json()["error"] == "`concepts` may have at most 50 items, not 51"


async def test_filing_of_another_company_or_without_the_statement_is_refused(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    number = new_number()
    cash_only = [fact for fact in report_facts(2023) if "NetCash" in fact.concept]
    await loads(report(number, cik, cash_only, date(2024, 2, 1)))

    async def answer(path: str, of: str) -> tuple[int, str]:
        sent = {"cik": of, "accession_number": number}
        response = await client.http.get(f"{FINANCIALS}{path}", params=sent)
        return response.status_code, response.json()["error"]

    assert await answer("/raw", "7") == (
        400,
        f"accession_number {number} is a filing of {cik}, not of 0000000007",
    )
    assert await answer("/balance-sheet", cik) == (
        404,
        f"accession_number {number} has no XBRL balance sheet",
    )
    whole = await posted(client, "", cik=cik)
    assert (whole["balance_sheet"], whole["income_statement"]) == (None, None)


async def test_parameters_come_in_three_ways(
    loads: Loads, client: Client, new_number: Callable[[], str], cik: str
) -> None:
    await loads(report(new_number(), cik, report_facts(2023), date(2024, 2, 1)))
    path = f"{FINANCIALS}/history"
    given = {"cik": cik, "concept": "us-gaap:Assets"}
    asked = [
        await client.http.get(path, params=given),
        await client.http.get(path, params={"cik": cik, "concepts": '["us-gaap:Assets"]'}),
        await client.http.request("GET", path, json=given),
        await client.http.post(path, json=given),
        await client.http.post(path, json={"cik": cik, "concepts": ["us-gaap:Assets"]}),
    ]
    assert [each.status_code for each in asked] == [200] * 5
    assert len({each.text for each in asked}) == 1
