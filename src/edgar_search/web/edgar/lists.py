"""EDGAR's lists: index files by quarter and day, tickers."""

import asyncio
import gzip
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import NotFound
from edgar_search.search.entities import names_of
from edgar_search.search.filing_lists import ListedFiling, days_of_filings, filings_of_day
from edgar_search.stored.entities import StoredTickers
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.edgar.mirror import folder_of, mirrored, mirrored_json, routes_at
from edgar_search.web.service import service

_EASTERN = ZoneInfo("America/New_York")
_TEXT = "text/plain; charset=iso-8859-1"
_KINDS = ("company", "crawler", "form", "master")
_QUARTERLY = re.compile(r"(company|crawler|form|master)\.(idx|gz|zip|Z)", re.ASCII)
_DAILY = re.compile(r"(company|crawler|form|master)\.(\d{8})\.idx(\.gz)?", re.ASCII)
# The names of a folder: its page, its list.
_FOLDER = ("", "index.json")
_FIRST_YEAR = 1993
# EDGAR truncates longer names in files with columns, because many readers end a column at two
# blanks.
_NAME = 60
# A quarter of all EDGAR has 300,000 filings.
_SLOTS_OF_A_QUARTER = 8


class IndexRow(NamedTuple):
    """A filing of an entity, as index files list it."""

    cik: int
    name: str
    form: str
    day: date
    accession_number: str

    @property
    def path(self) -> str:
        """The path of the submission below `/Archives/`."""
        return f"edgar/data/{self.cik}/{self.accession_number}.txt"


def rows_of(filings: Iterable[ListedFiling]) -> Iterator[IndexRow]:
    """Yield a row for each entity of each filing, once."""
    for filing in filings:
        for cik, name in {entity.cik: entity.name for entity in filing.entities}.items():
            plain = " ".join(name.split())
            yield IndexRow(
                int(cik), plain, filing.form_type, filing.filing_date, filing.accession_number
            )


def index_text(kind: str, rows: Sequence[IndexRow], received: date, *, daily: bool) -> str:
    """Write an index file of this kind like EDGAR; a daily one writes dates without dashes."""
    form = "%Y%m%d" if daily else "%Y-%m-%d"
    title = f"{'Daily' if daily else 'Master'} {'Crawler ' * (kind == 'crawler')}Index"
    of_quarter = kind == "master" and not daily
    by = {"form": " by Form Type", "company": " by Company Name", "crawler": " by Company Name"}
    head = [
        f"Description:           {title} of EDGAR Dissemination Feed{by.get(kind, '')}",
        f"Last Data Received:    {received:%B} {received.day}, {received.year}",
        "Comments:              webmaster@sec.gov",
        "Anonymous FTP:         ftp://ftp.sec.gov/edgar/",
        # Programs skip as many lines as EDGAR's files begin with.
        *(["Cloud HTTP:            https://www.sec.gov/Archives/"] if of_quarter else []),
        *([" "] * (1 if kind == "master" and daily else 4)),
    ]
    columns, lines = _LAYOUTS[kind](sorted(rows, key=_ORDERS[kind]), form)
    rule = "-" * (80 if kind == "master" else 141)
    return "\n".join([*head, columns, rule, *lines, ""])


def _master(rows: Sequence[IndexRow], form: str) -> tuple[str, Iterator[str]]:
    lines = (f"{r.cik}|{r.name}|{r.form}|{r.day:{form}}|{r.path}" for r in rows)
    return "CIK|Company Name|Form Type|Date Filed|Filename", lines


def _by_form(rows: Sequence[IndexRow], form: str) -> tuple[str, Iterator[str]]:
    head = f"{'Form Type':<12}{'Company Name':<62}{'CIK':<12}{'Date Filed':<12}File Name"
    lines = (
        f"{r.form:<10}  {r.name[:_NAME]:<60}  {r.cik:<10}  {r.day.strftime(form):<10}  {r.path:<52}"
        for r in rows
    )
    return head, lines


def _by_company(rows: Sequence[IndexRow], form: str) -> tuple[str, Iterator[str]]:
    head = f"{'Company Name':<62}{'Form Type':<12}{'CIK':<12}{'Date Filed':<12}File Name"
    lines = (
        f"{r.name[:_NAME]:<60}  {r.form:<10}  {r.cik:<10}  {r.day.strftime(form):<10}  {r.path:<52}"
        for r in rows
    )
    return head, lines


def _crawler(rows: Sequence[IndexRow], form: str) -> tuple[str, Iterator[str]]:
    head = f"{'Company Name':<62}{'Form Type':<17}{'CIK':<12}{'Date Filed':<12}URL"
    site = "https://www.sec.gov/Archives"
    lines = (
        f"{r.name[:_NAME]:<60}  {r.form:<15}  {r.cik:<10}  {r.day.strftime(form):<10}"
        f"  {site}/{r.path.removesuffix('.txt')}-index.htm"
        for r in rows
    )
    return head, lines


_LAYOUTS = {"master": _master, "form": _by_form, "company": _by_company, "crawler": _crawler}
_ORDERS = {
    "master": lambda row: (row.cik, row.form, row.day, row.accession_number),
    "form": lambda row: (row.form, row.name.upper(), row.day, row.accession_number),
    "company": lambda row: (row.name.upper(), row.form, row.day, row.accession_number),
    "crawler": lambda row: (row.name.upper(), row.form, row.day, row.accession_number),
}


async def full_index(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/full-index/{year}/{quarter}/{file}: all filings of a quarter."""
    first, last = quarter_of(request)
    name = request.path_params["file"]
    if name in _FOLDER:
        packed = ("idx", "gz", "zip")
        return await folder_of(request, [f"{kind}.{each}" for kind in _KINDS for each in packed])
    match = _QUARTERLY.fullmatch(name)
    if match is None or match[2] == "Z":
        kinds = ", ".join(f"{kind}.idx" for kind in _KINDS)
        raise NotFound(f"{name[:40]} is not here; {kinds} are, and each as .gz and .zip")
    await context_of(request, call).weigh(_SLOTS_OF_A_QUARTER)
    received = min(last, datetime.now(_EASTERN).date())
    rows = await _rows(request, first, received)
    call.result_count = len(rows)
    text = await asyncio.to_thread(index_text, match[1], rows, received, daily=False)
    return await mirrored(request, _packed(text, f"{match[1]}.idx", match[2]), _media(match[2]))


async def daily_index(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/daily-index/{year}/{quarter}/{file}: the filings of a day."""
    first, last = quarter_of(request)
    if request.path_params["file"] in _FOLDER:
        await context_of(request, call).weigh(1)
        days = await days_of_filings(service(request).engine, first, last)
        call.result_count = len(days)
        names = [f"{kind}.{day:%Y%m%d}.idx" for day in days for kind in _KINDS]
        return await folder_of(request, names)
    match = _DAILY.fullmatch(request.path_params["file"])
    day = day_of(match[2]) if match else None
    if match is None or day is None or not first <= day <= last:
        raise NotFound("the name is such as form.20240105.idx, of a day of this quarter")
    rows = await _rows(request, day, day)
    if not rows:
        raise NotFound(f"no filing of {day} is loaded")
    call.result_count = len(rows)
    text = await asyncio.to_thread(index_text, match[1], rows, day, daily=True)
    kind = "gz" if match[3] else "idx"
    return await mirrored(request, _packed(text, match[0], kind), _media(kind))


async def _rows(request: Request, first: date, last: date) -> list[IndexRow]:
    engine, day = service(request).engine, first
    rows: list[IndexRow] = []
    while day <= last:
        rows += rows_of(await filings_of_day(engine, day))
        day += timedelta(days=1)
    return rows


def quarter_of(request: Request) -> tuple[date, date]:
    """Return the first and last day of the quarter in a path."""
    year, quarter = request.path_params["year"], request.path_params["quarter"]
    match = re.fullmatch(r"QTR([1-4])", quarter, re.ASCII)
    if not match or not re.fullmatch(r"\d{4}", year, re.ASCII) or int(year) < _FIRST_YEAR:
        raise NotFound("a path is such as /Archives/edgar/full-index/2024/QTR1/form.idx")
    first = date(int(year), 3 * int(match[1]) - 2, 1)
    following = (first + timedelta(days=93)).replace(day=1)
    return first, following - timedelta(days=1)


def day_of(digits: str) -> date | None:
    """Return the day of eight digits, or None if it does not exist."""
    try:
        return datetime.strptime(digits, "%Y%m%d").replace(tzinfo=UTC).date()
    except ValueError:
        return None


def _packed(text: str, name: str, kind: str) -> bytes:
    data = text.encode("latin-1", "replace")
    if kind == "gz":
        return gzip.compress(data, mtime=0)
    if kind == "zip":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(name), data)
        return file.getvalue()
    return data


def _media(kind: str) -> str:
    return {"gz": "application/gzip", "zip": "application/zip"}.get(kind, _TEXT)


async def company_tickers(request: Request, call: V1Call) -> Response:
    """GET /files/company_tickers.json"""
    rows = (await _ticker_file(request, "company_tickers")).rows
    names = await names_of(service(request).engine, list({row.cik for row in rows}))
    return await mirrored_json(
        request,
        lambda: {
            str(place): {
                "cik_str": int(row.cik),
                "ticker": row.ticker,
                "title": names.get(row.cik, ""),
            }
            for place, row in enumerate(rows)
        },
    )


async def company_tickers_exchange(request: Request, call: V1Call) -> Response:
    """GET /files/company_tickers_exchange.json"""
    rows = (await _ticker_file(request, "company_tickers_exchange")).rows
    names = await names_of(service(request).engine, list({row.cik for row in rows}))
    fields = ["cik", "name", "ticker", "exchange"]
    return await mirrored_json(
        request,
        lambda: {
            "fields": fields,
            "data": [
                [int(row.cik), names.get(row.cik, ""), row.ticker, row.exchange] for row in rows
            ],
        },
    )


async def company_tickers_mf(request: Request, call: V1Call) -> Response:
    """GET /files/company_tickers_mf.json"""
    rows = (await _ticker_file(request, "company_tickers_mf")).rows
    fields = ["cik", "seriesId", "classId", "symbol"]
    return await mirrored_json(
        request,
        lambda: {
            "fields": fields,
            "data": [[int(row.cik), row.series, row.share_class, row.ticker] for row in rows],
        },
    )


async def ticker_text(request: Request, call: V1Call) -> Response:
    """GET /include/ticker.txt"""
    rows = (await _ticker_file(request, "ticker", "company_tickers")).rows
    text = "".join(f"{row.ticker.lower()}\t{int(row.cik)}\n" for row in rows)
    return await mirrored(request, text.encode(), "text/plain; charset=utf-8")


async def _ticker_file(request: Request, *names: str) -> StoredTickers:
    """Return the first loaded one of these reference files; raises NotFound if none is."""
    files = await service(request).context.tickers.files()
    for name in names:
        if name in files:
            return files[name]
    raise NotFound("no such ticker file is loaded: edgar-ingest tickers loads EDGAR's")


routes = [
    *routes_at("/Archives/edgar/full-index/{year}/{quarter}/{file:path}", full_index),
    *routes_at("/Archives/edgar/daily-index/{year}/{quarter}/{file:path}", daily_index),
    *routes_at("/files/company_tickers.json", company_tickers),
    *routes_at("/files/company_tickers_exchange.json", company_tickers_exchange),
    *routes_at("/files/company_tickers_mf.json", company_tickers_mf),
    *routes_at("/include/ticker.txt", ticker_text),
]
