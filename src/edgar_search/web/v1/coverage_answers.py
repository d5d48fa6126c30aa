"""The reply of `/v1/coverage`, and the engine's counts that it is made of."""

from collections.abc import Iterable
from datetime import date

from msgspec import Struct, field

from edgar_search.web.v1.coverage import CoverageParams


class Pair(Struct):
    day: str
    form: str


class Counted(Struct):
    count: int = field(name="doc_count")


class Percentiles(Struct):
    values: dict[str, float | None]


class PairBucket(Struct):
    """What the ledger has of one day and form."""

    key: Pair
    count: int = field(name="doc_count")
    listed: Counted
    searchable: Counted
    refused: Counted
    deleted: Counted
    accepted_lag: Percentiles
    listed_lag: Percentiles


class Pairs(Struct):
    buckets: list[PairBucket]
    after_key: dict[str, object] | None = None


class CoverageAggregations(Struct):
    pairs: Pairs


class Lag(Struct):
    """Seconds that half, nine of ten and 99 of 100 filings took at most; null where none did."""

    p50: float | None
    p90: float | None
    p99: float | None


class Day(Struct):
    filing_date: str
    form_type: str
    known: int
    listed: int
    searchable: int
    refused: int
    deleted: int
    waiting: int
    accepted_to_searchable: Lag
    listed_to_searchable: Lag


class CoverageReply(Struct):
    from_date: date
    to_date: date
    days: list[Day]


def coverage_reply(params: CoverageParams, buckets: Iterable[PairBucket]) -> CoverageReply:
    """One entry for each day and form that the ledger knows, in that order."""
    return CoverageReply(params.from_date, params.to_date, [_day(bucket) for bucket in buckets])


def _day(bucket: PairBucket) -> Day:
    done = bucket.searchable.count + bucket.refused.count + bucket.deleted.count
    return Day(
        filing_date=bucket.key.day,
        form_type=bucket.key.form,
        known=bucket.count,
        listed=bucket.listed.count,
        searchable=bucket.searchable.count,
        refused=bucket.refused.count,
        deleted=bucket.deleted.count,
        waiting=bucket.count - done,
        accepted_to_searchable=_lag(bucket.accepted_lag),
        listed_to_searchable=_lag(bucket.listed_lag),
    )


def _lag(percentiles: Percentiles) -> Lag:
    values = [percentiles.values[f"{percent}.0"] for percent in (50, 90, 99)]
    return Lag(*(None if value is None else round(value, 3) for value in values))
