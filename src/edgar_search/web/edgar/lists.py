"""EDGAR's lists: index files by quarter and day, the latest filings as Atom, tickers."""

import asyncio
import gzip
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from html import escape
from typing import NamedTuple
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.entities import names_of
from edgar_search.search.filing_lists import (
    ListedFiling,
    ListedParty,
    filings_of_day,
    latest_filings,
)
from edgar_search.stored.entities import StoredTickers
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.edgar.mirror import mirrored, mirrored_json, routes_at
from edgar_search.web.service import service

_EASTERN = ZoneInfo("America/New_York")
_TEXT, _ATOM = "text/plain; charset=iso-8859-1", "application/atom+xml"
_KINDS = ("company", "crawler", "form", "master")
_QUARTERLY = re.compile(r"(company|crawler|form|master)\.(idx|gz|zip|Z)", re.ASCII)
_DAILY = re.compile(r"(company|crawler|form|master)\.(\d{8})\.idx(\.gz)?", re.ASCII)
_FIRST_YEAR = 1993
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
    """A row for each entity of each filing, once."""
    for filing in filings:
        for cik, name in {each.cik: each.name for each in filing.entities}.items():
            plain = " ".join(name.split())
            yield IndexRow(
                int(cik), plain, filing.form_type, filing.filing_date, filing.accession_number
            )


def index_text(kind: str, rows: Sequence[IndexRow], received: date, *, daily: bool) -> str:
    """An index file of this kind as EDGAR writes it; of a day dates have no dashes."""
    form = "%Y%m%d" if daily else "%Y-%m-%d"
    title = f"{'Daily' if daily else 'Master'} {'Crawler ' * (kind == 'crawler')}Index"
    of_quarter = kind == "master" and not daily
    by = {"form": " by Form Type", "company": " by Company Name", "crawler": " by Company Name"}
    head = [
        f"Description:           {title} of EDGAR Dissemination Feed{by.get(kind, '')}",
        f"Last Data Received:    {received:%B} {received.day}, {received.year}",
        "Comments:              webmaster@sec.gov",
        "Anonymous FTP:         ftp://ftp.sec.gov/edgar/",
        # Programs skip as many lines as these files have at EDGAR.
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
        f"{r.form:<11} {r.name:<61} {r.cik:<11} {r.day.strftime(form):<11} {r.path:<52}"
        for r in rows
    )
    return head, lines


def _by_company(rows: Sequence[IndexRow], form: str) -> tuple[str, Iterator[str]]:
    head = f"{'Company Name':<62}{'Form Type':<12}{'CIK':<12}{'Date Filed':<12}File Name"
    lines = (
        f"{r.name:<61} {r.form:<11} {r.cik:<11} {r.day.strftime(form):<11} {r.path:<52}"
        for r in rows
    )
    return head, lines


def _crawler(rows: Sequence[IndexRow], form: str) -> tuple[str, Iterator[str]]:
    head = f"{'Company Name':<62}{'Form Type':<17}{'CIK':<12}{'Date Filed':<12}URL"
    site = "https://www.sec.gov/Archives"
    lines = (
        f"{r.name:<61} {r.form:<16} {r.cik:<11} {r.day.strftime(form):<11}"
        f" {site}/{r.path.removesuffix('.txt')}-index.htm"
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
    first, last = _quarter(request)
    name = request.path_params["file"]
    found = _QUARTERLY.fullmatch(name)
    if found is None or found[2] == "Z":
        kinds = ", ".join(f"{kind}.idx" for kind in _KINDS)
        raise NotFound(f"{name[:40]} is not here; {kinds} are, and each as .gz and .zip")
    await context_of(request, call).weigh(_SLOTS_OF_A_QUARTER)
    rows = await _rows(request, first, min(last, datetime.now(_EASTERN).date()))
    call.result_count = len(rows)
    text = await asyncio.to_thread(index_text, found[1], rows, last, daily=False)
    return mirrored(request, _packed(text, f"{found[1]}.idx", found[2]), _media(found[2]))


async def daily_index(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/daily-index/{year}/{quarter}/{file}: the filings of a day."""
    first, last = _quarter(request)
    found = _DAILY.fullmatch(request.path_params["file"])
    day = _day(found[2]) if found else None
    if found is None or day is None or not first <= day <= last:
        raise NotFound("the name is such as form.20240105.idx, of a day of this quarter")
    rows = await _rows(request, day, day)
    if not rows:
        raise NotFound(f"no filing of {day} is loaded")
    call.result_count = len(rows)
    text = await asyncio.to_thread(index_text, found[1], rows, day, daily=True)
    kind = "gz" if found[3] else "idx"
    return mirrored(request, _packed(text, found[0], kind), _media(kind))


async def _rows(request: Request, first: date, last: date) -> list[IndexRow]:
    engine, day = service(request).engine, first
    rows: list[IndexRow] = []
    while day <= last:
        rows += rows_of(await filings_of_day(engine, day))
        day += timedelta(days=1)
    return rows


def _quarter(request: Request) -> tuple[date, date]:
    """The days of the quarter in a path."""
    year, quarter = request.path_params["year"], request.path_params["quarter"]
    found = re.fullmatch(r"QTR([1-4])", quarter, re.ASCII)
    if not found or not re.fullmatch(r"\d{4}", year, re.ASCII) or int(year) < _FIRST_YEAR:
        raise NotFound("a path is such as /Archives/edgar/full-index/2024/QTR1/form.idx")
    first = date(int(year), 3 * int(found[1]) - 2, 1)
    following = (first + timedelta(days=93)).replace(day=1)
    return first, following - timedelta(days=1)


def _day(digits: str) -> date | None:
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


_MOST_CURRENT = 100


async def browse(request: Request, call: V1Call) -> Response:
    """GET /cgi-bin/browse-edgar: the latest filings, of all or of one entity, as Atom."""
    asked = request.query_params
    action, output = asked.get("action", "getcurrent"), asked.get("output", "")
    if action not in ("getcurrent", "getcompany"):
        raise BadRequest("`action` must be getcurrent or getcompany")
    if output not in ("", "atom", "rss"):
        raise BadRequest("`output` must be atom")
    start, count = _number(asked.get("start"), 0), _number(asked.get("count"), 40)
    cik = ""
    if action == "getcompany":
        text = asked.get("CIK", asked.get("cik", ""))
        table = await service(request).context.tickers.table()
        cik = parse_cik(text) or next(iter(table.ciks(text)), "")
        if not cik:
            raise NotFound(f"`CIK` must be a number or a ticker, not {text[:40]}")
    page = await latest_filings(
        service(request).engine, start, min(count, _MOST_CURRENT), asked.get("type", ""), cik
    )
    call.result_count = page.total
    return mirrored(request, atom(page.filings, cik).encode("latin-1", "xmlcharrefreplace"), _ATOM)


def _number(text: str | None, otherwise: int) -> int:
    if not text:
        return otherwise
    if not (text.isascii() and text.isdigit()) or len(text) > 5:
        raise BadRequest("`start` and `count` must be whole numbers up to 99999")
    return int(text)


def atom(filings: Iterable[ListedFiling], cik: str) -> str:
    """Filings as EDGAR's feed of the latest has them: an entry for each entity of each."""
    entries, updated = [], ""
    for filing in filings:
        moment = filing.accepted_at or datetime.combine(
            filing.filing_date, datetime.min.time(), UTC
        )
        when = moment.astimezone(_EASTERN).isoformat()
        updated = updated or when
        for party in filing.entities:
            if not cik or party.cik == cik:
                entries.append(_entry(filing, party, when))
    return (
        '<?xml version="1.0" encoding="ISO-8859-1" ?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n<title>Latest Filings</title>\n'
        '<link rel="alternate" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n'
        '<link rel="self" href="/cgi-bin/browse-edgar?action=getcurrent"/>\n'
        "<id>https://www.sec.gov/cgi-bin/browse-edgar?action=getcurrent</id>\n"
        "<author><name>Webmaster</name><email>webmaster@sec.gov</email></author>\n"
        f"<updated>{updated or '1970-01-01T00:00:00+00:00'}</updated>\n{''.join(entries)}</feed>\n"
    )


# What EDGAR calls the entities of a filing in its feed.
_ROLES = {
    "ISSUER": "Issuer",
    "REPORTING OWNER": "Reporting",
    "SUBJECT COMPANY": "Subject",
    "FILED BY": "Filed by",
}


def _entry(filing: ListedFiling, party: ListedParty, when: str) -> str:
    number = filing.accession_number
    plain = f"{int(party.cik)}/{number.replace('-', '')}"
    role = _ROLES.get(party.role, "Filer")
    title = escape(_printable(f"{filing.form_type} - {party.name} ({party.cik}) ({role})"))
    size = f"{max(1, round(filing.size / 1024))} KB"
    summary = f"\n <b>Filed:</b> {filing.filing_date} <b>AccNo:</b> {number} <b>Size:</b> {size}\n"
    form = escape(filing.form_type)
    return (
        f"<entry>\n<title>{title}</title>\n"
        f'<link rel="alternate" type="text/html" href="https://www.sec.gov/Archives/edgar/data/'
        f'{plain}/{number}-index.htm"/>\n'
        f'<summary type="html">{escape(summary)}</summary>\n<updated>{when}</updated>\n'
        f'<category scheme="https://www.sec.gov/" label="form type" term="{form}"/>\n'
        f"<id>urn:tag:sec.gov,2008:accession-number={number}</id>\n</entry>\n"
    )


def _printable(text: str) -> str:
    return "".join(filter(str.isprintable, text))


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


async def ticker_text(request: Request, call: V1Call) -> Response:
    """GET /include/ticker.txt"""
    rows = (await _ticker_file(request, "ticker", "company_tickers")).rows
    text = "".join(f"{row.ticker.lower()}\t{int(row.cik)}\n" for row in rows)
    return mirrored(request, text.encode(), "text/plain")


async def _ticker_file(request: Request, *names: str) -> StoredTickers:
    """The first of these reference files that is loaded; NotFound if none is."""
    found = await service(request).context.tickers.files()
    for name in names:
        if name in found:
            return found[name]
    raise NotFound("no such ticker file is loaded: edgar-ingest tickers loads EDGAR's")


routes = [
    *routes_at("/Archives/edgar/full-index/{year}/{quarter}/{file}", full_index),
    *routes_at("/Archives/edgar/daily-index/{year}/{quarter}/{file}", daily_index),
    *routes_at("/cgi-bin/browse-edgar", browse),
    *routes_at("/files/company_tickers.json", company_tickers),
    *routes_at("/files/company_tickers_exchange.json", company_tickers_exchange),
    *routes_at("/include/ticker.txt", ticker_text),
]
