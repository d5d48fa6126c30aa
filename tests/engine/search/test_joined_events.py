"""Filings near an event of the same company, each filing as plain Python decides it."""

import random
from datetime import date, timedelta
from typing import Any

import pytest

from edgar_search.search import joined_events
from edgar_search.search.joined_events import MOST_CANDIDATES, event_windows
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import report, report_facts
from tests.support.ownership_forms import FORM_4
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
SEED, COMPANIES, YEARS = 48, 12, (2020, 2021, 2022)
FIRST = 9_990_400
CHANGED = "Changes in Registrant's Certifying Accountant"
NAMED = "Other Events"
# A report of each company and year, by its number: the company and its filing date.
Reports = dict[str, tuple[int, date]]


class Made:
    """The loaded reports, and the days of events by company."""

    def __init__(self) -> None:
        self.reports: Reports = {}
        self.changed: dict[int, list[date]] = {}
        self.bought: dict[int, list[date]] = {}

    def near(self, days: dict[int, list[date]], before: int, after: int) -> set[str]:
        """The reports with an event within these days before or after them."""
        return {
            number
            for number, (company, filed) in self.reports.items()
            if any(-before <= (day - filed).days <= after for day in days.get(company, ()))
        }


def cik(company: int) -> str:
    return f"{FIRST + company:010d}"


def eight_k(number: str, company: int, day: date, item: str) -> dict[str, bytes]:
    document = MadeUpDocument("<html><body>A change.</body></html>", "8-K", "change.htm")
    made = MadeUp(
        number,
        (MadeUpEntity(cik(company), "MOSS QUARRIES CORP", sic="1400"),),
        (document,),
        "8-K",
        day,
        day,
        items=(item,),
    )
    return {f"{number}.txt": txt(made)}


def form_4(number: str, company: int, traded: date, code: str) -> dict[str, bytes]:
    text = FORM_4.replace("0009990001", cik(company)).replace("2025-04-30", traded.isoformat())
    text = text.replace(">S</transactionCode>", f">{code}</transactionCode>")
    document = MadeUpDocument(f"<XML>\n{text}\n</XML>", "4", "form4.xml")
    issuer = MadeUpEntity(cik(company), "MOSS QUARRIES CORP", role="ISSUER", sic="1400")
    owner = MadeUpEntity("0009990002", "Fern Ada", role="REPORTING-OWNER")
    made = MadeUp(number, (issuer, owner), (document,), "4", traded + timedelta(2), traded)
    return {f"{number}.txt": txt(made)}


@pytest.fixture(scope="module")
def made(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Reports, changes of auditor, other 8-Ks, purchases and sales on random days."""
    chance = random.Random(SEED)
    print("seed", SEED)
    found, files = Made(), dict[str, bytes]()
    for company in range(COMPANIES):
        for year in YEARS:
            number = f"0009990400-{year % 100}-{company:06d}"
            day = date(year, 2, 1) + timedelta(chance.randrange(60))
            facts = report_facts(year - 1, company + 1)
            files |= report(number, cik(company), facts, day, text="marble")
            found.reports[number] = company, day
        for at in range(chance.randrange(3)):
            day = date(2019, 6, 1) + timedelta(chance.randrange(1_200))
            files |= eight_k(f"0009990401-22-{company:04d}{at:02d}", company, day, CHANGED)
            found.changed.setdefault(company, []).append(day)
            other = day + timedelta(400)
            files |= eight_k(f"0009990402-22-{company:04d}{at:02d}", company, other, NAMED)
        for at in range(chance.randrange(3)):
            day = date(2019, 6, 1) + timedelta(chance.randrange(1_200))
            files |= form_4(f"0009990403-22-{company:04d}{at:02d}", company, day, "P")
            found.bought.setdefault(company, []).append(day)
            sold = day + timedelta(300)
            files |= form_4(f"0009990404-22-{company:04d}{at:02d}", company, sold, "S")
    load_now(settings, tmp_path_factory.mktemp("files"), files)
    return found


async def found(client: Client, path: str = "/v1/search", **parameters: str) -> set[str]:
    reply = await client.get(path, limit="100", **parameters)
    items = reply["items"] if "items" in reply else reply["filings"]
    return {item["accnum"] for item in items}


@pytest.mark.parametrize("candidates", [MOST_CANDIDATES, 0], ids=["numbers", "windows"])
@pytest.mark.parametrize("days", [1, 30, 90, 200, 365, 1_100])
async def test_reports_are_found_by_the_days_of_events(
    client: Client, made: Made, days: int, candidates: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joined_events, "MOST_CANDIDATES", candidates)
    asked = {"query": "marble", "form_type": "10-K"}
    for kind, events in (("8-K:4.01", made.changed), ("4:P", made.bought)):
        near = await found(client, **asked, **{"with": f"{kind},{days}d"})
        assert near == made.near(events, days, days)
        later = await found(client, **asked, **{"with": f"{kind},{days}d after"})
        assert later == made.near(events, 0, days)
        earlier = await found(client, **asked, **{"with": f"{kind},{days}d before"})
        assert earlier == made.near(events, days, 0)
    assert near != later != earlier or days == 1


async def test_two_events_are_both_near(client: Client, made: Made) -> None:
    both = await found(client, query="marble", **{"with": "8-K:4.01,1100d,4:p,1100d"})

    changed, bought = (made.near(each, 1_100, 1_100) for each in (made.changed, made.bought))
    assert both == changed & bought
    assert both and both != changed


async def test_events_join_words_figures_dates_and_companies(client: Client, made: Made) -> None:
    near = made.near(made.changed, 365, 365)
    large = {n for n in near if made.reports[n][0] >= COMPANIES // 2}
    asked = {"with": "8-K:4.01,365d"}

    assert await found(client, query="marble", **asked) == near
    assert await found(client, query="granite", **asked) == set()
    assert await found(client, figures=f"revenue>{50 * (COMPANIES // 2)}m", **asked) == large
    first = date(2021, 2, 20)
    since = {n for n in near if made.reports[n][1] >= first}
    assert await found(client, query="marble", from_date=first.isoformat(), **asked) == since
    (number, *_) = sorted(near)
    own = {n for n in near if made.reports[n][0] == made.reports[number][0]}
    of_company = {"cik": cik(made.reports[number][0]), "query": "marble"}
    assert await found(client, **of_company, **asked) == own


async def test_lookups_facets_screens_and_walks_have_the_same_filings(
    client: Client, made: Made
) -> None:
    near = made.near(made.bought, 365, 365)
    asked = {"with": "4:P,365d", "form_type": "10-K"}

    assert await found(client, "/v1/lookup", **asked) == near
    assert (await client.get("/v1/facets", **asked))["total_count"] == len(near)
    screen = await client.get("/v1/screen", columns="revenue", **asked)
    assert {row["accnum"] for row in screen["items"]} == near
    walked, cursor = set[str](), "*"
    while cursor:
        query = (
            {**asked, "query": "marble", "limit": "5", "snapshot": "true"} if cursor == "*" else {}
        )
        page = await client.get("/v1/search", **query, cursor=cursor)
        walked |= {each["accnum"] for each in page["items"]}
        cursor = page["next_cursor"]
    assert walked == near


async def test_events_are_looked_up_once_for_rows_histograms_and_warnings(
    client: Client, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, looked_up = event_windows, list[str]()

    async def counted(*asked: Any) -> Any:
        looked_up.append(asked[1].code)
        return await found(*asked)

    monkeypatch.setattr(joined_events, "event_windows", counted)
    near = made.near(made.changed, 365, 365)
    asked = {"with": "8-K:4.01,365d", "include": "histograms", "columns": "revenue"}
    reply = await client.get("/v1/screen", group="company", figures="revenue>0", **asked)
    assert reply["total_count"] == len({made.reports[number][0] for number in near})
    assert looked_up == ["4.01"]

    reply = await client.get("/v1/screen", figures="goodwill>0", **asked)
    lack = "without a figure of the conditions or with zero as divisor"
    assert reply["warnings"] == [f"figures: {len(near)} reports are left out, {lack}"]
    assert looked_up == ["4.01", "4.01"]


@pytest.mark.parametrize("bound", ["MOST_FOUND", "MOST_WINDOWS"])
async def test_too_many_events_are_refused_with_ways_to_narrow(
    client: Client, made: Made, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    monkeypatch.setattr(joined_events, bound, 3)

    response = await client.http.get("/v1/search", params={"query": "marble", "with": "4:P,9d"})
    assert (response.status_code, response.json()["error"]) == (
        400,
        "`with`: too many companies have an event `4:P`; narrow the search by company, `from_date`"
        " or `to_date`",
    )
    company = next(iter(made.bought))
    asked = {"query": "marble", "with": "4:P,9d", "cik": cik(company)}
    assert (await client.http.get("/v1/search", params=asked)).status_code == 200
