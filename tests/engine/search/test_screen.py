"""Screens: rows, cells with their sources, groups, walks and files."""

import csv
import io
import itertools
import math
import zipfile
from datetime import date
from typing import Any

import msgspec
import pyarrow.parquet
import pytest

from edgar_search.search.histograms import BARS
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import report, report_facts

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
COMPANIES, YEARS = 4, (2021, 2022, 2023)
TEXT = (
    "<p>Substantial doubt: a going concern.</p><p>(In thousands)</p>"
    "<table><tr><td>Long-term debt</td><td>$</td><td>1,250</td><td>900</td></tr>"
    "<tr><td>Other</td><td></td><td>7</td><td>8</td></tr></table>"
    "<p>It is a going concern.</p>"
)


def accession(company: int, year: int) -> str:
    return f"0009990{company + 300}-{year % 100 + 1}-000001"


@pytest.fixture(scope="module", autouse=True)
def reports(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Reports of four companies and three years; revenue is 50m times the scale."""
    files: dict[str, bytes] = {}
    for company in range(COMPANIES):
        for year in YEARS:
            scale = company + 1 + (2023 - year)
            facts = report_facts(year, scale, scale * 2)
            text = TEXT if company == 0 else "marble"
            day = date(year + 1, 2, 1)
            number, cik = accession(company, year), f"{9_990_300 + company:010d}"
            files |= report(number, cik, facts, day, text=text)
    files |= report("0009990309-24-000001", "0009990309", [], date(2024, 2, 1), text="granite")
    load_now(settings, tmp_path_factory.mktemp("files"), files)


CIKS = ",".join(f"{9_990_300 + company:010d}" for company in range(COMPANIES))


async def screen(client: Client, **parameters: str) -> dict[str, Any]:
    return await client.get("/v1/screen", **{"cik": CIKS, **parameters})


def values(reply: dict[str, Any], column: str) -> list[Any]:
    cells = [row["cells"][column] for row in reply["items"]]
    return [cell["value"] if cell["text"] is None else cell["text"] for cell in cells]


async def test_figures_have_their_facts_as_sources(client: Client) -> None:
    reply = await screen(client, columns="revenue,revenue_change,net_margin", figures="revenue<60m")

    (row,) = reply["items"]
    assert (reply["total_count"], row["accnum"]) == (1, accession(0, 2023))
    cells = row["cells"]
    assert cells["revenue"]["value"] == 50_000_000
    assert cells["revenue_change"]["value"] == -0.5
    assert cells["net_margin"]["value"] == 0.14
    now, before = cells["revenue_change"]["sources"]
    assert cells["revenue"]["sources"] == [now]
    assert (now["item"], now["value"], now["period_end"]) == ("revenue", 50_000_000, "2023-12-31")
    assert (before["value"], before["period_start"]) == (100_000_000, "2022-01-01")
    assert now["concepts"] == ["us-gaap:Revenues"]
    margin = [cell["item"] for cell in cells["net_margin"]["sources"]]
    assert margin == ["net_income", "revenue"]


async def test_words_and_rows_of_tables_have_their_places(client: Client) -> None:
    columns = 'match:"going concern",table:"long-term debt",table:"lease"'
    reply = await screen(client, columns=columns, cik="0009990300", fiscal_year="2023")

    (row,) = reply["items"]
    found, debt, lease = row["cells"].values()
    assert (found["value"], debt["value"], lease["value"]) == (2, 1_250_000, None)
    assert (debt["sources"][0]["value"], debt["sources"][0]["unit"]) == (1250, "In thousands")
    assert lease["reason"] == "no row of a table begins so and has an amount"
    text = await client.get("/v1/text", document_id=row["document_id"])
    for cell, words in ((found, "going concern"), (debt, "$1,250")):
        (place,) = cell["sources"]
        assert place["text_sha256"] == text["text_sha256"]
        assert text["text"][place["start"] : place["end"]] == words
    assert found["snippet"].startswith("Substantial doubt: a going concern.")


async def test_absent_values_have_a_reason(client: Client) -> None:
    reply = await screen(
        client, cik="0009990309", columns="revenue,goodwill,period,section:item7,match:basalt"
    )

    (row,) = reply["items"]
    reasons = [(e["text"] or e["value"], e["reason"]) for e in row["cells"].values()]
    assert reasons == [
        (None, "the filing has no figures"),
        (None, "the filing has no figures"),
        ("2023-12-31", None),
        (None, "the document has no such section"),
        (0, None),
    ]
    other = await screen(client, columns="goodwill", figures="revenue<60m")
    (cell,) = other["items"][0]["cells"].values()
    assert cell["reason"] == "the filing does not decide goodwill"


async def test_group_has_the_newest_of_each_company(client: Client) -> None:
    reply = await screen(client, group="company", columns="accnum,revenue", sort="revenue")

    assert reply["total_count"] == COMPANIES
    assert values(reply, "accnum") == [accession(each, 2023) for each in reversed(range(COMPANIES))]
    assert values(reply, "revenue") == [200_000_000, 150_000_000, 100_000_000, 50_000_000]


async def test_walk_and_windows_have_the_same_rows(client: Client) -> None:
    whole = await screen(client, columns="accnum", sort="revenue:asc")
    assert whole["total_count"] == COMPANIES * len(YEARS)
    windows = [
        number
        for offset in range(0, 12, 5)
        for number in values(
            await screen(
                client, columns="accnum", sort="revenue:asc", limit="5", offset=str(offset)
            ),
            "accnum",
        )
    ]
    walked = []
    page = await screen(client, columns="accnum", sort="revenue:asc", limit="5", cursor="*")
    while True:
        walked += values(page, "accnum")
        if page["next_cursor"] is None:
            break
        page = await client.get("/v1/screen", cursor=page["next_cursor"])
    assert windows == walked == values(whole, "accnum")


async def test_files_have_typed_columns_and_sources(client: Client) -> None:
    asked = {"cik": CIKS, "columns": "company,filing_date,revenue,revenue_change", "limit": "2"}
    table = await client.http.get("/v1/screen", params={**asked, "format": "csv"})
    (first, _) = csv.DictReader(io.StringIO(table.text))
    assert first["company"] == "MOSS QUARRIES CORP"
    assert first["revenue source"].startswith("revenue ")
    asked["columns"], asked["fiscal_year"] = 'table:"long-term debt"', "2023"
    table = await client.http.get("/v1/screen", params={**asked, "cik": "9990300", "format": "csv"})
    (row,) = csv.DictReader(io.StringIO(table.text))
    assert row['table:"long-term debt"'] == "1250000"
    assert row['table:"long-term debt" source'].startswith("1250 In thousands 0009990300-24")
    asked = {"cik": CIKS, "columns": "company,filing_date,revenue,revenue_change", "limit": "2"}
    parquet = await client.http.get("/v1/screen", params={**asked, "format": "parquet"})
    read = pyarrow.parquet.read_table(io.BytesIO(parquet.content))
    kinds = {each.name: str(each.type) for each in read.schema}
    assert kinds["filing_date"] == "date32[day]"
    assert kinds["revenue"] == "decimal128(38, 12)"
    assert kinds["revenue_change"] == "double"
    assert read.num_rows == 2
    workbook = await client.http.get("/v1/screen", params={**asked, "format": "xlsx"})
    assert workbook.content.startswith(b"PK")


@pytest.mark.parametrize("group", ["filing", "company"])
async def test_export_has_the_rows_of_all_pages(client: Client, group: str) -> None:
    columns = 'company,filing_date,revenue,revenue_change,match:"going concern"'
    asked = {"cik": CIKS, "columns": columns, "sort": "revenue:asc", "group": group}
    rows: list[Any] = []
    while len(rows) < (total := COMPANIES * (1 if group == "company" else len(YEARS))):
        page = await screen(client, **asked, limit="5", offset=str(len(rows)))
        assert page["total_count"] == total
        rows += page["items"]

    exported = await client.http.get("/v1/export", params={**asked, "what": "screen"})
    *lines, last = (msgspec.json.decode(line) for line in exported.content.splitlines())
    assert (lines, last) == (rows, {"records": total, "complete": True})
    assert exported.headers["X-Total-Count"] == str(total)


@pytest.mark.parametrize("form", ["csv", "xlsx", "parquet"])
async def test_files_of_an_export_are_those_of_a_page(client: Client, form: str) -> None:
    asked = {"cik": CIKS, "columns": "company,filing_date,revenue,revenue_change", "format": form}
    page = await client.http.get("/v1/screen", params=asked)
    exported = await client.http.get("/v1/export", params={**asked, "what": "screen"})
    assert exported.headers["content-type"] == page.headers["content-type"]
    end = f"edgar-search-screen.{form}"
    assert end in exported.headers["content-disposition"]
    if form == "csv":
        *lines, last = exported.text.splitlines()
        assert lines == page.text.splitlines()
        assert last == f'#{{"records":{COMPANIES * len(YEARS)},"complete":true}}'
    elif form == "parquet":
        read = [pyarrow.parquet.read_table(io.BytesIO(x.content)) for x in (exported, page)]
        assert read[0].equals(read[1])
    else:
        sheets = [
            zipfile.ZipFile(io.BytesIO(x.content)).read("xl/worksheets/sheet1.xml")
            for x in (exported, page)
        ]
        assert sheets[0] == sheets[1]


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"columns": "revenue"}, "`columns` needs `what=screen`"),
        ({"group": "company"}, "`group` needs `what=screen`"),
        ({"what": "screen", "columns": "revenu"}, "`columns`: no column is `revenu`"),
        ({"what": "screen", "snippet": "true"}, "`snippet` needs `what=documents`"),
        ({"what": "screen", "include": "size"}, "`include` needs `what=documents`"),
        ({"what": "screen", "document_type": "EX-13"}, "`document_type` is not a parameter"),
    ],
)
async def test_wrong_exports_of_screens_are_refused(
    client: Client, parameters: dict[str, str], error: str
) -> None:
    response = await client.http.get("/v1/export", params={"cik": CIKS, **parameters})
    assert response.status_code == 400
    assert error in response.json()["error"]


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"columns": "revenue"}, "`query` is missing, and so is every filter; give one of them"),
        ({"cik": "1", "columns": "revenu"}, "`columns`: no column is `revenu`"),
        (
            {"cik": "1", "columns": "x" * 4_001},
            "`columns` may have at most 4,000 characters, not 4,001",
        ),
        ({"cik": "1", "limit": "1001"}, "`limit` must be from 1 to 1000, not 1001"),
        (
            {"cik": "1", "limit": "101", "columns": "match:a,match:b"},
            "`limit` must be from 1 to 100 with 2 columns of tables and matches, not 101",
        ),
        ({"cik": "1", "offset": "999999999"}, "`offset` plus `limit` must be at most"),
        ({"cik": "1", "group": "state"}, "`group` must be one of filing, company, not `state`"),
        ({"cik": "1", "primary": "true"}, "`primary` is not a parameter"),
    ],
)
async def test_wrong_screens_are_refused(
    client: Client, parameters: dict[str, str], error: str
) -> None:
    response = await client.http.get("/v1/screen", params=parameters)
    assert response.status_code == 400
    assert error in response.json()["error"]


async def test_histograms_count_all_reports_by_their_figures(client: Client) -> None:
    columns = "company,revenue,revenue_change,goodwill,match:marble"
    reply = await screen(client, columns=columns, include="histograms", limit="1")

    heads = {each["name"]: each for each in reply["columns"]}
    assert [name for name, each in heads.items() if "histogram" in each] == [
        "revenue",
        "revenue_change",
    ]
    whole = await screen(client, columns="revenue")
    amounts = values(whole, "revenue")
    found = heads["revenue"]["histogram"]
    edges = found["edges"]
    assert len(edges) == BARS - 1 and edges == sorted(edges)
    counted = [
        sum(low <= amount < high for amount in amounts)
        for low, high in itertools.pairwise((-math.inf, *edges, math.inf))
    ]
    assert found["counts"] == counted
    same = heads["revenue_change"]["histogram"]
    assert (same["edges"], same["counts"]) == ([-0.5], [0, COMPANIES * len(YEARS)])
    nothing = await screen(client, columns="revenue", query="basalt", include="histograms")
    assert "histogram" not in nothing["columns"][0]
