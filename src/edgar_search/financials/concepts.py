"""Concepts of one company or of all, found by name and label."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Buckets, KeyedBucket, Metric, SourceHit, TopHits
from edgar_search.financials.facts import STANDARD

MOST_CONCEPTS = 1_000
_UNITS = 10


class Concept(Struct, frozen=True):
    """A concept with its newest label.

    `first` and `last` are the earliest and latest ends of its periods.
    """

    concept: str
    label: str
    companies: int
    facts: int
    units: list[str]
    first: date
    last: date


class _Labelled(Struct):
    label: str


class _Bucket(KeyedBucket):
    companies: Metric
    units: Buckets[KeyedBucket]
    first: Metric
    last: Metric
    label: TopHits[SourceHit[_Labelled]]


class _Reply(Struct):
    concepts: Buckets[_Bucket]


def concepts_body(query: str, ciks: Sequence[str], size: int) -> dict[str, Any]:
    """Build the search for concepts that have all words of a query in their name or label."""
    filters: list[dict[str, Any]] = [{"term": {"linked": True}}]
    if ciks:
        filters.append({"terms": {"cik": list(ciks)}})
    if query:
        fields = ["words", "label"]
        words = {"query": query, "type": "cross_fields", "operator": "and", "fields": fields}
        filters.append({"multi_match": words})
    return {
        "query": {
            "bool": {"filter": filters, "must_not": [{"term": {"taxonomy": STANDARD}}]},
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "concepts": {
                "terms": {
                    "field": "concept",
                    "size": size,
                    "order": [{"companies": "desc"}, {"_count": "desc"}, {"_key": "asc"}],
                },
                "aggs": {
                    "companies": {"cardinality": {"field": "cik"}},
                    "units": {"terms": {"field": "unit", "size": _UNITS}},
                    "first": {"min": {"field": "end", "format": "strict_date"}},
                    "last": {"max": {"field": "end", "format": "strict_date"}},
                    "label": {
                        "top_hits": {
                            "size": 1,
                            "sort": [{"filing_date": "desc"}],
                            "_source": ["label"],
                        }
                    },
                },
            }
        },
    }


async def find_concepts(
    engine: Engine, query: str, ciks: Sequence[str], size: int
) -> list[Concept]:
    """Find concepts, the most widely used first."""
    response = await engine.aggregate("facts", concepts_body(query, ciks, size), _Reply)
    return [
        Concept(
            concept=bucket.key,
            label=bucket.label.hits.hits[0].source.label,
            companies=round(bucket.companies.value or 0),
            facts=bucket.count,
            units=[unit.key for unit in bucket.units.buckets],
            first=_day(bucket.first),
            last=_day(bucket.last),
        )
        for bucket in response.concepts.buckets
    ]


def _day(found: Metric) -> date:
    return date.fromisoformat(found.text or "")
