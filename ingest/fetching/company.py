"""The filings of one company, as EDGAR's submissions JSON lists them."""

import asyncio
import difflib
import re
import tempfile
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Self, TypeVar

import msgspec
from msgspec import Struct

from edgar_search.edgar.identifiers import parse_cik, submission_path
from edgar_search.errors import MalformedIndex, NotFound
from ingest.fetching.client import Edgar
from ingest.fetching.index_files import IndexEntry
from ingest.loading.tickers import TickerFileContent, parse_ticker_file
from ingest.sources.paths import FilingFilter

TICKERS_PATH = "/files/company_tickers.json"
T = TypeVar("T")
# Names to suggest if none matches exactly.
_OFFERED = 5
_PUNCTUATION = re.compile(r"[^a-z0-9]+")


class CompanyFiles:
    """EDGAR's files about companies, fetched into a temporary folder.

    They are kept until the context ends; loading them gives an installation the tickers and facts
    of the company.
    """

    def __init__(self, edgar: Edgar) -> None:
        self._edgar = edgar
        self._folder = tempfile.TemporaryDirectory(prefix="edgar-search-")
        self.tickers_path = self._path_of(TICKERS_PATH)
        self.submissions_paths: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    async def tickers(self) -> TickerFileContent:
        """Fetch EDGAR's list of companies with tickers. Raises EdgarUnavailable, SettingsError."""
        if await self._fetch(TICKERS_PATH) is None:
            raise NotFound(f"EDGAR has no {TICKERS_PATH}")
        return await asyncio.to_thread(parse_ticker_file, self.tickers_path)

    async def filings(self, cik: str, wanted: FilingFilter) -> list[IndexEntry]:
        """Return a company's filings that pass the filter, newest first.

        Raises NotFound if EDGAR has no company with this CIK, MalformedIndex if its files are not
        lists of filings, and EdgarUnavailable.
        """
        company = await self._read(f"CIK{cik}.json", _Company)
        if company is None:
            raise NotFound(f"EDGAR has no company with CIK {cik}")
        pages = [company.filings.recent]
        for file in company.filings.files:
            if _overlaps(file, wanted):
                older = await self._read(file.name, _Filings)
                if older is None:
                    raise MalformedIndex(f"{file.name}: is listed by EDGAR, but not there")
                pages.append(older)
        entries = {
            entry.accession_number: entry
            for page in pages
            for entry in _entries(page, cik, company.name)
            if wanted.takes(entry.form_type, (cik,), entry.filing_date)
        }
        newest_first = sorted(entries.values(), key=lambda entry: entry.accession_number)
        return sorted(newest_first, key=lambda entry: entry.filing_date, reverse=True)

    async def _read(self, name: str, kind: type[T]) -> T | None:
        path = await self._fetch(f"/submissions/{name}", data=True)
        if path is None:
            return None
        self.submissions_paths.append(path)
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except msgspec.DecodeError as error:
            raise MalformedIndex(f"{name}: is not EDGAR's list of a company: {error}") from None

    async def _fetch(self, path: str, *, data: bool = False) -> Path | None:
        reply = await self._edgar.get(path, data=data)
        if reply is None:
            return None
        target = self._path_of(path)
        await asyncio.to_thread(target.write_bytes, reply.body)
        return target

    def _path_of(self, path: str) -> Path:
        return Path(self._folder.name) / path.rpartition("/")[2]


async def listed(entries: list[IndexEntry]) -> AsyncIterator[IndexEntry]:
    """Iterate over entries as a fetch expects."""
    for entry in entries:
        yield entry


def find_company(given: str, companies: TickerFileContent) -> str:
    """Return the CIK of a company given by ticker, CIK or name; case does not matter.

    A name may omit its legal form, and may be an unambiguous prefix. Raises NotFound, with the
    closest names, if no company or several match.
    """
    cik = parse_cik(given.strip())
    if cik is not None:
        return cik
    for row in companies.rows:
        if row.ticker == given.strip().upper().removeprefix("$"):
            return row.cik
    names = {cik: _plain(name) for cik, name in companies.names.items()}
    wanted = _plain(given)
    same = [cik for cik, name in names.items() if name == wanted]
    begun = same or [cik for cik, name in names.items() if name.startswith(f"{wanted} ")]
    if wanted and len(begun) == 1:
        return begun[0]
    near = set(difflib.get_close_matches(wanted, names.values(), _OFFERED))
    offered = begun[:_OFFERED] or [cik for cik, name in names.items() if name in near]
    tickers = {row.cik: row.ticker for row in reversed(companies.rows)}
    nearest = "; ".join(f"{companies.names[cik]} ({tickers[cik]})" for cik in offered)
    problem = "begins several names" if begun else "is no ticker, CIK or name in EDGAR's list"
    raise NotFound(f"{given}: {problem}{nearest and f'; the nearest are {nearest}'}")


def _plain(name: str) -> str:
    return _PUNCTUATION.sub(" ", name.lower()).strip()


class _Filings(Struct, rename="camel"):
    accession_number: list[str]
    filing_date: list[date]
    form: list[str]


class _File(Struct, rename="camel"):
    name: str
    filing_from: date
    filing_to: date


class _AllFilings(Struct):
    recent: _Filings
    files: list[_File] = []


class _Company(Struct):
    name: str
    filings: _AllFilings


def _overlaps(file: _File, wanted: FilingFilter) -> bool:
    return (wanted.from_date is None or file.filing_to >= wanted.from_date) and (
        wanted.to_date is None or file.filing_from <= wanted.to_date
    )


def _entries(filings: _Filings, cik: str, name: str) -> list[IndexEntry]:
    rows = zip(filings.accession_number, filings.form, filings.filing_date, strict=False)
    return [
        IndexEntry(number, form, name, cik, day, submission_path(cik, number))
        for number, form, day in rows
    ]
