"""Facts that answer questions: `/v1/answer`."""

from datetime import date
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import ABOUT, MadeUpFact, report, report_facts
from tests.support.ownership_forms import FORM_4, SCHEDULE_13D, SCHEDULE_13G
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.any_engine]
CIK, ISSUER = "0009991911", "0009990001"
FIRST, AGAIN = "0009991911-24-000001", "0009991911-25-000001"
SALE, PURCHASE = "0009991912-25-000001", "0009991912-25-000002"
LARGE, BEFORE, NEWER = (f"0009991913-25-{place:06d}" for place in range(3))
AUDITED, CHANGED, SILENT = "0009991921", "0009991922", "0009991923"
ENERGY = (("us-gaap:StatementBusinessSegmentsAxis", "moss:EnergyStorageMember"),)
YEAR = date(2023, 1, 1), date(2023, 12, 31)


def form(number: str, xml: str, form_type: str, day: date = date(2025, 5, 2)) -> bytes:
    """Return a submission whose one document is the form."""
    document = MadeUpDocument(f"<XML>\n{xml}</XML>\n", form_type, "form.xml")
    issuer = MadeUpEntity(ISSUER, "MOSS AND SONS INC", role="ISSUER")
    return txt(MadeUp(number, (issuer,), (document,), form_type, day))


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two reports of which the second restates a year, trades, and schedules of two owners."""
    facts = report_facts(2023, 2, 1)
    facts += [MadeUpFact("us-gaap:Revenues", "30000000", YEAR[1], YEAR[0], members=ENERGY)]
    files = report(FIRST, CIK, facts, date(2024, 2, 1))
    files |= report(AGAIN, CIK, report_facts(2024, 5, 3), date(2025, 2, 1))
    purchase = FORM_4.replace("<transactionCode>S<", "<transactionCode>P<")
    passive = SCHEDULE_13G.replace("0009990002", ISSUER)
    files["sale.txt"] = form(SALE, FORM_4, "4")
    files["purchase.txt"] = form(PURCHASE, purchase, "4")
    files["large.txt"] = form(LARGE, passive, "SCHEDULE 13G")
    files["before.txt"] = form(BEFORE, SCHEDULE_13D, "SCHEDULE 13D/A")
    sold = SCHEDULE_13D.replace("8.5", "4.9")
    files["newer.txt"] = form(NEWER, sold, "SCHEDULE 13D/A", date(2025, 6, 2))
    for cik, name in ((AUDITED, "FERN MILLS CORP"), (CHANGED, "HEATH MILLS CORP")):
        for year, firm in ((2022, "Fen & Co LLP"), (2023, "Ernst & Young LLP")):
            files |= audited(cik, year, firm, name)
    files |= audited(SILENT, 2022, "Fen & Co LLP", "GORSE MILLS CORP")
    files |= audited(SILENT, 2023, "", "GORSE MILLS CORP")
    news = MadeUp(
        f"{CHANGED}-24-000009",
        (MadeUpEntity(CHANGED, "HEATH MILLS CORP"),),
        (MadeUpDocument("News.\n", "8-K"),),
        "8-K",
        date(2024, 6, 3),
        None,
        "20240603171500",
        ("Changes in Registrant's Certifying Accountant",),
    )
    files["news.txt"] = txt(news)
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def audited(cik: str, year: int, firm: str, name: str) -> dict[str, bytes]:
    """Return the annual report of a company that names its auditor, or none."""
    about = {**ABOUT, "DocumentFiscalYearFocus": str(year)}
    about |= (
        {"AuditorName": firm, "AuditorLocation": "Moor, VT", "AuditorFirmId": "9"} if firm else {}
    )
    number, day = f"{cik}-{year - 1999}-000001", date(year + 1, 2, 1)
    return report(number, cik, report_facts(year), day, about=about, name=name)


async def answer(client: Client, query: str) -> Any:
    """Return the answer, without what it has not."""
    found = (await client.get("/v1/answer", query=query))["answer"]
    return found and {name: value for name, value in found.items() if value}


async def test_number_is_the_filed_one(client: Client) -> None:
    assert await answer(client, "moss quarries revenue 2024") == {
        "cik": CIK,
        "name": "MOSS QUARRIES CORP",
        "document_id": f"{AGAIN}-1",
        "number": {
            "cik": CIK,
            "name": "MOSS QUARRIES CORP",
            "item": "revenue",
            "value": 250_000_000,
            "unit": "USD",
            "start": "2024-01-01",
            "end": "2024-12-31",
            "accnum": AGAIN,
            "filing_date": "2025-02-01",
            "document_id": f"{AGAIN}-2",
            "place": None,
            "dimensions": [],
        },
    }


async def test_number_of_a_segment_has_its_member(client: Client) -> None:
    found = await answer(client, "revenue of Moss Quarries' energy segment in 2023")
    assert (found["part"], found["number"]["item"]) == ("Energy Storage", "revenue")
    assert (found["number"]["value"], found["number"]["accnum"]) == (30_000_000, FIRST)


@pytest.mark.parametrize(
    "query",
    [
        # It was restated.
        "moss quarries revenue 2023",
        "moss quarries revenue 2019",
        "moss quarries solar segment revenue 2023",
        "moss quarries net loss 2024",
        "moss quarries operating income 2024",
        "nobody here revenue 2024",
        "insider buying at moss and sons in March 2025",
    ],
)
async def test_what_is_not_certain_has_no_answer(client: Client, query: str) -> None:
    assert await answer(client, query) is None


@pytest.mark.parametrize(
    ("query", "numbers", "side"),
    [
        ("insider selling at Moss & Sons in April 2025", [SALE], "sold"),
        ("moss & sons insider purchases 2025", [PURCHASE], "bought"),
        ("insider trades at moss and sons in 2025", [SALE, PURCHASE], None),
    ],
)
async def test_trades_of_a_period(
    client: Client, query: str, numbers: list[str], side: str | None
) -> None:
    found = await answer(client, query)
    trades = found["trades"]
    assert [row["accnum"] for row in trades["items"]] == numbers
    sums = (2590, 471_380.0) if side else (None, None)
    assert (trades["side"] or None, trades["shares"], trades["value"]) == (side, *sums)


async def test_owners_are_those_of_the_newest_schedules(client: Client) -> None:
    found = await answer(client, "who owns more than 5 % of moss and sons")
    persons = [
        (each["accnum"], p["name"], p["percent"])
        for each in found["owners"]
        for p in each["persons"]
    ]
    assert persons == [(NEWER, "Fern Ada", 9.9), (LARGE, "Bracken Advisers LLC", 5.1)]


async def test_auditor_is_the_newest_reports(client: Client) -> None:
    found = await answer(client, "who audits Fern Mills")
    assert found == {
        "cik": AUDITED,
        "name": "FERN MILLS CORP",
        "document_id": f"{AUDITED}-24-000001-1",
        "auditor": {
            "name": "Ernst & Young LLP",
            "location": "Moor, VT",
            "firm_id": "9",
            "fiscal_year": 2023,
            "period": "2023-12-31",
            "accnum": f"{AUDITED}-24-000001",
            "form_type": "10-K",
            "filing_date": "2024-02-01",
            "place": None,
        },
    }


@pytest.mark.parametrize(
    ("query", "firm"),
    [
        ("who was the auditor of fern mills 2022", "Fen & Co LLP"),
        ("fern mills auditor FY2023", "Ernst & Young LLP"),
        ("who audited gorse mills in 2022", "Fen & Co LLP"),
        ("who audited heath mills in fiscal 2023", "Ernst & Young LLP"),
        ("auditor of fern mills 2021", None),
        # A change was reported since.
        ("who audits heath mills", None),
        # The newest report names none.
        ("gorse mills auditor", None),
        ("who audits moss quarries", None),
    ],
)
async def test_auditor_of_a_year(client: Client, query: str, firm: str | None) -> None:
    found = await answer(client, query)
    assert (found and found["auditor"]["name"]) == firm


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "`query` is missing"),
        ({"query": "x " * 200}, "`query` may have at most 200 characters, not 400"),
    ],
)
async def test_query_is_needed_and_bounded(client: Client, sent: dict[str, str], said: str) -> None:
    reply = await client.http.get("/v1/answer", params=sent)
    assert (reply.status_code, said in reply.text) == (400, True), reply.text
