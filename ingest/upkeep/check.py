"""Comparison of EDGAR's index with the ledger, and of the ledger with the indices."""

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Buckets, IdHit, KeyedBucket
from edgar_search.settings.values import ROW_KINDS
from edgar_search.stored.installation import LedgerEntry
from ingest.fetching.index_files import IndexEntry
from ingest.loading.ledger import read_entries
from ingest.loading.retry import Retry
from ingest.reading.operations import rows_key
from ingest.sources.paths import FilingFilter
from ingest.upkeep.delete import submission_query

# Submissions in one request; this also bounds the hits of one search.
_WINDOW = 500
_DEEP_WINDOW = 50
_MAX_HITS = 10_000


class MissingSubmission(NamedTuple):
    """A submission that EDGAR lists and that is not searchable; `kind` groups the reasons."""

    entry: IndexEntry
    kind: str
    why: str

    @property
    def line(self) -> str:
        """The submission as a line of columns."""
        entry = self.entry
        day = entry.filing_date.isoformat()
        columns = (entry.accession_number, entry.form_type, day, entry.cik, entry.company_name)
        return "\t".join((*columns, self.why))


class FutureDated(Struct):
    """A submission by its accession number, with its ledger entry."""

    accession_number: str = field(name="_id")
    entry: LedgerEntry = field(name="_source")


class CheckSummary:
    """The findings of a check so far.

    `future_dates` are accession numbers of loaded submissions with a date in the future.
    """

    def __init__(self) -> None:
        self.listed = 0
        self.missing = 0
        self.why: Counter[str] = Counter()
        self.future_dates: list[str] = []

    def as_dict(self) -> dict[str, Any]:
        """Return the summary of the check; without `future_dates` if there are none."""
        future = {"future_dates": self.future_dates} if self.future_dates else {}
        return {
            **future,
            "listed": self.listed,
            "searchable": self.listed - self.missing,
            "missing": self.missing,
            "why": dict(self.why.most_common()),
        }


async def find_missing(
    engine: Engine,
    retry: Retry,
    entries: AsyncIterable[IndexEntry],
    checked: CheckSummary,
    *,
    deep: bool,
) -> AsyncIterator[MissingSubmission]:
    """Yield the missing ones among `entries`, in order.

    With `deep` the ledger is also compared with the indices. Raises EngineUnavailable if
    Elasticsearch stays away.
    """
    async for window in _windows(entries, _DEEP_WINDOW if deep else _WINDOW):
        ledger_entries = await retry(read_entries, engine, [e.accession_number for e in window])
        loaded = {key: entry for key, entry in ledger_entries.items() if entry.status == "loaded"}
        faults = await _find_faults(engine, retry, loaded) if deep else {}
        for entry in window:
            checked.listed += 1
            number = entry.accession_number
            reason = _reason(ledger_entries.get(number)) or faults.get(number)
            if reason is not None:
                checked.missing += 1
                checked.why[reason[0]] += 1
                yield MissingSubmission(entry, *reason)


async def find_future_dated(engine: Engine, retry: Retry) -> list[FutureDated]:
    """Find filings with a date in the future, the latest first; at most one search's worth.

    Raises EngineUnavailable if Elasticsearch stays away.
    """
    last = last_filing_date(datetime.now(UTC)).isoformat()
    filters = [{"term": {"status": "loaded"}}, {"range": {"filing_date": {"gt": last}}}]
    body = {
        "query": {"bool": {"filter": filters}},
        "size": _MAX_HITS,
        "sort": [{"filing_date": "desc"}],
        "_source": ["status", "source", "seen_at", "filing_date"],
    }
    await retry(engine.refresh, "ledger")
    reply = await retry(engine.search, "ledger", body, FutureDated)
    return reply.hits.hits


async def find_withdrawn_filings(engine: Engine, retry: Retry, wanted: FilingFilter) -> list[str]:
    """Find loaded filings of these days and forms that EDGAR has removed."""
    assert wanted.from_date is not None and wanted.to_date is not None
    days = {"gte": wanted.from_date.isoformat(), "lte": wanted.to_date.isoformat()}
    filters: list[dict[str, Any]] = [
        {"range": {"filing_date": days}},
        {"exists": {"field": "withdrawn_at"}},
    ]
    if wanted.forms is not None:
        filters.append({"terms": {"form_type": sorted(wanted.forms)}})
    query = {"bool": {"filter": filters}}
    return sorted(await _ids(engine, retry, "ledger", query))


def _reason(entry: LedgerEntry | None) -> tuple[str, str] | None:
    """Return why a submission is not searchable, as a kind and in full; None if it is."""
    if entry is None:
        return "never seen", "never seen"
    match entry.status:
        case "loaded" if entry.unread:
            unread = "; ".join(
                f"{document_id}: {reason}" for document_id, reason in entry.unread.items()
            )
            return "not read whole", f"not read whole: {unread}"
        case "loaded":
            return None
        case "refused":
            return "refused", f"refused: {entry.reason}"
        case "deleted":
            day = entry.deleted_at.date().isoformat() if entry.deleted_at else "an unknown day"
            return "deleted", f"deleted on {day}"
        case "pending":
            return "pending", "pending: its load has not finished; load it again"
        case "listed":
            return "listed", "listed, never fetched"
        case "fetched":
            return "fetched", "fetched, never loaded"


class _PartCounts(Struct):
    documents: Buckets[KeyedBucket]


async def _find_faults(
    engine: Engine, retry: Retry, loaded: Mapping[str, LedgerEntry]
) -> dict[str, tuple[str, str]]:
    """Return the faults of each submission that is not stored as the ledger says."""
    if not loaded:
        return {}
    numbers = {"terms": {"accession_number": list(loaded)}}
    filings = await _ids(engine, retry, "filings", numbers)
    documents = Counter(await _ids(engine, retry, "documents", numbers))
    passages = await _count_parts(engine, retry, "passages", loaded)
    rows: Counter[str] = Counter()
    for kind in ROW_KINDS:
        for document_id, count in (await _count_parts(engine, retry, kind, loaded)).items():
            rows[rows_key(kind, document_id)] = count
    faults = {}
    for number, entry in loaded.items():
        stored = {key: n for key, n in passages.items() if key.startswith(f"{number}-")}
        own = {key: n for key, n in documents.items() if key.startswith(f"{number}-")}
        wrong = []
        if filings.count(number) != 1:
            wrong.append(f"{filings.count(number)} filings instead of 1")
        if own != dict.fromkeys(entry.parts, 1):
            wrong.append(f"{sum(own.values())} documents instead of {len(entry.parts)}")
        if stored != {key: n for key, n in entry.parts.items() if n}:
            wanted = sum(entry.parts.values())
            wrong.append(f"{sum(stored.values())} passages instead of {wanted}")
        counts = {key: n for key, n in rows.items() if f" {number}-" in key}
        if counts != entry.rows:
            wanted = sum(entry.rows.values())
            wrong.append(f"{sum(counts.values())} rows instead of {wanted}")
        if wrong:
            faults[number] = ("not as loaded", f"not as loaded: {', '.join(wrong)}")
    return faults


async def _ids(engine: Engine, retry: Retry, kind: Any, query: dict[str, Any]) -> list[str]:
    body = {"query": query, "size": _MAX_HITS, "_source": False, "track_total_hits": True}
    await retry(engine.refresh, kind)
    reply = await retry(engine.search, kind, body, IdHit)
    return [hit.id for hit in reply.hits.hits]


async def _count_parts(
    engine: Engine, retry: Retry, kind: Kind, loaded: Mapping[str, LedgerEntry]
) -> dict[str, int]:
    """Count the passages or rows of each document id below these accession numbers."""
    query = {"bool": {"should": [submission_query(kind, number) for number in loaded]}}
    terms = {"field": "document_id", "size": _MAX_HITS}
    body = {
        "query": query,
        "size": 0,
        "track_total_hits": False,
        "aggs": {"documents": {"terms": terms}},
    }
    await retry(engine.refresh, kind)
    counts = await retry(engine.aggregate, kind, body, _PartCounts)
    return {bucket.key: bucket.count for bucket in counts.documents.buckets}


async def _windows(
    entries: AsyncIterable[IndexEntry], size: int
) -> AsyncIterator[Sequence[IndexEntry]]:
    window: list[IndexEntry] = []
    async for entry in entries:
        window.append(entry)
        if len(window) == size:
            yield window
            window = []
    if window:
        yield window
