"""A company by ticker, CIK or name, and its filings as EDGAR lists them."""

import json
from datetime import date
from typing import Any, cast

import pytest

from edgar_search.errors import MalformedIndex, NotFound
from edgar_search.http_client import Reply
from edgar_search.stored.entities import TickerRow
from ingest.fetching.client import Edgar
from ingest.fetching.company import CompanyFiles, find_company
from ingest.loading.tickers import TickerFileContent
from ingest.sources.paths import EVERYTHING, FilingFilter

CIK = "0009990101"
NAMES = {
    "0009990101": "Quillfeather Paper Mills Corp",
    "0009990102": "QUILLFEATHER INK INC",
    "0009990103": "Marzipan & Sons, Inc.",
}
COMPANIES = TickerFileContent(
    "company_tickers",
    [
        TickerRow("QLFP", "0009990101"),
        TickerRow("QLFI", "0009990102"),
        TickerRow("MZP", "0009990103"),
        TickerRow("MZP-B", "0009990103"),
    ],
    NAMES,
)


@pytest.mark.parametrize(
    ("given", "cik"),
    [
        ("QLFP", "0009990101"),
        ("$qlfp", "0009990101"),
        ("mzp-b", "0009990103"),
        ("9990102", "0009990102"),
        ("0009990999", "0009990999"),
        ("quillfeather ink inc", "0009990102"),
        ("Quillfeather Paper", "0009990101"),
        ("marzipan & sons inc", "0009990103"),
        (" Marzipan ", "0009990103"),
    ],
)
def test_company_is_found_by_ticker_cik_or_name(given: str, cik: str) -> None:
    assert find_company(given, COMPANIES) == cik


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            "Quillfeather",
            "Quillfeather: begins several names; the nearest are Quillfeather Paper Mills Corp"
            " (QLFP); QUILLFEATHER INK INC (QLFI)",
        ),
        (
            "Marzipan & Son Inc",
            "Marzipan & Son Inc: is no ticker, CIK or name in EDGAR's list; the nearest are"
            " Marzipan & Sons, Inc. (MZP)",
        ),
        ("&", "&: is no ticker, CIK or name in EDGAR's list"),
        ("", ": is no ticker, CIK or name in EDGAR's list"),
        ("12345678901", "12345678901: is no ticker, CIK or name in EDGAR's list"),
    ],
)
def test_company_that_is_nobody_or_several_is_refused_with_the_nearest(
    given: str, text: str
) -> None:
    with pytest.raises(NotFound) as refused:
        find_company(given, COMPANIES)
    assert str(refused.value) == text


class Site:
    """Answers of EDGAR's two hosts, by path."""

    def __init__(self, **files: Any) -> None:
        self.files = files
        self.asked: list[str] = []

    async def get(self, path: str, *, data: bool = False) -> Reply | None:
        assert data == path.startswith("/submissions/")
        name = path.rpartition("/")[2].removesuffix(".json").replace("-", "_")
        self.asked.append(name)
        file = self.files.get(name)
        if file is None:
            return None
        return Reply(200, {}, file if isinstance(file, bytes) else json.dumps(file).encode())


def columns(*rows: tuple[str, str, str]) -> dict[str, list[str]]:
    names = ("accessionNumber", "filingDate", "form")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def company(recent: dict[str, list[str]], *files: dict[str, str]) -> dict[str, Any]:
    return {"name": "QUILLFEATHER", "filings": {"recent": recent, "files": list(files)}}


async def listed(site: Site, wanted: FilingFilter) -> list[tuple[str, date]]:
    with CompanyFiles(cast(Edgar, site)) as files:
        entries = await files.filings(CIK, wanted)
        assert all(path.is_file() for path in files.submissions_paths)
    assert not any(path.exists() for path in files.submissions_paths)
    return [(entry.accession_number, entry.filing_date) for entry in entries]


NEW, OLD = "0009990101-25-000004", "0009990101-12-000006"
OLDER_FILE = {
    "name": "CIK0009990101-submissions-001.json",
    "filingFrom": "2010-01-01",
    "filingTo": "2012-12-31",
}


@pytest.mark.anyio
async def test_filings_are_listed_newest_first_with_those_of_older_files() -> None:
    recent = columns(("0009990101-21-000005", "2021-03-04", "10-K"), (NEW, "2025-03-06", "10-K"))
    site = Site(
        CIK0009990101=company(recent, OLDER_FILE),
        CIK0009990101_submissions_001=columns((OLD, "2012-03-02", "10-K")),
    )
    assert await listed(site, FilingFilter(forms=frozenset({"10-K"}))) == [
        (NEW, date(2025, 3, 6)),
        ("0009990101-21-000005", date(2021, 3, 4)),
        (OLD, date(2012, 3, 2)),
    ]


@pytest.mark.anyio
async def test_older_file_is_not_fetched_for_later_days_and_forms_choose() -> None:
    recent = columns(("0009990101-25-000001", "2025-01-04", "4"), (NEW, "2025-03-06", "10-K"))
    site = Site(CIK0009990101=company(recent, OLDER_FILE))
    wanted = FilingFilter(forms=frozenset({"10-K"}), from_date=date(2013, 1, 1))
    assert await listed(site, wanted) == [(NEW, date(2025, 3, 6))]
    assert site.asked == ["CIK0009990101"]


@pytest.mark.anyio
async def test_unknown_cik_is_said() -> None:
    with pytest.raises(NotFound, match="EDGAR has no company with CIK 0009990101"):
        await listed(Site(), EVERYTHING)


@pytest.mark.anyio
@pytest.mark.parametrize("content", [b"<html>busy</html>", b"{}", b'{"name": "x"}'])
async def test_file_that_is_no_list_of_a_company_is_named(content: bytes) -> None:
    with pytest.raises(MalformedIndex, match="CIK0009990101.json: is not EDGAR's list"):
        await listed(Site(CIK0009990101=content), EVERYTHING)
