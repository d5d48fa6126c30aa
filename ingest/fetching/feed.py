"""Pages of EDGAR's feed of current filings (Atom), parsed; pure."""

import re
from datetime import UTC, date, datetime
from xml.etree import ElementTree

from msgspec import Struct

from edgar_search.edgar.identifiers import ACCESSION_NUMBER, format_cik, submission_path
from edgar_search.errors import MalformedIndex

# Entries of a page, EDGAR's maximum; a filing has an entry for each of its entities.
PAGE = 100
_ATOM = "{http://www.w3.org/2005/Atom}"
_ACCESSION = re.compile(f"accession-number=({ACCESSION_NUMBER})")
_TITLE = re.compile(
    r"^(?P<form>.*?) - (?P<name>.*) \((?P<cik>[0-9]{1,10})\) \((?P<role>[^()]*)\)\s*$"
)
_FILED = re.compile(r"Filed:\s*(?:</b>)?\s*(\d{4}-\d{2}-\d{2})")


class FeedEntry(Struct, frozen=True):
    """A filing as listed for one of its entities; `accepted_at` is in UTC."""

    accession_number: str
    form_type: str
    company_name: str
    cik: str
    role: str
    filing_date: date
    accepted_at: datetime

    @property
    def file_name(self) -> str:
        """The submission's path below EDGAR's `/Archives/`."""
        return submission_path(self.cik, self.accession_number)


class FeedPage(Struct, frozen=True):
    """A page, newest entries first; `unknown` counts the entries that could not be read."""

    entries: list[FeedEntry]
    unknown: int


def feed_path(start: int) -> str:
    """Return the path of a page that begins at entry `start`, counted from 0."""
    return (
        f"/cgi-bin/browse-edgar?action=getcurrent&type=&company=&dateb=&owner=include"
        f"&start={start}&count={PAGE}&output=atom"
    )


def parse_feed(data: bytes) -> FeedPage:
    """Parse a page. Raises MalformedIndex for anything else, such as an error page."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise MalformedIndex(f"the current feed: is not XML: {error}") from None
    if root.tag != f"{_ATOM}feed":
        raise MalformedIndex(
            f"the current feed: its root is <{root.tag}>, not that of an Atom feed"
        )
    parsed = [_entry(element) for element in root.iter(f"{_ATOM}entry")]
    entries = [entry for entry in parsed if entry is not None]
    return FeedPage(entries, len(parsed) - len(entries))


def _entry(element: ElementTree.Element) -> FeedEntry | None:
    accession = _ACCESSION.search(_text(element, "id"))
    title = _TITLE.match(" ".join(_text(element, "title").split()))
    category = element.find(f"{_ATOM}category")
    updated = _utc_time(_text(element, "updated"))
    filed = _filing_date(_text(element, "summary"))
    if accession is None or title is None or updated is None or filed is None:
        return None
    return FeedEntry(
        accession_number=accession[1],
        form_type=(category.get("term") if category is not None else None) or title["form"],
        company_name=title["name"],
        cik=format_cik(int(title["cik"])),
        role=title["role"],
        filing_date=filed,
        accepted_at=updated,
    )


def _text(element: ElementTree.Element, name: str) -> str:
    return element.findtext(f"{_ATOM}{name}") or ""


def _filing_date(summary: str) -> date | None:
    match = _FILED.search(summary)
    try:
        return date.fromisoformat(match[1]) if match else None
    except ValueError:
        return None


def _utc_time(text: str) -> datetime | None:
    """Parse a time with a zone as UTC; None for anything else."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo is not None else None
