"""Files that pages offer, and the pages that offer them."""

import csv
import io
from collections.abc import AsyncIterator, Callable
from datetime import date

import httpx
import pytest

from edgar_search.api.files.statements import TABLE_HEADS
from edgar_search.document import pdf
from edgar_search.settings import Settings
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report, report_facts
from tests.support.pages import open_pages

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.any_engine,
    pytest.mark.shared_installation,
    pytest.mark.usefixtures("made_settings"),
]
CIK = "0009990131"


@pytest.fixture
async def browser(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with open_pages(settings) as app:
        base = "http://127.0.0.1:8000"
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base) as http:
            yield http


async def test_page_of_a_filing_offers_its_statements_and_itself(
    browser: httpx.AsyncClient,
    loads: Loads,
    new_number: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number = new_number()
    await loads(report(number, CIK, report_facts(2023), date(2024, 2, 1)))
    excel, printed = f"/filing/{number}/statements.xlsx", f"/filing/{number}/pdf"

    page = await browser.get(f"/filing/{number}")
    assert f'href="{excel}"' in page.text
    assert (f'href="{printed}"' in page.text) is (not pdf.missing_parts())
    assert f'href="/document/{number}-1/pdf"' in (await browser.get(f"/document/{number}-1")).text
    file = await browser.get(excel)
    assert file.headers["content-disposition"] == f'attachment; filename="{number}.xlsx"'
    assert file.content.startswith(b"PK")
    table = await browser.get(f"/filing/{number}/statements.csv")
    (head, *rows) = csv.reader(io.StringIO(table.text, newline=""))
    assert head == list(TABLE_HEADS)
    answer = (await browser.get(f"/filing/{number}/statements.json")).json()
    values = [line["values"] for each in answer["statements"] for line in each["lines"]]
    assert len(rows) == sum(map(len, values))
    for path in (printed, f"/document/{number}-1/pdf"):
        made = await browser.get(path)
        assert made.headers["content-type"] == "application/pdf"
        assert made.content.startswith(b"%PDF")

    monkeypatch.setattr(pdf, "is_installed", lambda _: False)
    assert f'href="{printed}"' not in (await browser.get(f"/filing/{number}")).text
    refused = await browser.get(printed)
    assert refused.status_code == 404
    assert "it needs the extra edgar-search[pdf]" in refused.text


@pytest.mark.parametrize(
    "path",
    [
        "/filing/1/statements.xlsx",
        "/filing/0009990131-99-000001/statements.xlsx",
        "/filing/1/statements.pdf",
        "/filing/1/pdf",
        "/filing/0009990131-99-000001/pdf",
        "/document/1/pdf",
        "/document/0009990131-99-000001-1/pdf",
    ],
)
async def test_files_of_nothing_are_a_page_that_says_so(
    browser: httpx.AsyncClient, path: str
) -> None:
    reply = await browser.get(path)
    assert (reply.status_code, reply.headers["content-type"]) == (404, "text/html; charset=utf-8")
