"""An imitation of EDGAR on a loopback port: its indices, its feed, its submissions, its faults.

It is made from submissions, real or made up: their headers say what the indices list. Every request
is logged with its time. A fault is put on a path and used up by one request:

    site.faults["/Archives/edgar/data/1/0000000001-24-000001.txt"] = ["429", "cut"]
"""

import asyncio
import gzip
import hashlib
import json
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import NamedTuple, Self
from xml.sax.saxutils import escape

from aiohttp import web

from edgar_search.edgar.submission import Header, header_in
from ingest.fetching.index_files import Quarter

RATE_PAGE = (
    b"<!DOCTYPE html>\n<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head>"
    b"<body><h1>Your Request Originates from an Undeclared Automated Tool</h1></body></html>"
)
_MODIFIED = format_datetime(datetime(2024, 1, 1, tzinfo=UTC), usegmt=True)
_ABSENT = b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'
_NO_QUERY: Mapping[str, str] = {}
# A cut answer ends after so much of the body.
_CUT = 0.6


class Filed(NamedTuple):
    """A submission and what its header says of it."""

    header: Header
    content: bytes

    @property
    def number(self) -> str:
        return self.header.accession_number

    @property
    def paths(self) -> list[str]:
        ciks = dict.fromkeys(entity.cik for entity in self.header.entities)
        return [f"edgar/data/{int(cik)}/{self.number}.txt" for cik in ciks]


class Asked(NamedTuple):
    """A request as it came in; `time` is in seconds of the monotonic clock."""

    time: float
    path: str
    range: str | None
    status: int
    agent: str


class EdgarSite:
    """The site and its state, which tests change while it runs."""

    def __init__(self, submissions: Iterable[bytes] = ()) -> None:
        self.filed: dict[str, Filed] = {}
        self.log: list[Asked] = []
        self.faults: dict[str, list[str]] = defaultdict(list)
        self.absent: set[str] = set()  # accession numbers that are listed, and not there yet
        self.removed: set[str] = set()  # those that are listed no more, and answered with a 404
        self.validators = True  # if answers have an ETag and the time of the last change
        self.feed: list[str] = []  # accession numbers, newest first
        self.companies: dict[str, tuple[str, str]] = {}  # CIK and name of each ticker
        self.files: dict[str, bytes] = {}  # further paths
        self.indexed_until = date(9999, 12, 31)  # the last day that has a daily index
        self.quarterly_until = date(9999, 12, 31)  # the last day that quarterly indices have
        self.ranges = True
        self.slow = 0.0  # seconds that every answer takes
        self.url = ""
        for content in submissions:
            self.add(content)

    def add(self, content: bytes) -> Filed:
        """Publish a submission; the feed is left alone."""
        header = header_in(content)
        assert header is not None
        filed = Filed(header, content)
        self.filed[filed.number] = filed
        return filed

    def asked(self, part: str = "") -> list[str]:
        """Return the paths that were requested, of those that have `part` in them."""
        return [asked.path for asked in self.log if part in asked.path]

    @contextmanager
    def serving(self) -> Iterator[Self]:
        """Serve in a thread of its own, so that other processes are served too."""
        started, loop = threading.Event(), asyncio.new_event_loop()
        stop = asyncio.Event()

        async def serve() -> None:
            application = web.Application()
            application.router.add_get("/{path:.*}", self._answer)
            runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            started.set()
            await stop.wait()
            await runner.cleanup()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        started.wait()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            loop.close()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path_qs
        asked_range = request.headers.get("Range")
        arrived = time.monotonic()
        if self.slow:
            await asyncio.sleep(self.slow)
        fault = self.faults[path].pop(0) if self.faults[path] else ""
        content = self._content(request)
        response = _faulty(fault)
        if response is None and content is None:
            response = web.Response(status=404, body=b"<html><title>Not Found</title></html>")
            number = path.rpartition("/")[2].removesuffix(".txt")
            if "/Archives/" in path and number not in self.removed:
                response = web.Response(status=403, body=_ABSENT)
        if response is None and content is not None:
            response = self._good(request, content, fault)
        assert response is not None
        agent = request.headers.get("User-Agent", "")
        self.log.append(Asked(arrived, path, asked_range, response.status, agent))
        if fault in ("cut", "long", "drip"):
            return await _break_off(request, response, fault)
        return response

    def _good(self, request: web.Request, content: bytes, fault: str) -> web.Response:
        etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        headers = {"ETag": etag, "Last-Modified": _MODIFIED} if self.validators else {}
        if self.validators and request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers=headers)
        if fault == "short":  # It says that less is to come than there is.
            content = content[: int(len(content) * _CUT)]
        start = self._range_start(request, etag, len(content))
        if start is None:
            return web.Response(body=content, headers=headers)
        if start >= len(content):
            return web.Response(status=416, headers=headers)
        headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        return web.Response(status=206, body=content[start:], headers=headers)

    def _range_start(self, request: web.Request, etag: str, size: int) -> int | None:
        asked = request.headers.get("Range", "")
        if not self.ranges or not asked or request.headers.get("If-Range", etag) != etag:
            return None
        return int(asked.removeprefix("bytes=").removesuffix("-"))

    def _content(self, request: web.Request) -> bytes | None:
        path = request.path
        if path in self.files:
            return self.files[path]
        return self.published(path, request.query)

    def published(self, path: str, query: Mapping[str, str] = _NO_QUERY) -> bytes | None:
        """Return the contents at a path, except for further files."""
        if path == "/files/company_tickers.json":
            rows = self.companies.items()
            entries = [
                {"ticker": ticker, "cik_str": int(cik), "title": name}
                for ticker, (cik, name) in rows
            ]
            return json.dumps(dict(enumerate(entries))).encode()
        if path.startswith("/submissions/CIK"):
            return self._company(path.removeprefix("/submissions/CIK").removesuffix(".json"))
        if path == "/cgi-bin/browse-edgar":
            return self._feed(int(query["start"]), int(query["count"]))
        parts = path.removeprefix("/Archives/edgar/").split("/")
        if parts[0] == "data":
            filed = self.filed.get(parts[-1].removesuffix(".txt"))
            there = filed is not None and filed.number not in self.absent | self.removed
            return filed.content if there and filed else None
        if parts[0] in ("full-index", "daily-index") and len(parts) == 4:
            quarter = Quarter(int(parts[1]), int(parts[2].removeprefix("QTR")))
            return self._index(parts[0] == "daily-index", quarter, parts[3])
        return None

    def _company(self, cik: str) -> bytes | None:
        of_cik = [f for f in self.filed.values() if cik in {e.cik for e in f.header.entities}]
        if not of_cik:
            return None
        of_cik.sort(key=lambda filed: filed.header.filing_date, reverse=True)
        names = [e.name for e in of_cik[0].header.entities if e.cik == cik]
        columns = {
            "accessionNumber": [filed.number for filed in of_cik],
            "filingDate": [str(filed.header.filing_date) for filed in of_cik],
            "form": [filed.header.form_type for filed in of_cik],
        }
        return json.dumps(
            {"cik": cik, "name": names[0], "filings": {"recent": columns, "files": []}}
        ).encode()

    def _index(self, daily: bool, quarter: Quarter, name: str) -> bytes | None:
        filed = [
            f
            for f in self.filed.values()
            if Quarter.of(f.header.filing_date) == quarter and f.number not in self.removed
        ]
        days = sorted({f.header.filing_date for f in filed})
        if not daily:
            kept = [f for f in filed if f.header.filing_date <= self.quarterly_until]
            last = min(quarter.last_day, self.quarterly_until)
            whole = name == "master.gz" and kept
            return gzip.compress(_master(kept, last, "%Y-%m-%d"), mtime=0) if whole else None
        names = {f"master.{d:%Y%m%d}.idx": d for d in days if d <= self.indexed_until}
        if name == "index.json":
            items = [{"name": each} for each in names]
            return json.dumps({"directory": {"item": items, "name": "x"}}).encode()
        if name not in names:
            return None
        of_day = [f for f in filed if f.header.filing_date == names[name]]
        return _master(of_day, names[name], "%Y%m%d")

    def _feed(self, start: int, count: int) -> bytes:
        # Others publish meanwhile: an entry that comes in front would be told twice.
        feed = self.feed.copy()
        entries = [
            _feed_entry(self.filed[number], place)
            for number in feed
            for place in range(len(self.filed[number].paths))
        ]
        if start and start >= len(entries):
            return b"<!DOCTYPE html><html><title>SEC.gov | File Unavailable</title></html>"
        head = '<?xml version="1.0" encoding="ISO-8859-1" ?>'
        page = "".join(entries[start : start + count])
        return f'{head}<feed xmlns="http://www.w3.org/2005/Atom">{page}</feed>'.encode(
            "latin-1", "xmlcharrefreplace"
        )


def _master(filed: Iterable[Filed], last: date, form: str) -> bytes:
    lines = [
        "Description:           Master Index of EDGAR Dissemination Feed",
        f"Last Data Received:    {last:%B} {last.day}, {last.year}",
        "Comments:              webmaster",
        " ",
        "CIK|Company Name|Form Type|Date Filed|Filename",
        "-" * 80,
    ]
    for each in filed:
        names = {entity.cik: entity.name for entity in each.header.entities}
        for path in each.paths:
            cik = path.split("/")[2]
            day = each.header.filing_date.strftime(form)
            lines.append(f"{cik}|{names[cik.zfill(10)]}|{each.header.form_type}|{day}|{path}")
    return "\n".join([*lines, ""]).encode()


def _feed_entry(filed: Filed, place: int) -> str:
    header = filed.header
    cik = filed.paths[place].split("/")[2]
    name = next(e.name for e in header.entities if int(e.cik) == int(cik))
    accepted = header.accepted_at or datetime(2024, 1, 1, tzinfo=UTC)
    return (
        f"<entry><title>{escape(header.form_type)} - {escape(name)} ({cik.zfill(10)}) (Filer)"
        f"</title><summary>&lt;b&gt;Filed:&lt;/b&gt; {header.filing_date}</summary>"
        f"<updated>{accepted.isoformat()}</updated>"
        f'<category label="form type" term="{escape(header.form_type)}"/>'
        f"<id>urn:tag:sec.gov,2008:accession-number={filed.number}</id></entry>"
    )


def _faulty(fault: str) -> web.Response | None:
    """Return the answers that have nothing to do with what was requested."""
    if fault == "page":
        return web.Response(body=RATE_PAGE, content_type="text/html")
    if fault == "403":
        return web.Response(status=403, body=RATE_PAGE, content_type="text/html")
    if fault == "429":
        return web.Response(status=429, headers={"Retry-After": "1"})
    if fault in ("500", "503"):
        return web.Response(status=int(fault), body=b"oops")
    return None


async def _break_off(
    request: web.Request, response: web.StreamResponse, fault: str
) -> web.StreamResponse:
    """Send a part of what was announced, or announce more than there is, and hang up."""
    assert isinstance(response, web.Response) and isinstance(response.body, bytes)
    body = response.body
    answer = web.StreamResponse(status=response.status, headers=response.headers)
    answer.content_length = len(body) + (1000 if fault == "long" else 0)
    await answer.prepare(request)
    sent = body if fault in ("long", "drip") else body[: int(len(body) * _CUT)]
    pieces = 10 if fault == "drip" else 1
    for number in range(pieces):
        size = -(-len(sent) // pieces)
        await answer.write(sent[number * size : (number + 1) * size])
        if fault == "drip":
            await asyncio.sleep(0.05)
    if fault != "drip" and request.transport is not None:
        await asyncio.sleep(0.05)
        request.transport.close()
    return answer
