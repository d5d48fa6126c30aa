"""EDGAR's index files for a range of days, and the filings that they list."""

import json
from datetime import date

import pytest

from edgar_search.errors import MalformedIndex
from ingest.fetching.index_files import Quarter, quarters
from ingest.fetching.listing import Listing, daily_date, folder_names
from ingest.sources.paths import FilingFilter

pytestmark = pytest.mark.anyio
Q1 = "full-index/2020/QTR1/master.gz"
DAYS = "daily-index/2020/QTR1"


def number(serial: int) -> str:
    return f"0009990001-20-{serial:06d}"


def index(received: str, *rows: tuple[int, str], form: str = "D", cik: int = 9990001) -> bytes:
    """Return an index file with a row for each serial number and day."""
    lines = [f"Last Data Received:    {received}", "-" * 80]
    lines += [
        f"{cik}|MARBLE|{form}|{day}|edgar/data/{cik}/{number(serial)}.txt" for serial, day in rows
    ]
    return "\n".join(lines).encode()


def folder(*names: str) -> bytes:
    return json.dumps({"directory": {"item": [{"name": name} for name in names]}}).encode()


class Site:
    """Files below `/Archives/edgar/`, and which of them were requested."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = files
        self.asked: list[str] = []

    async def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self._files.get(path)


def wanted(first: str, last: str, **other: frozenset[str]) -> FilingFilter:
    dates = {"from_date": date.fromisoformat(first), "to_date": date.fromisoformat(last)}
    return FilingFilter(**dates, **other)  # type: ignore[arg-type]


async def listed(site: Site, what: FilingFilter, today: str = "2021-06-30") -> list[str]:
    listing = Listing(site.read, what, date.fromisoformat(today))
    return [entry.accession_number async for entry in listing]


async def test_past_quarter_is_listed_by_its_own_index() -> None:
    rows = [(1, "2020-01-02"), (2, "2020-02-03"), (3, "2020-03-31")]
    site = Site({Q1: index("March 31, 2020", *rows)})
    assert await listed(site, wanted("2020-02-01", "2020-03-15")) == [number(2)]
    assert site.asked == [Q1]


async def test_days_that_the_quarter_does_not_have_yet_are_read_from_their_own() -> None:
    site = Site(
        {
            Q1: index("February 3, 2020", (1, "2020-02-03")),
            f"{DAYS}/index.json": folder(
                "form.20200204.idx",
                "master.20200203.idx",
                "master.20200205.idx",
                "master.20200204.idx",
            ),
            f"{DAYS}/master.20200204.idx": index("Feb 4, 2020", (2, "20200204"), (1, "20200203")),
            f"{DAYS}/master.20200205.idx": index("Feb 5, 2020", (3, "20200204"), (4, "20200205")),
        }
    )
    found = await listed(site, wanted("2020-02-01", "2020-02-04"), today="2020-02-05")
    assert found == [number(1), number(2), number(3)]
    assert f"{DAYS}/master.20200203.idx" not in site.asked


async def test_first_days_of_the_next_quarter_may_list_late_ones() -> None:
    late = "daily-index/2020/QTR2"
    site = Site(
        {
            Q1: index("March 31, 2020", (1, "2020-03-31")),
            f"{late}/index.json": folder("master.20200401.idx", "master.20200420.idx"),
            f"{late}/master.20200401.idx": index(
                "Apr 1, 2020", (2, "2020-03-31"), (3, "2020-04-01")
            ),
        }
    )
    found = await listed(site, wanted("2020-03-30", "2020-03-31"))
    assert found == [number(1), number(2)]
    assert f"{late}/master.20200420.idx" not in site.asked


async def test_nothing_there_lists_nothing() -> None:
    site = Site({})
    assert await listed(site, wanted("2020-02-01", "2020-02-04")) == []


async def test_forms_and_ciks_choose_before_filers_are_joined() -> None:
    both = index("March 31, 2020", (1, "2020-02-03"))
    both += b"\n" + index("x", (1, "2020-02-03"), cik=9990002).splitlines()[-1]
    both += b"\n" + index("x", (2, "2020-02-03"), form="10-K").splitlines()[-1]
    site = Site({Q1: both})
    range_ = ("2020-02-01", "2020-02-04")
    assert await listed(site, wanted(*range_)) == [number(1), number(2)]
    assert await listed(site, wanted(*range_, ciks=frozenset({"0009990002"}))) == [number(1)]
    assert await listed(site, wanted(*range_, forms=frozenset({"10-K"}))) == [number(2)]


async def test_lines_that_cannot_be_read_are_counted() -> None:
    site = Site({Q1: index("March 31, 2020", (1, "2020-02-03")) + b"\nwhat is this"})
    listing = Listing(site.read, wanted("2020-02-01", "2020-02-04"), date(2021, 6, 30))
    assert [entry.accession_number async for entry in listing] == [number(1)]
    assert (listing.unknown, listing.unknown_lines) == (1, ["what is this"])
    assert listing.files == [Q1]


def test_quarters_of_a_range() -> None:
    found = list(quarters(date(2019, 12, 31), date(2020, 4, 1)))
    assert found == [Quarter(2019, 4), Quarter(2020, 1), Quarter(2020, 2)]
    assert [quarter.last_day for quarter in found] == [
        date(2019, 12, 31),
        date(2020, 3, 31),
        date(2020, 6, 30),
    ]


def test_names_in_a_folder() -> None:
    assert folder_names(folder("a", "b")) == ["a", "b"]
    with pytest.raises(MalformedIndex):
        folder_names(b"<html>")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("master.20200204.idx", date(2020, 2, 4)),
        ("master.20200204.idx.gz", date(2020, 2, 4)),
        ("master.20200230.idx", None),
        ("form.20200204.idx", None),
    ],
)
def test_day_of_a_daily_index(name: str, expected: date | None) -> None:
    assert daily_date(name) == expected
