"""Coverage: which filings are loaded, late or missing, overall and by day."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.engine.contents import OutdatedCounts, count_outdated, outdated_counts
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import (
    Bucket,
    Buckets,
    KeyedBucket,
    Metric,
    Percentiles,
    SourceHit,
    decode,
)
from edgar_search.search.counts import count_values
from edgar_search.search.criteria import CoverageCriteria
from edgar_search.search.query.matching import Clause
from edgar_search.search.warnings.filter_values import UnknownValue
from edgar_search.search.warnings.nearest import SearchWarning, name_first, nearest_form
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.installation import LedgerEntry, MissingDay

# Pairs in one reply, far below the engine's limit on buckets.
PAGE = 2_000
PERCENTS = (50, 90, 99)
# Days in one request: a year has about 80,000 pairs of day and form.
MAX_DAYS = 366
# Percentiles of yesterday's and today's lags.
LAST_PERCENTS = (50.0, 95.0)
# The ledger field that records the end of each step.
LEDGER_STEPS = {"list": "listed_at", "fetch": "fetched_at", "load": "searchable_at"}


def coverage_body(criteria: CoverageCriteria, after: dict[str, Any] | None) -> Clause:
    """Build the request for counts and lags by day and form, in that order, after a pair."""
    filters = _filters(criteria)
    day = {"field": "filing_date", "calendar_interval": "day", "format": "yyyy-MM-dd"}
    pairs: Clause = {
        "size": PAGE,
        "sources": [{"day": {"date_histogram": day}}, {"form": {"terms": {"field": "form_type"}}}],
    }
    if after is not None:
        pairs["after"] = after
    return {
        "query": {"bool": {"filter": filters}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"pairs": {"composite": pairs, "aggs": _measures()}},
    }


def missing_body(criteria: CoverageCriteria, size: int) -> Clause:
    """Build the request for submissions that are pending or were refused, newest first."""
    searchable = {"bool": {"filter": _visible()}}
    return {
        "query": {
            "bool": {
                "filter": _filters(criteria),
                "must_not": [searchable, {"term": {"status": "deleted"}}],
            }
        },
        "size": size,
        "sort": [{"filing_date": "desc"}, {"form_type": "asc"}, {"seen_at": "desc"}],
        "track_total_hits": True,
        "_source": ["status", "source", "seen_at", "reason", "form_type", "filing_date"],
    }


def missing_days_body(criteria: CoverageCriteria) -> Clause:
    """Build the request for the business days of a range on which EDGAR lists nothing.

    A range has at most 366 of them.
    """
    return {
        "query": {"range": {"day": _bounds(criteria)}},
        "size": MAX_DAYS,
        "sort": [{"day": "asc"}],
        "track_total_hits": False,
    }


def future_body(last: date, size: int) -> Clause:
    """Build the request for loaded submissions dated after `last`, the latest first."""
    filters = [{"term": {"status": "loaded"}}, {"range": {"filing_date": {"gt": last.isoformat()}}}]
    return {
        "query": {"bool": {"filter": filters}},
        "size": size,
        "sort": [{"filing_date": "desc"}],
        "track_total_hits": True,
    }


def _bounds(criteria: CoverageCriteria) -> Clause:
    return {"gte": criteria.first_day.isoformat(), "lte": criteria.last_day.isoformat()}


def _filters(criteria: CoverageCriteria) -> list[Clause]:
    filters: list[Clause] = [{"range": {"filing_date": _bounds(criteria)}}]
    if criteria.form_types:
        filters.append({"terms": {"form_type": list(criteria.form_types)}})
    return filters


def _visible() -> list[Clause]:
    return [{"term": {"status": "loaded"}}, {"exists": {"field": "searchable_at"}}]


def _measures() -> Clause:
    visible = _visible()
    return {
        "listed": {"filter": {"exists": {"field": "listed_at"}}},
        "searchable": {"filter": {"bool": {"filter": visible}}},
        "refused": {"filter": {"term": {"status": "refused"}}},
        "deleted": {"filter": {"term": {"status": "deleted"}}},
        "withdrawn": {"filter": {"exists": {"field": "withdrawn_at"}}},
        "accepted_lag": {"percentiles": {"field": "accepted_lag", "percents": list(PERCENTS)}},
        "listed_lag": {"percentiles": {"field": "listed_lag", "percents": list(PERCENTS)}},
    }


def ledger_body() -> Clause:
    """Build the request for submissions by status, the newest load, and the durations."""
    lag = {"percentiles": {"field": "listed_lag", "percents": list(LAST_PERCENTS)}}
    day = {"range": {"searchable_at": {"gte": "now-1d"}}}
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "status": {"terms": {"field": "status", "size": 10}},
            "newest": {"max": {"field": "loaded_at"}},
            **{step: {"max": {"field": field}} for step, field in LEDGER_STEPS.items()},
            "day": {"filter": day, "aggs": {"lag": lag}},
            "pending": {
                "filter": {"term": {"status": "pending"}},
                "aggs": {"since": {"min": {"field": "claimed_at"}}},
            },
            "outdated": outdated_counts(),
        },
    }


def corpus_statistics_body() -> Clause:
    """Build the request for the number of all filings, and their first and last day."""
    return {
        "size": 0,
        "track_total_hits": True,
        "aggs": {
            "first": {"min": {"field": "filing_date", "format": "yyyy-MM-dd"}},
            "last": {"max": {"field": "filing_date", "format": "yyyy-MM-dd"}},
        },
    }


def last_day_body(most: date) -> Clause:
    """Build the request for the last day of filings up to `most`."""
    return {
        "query": {"range": {"filing_date": {"lte": most.isoformat()}}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"last": {"max": {"field": "filing_date", "format": "yyyy-MM-dd"}}},
    }


class LedgerState(NamedTuple):
    """Submissions by status, the time of the last load, and recent durations.

    `steps` gives the time of the last listing by EDGAR ("list"), fetch ("fetch") and searchable
    load ("load"); a step that never happened is absent. `lags` are percentiles, by percent, of the
    seconds from EDGAR's listing to searchability over the last day; None if nothing was loaded.
    `oldest_pending` is when the longest pending load began. `outdated` counts submissions loaded by
    an older version, by kind of content.
    """

    submissions: dict[str, int]
    newest: datetime | None
    lags: dict[str, float | None]
    steps: dict[str, datetime]
    oldest_pending: datetime | None = None
    outdated: Mapping[str, int] = MappingProxyType({})


class _LedgerDay(Struct):
    lag: Percentiles


class _Pending(Struct):
    since: Metric


class _Ledger(Struct):
    status: Buckets[KeyedBucket]
    newest: Metric
    list: Metric
    fetch: Metric
    load: Metric
    day: _LedgerDay
    pending: _Pending
    outdated: OutdatedCounts


async def ledger_state(engine: Engine) -> LedgerState:
    """Read the state of the ledger; one engine request."""
    reply = await engine.aggregate("ledger", ledger_body(), _Ledger)
    steps = {step: _moment(getattr(reply, step)) for step in LEDGER_STEPS}
    return LedgerState(
        {bucket.key: bucket.count for bucket in reply.status.buckets},
        _moment(reply.newest),
        reply.day.lag.values,
        {step: moment for step, moment in steps.items() if moment is not None},
        _moment(reply.pending.since),
        reply.outdated.kinds,
    )


def _moment(value: Metric) -> datetime | None:
    return None if value.value is None else datetime.fromtimestamp(value.value / 1_000, UTC)


class CorpusStatistics(NamedTuple):
    """The numbers of filings and of documents with text; the days are None if nothing is loaded.

    A filing with a date in the future sets the last day only if no other filing exists.
    """

    filings: int
    documents: int
    first_day: date | None
    last_day: date | None


class _HeldDay(Struct):
    day: date | None = field(name="value_as_string", default=None)


class _Last(Struct):
    last: _HeldDay


class _Days(_Last):
    first: _HeldDay


async def count_corpus(engine: Engine) -> CorpusStatistics:
    """Count the searchable entries; at most three engine requests."""
    filings, documents = await asyncio.gather(
        engine.search("filings", corpus_statistics_body(), Struct),
        engine.search("documents", corpus_statistics_body(), Struct),
    )
    days = decode(bytes(filings.aggregations), _Days)
    last, most = days.last.day, last_filing_date(datetime.now(UTC))
    if last is not None and last > most:
        past = await engine.search("filings", last_day_body(most), Struct)
        last = decode(bytes(past.aggregations), _Last).last.day or last
    return CorpusStatistics(filings.total, documents.total, days.first.day, last)


class Missing(NamedTuple):
    """The newest missing filings; `total` counts all of them."""

    total: int
    filings: list["MissingFiling"]


class MissingFiling(Struct):
    """A missing filing: its accession number and its ledger entry."""

    accession_number: str = field(name="_id")
    entry: LedgerEntry = field(name="_source")


async def missing_filings(engine: Engine, criteria: CoverageCriteria, most: int) -> Missing:
    """Find filings of these days and forms that are pending or were refused; one engine request."""
    reply = await engine.search("ledger", missing_body(criteria, most), MissingFiling)
    return Missing(reply.total, reply.hits.hits)


async def missing_days(engine: Engine, criteria: CoverageCriteria) -> list[date]:
    """Return the missing days of the range, in order, as of the last reading of EDGAR's indices."""
    reply = await engine.search("missing_days", missing_days_body(criteria), SourceHit[MissingDay])
    return [hit.source.day for hit in reply.hits.hits]


class Lags(NamedTuple):
    """Seconds within which half, 90 % and 99 % of filings were loaded; None if there were none."""

    p50: float | None
    p90: float | None
    p99: float | None


class FormDay(NamedTuple):
    """Counts and lags for one filing date and one form."""

    day: str
    form_type: str
    known: int
    listed: int
    searchable: int
    refused: int
    deleted: int
    accepted_to_searchable: Lags
    listed_to_searchable: Lags
    withdrawn: int = 0


class _Pair(Struct):
    day: str
    form: str


class _Bucket(Struct):
    key: _Pair
    count: int = field(name="doc_count")
    listed: Bucket
    searchable: Bucket
    refused: Bucket
    deleted: Bucket
    withdrawn: Bucket
    accepted_lag: Percentiles
    listed_lag: Percentiles


class _Pairs(Struct):
    buckets: list[_Bucket]
    after_key: dict[str, object] | None = None


class _Aggregations(Struct):
    pairs: _Pairs


async def look_up_coverage(engine: Engine, criteria: CoverageCriteria) -> list[FormDay]:
    """Read counts and lags by day and form, in that order; a request for each `PAGE`."""
    rows: list[FormDay] = []
    after: dict[str, Any] | None = None
    while True:
        body = coverage_body(criteria, after)
        pairs = (await engine.aggregate("ledger", body, _Aggregations)).pairs
        rows += map(_form_day, pairs.buckets)
        after = pairs.after_key
        if after is None or len(pairs.buckets) < PAGE:
            return rows


def _form_day(bucket: _Bucket) -> FormDay:
    return FormDay(
        day=bucket.key.day,
        form_type=bucket.key.form,
        known=bucket.count,
        listed=bucket.listed.count,
        searchable=bucket.searchable.count,
        refused=bucket.refused.count,
        deleted=bucket.deleted.count,
        withdrawn=bucket.withdrawn.count,
        accepted_to_searchable=_lags(bucket.accepted_lag),
        listed_to_searchable=_lags(bucket.listed_lag),
    )


def _lags(percentiles: Percentiles) -> Lags:
    return Lags(*(percentiles.values[f"{percent}.0"] for percent in PERCENTS))


_EXAMPLES = 3


async def future_dates(engine: Engine) -> list[SearchWarning]:
    """Warn about loaded filings dated in the future, if any; one engine request."""
    last = last_filing_date(datetime.now(UTC))
    reply = await engine.search("ledger", future_body(last, _EXAMPLES), MissingFiling)
    if not reply.total:
        return []
    examples = [f"{hit.accession_number} of {hit.entry.filing_date}" for hit in reply.hits.hits]
    number = "1 filing here is" if reply.total == 1 else f"{reply.total} filings here are"
    text = f"{number} dated after {last}, such as {', '.join(examples)}"
    return [SearchWarning("filing_date", text)]


async def _count_outdated(engine: Engine, criteria: CoverageCriteria) -> int:
    days = {"gte": criteria.first_day.isoformat(), "lte": criteria.last_day.isoformat()}
    forms = [{"terms": {"form_type": criteria.form_types}}] if criteria.form_types else []
    query = {"bool": {"filter": [{"range": {"filing_date": days}}, *forms]}}
    return (await count_outdated(engine, query)).submissions


class CheckedDays(NamedTuple):
    """Counts and lags by day and form, with warnings.

    `missing_days` are EDGAR's business days for which its indices list nothing, `outdated` the
    number of submissions loaded by an older version.
    """

    days: list[FormDay]
    warnings: list[SearchWarning]
    missing_days: list[date]
    outdated: int = 0


async def look_up_coverage_and_warn(engine: Engine, criteria: CoverageCriteria) -> CheckedDays:
    """Return the ledger's counts by day and form, with warnings.

    Warns about a form type that the ledger has never seen, and about filings dated in the future.
    """
    days = await look_up_coverage(engine, criteria)
    missing = await or_default([], missing_days, engine, criteria)
    future = await or_default([], future_dates, engine)
    outdated = await or_default(0, _count_outdated, engine, criteria)
    met = {day.form_type for day in days}
    unseen = [form_type for form_type in criteria.form_types if form_type not in met]
    if not unseen:
        return CheckedDays(days, future, missing, outdated)
    counts = await or_default(dict.fromkeys(unseen, 0), count_values, engine, "ledger", "form_type")
    unknown = [
        UnknownValue(each, nearest_form(each, counts)) for each in unseen if each not in counts
    ]
    sentences = [f"no known filing has {each}" for each in unknown]
    return CheckedDays(days, [*name_first("form_type", sentences), *future], missing, outdated)
