"""Programs for EDGAR, as published, on the real corpus: they are told another address, no more."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from edgar_search.commands.clients import HOOK
from tests.acceptance.service import Service
from tests.support.edgar_clients import python_of

APPLE = "0000320193"

SUBMISSIONS = """
import json
from sec_edgar_api import EdgarClient
client = EdgarClient(user_agent="tests tests@example.com")
listed = client.get_submissions(cik="320193")["filings"]["recent"]
facts = client.get_company_facts(cik="320193")["facts"]["us-gaap"]
concept = client.get_company_concept(cik="320193", taxonomy="us-gaap", tag="Assets")
frame = client.get_frames(taxonomy="us-gaap", tag="Assets", unit="USD", year="2009", quarter=2)
print(json.dumps({
    "filings": listed["accessionNumber"],
    "same": facts["Assets"]["units"]["USD"] == concept["units"]["USD"],
    "points": frame["pts"] == len(frame["data"]) > 1,
}))
"""
FACTS = """
import json
from datetime import date
from secedgar import DailyFilings, QuarterlyFilings
from secedgar.core.rest import get_company_facts, get_submissions
agent = "tests tests@example.com"
listed = get_submissions(lookups=["aapl"], user_agent=agent)["aapl"]["filings"]
facts = get_company_facts(lookups=["aapl"], user_agent=agent)["aapl"]["facts"]
day = DailyFilings(date(2009, 7, 22), user_agent=agent).get_urls()
quarter = QuarterlyFilings(2009, 3, user_agent=agent).get_urls()
print(json.dumps({
    "filings": listed["recent"]["accessionNumber"],
    "facts": sorted(facts),
    "day": [url for urls in day.values() for url in urls],
    "quarter": [url for urls in quarter.values() for url in urls],
}))
"""
DOWNLOADS = """
from sec_edgar_downloader import Downloader
print(Downloader("tests", "tests@example.com", ".").get("10-K", "AAPL", download_details=True))
"""
INDEX = """
import edgar
edgar.download_index(".", 2009, "tests tests@example.com", skip_all_present_except_last=False)
"""
SEARCH = """
import json
from edgar import Company, get_filings, search_filings
from edgar.search.efts import resolve_accession
page = found = search_filings('"material weakness"', start_date="1993-01-01")
ids = [(each.accession_number, each.document_id) for each in found]
while page := page.next():
    ids += [(each.accession_number, each.document_id) for each in page]
filing = Company("AAPL").get_filings(form="10-K")[0]
print(json.dumps({
    "total": found.total,
    "ids": len(set(ids)),
    "facets": bool(found.aggregations.forms and found.aggregations.entities),
    "known": resolve_accession(filing.accession_no)["form"],
    "text": "Apple" in filing.text(),
    "attachments": len(filing.attachments) > 1,
    "report": type(filing.obj()).__name__,
    "listed": len(get_filings(2020, 1, form="4")) > 100,
}))
"""
OBJECTS = """
import json
import warnings
from edgar import Company, Financials, get_filings
warnings.simplefilter("ignore")
report = Company("AAPL").get_filings(form="10-K")[0]
financials = Financials.extract(report)
trades = get_filings(2020, 1, form="4")
holdings = Company("BRK-B").get_filings(form="13F-HR")[0]
print(json.dumps({
    "report": report.accession_no,
    "revenue": financials.get_revenue(),
    "assets": financials.get_total_assets(),
    "statements": [len(each().to_dataframe()) > 5 for each in (
        financials.income_statement, financials.balance_sheet, financials.cashflow_statement
    )],
    "trades": [[each.accession_no, len(each.obj().to_dataframe())] for each in list(trades)[:20]],
    "holdings": [holdings.accession_no, float(holdings.obj().total_value)],
}))
"""
TOOLS = """
import asyncio
import json
import os
import sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def ask():
    command = os.path.join(os.path.dirname(sys.executable), "edgartools-mcp")
    server = StdioServerParameters(command=command, env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        async def call(tool, **arguments):
            return json.loads((await session.call_tool(tool, arguments)).content[0].text)
        print(json.dumps({
            "found": await call("edgar_text_search", query='"material weakness"',
                                start_date="1993-01-01", limit=50),
            "company": await call("edgar_company", identifier="AAPL"),
            "filing": await call("edgar_filing", identifier="AAPL", form="10-K"),
            "read": await call("edgar_read", identifier="AAPL", form="10-K",
                               sections=["risk_factors"]),
            "trends": await call("edgar_trends", identifier="AAPL"),
        }))

asyncio.run(ask())
"""
# The whole package imports forty others; its modules of EDGAR's search import two.
DATAMULE = """
import asyncio
import json
import sys
import sysconfig
import types
from pathlib import Path
root = Path(sysconfig.get_paths()["purelib"]) / "datamule"
for name in ("datamule", "datamule.sec", "datamule.sec.submissions"):
    package = types.ModuleType(name)
    package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
    sys.modules[name] = package
from datamule.sec.submissions.eftsquery import EFTSQuery
from datamule.sec.submissions.textsearch import query

async def listed():
    async with EFTSQuery(quiet=True) as search:
        return await search.query(location="CA")

def ids(hits):
    return [hit["_id"] for hit in hits]

years = ("2000-01-01", "2020-12-31")
print(json.dumps({
    "words": ids(query('"material weakness"', quiet=True)),
    "forms": ids(query("revenue", submission_type=["10-K", "8-K"], filing_date=years, quiet=True)),
    "name": ids(query("revenue", name="Apple", quiet=True)),
    "place": ids(asyncio.run(listed())),
}))
"""
OPENBB = """
import asyncio
import json
import warnings
from openbb_sec import sec_provider
warnings.simplefilter("ignore")

def fetch(name, **parameters):
    fetched = asyncio.run(sec_provider.fetcher_dict[name].fetch_data(parameters, {}))
    found = getattr(fetched, "result", fetched)
    rows = found if isinstance(found, list) else [found]
    return [each.model_dump(mode="json") for each in rows]

print(json.dumps({
    "cik": fetch("CikMap", symbol="AAPL"),
    "symbol": fetch("SymbolMap", query="320193"),
    "names": fetch("SecEquitySearch", query="apple"),
    "institutions": fetch("InstitutionsSearch", query="berkshire"),
    "filings": fetch("SecCompanyFilings", symbol="AAPL"),
    "found": fetch("SecFullTextSearch", query='"material weakness"'),
    "latest": fetch("SecLatestFinancialReports", date="2009-07-22"),
    "assets": fetch("SecCompareCompanyFacts", symbol="AAPL", fact="Assets"),
    "frame": fetch("SecCompareCompanyFacts", fact="Assets", year=2009, calendar_period="q3",
                   instantaneous=True),
    "trades": fetch("SecInsiderTrading", symbol="AMD", start_date="2019-01-01",
                    end_date="2026-01-01"),
    "holdings": fetch("SecForm13FHR", symbol="BRK-B"),
}))
"""


def run(client: str, code: str, service: Service, folder: Path) -> str:
    """Return the output of a program whose requests go to the service.

    Skips without its environment.
    """
    (folder / "program.py").write_text(code)
    done = subprocess.run(
        [python_of(client), "program.py"],
        cwd=folder,
        env=environ(service, folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def environ(service: Service, folder: Path) -> dict[str, str]:
    """Return the variables of `edgar-search clients env`, and those that the programs want."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(HOOK),
        "EDGAR_MIRROR_URL": service.url,
        "EDGAR_MIRROR_KEY": service.key,
        "EDGAR_BASE_URL": service.url,
        "EDGAR_DATA_URL": service.url,
        "EDGAR_IDENTITY": "tests tests@example.com",
    }


def filings_of_apple(service: Service) -> set[str]:
    """Return the accession numbers of all filings of Apple."""
    found = service.lookup(cik=APPLE, limit=1000)["filings"]
    return {each["accnum"] for each in found}


def test_sec_edgar_api_reads_submissions_and_facts(service: Service, tmp_path: Path) -> None:
    read = json.loads(run("sec-edgar-api", SUBMISSIONS, service, tmp_path))
    assert set(read["filings"]) == filings_of_apple(service)
    assert (read["same"], read["points"]) == (True, True)


@pytest.mark.long
def test_secedgar_reads_submissions_facts_and_indexes(service: Service, tmp_path: Path) -> None:
    read = json.loads(run("secedgar", FACTS, service, tmp_path))
    assert set(read["filings"]) == filings_of_apple(service)
    assert read["facts"] == ["dei", "us-gaap"]
    index = "/Archives/edgar/{}-index/2009/QTR3/master.{}"
    for name, path in (
        ("quarter", index.format("full", "idx")),
        ("day", index.format("daily", "20090722.idx")),
    ):
        lines = service.http.get(path).text.splitlines()
        listed = {line.rpartition("|")[2] for line in lines if line.endswith(".txt")}
        assert {url.partition("/Archives/")[2] for url in read[name]} == listed != set()


@pytest.mark.long
def test_sec_edgar_downloader_has_each_annual_report_as_filed(
    service: Service, corpus: Path, tmp_path: Path
) -> None:
    printed = run("sec-edgar-downloader", DOWNLOADS, service, tmp_path)
    reports = service.lookup(cik=APPLE, form_type="10-K", limit=1000)["filings"]
    numbers = {report["accnum"] for report in reports}
    assert int(printed.split()[-1]) == len(numbers) > 1
    # Older reports are plain texts.
    assert list(tmp_path.rglob("primary-document.html"))
    for number in numbers:
        folder = tmp_path / "sec-edgar-filings" / "AAPL" / "10-K" / number
        whole = (folder / "full-submission.txt").read_bytes()
        kept = service.http.get(f"/v2/document?document_id={number}-1").content
        assert kept in whole.replace(b"\r\n", b"\n") or kept in whole


@pytest.mark.long
def test_python_edgar_reads_the_index_of_each_quarter(service: Service, tmp_path: Path) -> None:
    run("python-edgar", INDEX, service, tmp_path)
    with (tmp_path / "2009-QTR3.tsv").open() as file:
        rows = [row for row in csv.reader(file, delimiter="|") if row[0] == APPLE.lstrip("0")]
    listed = {Path(row[4]).stem for row in rows}
    days = {"cik": APPLE, "from_date": "2009-07-01", "to_date": "2009-09-30", "limit": 1000}
    assert listed == {each["accnum"] for each in service.lookup(**days)["filings"]} != set()


@pytest.mark.long
def test_edgar_tool_writes_a_row_for_each_document(service: Service, tmp_path: Path) -> None:
    command = python_of("edgar-tool").with_name("edgar-tool")
    asked = ["text-search", "material weakness", "--start-date", "1993-01-01"]
    done = subprocess.run(
        [command, *asked, "--end-date", "2026-12-31", "--output", "out.csv"],
        cwd=tmp_path,
        env=environ(service, tmp_path),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "error occurred" not in done.stdout + done.stderr
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == service.search(query='"material weakness"')["total_count"] > 10


@pytest.mark.long
def test_edgartools_searches_lists_and_reads(service: Service, tmp_path: Path) -> None:
    read = json.loads(run("edgartools", SEARCH, service, tmp_path))
    total = service.search(query='"material weakness"')["total_count"]
    assert read == {
        "total": total,
        "ids": total,
        "facets": True,
        "known": "10-K",
        "text": True,
        "attachments": True,
        "report": "TenK",
        "listed": True,
    }


@pytest.mark.long
def test_datamule_finds_what_the_service_finds(service: Service, tmp_path: Path) -> None:
    found = json.loads(run("datamule", DATAMULE, service, tmp_path))
    assert all(len(set(ids)) == len(ids) > 5 for ids in found.values())
    words = service.search(query='"material weakness"')
    assert len(found["words"]) == words["total_count"]
    years = {"from_date": "2000-01-01", "to_date": "2020-12-31"}
    # datamule leaves out amendments of the forms that it is asked for.
    forms = service.search(query="revenue", word_forms="exact", form_type="10-K,8-K", **years)
    assert len(found["forms"]) == forms["total_count"]
    # Where no days are named it asks from 2001 on.
    since = {"from_date": "2001-01-01"}
    named = service.search(query="revenue", word_forms="exact", cik=APPLE, **since)
    assert len(found["name"]) == named["total_count"]
    filings = service.lookup(state="CA", limit=1_000, **since)["filings"]
    # The letter of an UPLOAD is a PDF without text, so there is nothing to search for.
    placed = {each["accnum"] for each in filings if each["form_type"] != "UPLOAD"}
    assert {each.partition(":")[0] for each in found["place"]} == placed


@pytest.mark.long
def test_edgartools_makes_objects_of_reports_trades_and_holdings(
    service: Service, tmp_path: Path
) -> None:
    read = json.loads(run("edgartools", OBJECTS, service, tmp_path))
    assert read["statements"] == [True, True, True]
    statements = service.http.get(
        "/v1/statements", params={"accnum": read["report"], "statement": "income_statement"}
    )
    assert statements.status_code == 200
    assert f"{read['revenue']:.0f}" in statements.text
    assert read["assets"] > read["revenue"] > 0
    assert len(read["trades"]) == 20
    assert all(rows > 0 for _, rows in read["trades"])
    number, value = read["holdings"]
    ours = service.http.get("/v1/holdings", params={"accnum": number, "limit": 1000})
    assert value == sum(float(each["value"]) for each in ours.json()["items"]) > 0


@pytest.mark.long
def test_edgartools_mcp_server_answers_from_here(service: Service, tmp_path: Path) -> None:
    answers = json.loads(run("edgartools", TOOLS, service, tmp_path))
    assert {name: answer["success"] for name, answer in answers.items()} == dict.fromkeys(
        answers, True
    )
    found = answers["found"]["data"]
    total = service.search(query='"material weakness"')["total_count"]
    assert (found["total_matches"], len(found["results"])) == (total, total)
    assert answers["company"]["data"]["cik"] == "320193"
    assert "Risk Factors" in answers["read"]["data"]["sections"]["risk_factors"]


@pytest.mark.long
def test_openbb_reads_companies_filings_facts_and_rows(service: Service, tmp_path: Path) -> None:
    read = json.loads(run("openbb", OPENBB, service, tmp_path))
    assert read["cik"] == [{"cik": APPLE}]
    assert read["symbol"][0]["symbol"] == "AAPL"
    assert "AAPL" in {each["symbol"] for each in read["names"]}
    assert read["institutions"]
    assert len(read["filings"]) == len(filings_of_apple(service))
    assert len(read["found"]) == service.search(query='"material weakness"')["total_count"]
    assert {each["cik"] for each in read["latest"]} == {APPLE}
    assert all(read[name] for name in ("assets", "frame", "trades", "holdings"))
