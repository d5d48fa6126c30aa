"""Look-ups over the real corpus, against the filings' own headers."""

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.headers import Read, read
from tests.acceptance.service import Service


@pytest.fixture(scope="module")
def headers(corpus: Path) -> dict[str, Read]:
    """The facts of each submission's header, by accession number; .txt comes before .nc."""
    files = sorted((corpus / "filings").glob("*.gz"))
    every = [read(path) for path in sorted(files, key=lambda path: ".txt" in path.name)]
    return {header.number: header for header in every}


def iso(digits: str) -> str:
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def newest_first(headers: list[Read]) -> list[str]:
    return [h.number for h in sorted(headers, key=lambda h: (h.filed, h.number), reverse=True)]


def filings(service: Service, **parameters: Any) -> list[dict[str, Any]]:
    reply = service.lookup(**parameters)
    assert reply["response_details"] == {"filings_found": len(reply["filings"]), "errors": []}
    found: list[dict[str, Any]] = reply["filings"]
    return found


def test_every_header_was_read(headers: dict[str, Read]) -> None:
    assert len(headers) == 582
    assert [h.number for h in headers.values() if not (h.ciks and h.form and h.filed)] == []


# A request for each of them takes long, and hundreds of companies are alike.
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
def test_each_company_has_the_filings_that_name_it(
    service: Service, headers: dict[str, Read], every: int
) -> None:
    by_cik = defaultdict(list)
    for header in headers.values():
        for cik in set(header.ciks):
            by_cik[cik].append(header)
    assert len(by_cik) > 100
    for cik, of_it in list(by_cik.items())[::every]:
        found = [filing["accnum"] for filing in filings(service, cik=cik)]
        assert found == newest_first(of_it)


def test_each_form_type_has_its_filings(service: Service, headers: dict[str, Read]) -> None:
    by_form = defaultdict(list)
    for header in headers.values():
        by_form[header.form].append(header)
    assert len(by_form) == 47
    for form, of_it in by_form.items():
        found = [filing["accnum"] for filing in filings(service, form_type=form)]
        assert found == newest_first(of_it)


def test_each_filing_says_what_its_header_says(service: Service, headers: dict[str, Read]) -> None:
    found = filings(service, form_type=",".join({header.form for header in headers.values()}))
    assert {filing["accnum"] for filing in found} == headers.keys()
    for filing in found:
        header = headers[filing["accnum"]]
        period = iso(header.period) if re.fullmatch("[12][0-9]{7}", header.period) else None
        facts = (filing["form_type"], filing["filing_date"], filing["period"])
        assert facts == (header.form, iso(header.filed), period)
        assert len(filing["documents"]) == header.documents
        filer = filing["filer_details"]
        assert (filer["cik"], filer["name"]) in zip(header.ciks, header.names, strict=True)


@pytest.mark.parametrize("year", ["1996", "2020"])
def test_dates_are_included(service: Service, headers: dict[str, Read], year: str) -> None:
    of_year = [h for h in headers.values() if h.filed.startswith(year)]
    bounds = min(h.filed for h in of_year), max(h.filed for h in of_year)
    forms = ",".join({header.form for header in headers.values()})
    found = filings(service, form_type=forms, from_date=iso(bounds[0]), to_date=iso(bounds[1]))
    assert [filing["accnum"] for filing in found] == newest_first(of_year)


def test_ticker_of_the_real_file_finds_its_company(
    service: Service, headers: dict[str, Read]
) -> None:
    apple = [header for header in headers.values() if "0000320193" in header.ciks]
    found = filings(service, ticker="aapl")
    assert [filing["accnum"] for filing in found] == newest_first(apple)
    assert {tuple(filing["tickers"]) for filing in found} == {("AAPL",)}
