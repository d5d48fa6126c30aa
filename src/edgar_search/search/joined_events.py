"""Events of the same company near a filing, such as `8-K:4.01,365d`.

events = event ["," event] event  = form ":" code "," days "d" [" after" | " before"]

The form is `8-K` with an item as its code, or `4` with a code of transactions. An 8-K counts on its
filing date, a transaction on its own date. Each company's event days become windows of filing
dates, and a search finds only filings within them. If these are few, their numbers are the filter.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.edgar.codes import TRANSACTION_CODES
from edgar_search.edgar.items import EIGHT_K_ITEMS, OLD_EIGHT_K_ITEMS
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Buckets, FieldsHit, decode
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import EventSide, FilingCriteria, JoinedEvent
from edgar_search.search.figures import ANY_CURRENCY
from edgar_search.search.query.body import CikLists, cik_window, filing_query
from edgar_search.search.query.matching import Clause, between

MAX_EVENTS, MAX_DAYS = 2, 1_100
# The most days with an event, over all companies, and the most windows made of them. Each window is
# a clause of the search, and a thousand take the engine a tenth of a second.
MOST_FOUND, MOST_WINDOWS = 10_000, 2_000
# The most filings to check one by one for being within a window: a search by their numbers takes a
# fraction of the time of one by windows.
MOST_CANDIDATES = 5_000
EXAMPLE = "8-K:4.01,365d"
_KIND = re.compile(r"(8-K|4) ?: ?([0-9A-Z.]{1,5})", re.ASCII | re.IGNORECASE)
_DAYS = re.compile(r"([0-9]{1,4})d(?: (after|before))?", re.ASCII | re.IGNORECASE)
_SIDES: Mapping[str | None, EventSide] = {None: "near", "after": "after", "before": "before"}
_ITEMS = frozenset(item.number for item in (*EIGHT_K_ITEMS, *OLD_EIGHT_K_ITEMS))
_SHOWN = 40


def read_events(text: str) -> tuple[JoinedEvent, ...]:
    """Parse events; raises BadRequest with the part that is wrong."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2 * MAX_EVENTS:
        raise BadRequest(f"`with` may have at most {MAX_EVENTS} events, such as `{EXAMPLE}`")
    if len(parts) % 2:
        raise BadRequest(
            f"`with`: each event has a number of days behind it, such as `{EXAMPLE}`; not"
            f" `{text[:_SHOWN]}`"
        )
    events = [_event(*parts[at : at + 2]) for at in range(0, len(parts), 2)]
    return tuple(dict.fromkeys(events))


def _event(kind: str, days: str) -> JoinedEvent:
    kind_match, within = _KIND.fullmatch(kind), _DAYS.fullmatch(" ".join(days.split()))
    if kind_match is None:
        raise BadRequest(
            f"`with`: an event is an 8-K with an item (`8-K:4.01`) or a transaction of Form 4"
            f" (`4:P`), not `{kind[:_SHOWN]}`"
        )
    if within is None or not 1 <= int(within[1]) <= MAX_DAYS:
        raise BadRequest(
            f"`with`: the days must be from `1d` to `{MAX_DAYS}d`, or such as `90d after`, not"
            f" `{days[:_SHOWN]}`"
        )
    form, code = kind_match[1].upper(), kind_match[2].upper()
    if form == "8-K" and code not in _ITEMS:
        raise BadRequest(f"`with`: `{code}` is no item of an 8-K, such as 4.01")
    if form == "4" and code not in TRANSACTION_CODES:
        known = ", ".join(TRANSACTION_CODES)
        raise BadRequest(f"`with`: codes of transactions are {known}, not `{code}`")
    side = within[2] and within[2].lower()
    return JoinedEvent(form, code, int(within[1]), _SIDES[side])


def events_text(events: Iterable[JoinedEvent]) -> str:
    """Write events in the form in which they are parsed."""
    return ",".join(
        f"{event.form}:{event.code},{event.days}d{'' if event.side == 'near' else f' {event.side}'}"
        for event in events
    )


def events_body(event: JoinedEvent, criteria: FilingCriteria, ciks: CikLists) -> Clause:
    """Build the request for an event's days, by company; one more than allowed.

    `ciks` are the companies of the criteria, as far as they name any.
    """
    days = timedelta(event.days)
    first = criteria.from_date and _shift(criteria.from_date, -days)
    last = criteria.to_date and _shift(criteria.to_date, days)
    if event.form == "8-K":
        company, day = "ciks", "filing_date"
        filters: list[Clause] = [
            {"term": {"form_type": event.form}},
            {"term": {"items": event.code}},
        ]
    else:
        company, day = "issuer_cik", "trade_date"
        filters = [
            {"terms": {"form_type": [event.form, f"{event.form}/A"]}},
            {"term": {"trade": True}},
            {"term": {"code": event.code}},
        ]
    lists = [*ciks, *([criteria.cik] if criteria.cik else [])]
    return {
        "query": {
            "bool": {
                "filter": [
                    *filters,
                    *({"terms": {company: list(ciks_of_list)}} for ciks_of_list in lists),
                    *between(day, first, last),
                ]
            }
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "days": {
                "composite": {
                    "size": MOST_FOUND + 1,
                    "sources": [
                        {"cik": {"terms": {"field": company}}},
                        {"day": {"terms": {"field": day}}},
                    ],
                }
            }
        },
    }


class DaysNear(NamedTuple):
    """A range of a company's filing dates near its events."""

    cik: str
    first: date
    last: date


class _Key(Struct):
    cik: str
    day: int


class _Bucket(Struct):
    key: _Key


class _Found(Struct):
    days: Buckets[_Bucket]


async def event_windows(
    engine: Engine, event: JoinedEvent, criteria: FilingCriteria, ciks: CikLists
) -> list[DaysNear]:
    """Return the filing dates near an event, for each company; one engine request.

    Raises BadRequest if there are too many events.
    """
    kind: Kind = "filings" if event.form == "8-K" else "insider_trades"
    reply = await engine.search(kind, events_body(event, criteria, ciks), Struct)
    buckets = decode(bytes(reply.aggregations), _Found).days.buckets
    days = [(bucket.key.cik, _day(bucket.key.day)) for bucket in buckets]
    windows = list(chain.from_iterable(_windows(cik, of, event) for cik, of in _by_cik(days)))
    if len(buckets) > MOST_FOUND or len(windows) > MOST_WINDOWS:
        raise BadRequest(
            f"`with`: too many companies have an event `{event.form}:{event.code}`; narrow the"
            " search by company, `from_date` or `to_date`"
        )
    return windows


async def near_filings(
    engine: Engine, event: JoinedEvent, criteria: FilingCriteria, ciks: CikLists
) -> list[str]:
    """Return the numbers of the filings near an event, or the windows if there may be too many.

    Makes two engine requests, or one if no such event exists. Raises BadRequest as `event_windows`.
    """
    windows = await event_windows(engine, event, criteria, ciks)
    if not windows:
        return []
    # Only a report's main document has figures; a filing has every other field that filters it.
    kind: Kind = "documents" if _of_reports(criteria) else "filings"
    days: dict[str, list[DaysNear]] = {}
    for window in windows:
        days.setdefault(window.cik, []).append(window)
    body = candidates_body(list(days), criteria, ciks)
    hits = (await engine.search(kind, body, FieldsHit[_CandidateFields])).hits.hits
    if len(hits) > MOST_CANDIDATES:
        return [cik_window(*window) for window in windows]
    candidates = (
        hit.fields.accession_number[0]
        for hit in hits
        for cik in hit.fields.ciks
        for near in days.get(cik, ())
        if near.first <= hit.fields.filing_date[0] <= near.last
    )
    return list(dict.fromkeys(candidates))


def candidates_body(companies: list[str], criteria: FilingCriteria, ciks: CikLists) -> Clause:
    """Build the request for filings of companies with an event, one more than are checked.

    Of reports it takes any with figures, since warnings about reports left out need them too.
    """
    own = structs.replace(
        criteria,
        events=(),
        document_type=(),
        primary=False,
        figures=(),
        currency=ANY_CURRENCY if _of_reports(criteria) else None,
    )
    return {
        "query": {"bool": {"filter": [filing_query(own, ciks), {"terms": {"ciks": companies}}]}},
        "size": MOST_CANDIDATES + 1,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": [
            "accession_number",
            "ciks",
            {"field": "filing_date", "format": "strict_date"},
        ],
    }


def _of_reports(criteria: FilingCriteria) -> bool:
    return bool(criteria.figures or criteria.currency)


class _CandidateFields(Struct):
    accession_number: list[str]
    ciks: list[str]
    filing_date: list[date]


def _by_cik(days: Sequence[tuple[str, date]]) -> Iterable[tuple[str, list[date]]]:
    for cik, of_company in groupby(sorted(days), key=itemgetter(0)):
        yield cik, [day for _, day in of_company]


def _windows(cik: str, days: Sequence[date], event: JoinedEvent) -> list[DaysNear]:
    """Return a company's windows; windows that touch are merged."""
    before = timedelta(event.days if event.side != "before" else 0)
    after = timedelta(event.days if event.side != "after" else 0)
    windows: list[tuple[date, date]] = []
    for day in days:
        first, last = _shift(day, -before), _shift(day, after)
        if windows and first <= _shift(windows[-1][1], timedelta(1)):
            first = windows.pop()[0]
        windows.append((first, last))
    return [DaysNear(cik, *window) for window in windows]


def _day(milliseconds: int) -> date:
    return datetime.fromtimestamp(milliseconds / 1_000, UTC).date()


def _shift(day: date, by: timedelta) -> date:
    """Move a day by a distance, within the calendar's bounds."""
    try:
        return day + by
    except OverflowError:
        return date.max if by > timedelta() else date.min
