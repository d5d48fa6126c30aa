"""Holdings of managers on Form 13F: clauses of filters, and comparison with other managers."""

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Buckets, KeyedBucket, Percentiles, SortedHit
from edgar_search.ownership.clauses import all_words, of_cusips, one_of
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import Step
from edgar_search.search.query.matching import Clause, between
from edgar_search.search.rows import RowOrder, RowSearch
from edgar_search.stored.ownership import RowFilters, StoredHolding

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "largest": RowOrder("value", "desc"),
}
# Securities of a page whose values are compared, each held by some 100 managers.
MOST_COMPARED = 100
# Fewer managers than this are no evidence about each other.
FEWEST_MANAGERS = 3
# A value per share that differs from the others' by this factor is in another unit.
FAR = 300


def holding_clauses(filters: RowFilters) -> tuple[Clause, ...]:
    """Match rows that pass all filters; `put_call` may be `none`."""
    return (
        *one_of("manager_cik", filters.manager_cik),
        *all_words("manager_name", filters.manager),
        *all_words("issuer", filters.issuer),
        *of_cusips("cusip", filters.cusip),
        *one_of("quarter", filters.quarter),
        *_options_clause(filters.put_call),
        *between("value", filters.min_value, None),
    )


def _options_clause(put_call: str) -> list[Clause]:
    if put_call == "none":
        return [{"bool": {"must_not": [{"exists": {"field": "put_call"}}]}}]
    return one_of("put_call", [put_call.capitalize()] if put_call else [])


class OtherValues(NamedTuple):
    """The number of managers with a security in a quarter, and their median value per share."""

    managers: int
    value_per_share: Decimal


class ComparedHolding(NamedTuple):
    """A row, with the values of other managers; None if few others hold the security."""

    row: StoredHolding
    others: OtherValues | None


class HoldingSearch(RowSearch, frozen=True):
    """A search for rows of 13F tables, which adds the values of other managers."""

    async def step(
        self, engine: Engine, stored: type[Any], position: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find the rows after a position, up to the window's limit, with two engine requests."""
        step = await RowSearch.step(self, engine, stored, position)
        return await with_others(engine, step)


async def with_others(engine: Engine, step: Step[SortedHit[Any]]) -> Step[SortedHit[Any]]:
    """Compare the rows of a step with other managers' rows, with one engine request."""
    rows: list[StoredHolding] = [hit.source for hit in step.hits]
    values = await values_of_others(engine, [(row.quarter, row.cusip) for row in rows])
    hits: list[SortedHit[Any]] = [
        SortedHit(
            ComparedHolding(hit.source, values.get((hit.source.quarter, hit.source.cusip))),
            hit.sort,
        )
        for hit in step.hits
    ]
    return step._replace(hits=hits)


class _Count(Struct):
    value: int


class _Security(KeyedBucket):
    managers: _Count
    price: Percentiles


class _Quarter(KeyedBucket):
    cusips: Buckets[_Security]


class _Quarters(Struct):
    buckets: list[_Quarter]


class _Compared(Struct):
    quarters: _Quarters = field(default_factory=lambda: _Quarters([]))


def others_body(quarters: Collection[str], cusips: Collection[str]) -> Clause:
    """Count managers and find the median value per share, for each security in each quarter."""
    return {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"quarter": sorted(quarters)}},
                    {"terms": {"cusip": sorted(cusips)}},
                    {"exists": {"field": "value_per_share"}},
                ]
            }
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "quarters": {
                "terms": {"field": "quarter", "size": len(quarters)},
                "aggs": {
                    "cusips": {
                        "terms": {"field": "cusip", "size": len(cusips)},
                        "aggs": {
                            "managers": {"cardinality": {"field": "manager_cik"}},
                            "price": {
                                "percentiles": {"field": "value_per_share", "percents": [50]}
                            },
                        },
                    }
                },
            }
        },
    }


async def values_of_others(
    engine: Engine, securities: Iterable[tuple[str | None, str | None]]
) -> dict[tuple[str | None, str | None], OtherValues]:
    """Return values per share by quarter and CUSIP, for the first of the given securities."""
    pairs = [fromkey for fromkey in dict.fromkeys(securities) if all(fromkey)][:MOST_COMPARED]
    if not pairs:
        return {}
    body = others_body({str(each) for each, _ in pairs}, {str(each) for _, each in pairs})
    response = await engine.aggregate("holdings", body, _Compared)
    return {
        (quarter.key, bucket.key): OtherValues(bucket.managers.value, round_computed(price))
        for quarter in response.quarters.buckets
        for bucket in quarter.cusips.buckets
        for price in bucket.price.values.values()
        if price is not None and bucket.managers.value >= FEWEST_MANAGERS
    }


def round_computed(number: float) -> Decimal:
    """Return a number that Elasticsearch computed, rounded to its significant digits."""
    return Decimal(f"{number:.12g}")


def unit_doubt(row: StoredHolding, others: OtherValues | None) -> str | None:
    """Explain the evidence against the unit of a row: other managers, or its own filing."""
    own = row.value_per_share
    if own and others is not None and others.value_per_share:
        times = own / others.value_per_share
        if not Decimal(1) / FAR < times < FAR:
            return (
                f"its value per share is {times:.3g} times the median of {others.managers} managers"
            )
    return row.basis.doubt
