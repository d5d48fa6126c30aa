"""Counts of the entries that clauses match, and of the entries with each value of a field."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Bucket, Buckets, KeyedBucket
from edgar_search.search.query.matching import Clause

# EDGAR has some 700 form types, with amendments.
MAX_VALUES = 5_000


def matches_body(clauses: Sequence[Clause], among: Clause | None = None) -> Clause:
    """Build the request that counts how many entries of `among` each clause matches."""
    return {
        **({"query": among} if among else {}),
        "size": 0,
        "track_total_hits": False,
        "aggs": {"matches": {"filters": {"filters": list(clauses)}}},
    }


def values_body(field_name: str, among: Collection[str] = ()) -> Clause:
    """Build the request that counts entries by a field's common values, or by these values."""
    terms: Clause = {"size": len(among) or MAX_VALUES}
    if among:
        terms["include"] = list(among)
    return {
        **({"query": {"terms": {field_name: list(among)}}} if among else {}),
        "size": 0,
        "track_total_hits": False,
        "aggs": {"values": {"terms": {"field": field_name, **terms}}},
    }


class _MatchCounts(Struct):
    matches: Buckets[Bucket]


class _ValueCounts(Struct):
    values: Buckets[KeyedBucket]


async def count_matches(
    engine: Engine, kind: Kind, clauses: Sequence[Clause], among: Clause | None = None
) -> list[int]:
    """Count the entries that each clause matches, among the entries that `among` matches."""
    matches = (await engine.aggregate(kind, matches_body(clauses, among), _MatchCounts)).matches
    return [bucket.count for bucket in matches.buckets]


async def count_values(
    engine: Engine, kind: Kind, field_name: str, among: Collection[str] = ()
) -> dict[str, int]:
    """Count the entries with each value of a field, or with each of these values that occurs."""
    values = (await engine.aggregate(kind, values_body(field_name, among), _ValueCounts)).values
    return {bucket.key: bucket.count for bucket in values.buckets}
