"""Screens of two hundred companies and ten years, each row as plain Python decides it."""

import random
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from typing import NamedTuple

import msgspec
import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.made_up_xbrl import report, report_facts

# Two thousand reports with XBRL are loaded.
pytestmark = [pytest.mark.anyio, pytest.mark.one_client, pytest.mark.long]
SEED, COMPANIES, YEARS = 48, 200, range(2010, 2020)
WORDS = "going concern"
# Revenue and net income of a report are its scale times these.
REVENUE, NET_INCOME = 50_000_000, 7_000_000


class Made(NamedTuple):
    """A report: its company, the day of filing, its scale, the year before's, and its words."""

    company: int
    filed: date
    scale: int
    before: int
    doubts: bool

    @property
    def change(self) -> Fraction:
        """The change of every figure."""
        return Fraction(self.scale - self.before, self.before)


Reports = dict[str, Made]


@pytest.fixture(scope="module")
def reports(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The reports by their accession numbers."""
    print("seed", SEED)
    chance, made, files = random.Random(SEED), Reports(), dict[str, bytes]()
    for company in range(COMPANIES):
        before = chance.randrange(1, 400)
        for year in YEARS:
            scale = max(1, round(before * chance.uniform(0.6, 1.5)))
            number = f"0009990500-{year - 2000 + 1:02d}-{company:06d}"
            day = date(year + 1, 2, 1) + timedelta(chance.randrange(60))
            made[number] = Made(company, day, scale, before, chance.random() < 0.2)
            text = f"Marble. {WORDS}" if made[number].doubts else "Marble."
            facts = report_facts(year, scale, before)
            files |= report(number, cik(company), facts, day, text=text)
            before = scale
    load_now(settings, tmp_path_factory.mktemp("files"), files)
    return made


def cik(company: int) -> str:
    return f"{9_990_500 + company:010d}"


Holds = Callable[[Made], bool]
CONDITIONS: list[tuple[dict[str, str], Holds]] = [
    ({"figures": "revenue<previous*0.9"}, lambda made: made.change < Fraction(-1, 10)),
    ({"figures": "revenue_change>=25%"}, lambda made: made.change >= Fraction(1, 4)),
    ({"figures": "revenue>=10bn"}, lambda made: made.scale * REVENUE >= 10**10),
    (
        {"figures": "net_income<700m,revenue>previous"},
        lambda made: made.scale * NET_INCOME < 700 * 10**6 and made.change > 0,
    ),
    (
        {"figures": "revenue<previous", "query": f'"{WORDS}"'},
        lambda made: made.doubts and made.change < 0,
    ),
    (
        {"figures": "revenue>1bn", "from_date": "2015-01-01", "to_date": "2016-12-31"},
        lambda made: made.scale * REVENUE > 10**9 and made.filed.year in (2015, 2016),
    ),
    ({"figures": "net_margin>0.2"}, lambda made: False),
]


def newest(found: Reports) -> Reports:
    """Return the newest report of each company."""
    by_day = sorted(found.items(), key=lambda each: each[1].filed)
    numbers = {made.company: number for number, made in by_day}
    return {number: found[number] for number in numbers.values()}


@pytest.mark.parametrize("group", ["filing", "company"])
@pytest.mark.parametrize(("asked", "holds"), CONDITIONS, ids=[str(each) for each, _ in CONDITIONS])
async def test_rows_are_those_that_hold(
    client: Client, reports: Reports, asked: dict[str, str], holds: Holds, group: str
) -> None:
    wanted = {number: made for number, made in reports.items() if holds(made)}
    if group == "company":
        wanted = newest(wanted)
    columns = f'revenue,revenue_previous,revenue_change,match:"{WORDS}"'
    given = {"what": "screen", "columns": columns, "sort": "revenue", "group": group, **asked}
    reply = await client.http.get("/v1/export", params=given)

    lines = [msgspec.json.decode(line) for line in reply.content.splitlines()]
    rows = [line for line in lines if "records" not in line]
    assert lines[-1] == {"records": len(wanted), "complete": True}
    assert {row["accnum"] for row in rows} == wanted.keys()
    amounts = [row["cells"]["revenue"]["value"] for row in rows]
    assert amounts == sorted(amounts, reverse=True)
    for row in rows:
        made = wanted[row["accnum"]]
        value, before, change, matches = (cell["value"] for cell in row["cells"].values())
        assert (value, before) == (made.scale * REVENUE, made.before * REVENUE)
        assert change == pytest.approx(float(made.change))
        assert matches == made.doubts
        (source,) = row["cells"]["revenue"]["sources"]
        assert (source["item"], source["value"]) == ("revenue", value)


async def test_histograms_and_pages_have_all_rows(client: Client, reports: Reports) -> None:
    asked = {"figures": "revenue>0", "columns": "revenue", "include": "histograms"}
    reply = await client.get("/v1/screen", query="marble", limit="1000", **asked)
    assert (reply["total_count"], len(reply["items"])) == (len(reports), 1_000)
    histogram = reply["columns"][0]["histogram"]
    assert sum(histogram["counts"]) == len(reports)
    below = sum(made.scale * REVENUE < histogram["edges"][0] for made in reports.values())
    assert histogram["counts"][0] == below
