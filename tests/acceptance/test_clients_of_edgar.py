"""Programs for EDGAR, as published, on the real corpus: they are told another address, no more."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from edgar_search.commands.clients import HOOK
from tests.acceptance.service import Service

pytestmark = pytest.mark.long
CHECKOUT = Path(__file__).parents[2]
CLIENTS = CHECKOUT / ".edgar" / "clients"
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
from secedgar.core.rest import get_company_facts, get_submissions
agent = "tests tests@example.com"
listed = get_submissions(lookups=["aapl"], user_agent=agent)["aapl"]["filings"]
facts = get_company_facts(lookups=["aapl"], user_agent=agent)["aapl"]["facts"]
print(json.dumps({"filings": listed["recent"]["accessionNumber"], "facts": sorted(facts)}))
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


def run(client: str, code: str, service: Service, folder: Path) -> str:
    """Return the output of a program whose requests go to the service.

    Skips without its environment.
    """
    python = CLIENTS / client / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{client} is missing: `make clients` installs it")
    (folder / "program.py").write_text(code)
    done = subprocess.run(
        [python, "program.py"],
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


def test_secedgar_reads_submissions_and_facts(service: Service, tmp_path: Path) -> None:
    read = json.loads(run("secedgar", FACTS, service, tmp_path))
    assert set(read["filings"]) == filings_of_apple(service)
    assert read["facts"] == ["dei", "us-gaap"]


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


def test_python_edgar_reads_the_index_of_each_quarter(service: Service, tmp_path: Path) -> None:
    run("python-edgar", INDEX, service, tmp_path)
    with (tmp_path / "2009-QTR3.tsv").open() as file:
        rows = [row for row in csv.reader(file, delimiter="|") if row[0] == APPLE.lstrip("0")]
    listed = {Path(row[4]).stem for row in rows}
    days = {"cik": APPLE, "from_date": "2009-07-01", "to_date": "2009-09-30", "limit": 1000}
    assert listed == {each["accnum"] for each in service.lookup(**days)["filings"]} != set()


def test_edgar_tool_writes_a_row_for_each_document(service: Service, tmp_path: Path) -> None:
    command = CLIENTS / "edgar-tool" / "bin" / "edgar-tool"
    if not command.exists():
        pytest.skip("edgar-tool is missing: `make clients` installs it")
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
