"""Which requests are made for what the ledger has of each day and form."""

from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.coverage import PAGE, PERCENTS, coverage_body
from edgar_search.search.criteria import CoverageCriteria


class Lags(NamedTuple):
    """Seconds that half, nine of ten and 99 of 100 filings took at most; None where none did."""

    p50: float | None
    p90: float | None
    p99: float | None


class FormDay(NamedTuple):
    """What the ledger has of one day of filing and one form."""

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


class _Counted(Struct):
    count: int = field(name="doc_count")


class _Percentiles(Struct):
    values: dict[str, float | None]


class _Bucket(Struct):
    key: _Pair
    count: int = field(name="doc_count")
    listed: _Counted
    searchable: _Counted
    refused: _Counted
    deleted: _Counted
    withdrawn: _Counted
    accepted_lag: _Percentiles
    listed_lag: _Percentiles


class _Pairs(Struct):
    buckets: list[_Bucket]
    after_key: dict[str, object] | None = None


class _Aggregations(Struct):
    pairs: _Pairs


async def look_up_coverage(engine: Engine, criteria: CoverageCriteria) -> list[FormDay]:
    """What the ledger has of each day and form, in that order; a request for each `PAGE`."""
    found: list[FormDay] = []
    after: dict[str, Any] | None = None
    while True:
        body = coverage_body(criteria, after)
        pairs = (await engine.aggregate("ledger", body, _Aggregations)).pairs
        found += map(_form_day, pairs.buckets)
        after = pairs.after_key
        if after is None or len(pairs.buckets) < PAGE:
            return found


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


def _lags(percentiles: _Percentiles) -> Lags:
    return Lags(*(percentiles.values[f"{percent}.0"] for percent in PERCENTS))
