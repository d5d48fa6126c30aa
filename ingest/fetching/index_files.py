"""EDGAR's index files, daily and quarterly: parsing, and cached copies in the home.

All begin with a preamble, column names and a rule of dashes. `master` and `xbrl` separate fields by
`|`, the others use columns. Columns do not always match the header line: lines may be broken, form
types wider than announced, and names longer than their column.
"""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from edgar_search.archive.members import gunzip
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, parse_cik, submission_path
from edgar_search.errors import MalformedIndex
from edgar_search.http_client import Reply
from ingest.fetching.client import Edgar


class Quarter(Struct, frozen=True, order=True):
    """A quarter of a year; `number` is 1 to 4."""

    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> "Quarter":
        """Return the quarter of a day."""
        return cls(day.year, (day.month + 2) // 3)

    @property
    def following(self) -> "Quarter":
        """The next quarter."""
        following = Quarter(self.year, self.number + 1)
        return following if self.number < 4 else Quarter(self.year + 1, 1)

    @property
    def first_day(self) -> date:
        """The quarter's first day."""
        return date(self.year, 3 * self.number - 2, 1)

    @property
    def last_day(self) -> date:
        """The quarter's last day."""
        return self.following.first_day - timedelta(days=1)

    @property
    def index_path(self) -> str:
        """The path of the quarter's index."""
        return f"full-index/{self.year}/QTR{self.number}/master.gz"

    @property
    def feed_folder(self) -> str:
        """The folder of its daily archives."""
        return f"Feed/{self.year}/QTR{self.number}"

    @property
    def daily_folder(self) -> str:
        """The folder of its daily indices."""
        return f"daily-index/{self.year}/QTR{self.number}"


def quarters(first: date, last: date) -> Iterator[Quarter]:
    """Yield the quarters of a range of days, in order."""
    quarter = Quarter.of(first)
    while quarter <= Quarter.of(last):
        yield quarter
        quarter = quarter.following


# How many unreadable lines are kept verbatim; all are counted.
MAX_UNKNOWN_KEPT = 20
GZIP_MAGIC = b"\x1f\x8b"
_RULE = re.compile(rb"^-{20,}[ \t]*$", re.MULTILINE)
_RECEIVED = re.compile(rb"^Last Data Received:[ \t]*(\w+)\.? +(\d{1,2}), *(\d{4})", re.MULTILINE)
_FORM_FIRST = re.compile(rb"^Form Type\b", re.MULTILINE)
_LINE_END = re.compile(rb"\r\n?")
# CIK, date and path end a line with columns; in a crawler index they end with an address, possibly
# truncated.
_TAIL = re.compile(r"\s([0-9]{1,10})\s+(\d{4}-?\d{2}-?\d{2})\s+(\S*edgar/data/\S+)\s*$")
_GAP = re.compile(r"\s{2,}")
_ACCESSION = re.compile(f"/({ACCESSION_NUMBER})(?![0-9])")
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})", re.ASCII)
# The longest form types fill their column completely; then only the width shows where they end.
_LONGEST_WITH_GAP = 15
_COMPANY_WIDTH = 62


class IndexEntry(Struct, frozen=True):
    """A line of an index: a submission for one of its entities; `cik` has 10 digits.

    `file_name` is the submission's path below EDGAR's `/Archives/`.
    """

    accession_number: str
    form_type: str
    company_name: str
    cik: str
    filing_date: date
    file_name: str

    @property
    def accepted_at(self) -> None:
        """None, because no index gives the time of acceptance."""
        return None


class IndexFile:
    """An index file: its entries, one at a time, and the unreadable lines.

    `received` is the day of the last data in it, None if it does not say. During iteration
    `unknown` counts the lines that are not entries; `unknown_lines` keeps the first of them. Raises
    MalformedIndex, whose message uses `name`, for other bytes, such as an error page.
    """

    def __init__(self, data: bytes, name: str = "the index file") -> None:
        try:
            plain = gunzip(data) if data.startswith(GZIP_MAGIC) else data
        except gzip.BadGzipFile as error:
            raise MalformedIndex(f"{name}: {error}") from None
        lines = _LINE_END.sub(b"\n", plain)
        rule = _RULE.search(lines)
        if rule is None:
            raise MalformedIndex(f"{name}: is not an index file of EDGAR: it has no line of dashes")
        self.received = _received_day(lines[: rule.start()])
        self.unknown = 0
        self.unknown_lines: list[str] = []
        self._form_first = _FORM_FIRST.search(lines, 0, rule.start()) is not None
        self._body = lines[rule.end() :]

    def __iter__(self) -> Iterator[IndexEntry]:
        for line in self._body.split(b"\n"):
            if not line.strip():
                continue
            entry = _parse_line(_text(line), self._form_first)
            if entry is not None:
                yield entry
                continue
            self.unknown += 1
            if len(self.unknown_lines) < MAX_UNKNOWN_KEPT:
                self.unknown_lines.append(_text(line))


def distinct(entries: Iterable[IndexEntry]) -> Iterator[IndexEntry]:
    """Yield each accession number once, by its first line: there is a line for each filer."""
    seen = set()
    for entry in entries:
        if entry.accession_number not in seen:
            seen.add(entry.accession_number)
            yield entry


def _received_day(preamble: bytes) -> date | None:
    match = _RECEIVED.search(preamble)
    if match is None:
        return None
    month, day, year = (part.decode() for part in match.groups())
    try:
        return datetime.strptime(f"{month[:3]} {day} {year}", "%b %d %Y").date()
    except ValueError:
        return None


def _parse_line(line: str, form_first: bool) -> IndexEntry | None:
    fields = _split_fields(line) if "|" in line else _split_columns(line, form_first)
    if fields is None:
        return None
    form, company, digits, day, place = fields
    cik, accession, filed = parse_cik(digits), _ACCESSION.search(place), _date(day)
    if cik is None or accession is None or filed is None or not form:
        return None
    number = accession[1]
    return IndexEntry(number, form, company, cik, filed, submission_path(cik, number))


def _split_fields(line: str) -> tuple[str, str, str, str, str] | None:
    parts = line.split("|")
    if len(parts) < 5:
        return None
    cik, *company, form, day, place = parts
    return form.strip(), "|".join(company).strip(), cik.strip(), day.strip(), place.strip()


def _split_columns(line: str, form_first: bool) -> tuple[str, str, str, str, str] | None:
    tail = _TAIL.search(line)
    if tail is None:
        return None
    head = line[: tail.start()].rstrip()
    form, company = _form_before(head, tail.start(1)) if form_first else _form_after(head)
    return form, company, tail[1], tail[2], tail[3]


def _form_before(head: str, cik_column: int) -> tuple[str, str]:
    gap = _GAP.search(head)
    if gap is not None and gap.start() <= _LONGEST_WITH_GAP:
        return head[: gap.start()].strip(), head[gap.end() :]
    width = cik_column - _COMPANY_WIDTH
    return (head[:width].strip(), head[width:].strip()) if width > 0 else ("", "")


def _form_after(head: str) -> tuple[str, str]:
    gaps = list(_GAP.finditer(head))
    if not gaps:
        return "", ""
    return head[gaps[-1].end() :], head[: gaps[-1].start()]


def _date(text: str) -> date | None:
    match = _DAY.fullmatch(text)
    try:
        return date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


class _CachedFile(Struct, frozen=True):
    sha256: str
    etag: str | None = None
    last_modified: str | None = None


class IndexCache:
    """Reads files below `/Archives/edgar/`; `changed` becomes True if one of them is new.

    With `once` each file is requested only once, for a run that reads the listing twice.
    """

    def __init__(self, edgar: Edgar, home: Path, *, once: bool = False) -> None:
        self._edgar = edgar
        self._folder = home / "edgar" / "index"
        self._once = once
        # The requested files, and whether EDGAR has them.
        self._known: dict[str, bool] = {}
        self.changed = False

    async def read(self, path: str) -> bytes | None:
        """Return the current file; None if EDGAR has none. Raises EdgarUnavailable."""
        target = self._folder / path.replace("/", "_")
        kept, data = await asyncio.to_thread(_read, target)
        there = self._known.get(path)
        if self._once and (there is False or (there and data is not None)):
            return data if there else None
        reply = await self._edgar.get(f"/Archives/edgar/{path}", _conditions(kept))
        self._known[path] = reply is not None
        if reply is None:
            return None
        if reply.status == 304 and data is not None:
            return data
        self.changed |= kept is None or kept.sha256 != _sha256(reply.body)
        await asyncio.to_thread(_write, target, reply)
        return reply.body


def _conditions(kept: _CachedFile | None) -> dict[str, str]:
    if kept is None:
        return {}
    conditions = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified}
    return {name: value for name, value in conditions.items() if value is not None}


def _read(target: Path) -> tuple[_CachedFile | None, bytes | None]:
    """Read a cached file and its record; neither if the hash does not match."""
    try:
        kept = msgspec.json.decode(_about(target).read_bytes(), type=_CachedFile)
        data = target.read_bytes()
    except (OSError, msgspec.DecodeError):
        return None, None
    return (kept, data) if _sha256(data) == kept.sha256 else (None, None)


def _write(target: Path, reply: Reply) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    headers = reply.headers
    kept = _CachedFile(_sha256(reply.body), headers.get("ETag"), headers.get("Last-Modified"))
    for path, content in ((target, reply.body), (_about(target), msgspec.json.encode(kept))):
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_bytes(content)
        temporary.rename(path)


def _about(target: Path) -> Path:
    return target.with_name(f"{target.name}.about.json")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
