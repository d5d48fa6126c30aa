"""EDGAR's index files, parsed purely: form, company, master, crawler and xbrl; daily and quarterly.

All begin with some lines about themselves, the names of the columns and a rule of dashes. `master`
and `xbrl` separate fields by `|`, the others fill columns. What the header line says of the columns
is not always so: its own lines may be broken, forms may be wider than announced, and names overrun.
"""

import gzip
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime

from msgspec import Struct

from edgar_search.archive.members import gunzip
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, parse_cik, submission_path
from edgar_search.errors import MalformedIndex

# Of lines that are no entries, so many are kept word by word; all are counted.
MAX_UNKNOWN_KEPT = 20
GZIP_MAGIC = b"\x1f\x8b"
_RULE = re.compile(rb"^-{20,}[ \t]*$", re.MULTILINE)
_RECEIVED = re.compile(rb"^Last Data Received:[ \t]*(\w+)\.? +(\d{1,2}), *(\d{4})", re.MULTILINE)
_FORM_FIRST = re.compile(rb"^Form Type\b", re.MULTILINE)
_LINE_END = re.compile(rb"\r\n?")
# CIK, date and place end a line of columns; a crawler index has an address there, perhaps cut off.
_TAIL = re.compile(r"\s([0-9]{1,10})\s+(\d{4}-?\d{2}-?\d{2})\s+(\S*edgar/data/\S+)\s*$")
_GAP = re.compile(r"\s{2,}")
_ACCESSION = re.compile(f"/({ACCESSION_NUMBER})(?![0-9])")
_DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})", re.ASCII)
# The longest form types fill their column to the last blank, where nothing but its width tells.
_LONGEST_WITH_GAP = 15
_COMPANY_WIDTH = 62


class IndexEntry(Struct, frozen=True):
    """One line: a submission as filed for one of its entities; `cik` has 10 digits.

    `file_name` is the submission's place below EDGAR's `/Archives/`.
    """

    accession_number: str
    form_type: str
    company_name: str
    cik: str
    filing_date: date
    file_name: str

    @property
    def accepted_at(self) -> None:
        """When EDGAR accepted it: no index says."""
        return None


class IndexFile:
    """An index file: its entries, one at a time, and what was no entry.

    `received` is the day of the last data in it, None where it does not say. While entries are
    read, `unknown` counts the lines that are none; the first of them are kept in `unknown_lines`.
    Raises MalformedIndex for other bytes, such as an error page; `name` is for that message.
    """

    def __init__(self, data: bytes, name: str = "the index file") -> None:
        lines = _LINE_END.sub(b"\n", _plain(data, name))
        rule = _RULE.search(lines)
        if rule is None:
            raise MalformedIndex(f"{name}: no index file of EDGAR's: it has no line of dashes")
        self.received = _received(lines[: rule.start()])
        self.unknown = 0
        self.unknown_lines: list[str] = []
        self._form_first = _FORM_FIRST.search(lines, 0, rule.start()) is not None
        self._body = lines[rule.end() :]

    def __iter__(self) -> Iterator[IndexEntry]:
        for line in self._body.split(b"\n"):
            if not line.strip():
                continue
            entry = _entry(_text(line), self._form_first)
            if entry is not None:
                yield entry
            else:
                self._count(line)

    def _count(self, line: bytes) -> None:
        self.unknown += 1
        if len(self.unknown_lines) < MAX_UNKNOWN_KEPT:
            self.unknown_lines.append(_text(line))


def distinct(entries: Iterable[IndexEntry]) -> Iterator[IndexEntry]:
    """Each accession number once, by its first line: several filers have a line each."""
    seen = set()
    for entry in entries:
        if entry.accession_number not in seen:
            seen.add(entry.accession_number)
            yield entry


def _plain(data: bytes, name: str) -> bytes:
    try:
        return gunzip(data) if data.startswith(GZIP_MAGIC) else data
    except gzip.BadGzipFile as error:
        raise MalformedIndex(f"{name}: {error}") from None


def _received(preamble: bytes) -> date | None:
    match = _RECEIVED.search(preamble)
    if match is None:
        return None
    month, day, year = (part.decode() for part in match.groups())
    try:
        return datetime.strptime(f"{month[:3]} {day} {year}", "%b %d %Y").date()
    except ValueError:
        return None


def _entry(line: str, form_first: bool) -> IndexEntry | None:
    fields = _separated(line) if "|" in line else _columns(line, form_first)
    if fields is None:
        return None
    form, company, digits, day, place = fields
    cik, accession, filed = parse_cik(digits), _ACCESSION.search(place), _date(day)
    if cik is None or accession is None or filed is None or not form:
        return None
    number = accession[1]
    return IndexEntry(number, form, company, cik, filed, submission_path(cik, number))


def _separated(line: str) -> tuple[str, str, str, str, str] | None:
    parts = line.split("|")
    if len(parts) < 5:
        return None
    cik, *company, form, day, place = parts
    return form.strip(), "|".join(company).strip(), cik.strip(), day.strip(), place.strip()


def _columns(line: str, form_first: bool) -> tuple[str, str, str, str, str] | None:
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
