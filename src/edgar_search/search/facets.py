"""Facets: the distribution of a search's hits over form types, years, companies and more.

Each shard returns only its most common values. A value that it omits is at most as common as the
last that it returns, so the values shown are counted once more, and the answer says whether an
omitted value could be as common as the last one shown.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Bucket, Buckets, KeyedBucket, decode
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FacetSearch
from edgar_search.search.entities import cik_lists, names_of
from edgar_search.search.figures import ANY_CURRENCY, DEFAULT_CURRENCY, field_of
from edgar_search.search.index_versions import require_for_facets
from edgar_search.search.query.body import CikLists, matching_query
from edgar_search.search.query.matching import Clause
from edgar_search.search.respelling import find_respelling
from edgar_search.search.warnings.filter_values import Found
from edgar_search.search.warnings.nearest import SearchWarning
from edgar_search.search.warnings.warnings import or_default, search_warnings

# How many values each shard returns; up to this many, the number of values is exact. It exceeds the
# number shown, so that counts of more values are summed over the shards.
MOST_VALUES = 1_000
# How many documents a shard examines to count filings, in some milliseconds. Examining all
# documents with a common word would take a hundred times as long as the search.
MOST_COUNTED = 10_000
# A figure is split into this many ranges with similar numbers of documents; this many figures are
# counted.
PARTS, MOST_FIGURES = 5, 10
# The path of the filings' buckets in a reply.
FILINGS_LEFT_OUT = "aggregations.filings.buckets"

TERMS = {
    "form_type": "form_type",
    "document_type": "document_type",
    "company": "ciks",
    "sic": "sics",
    "state": "states",
    # Not in FACETS, because only EDGAR's own search offers these.
    "form_family": "root_form",
    "incorporation_state": "incorporation_states",
    "auditor": "auditor_key",
}
# Facets of keys, with the field whose most common value is the name of a key.
_SPELLED = {"auditor": "auditor"}
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
# Facets that are counted only if a request names them.
NAMED_FACETS: tuple[str, ...] = ("auditor",)


def facets_body(query: Clause, names: Collection[str]) -> Clause:
    """Build the request that counts the query's documents, overall and for each value.

    Years are the sums of their months.
    """
    facets = {name: _terms(name, MOST_VALUES) for name in names if name in TERMS}
    if YEAR in names or MONTH in names:
        months = {"calendar_interval": "month", "format": "yyyy-MM", "min_doc_count": 1}
        facets[MONTH] = {"date_histogram": {"field": "filing_date", **months}}
    return {**_no_hits(query), "track_total_hits": True, "aggs": facets}


def values_body(query: Clause, values: Mapping[str, Sequence[str]]) -> Clause:
    """Build the request for the exact count of each of these values, by facet."""
    among = {name: _terms(name, len(known), include=list(known)) for name, known in values.items()}
    return {**_no_hits(query), "track_total_hits": False, "aggs": among}


def filings_body(query: Clause) -> Clause:
    """Build the request for the number of the documents' filings, up to a bound."""
    size = {"size": MOST_COUNTED, "shard_size": MOST_COUNTED}
    # Without this the engine would number all filings after each refresh.
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


# The percentage of documents below each bound between ranges.
_PERCENTS = tuple(100 * part / PARTS for part in range(1, PARTS))


def quantiles_body(
    query: Clause,
    fields: Collection[str],
    currency: str,
    percents: Sequence[float] = _PERCENTS,
) -> Clause:
    """Build the request for the values below which the given percentages of documents are."""
    parts: Clause = {
        field: {"percentiles": {"field": field, "percents": list(percents), "keyed": False}}
        for field in fields
    }
    return _of_figures(query, parts, currency)


def ranges_body(query: Clause, bounds: Mapping[str, Sequence[float]], currency: str) -> Clause:
    """Build the request for the number of documents in each range of a field."""
    parts: Clause = {
        field: {"range": {"field": field, "ranges": _ranges(edges)}}
        for field, edges in bounds.items()
    }
    return _of_figures(query, parts, currency)


def _ranges(edges: Sequence[float]) -> list[Clause]:
    pairs = zip((None, *edges), (*edges, None), strict=True)
    return [
        {name: edge for name, edge in (("from", low), ("to", high)) if edge is not None}
        for low, high in pairs
    ]


def _of_figures(query: Clause, parts: Clause, currency: str) -> Clause:
    """Build the request for aggregations of documents whose figures are in a currency."""
    among: Clause = {"term": {"currency": currency}}
    if currency == ANY_CURRENCY:
        among = {"exists": {"field": "currency"}}
    return {
        **_no_hits(query),
        "track_total_hits": False,
        "aggs": {"reports": {"filter": among, "aggs": parts}},
    }


def _no_hits(query: Clause) -> Clause:
    return {"query": query, "size": 0}


def _terms(name: str, size: int, **more: Any) -> Clause:
    terms: Clause = {"terms": {"field": TERMS[name], "size": size, "shard_size": size, **more}}
    if name in _SPELLED:
        terms["aggs"] = {"spelled": {"terms": {"field": _SPELLED[name], "size": 1}}}
    return terms


class FilingCount(NamedTuple):
    """A number of filings; a lower bound unless it is `exact`."""

    number: int
    exact: bool


class _Filings(Struct):
    beyond: int = field(name="sum_other_doc_count")


class _Found(Struct):
    count: int


class _Counted(Struct):
    filings: _Filings
    found: _Found


async def count_filings(engine: Engine, query: Clause) -> FilingCount:
    """Count the filings of the documents that `query` matches; one engine request.

    Exact if not more than `MOST_COUNTED` documents match.
    """
    reply = await engine.search(
        "documents",
        filings_body(query),
        Struct,
        without=FILINGS_LEFT_OUT,
    )
    counted = decode(bytes(reply.aggregations), _Counted)
    exact = not reply.terminated_early and not counted.filings.beyond
    return FilingCount(counted.found.count, exact)


class FacetValue(NamedTuple):
    """A value and the number of documents with it.

    A company also has its current name, an auditor the spelling that most reports have.
    """

    value: str
    number: int
    name: str | None = None


class Facet(NamedTuple):
    """The most common values of a field, or all years or months in order.

    `sum_other` adds up the counts of values that are not listed. There are `value_count` values, or
    at least this many unless `all_counted`. `exact` is true if no other value is more common and
    the counts include all shards.
    """

    values: list[FacetValue]
    sum_other: int
    value_count: int
    all_counted: bool
    exact: bool


class FacetPage(NamedTuple):
    """The numbers of matching documents and of their filings, and the facets by name."""

    total: int
    filings: FilingCount
    facets: dict[str, Facet]
    warnings: tuple[SearchWarning, ...] = ()


class _Bucket(Struct):
    number: int = field(name="doc_count")
    key: str | int
    month: str = field(name="key_as_string", default="")
    spelled: Buckets[KeyedBucket] | None = None

    @property
    def name(self) -> str | None:
        """The most common spelling, if there are any."""
        return self.spelled.buckets[0].key if self.spelled and self.spelled.buckets else None


class _Values(Struct):
    buckets: list[_Bucket]
    left_out: int = field(name="sum_other_doc_count", default=0)
    # How many documents too low a count may be.
    error: int = field(name="doc_count_error_upper_bound", default=0)


async def count_facets(context: SearchContext, search: FacetSearch) -> FacetPage:
    """Return the facets of a search.

    Makes two engine requests; one more for names of companies, one if shards have more values than
    they report, and two for figures.
    """
    await require_for_facets(context.engine, search)
    return await _count_facets(context, search, await cik_lists(context, search.criteria.filings))


async def _count_facets(context: SearchContext, search: FacetSearch, ciks: CikLists) -> FacetPage:
    query = matching_query(search, ciks)
    page = await _count(context.engine, query, search)
    figures = [name for name in search.names if name not in page.facets]
    if figures:
        currency = search.criteria.filings.currency or DEFAULT_CURRENCY
        page.facets.update(await _count_ranges(context.engine, query, figures, currency))
        page = page._replace(facets={name: page.facets[name] for name in search.names})
    return page._replace(facets=await _add_names(context.engine, page.facets))


async def _count(engine: Engine, query: Clause, search: FacetSearch) -> FacetPage:
    body = facets_body(query, search.names)
    reply, filings = await asyncio.gather(
        engine.search("documents", body, Struct),
        count_filings(engine, query),
    )
    values = decode(bytes(reply.aggregations), dict[str, _Values])
    recounted = await _recount(engine, query, values)
    facets = {
        name: _facet(name, values, recounted, search.limit)
        for name in search.names
        if name in TERMS or name in (YEAR, MONTH)
    }
    return FacetPage(reply.total, filings, facets)


class Quantile(Struct):
    """The number below which a given percentage of reports is; None if there are no reports."""

    value: float | None


class Quantiles(Struct):
    """The quantiles of a field, in order."""

    values: list[Quantile]


async def _count_ranges(
    engine: Engine, query: Clause, figures: Sequence[str], currency: str
) -> dict[str, Facet]:
    """Return the ranges of each figure, lowest first, written as conditions.

    Makes two engine requests.
    """
    fields = {path: name for name in figures if (path := field_of(name))}
    quantiles = await of_reports(engine, quantiles_body(query, fields.keys(), currency), Quantiles)
    bounds = {
        path: sorted(
            {_rounded(value.value) for value in quantile.values if value.value is not None}
        )
        for path, quantile in quantiles.items()
    }
    counted = await of_reports(engine, ranges_body(query, bounds, currency), Buckets[Bucket])
    facets = {}
    for path, ranges in counted.items():
        name, edges = fields[path], bounds[path]
        conditions = [
            ",".join(
                f"{name}{sign}{edge:.15g}"
                for sign, edge in ((">=", low), ("<", high))
                if edge is not None
            )
            for low, high in zip((None, *edges), (*edges, None), strict=True)
        ]
        values = [
            FacetValue(text, bucket.count)
            for text, bucket in zip(conditions, ranges.buckets, strict=True)
            if text and bucket.count
        ]
        facets[name] = Facet(values, 0, len(values), all_counted=True, exact=True)
    return facets


_R = TypeVar("_R")


async def of_reports(engine: Engine, body: Clause, kind: type[_R]) -> dict[str, _R]:
    """Run a request over reports; return its aggregations by name."""
    reply = await engine.search("documents", body, Struct)
    aggregations = decode(bytes(reply.aggregations), dict[str, dict[str, msgspec.Raw]])["reports"]
    return {
        name: decode(bytes(raw), kind) for name, raw in aggregations.items() if name != "doc_count"
    }


def _rounded(bound: float) -> float:
    """Round to two digits: a bound is an estimate for people to read."""
    return float(f"{bound:.1e}")


async def _recount(
    engine: Engine, query: Clause, values_found: Mapping[str, _Values]
) -> dict[str, _Values]:
    """Count again, over all shards, the values that some shards omitted."""
    unsure = {
        name: [str(bucket.key) for bucket in values.buckets]
        for name, values in values_found.items()
        if values.error
    }
    if not unsure:
        return {}
    body = values_body(query, unsure)
    reply = await engine.search("documents", body, Struct)
    return decode(bytes(reply.aggregations), dict[str, _Values])


def _facet(
    name: str, values_found: Mapping[str, _Values], recounted: Mapping[str, _Values], limit: int
) -> Facet:
    if name not in TERMS:
        return _times(name, values_found[MONTH])
    reported = values_found[name]
    values = [
        FacetValue(str(bucket.key), bucket.number, bucket.name)
        for bucket in recounted.get(name, reported).buckets
    ]
    most_common = sorted(values, key=lambda value: (-value.number, value.value))[:limit]
    # Each shard sums what it omits, so this covers everything.
    pairs = sum(bucket.number for bucket in reported.buckets) + reported.left_out
    # 0 if all have disappeared since the shards named them.
    last = most_common[-1].number if most_common else 0
    return Facet(
        most_common,
        pairs - sum(value.number for value in most_common),
        len(reported.buckets),
        all_counted=not reported.left_out,
        exact=not reported.error or last > reported.buckets[-1].number + reported.error,
    )


def _times(name: str, months: _Values) -> Facet:
    """Return all years or months that contain documents, in order."""
    numbers: Counter[str] = Counter()
    for bucket in months.buckets:
        numbers[bucket.month if name == MONTH else bucket.month[:4]] += bucket.number
    values = [FacetValue(time, number) for time, number in numbers.items()]
    return Facet(values, 0, len(values), all_counted=True, exact=True)


async def _add_names(engine: Engine, facets: dict[str, Facet]) -> dict[str, Facet]:
    """Add companies' names to the facets."""
    companies = facets.get("company")
    if companies is None or not companies.values:
        return facets
    names = await names_of(engine, [company.value for company in companies.values])
    values = [value._replace(name=names.get(value.value)) for value in companies.values]
    return {**facets, "company": companies._replace(values=values)}


async def count_facets_and_warn(context: SearchContext, search: FacetSearch) -> FacetPage:
    """Count the facets of a search, with all its warnings.

    If something was found and all values are known, this makes no further engine requests. A
    question that finds nothing is counted in its closest spelling.
    """
    await require_for_facets(context.engine, search)
    ciks = await cik_lists(context, search.criteria.filings)
    page = await _count_facets(context, search, ciks)
    other = None
    if not page.total:
        other = await or_default(None, find_respelling, context, search.criteria)
    if other is not None:
        respelled = structs.replace(search, criteria=other.criteria)
        again = await _count_facets(context, respelled, ciks)
        if again.total:
            search, page = respelled, again._replace(warnings=(other.warning,))
    result = Found(page.total, _facet_values(page, "form_type"), _facet_values(page, "company"))
    search_warned = await search_warnings(context, search.criteria, result, ciks)
    return page._replace(warnings=(*page.warnings, *search_warned.warnings))


def _facet_values(page: FacetPage, name: str) -> frozenset[str]:
    facet = page.facets.get(name)
    return frozenset() if facet is None else frozenset(value.value for value in facet.values)
