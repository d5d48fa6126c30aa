"""Request bodies for how documents spread over the values of their fields."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from edgar_search.search.clauses import Clause

# Values of a field that are asked for, and up to which their number is exact. The engine answers
# with all of them, so that what several shards have is added up for more values than are shown.
MOST_VALUES = 1_000
# Documents whose filings a shard counts: it takes some milliseconds, and of all that have a common
# word a hundred times as long as the search.
MOST_COUNTED = 10_000
# Where a reply would have the filings themselves.
FILINGS_LEFT_OUT = "aggregations.filings.buckets"

TERMS = {
    "form_type": "form_type",
    "document_type": "document_type",
    "company": "ciks",
    "sic": "sics",
    "state": "states",
}
YEAR, MONTH = "year", "month"
FACETS: tuple[str, ...] = (
    "form_type",
    "document_type",
    YEAR,
    MONTH,
    "company",
    "sic",
    "state",
)


def facets_body(query: Clause, names: Collection[str]) -> Clause:
    """Of the documents that `query` matches: how many there are, and how many of each value.

    Years are the sums of their months.
    """
    facets = {name: _terms(name, MOST_VALUES) for name in names if name in TERMS}
    if YEAR in names or MONTH in names:
        months = {"calendar_interval": "month", "format": "yyyy-MM", "min_doc_count": 1}
        facets[MONTH] = {"date_histogram": {"field": "filing_date", **months}}
    return {**_no_hits(query), "track_total_hits": True, "aggs": facets}


def values_body(query: Clause, values: Mapping[str, Sequence[str]]) -> Clause:
    """How many of these documents have each of these values, by the names of facets; exactly."""
    among = {name: _terms(name, len(known), include=list(known)) for name, known in values.items()}
    return {**_no_hits(query), "track_total_hits": False, "aggs": among}


def filings_body(query: Clause) -> Clause:
    """How many filings the documents are of, as far as it is looked at."""
    size = {"size": MOST_COUNTED, "shard_size": MOST_COUNTED}
    # Without it the engine would number all filings that there are, after each refresh.
    filings = {"field": "accession_number", "execution_hint": "map", **size}
    return {
        **_no_hits(query),
        "track_total_hits": False,
        "terminate_after": MOST_COUNTED + 1,
        "aggs": {
            "filings": {"terms": filings},
            "found": {"stats_bucket": {"buckets_path": "filings>_count"}},
        },
    }


def _no_hits(query: Clause) -> Clause:
    return {"query": query, "size": 0}


def _terms(name: str, size: int, **more: Any) -> Clause:
    return {"terms": {"field": TERMS[name], "size": size, "shard_size": size, **more}}
