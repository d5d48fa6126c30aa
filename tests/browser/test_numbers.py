"""Journeys from a number of a statement, and of a company, to its position in the document."""

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from bench.service import running_service
from edgar_search.document.pdf import missing_parts
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.session import load
from ingest.sources.paths import Sources
from tests.browser.conftest import CHROMIUM, launched, press
from tests.support.engines import installation
from tests.support.made_up_xbrl import report, report_facts

NUMBER, CIK = "0009990082-24-000001", "0009990082"


async def loaded(settings: Settings, file: Path) -> None:
    engine = Engine.from_settings(settings)
    try:
        await Indices(engine, settings).set_up()
        assert (await load(engine, settings, Sources([file]), 1)).loaded == 1
    finally:
        await engine.close()


@pytest.fixture(scope="module")
def service(
    engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Browser, str]]:
    """A browser, and a service over a report whose document has its assets and sales in a table."""
    if CHROMIUM is None:
        pytest.skip("chromium is missing: `make browser` installs it")
    folder = tmp_path_factory.mktemp("numbers")
    settings = installation(engine_settings, "numbers", folder)
    settings = msgspec.structs.replace(settings, es_timeout=60.0, pages="open", pages_rate=1_000)
    facts = [fact._replace(id=f"f-{at}") for at, fact in enumerate(report_facts(2023))]
    shown = {fact.id: fact.value for fact in facts if fact.end == date(2023, 12, 31)}
    cells = "".join(
        f'<tr><td>{name}</td><td><ix:nonFraction id="{name}" scale="6">{value}</ix:nonFraction>'
        for name, value in shown.items()
    )
    (name, data), *_ = report(
        NUMBER, CIK, facts, date(2024, 2, 1), text=f"<p>Slate</p><table>{cells}</table>"
    ).items()
    file = folder / name
    file.write_bytes(data)
    asyncio.run(loaded(settings, file))
    with running_service(settings) as running, launched() as browser:
        yield browser, running.url


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without"])
def page(request: pytest.FixtureRequest, service: tuple[Browser, str]) -> Iterator[Page]:
    browser, url = service
    context = browser.new_context(java_script_enabled=request.param, base_url=url)
    yield context.new_page()
    context.close()


def test_number_of_a_statement_leads_to_its_place(page: Page) -> None:
    page.goto(f"/filing/{NUMBER}?scale=millions")
    row = page.locator("table.statement tr", has=page.get_by_text("Total assets"))
    assert row.locator("td").all_inner_texts() == ["100", "100"]
    press(page, "table.statement tr:has-text('Total assets') td a")
    assert page.url.endswith("#at")
    expect(page.locator("mark.now")).to_have_text("100000000")
    expect(page.locator("mark.now")).to_be_in_viewport()


def test_number_of_a_company_leads_to_its_place(page: Page) -> None:
    page.goto(f"/company/{CIK}")
    page.get_by_label("Concept").fill("Revenues")
    press(page, "button:text-is('Show')")
    page.click("figure:has-text('Sales of slate') summary")
    press(page, "figure:has-text('Sales of slate') a[href*='/document/']")
    expect(page.locator("mark.now")).to_have_text("50000000")


def test_statements_and_filing_are_downloaded(page: Page) -> None:
    page.goto(f"/filing/{NUMBER}")
    links = {"Export the statements as Excel": (f"{NUMBER}.xlsx", b"PK")}
    if not missing_parts():
        links["PDF of all"] = (f"{NUMBER}.pdf", b"%PDF")
    for text, (name, beginning) in links.items():
        with page.expect_download() as found:
            page.get_by_role("link", name=text, exact=True).click()
        assert found.value.suggested_filename == name
        assert Path(found.value.path()).read_bytes().startswith(beginning)
