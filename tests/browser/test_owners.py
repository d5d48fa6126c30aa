"""Owners in a browser: insider trades, holders, stakes, a portfolio, and alerts of rows."""

import csv
from collections.abc import Iterator
from datetime import date

import msgspec
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from bench.service import running_service
from edgar_search.settings import Settings
from tests.browser.accessible import EVERY_LOOK, find_faults, looks
from tests.browser.conftest import CHROMIUM, VIEWPORTS, Visit, press
from tests.engine.lookups.test_holdings import EGRET, HERON, OTHER, REPORTS
from tests.support.engines import installation
from tests.support.loading import load_now
from tests.support.ownership_forms import FORM_4, SCHEDULE_13D, cover_13f
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

COMPANY, OWNER, MANAGER = "/company/9990001", "/company/9990002", f"/company/{HERON}"
NOTICE = "/company/9990029"
PAGES = [
    COMPANY,
    OWNER,
    MANAGER,
    f"{MANAGER}?quarter=2024Q4&by=change",
    NOTICE,
    "/filing/0009990002-25-000001",
    "/company/9990011",
    "/account/alerts?rows=insider_trades&issuer_cik=0009990001",
]


def trade(number: int, xml: str) -> MadeUp:
    """Return a Form 4 of an owner and an issuer."""
    entities = (
        MadeUpEntity("0009990001", "MOSS & SONS", role="ISSUER", sic="2800"),
        MadeUpEntity("0009990002", "Fern Ada", role="REPORTING-OWNER"),
    )
    document = MadeUpDocument(f"<XML>\n{xml}</XML>\n", "4", "form4.xml")
    return MadeUp(f"0009990002-25-{number:06d}", entities, (document,), "4", date(2025, 5, 2))


@pytest.fixture(scope="module")
def url(engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The service over forms of one company, its insiders and its holders."""
    if CHROMIUM is None:
        pytest.skip("chromium is missing: `make browser` installs it")
    settings = installation(engine_settings, "owners", tmp_path_factory.mktemp("home"))
    bought = (
        FORM_4.replace("<transactionCode>S<", "<transactionCode>P<")
        .replace("2025-04-30", "2024-11-05")
        .replace("<value>D</value></transactionAcq", "<value>A</value></transactionAcq")
        .replace("<value>2590</value>", "<value>1000</value>")
    )
    reported = (
        "<otherManagersInfo><otherManager><cik>0009990021</cik><name>Heron Capital</name>"
        "</otherManager></otherManagersInfo>"
    )
    notice = cover_13f(report="13F NOTICE", more=reported)
    filings = (
        *REPORTS,
        trade(1, FORM_4),
        trade(2, bought),
        MadeUp(
            "0009990093-25-000001",
            (MadeUpEntity("0009990001", "MOSS & SONS", role="SUBJECT COMPANY", sic="2800"),),
            (MadeUpDocument(f"<XML>\n{SCHEDULE_13D}</XML>\n", "SCHEDULE 13D/A", "doc.xml"),),
            "SCHEDULE 13D/A",
        ),
        MadeUp(
            "0009990029-25-000001",
            (MadeUpEntity("0009990029", "BITTERN LLC"),),
            (MadeUpDocument(f"<XML>\n{notice}</XML>\n", "13F-NT", "primary_doc.xml"),),
            "13F-NT",
            date(2025, 2, 14),
        ),
    )
    rows = FORM_4.partition("<nonDerivativeTransaction>")[2].partition("</nonDerivativeTable>")[0]
    many = FORM_4.replace(rows, rows + f"<nonDerivativeTransaction>{rows}" * 11)
    of_many = (
        MadeUp(
            "0009990042-25-000001",
            (
                MadeUpEntity("0009990041", "BOG LLC", role="ISSUER", sic="2800"),
                MadeUpEntity("0009990042", "Reed Rob", role="REPORTING-OWNER"),
            ),
            (
                MadeUpDocument(
                    f"<XML>\n{many}</XML>\n".replace("0009990001", "0009990041").replace(
                        "0009990002", "0009990042"
                    ),
                    "4",
                    "form4.xml",
                ),
            ),
            "4",
            date(2025, 5, 2),
        ),
    )
    files = {f"{each.accession_number}.txt": txt(each) for each in (*filings, *of_many)}
    load_now(settings, tmp_path_factory.mktemp("files"), files)
    opened = msgspec.structs.replace(
        settings,
        pages="open",
        pages_rate=1_000,
        auth_rate=1_000,
        local_issuer=True,
        es_timeout=60.0,
    )
    with running_service(opened) as service:
        yield service.url


@pytest.fixture(scope="module")
def reader(chromium: Browser, url: str) -> Iterator[BrowserContext]:
    """A wide window of someone who has signed in."""
    width, height = VIEWPORTS["wide"]
    context = chromium.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(f"{url}/sign-in?next=/account")
    page.fill("input[name=name]", "ada")
    press(page, "main button")
    page.close()
    yield context
    context.close()


def lines(page: Page, section: str) -> list[list[str]]:
    """Return the rows of the last table of a section."""
    table = page.locator(f"section[aria-labelledby={section}] table").last
    return [
        [" ".join(cell.split()) for cell in row.locator("td").all_inner_texts()]
        for row in table.locator("tbody tr").all()
    ]


def test_form_4_shows_its_trades_first(reader: BrowserContext, url: str) -> None:
    page = Visit(reader, url).go("/filing/0009990002-25-000001")
    assert page.locator("main h2").all_inner_texts() == ["Trades", "Documents"]
    (trade, *holdings) = lines(page, "trades")
    assert (trade[0], trade[1]) == ("April 30, 2025", "Fern Ada director")
    assert trade[2].startswith("open market or private sale")
    assert [holding[2].split()[0] for holding in holdings] == ["holding"] * len(holdings)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export the trades as CSV").click()
    with open(saved.value.path(), newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["accnum"] for row in rows} == {"0009990002-25-000001"}
    page.close()


def test_schedule_shows_its_persons(reader: BrowserContext, url: str) -> None:
    page = Visit(reader, url).go("/filing/0009990093-25-000001")
    assert page.locator("main h2").all_inner_texts() == ["Stakes", "Documents"]
    assert lines(page, "stakes")[0][-1].endswith("%")
    page.close()


@EVERY_LOOK
@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_and_are_accessible(
    reader: BrowserContext, url: str, path: str, every_look: bool
) -> None:
    visit = Visit(reader, url)
    page = visit.go(path)
    for each in page.locator("details").all():
        each.evaluate("each => { each.open = true }")
    windows = {**VIEWPORTS, "phone": (390, 844)}
    faults = find_faults(page, windows, looks(path, windows, every_look))
    page.close()
    assert (visit.wrong, faults) == ([], [])


@pytest.mark.parametrize("javascript", [True, False])
def test_company_has_its_insiders_holders_and_stakes(
    chromium: Browser, url: str, javascript: bool
) -> None:
    context = chromium.new_context(java_script_enabled=javascript)
    page = context.new_page()
    page.goto(url + COMPANY)
    assert lines(page, "insiders") == [
        [
            "April 30, 2025",
            "Fern Ada director",
            "open market or private sale Common Stock",
            "2,590",
            "182.00",
            "471,380",
        ],
        [
            "November 5, 2024",
            "Fern Ada director",
            "open market or private purchase Common Stock",
            "1,000",
            "182.00",
            "182,000",
        ],
    ]
    titles = page.locator(".trades svg title").all_text_contents()
    assert titles == ["2024Q4: bought 182,000 dollars", "2025Q2: sold 471,380 dollars"]
    # The restatement counts, not what it replaced.
    assert [row[1:4] for row in lines(page, "holders")] == [
        ["COM", "90", "9,000"],
        ["COM", "60", "6,000"],
        ["COM Put", "80", "8"],
    ]
    holders = page.locator("section[aria-labelledby=holders] td:first-child a").all()
    assert [holder.get_attribute("href") for holder in holders] == [
        f"/company/000{manager}" for manager in (EGRET, HERON, OTHER)
    ]
    assert [row[:2] for row in lines(page, "stakes")] == [["December 31, 2024", "13D/A"], ["", ""]]
    assert [row[-3:] for row in lines(page, "stakes")] == [
        ["Lichen Partners, L.P.", "2,100,000", "8.5 %"],
        ["Fern Ada", "2,435,000.50", "9.9 %"],
    ]
    titles = page.locator("a.filed").all_inner_texts()
    assert titles == ["Fern Ada, purchase", "Fern Ada, sale", "Lichen Partners, L.P., Fern Ada"]
    context.close()


def test_table_of_the_latest_trades_leads_to_all_of_them_and_to_a_file(visit: Visit) -> None:
    page = visit.go("/company/9990041")
    assert len(lines(page, "insiders")) == 10
    press(page, "text=all 12")
    assert len(lines(page, "insiders")) == 12
    rows = exported(page, "insider trades")
    assert [row["owners_name"] for row in rows] == ["Fern Ada"] * 12
    assert visit.wrong == []


def test_chart_has_its_numbers_by_the_keyboard(visit: Visit) -> None:
    page = visit.go(COMPANY)
    summary = page.locator(".trades summary")
    assert summary.inner_text() == "2024Q4 to 2025Q2"
    summary.focus()
    page.keyboard.press("Enter")
    table = page.locator(".trades table")
    assert table.is_visible()
    assert table.locator("tbody tr").all_inner_texts() == [
        "2025Q2\t\t\t471,380\t1",
        "2024Q4\t182,000\t1\t\t",
    ]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "TABLE"
    page.close()


def test_portfolio_shows_changes_and_says_what_it_is_made_of(visit: Visit) -> None:
    page = visit.go(MANAGER)
    assert [row[:6] for row in lines(page, "portfolio")] == [
        ["MOSS & SONS", "COM 2 rows", "60", "6,000", "more", "40"],
        ["FERN", "COM", "3", "300", "new", "0"],
        ["REED", "COM", "0", "0", "gone", "9"],
    ]
    press(page, "text=by change")
    assert [row[0] for row in lines(page, "portfolio")] == ["MOSS & SONS", "REED", "FERN"]
    press(page, "nav[aria-label='Quarters of the portfolio'] a")
    assert [row[:4] for row in lines(page, "portfolio")] == [
        ["MOSS & SONS", "COM", "40", "4,000"],
        ["REED", "COM", "9", "900"],
    ]
    page.goto(visit.url + NOTICE)
    note = page.locator("section[aria-labelledby=portfolio] .note")
    assert note.inner_text().endswith("holdings are reported by Heron Capital")
    assert note.locator("a").get_attribute("href") == "/company/0009990021"
    page.close()


def test_rows_of_a_part_are_exported(reader: BrowserContext, url: str) -> None:
    page = reader.new_page()
    page.goto(url + COMPANY)
    rows = exported(page, "insider trades")
    assert [(row["code"], row["shares"]) for row in rows] == [("S", "2590"), ("P", "1000")]
    page.goto(url + MANAGER)
    rows = exported(page, "the portfolio")
    assert [row["value"] for row in rows] == ["5000", "1000", "300"]
    page.close()


def exported(page: Page, name: str) -> list[dict[str, str]]:
    """Return the rows of a part as CSV."""
    with page.expect_download() as download:
        page.click(f"button[aria-label='Export {name} as CSV']")
    return list(csv.DictReader(download.value.path().read_text("utf-8-sig").splitlines()))


def test_company_is_watched_for_trades_of_directors(reader: BrowserContext, url: str) -> None:
    page = reader.new_page()
    page.goto(url + COMPANY)
    press(page, "nav[aria-label='Insider trades'] a")
    assert page.input_value("main input[name=issuer_cik]") == "0009990001"
    page.fill("main input[name=name]", "directors sell")
    page.fill("main input[name=role]", "director")
    page.select_option("main select[name=acquired]", "D")
    page.fill("main input[name=min_value]", "1000000")
    press(page, "main button:has-text('Preview')")
    assert page.locator("h2[role=status]").inner_text().startswith("0 documents of the last")
    press(page, "main button:has-text('Make alert')")
    (row,) = page.locator("main tbody tr").all()
    assert row.locator(".chip").all_inner_texts() == [
        "insider trades",
        "Company's CIK 0009990001",
        "Role director",
        "Acquired or disposed of D",
        "Dollars at least 1000000",
    ]
    page.goto(f"{url}/account/alerts?rows=nothing")
    assert "rows must be one of insider_trades" in page.locator(".err").inner_text()
    page.close()


@pytest.mark.parametrize("asked", ["quarter=2025Q9", "by=luck", "quarter=x"])
def test_wrong_address_is_refused_by_name(visit: Visit, asked: str) -> None:
    page = visit.go(f"{MANAGER}?{asked}")
    assert f"{asked.partition('=')[0]} must be" in page.locator("main").inner_text()
    page.close()
