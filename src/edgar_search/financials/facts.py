"""Facts: rows by company, concept and period, as known today, on a day, or as first filed."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import NotFound
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.pagination import Pagination, Start
from edgar_search.search.snapshots import open_view
from edgar_search.stored.financials import StoredFact

FactSort = Literal["newest", "oldest", "largest", "smallest"]
FACT_SORTS: tuple[FactSort, ...] = ("newest", "oldest", "largest", "smallest")
# The taxonomy of items that a table makes comparable; they are not what was filed.
STANDARD = "standard"
# Orders end with what is unique, so that a cursor has one place.
_UNIQUE = ["document_id", "number"]
_ORDERS: dict[FactSort, list[Any]] = {
    "newest": [{"end": "desc"}, {"filing_date": "desc"}, *_UNIQUE],
    "oldest": [{"end": "asc"}, {"filing_date": "asc"}, *_UNIQUE],
    "largest": [{"amount": "desc"}, *_UNIQUE],
    "smallest": [{"amount": "asc"}, *_UNIQUE],
}


class FactSearch(Struct, frozen=True, kw_only=True):
    """Criteria of facts; those that are empty or None do not count.

    `concepts` are names, with their taxonomy (`us-gaap:Assets`) or without; `items` are standard
    items, which only those find that ask for them. `first_end` and `last_end` bound the last day of
    the period, `first_day` and `last_day` the filing date. `instant` finds only facts of a day, or
    only those of a period. Of facts that were filed again the last is found that was filed by
    `as_of`, or with `original` the first; with `accession_numbers` alone all of these filings.
    """

    ciks: Sequence[str] = ()
    sics: Sequence[str] = ()
    accession_numbers: Sequence[str] = ()
    concepts: Sequence[str] = ()
    taxonomies: Sequence[str] = ()
    items: Sequence[str] = ()
    units: Sequence[str] = ()
    first_end: date | None = None
    last_end: date | None = None
    instant: bool | None = None
    fiscal_years: Sequence[int] = ()
    fiscal_periods: Sequence[str] = ()
    form_types: Sequence[str] = ()
    first_day: date | None = None
    last_day: date | None = None
    as_of: date | None = None
    original: bool = False
    dimensions: bool = False
    sort: FactSort = "newest"


class FactPage(NamedTuple):
    """Rows, the number of all, and the sort values of the last row if more follow."""

    total: int
    rows: list[StoredFact]
    after: list[Any] | None


class FactHit(Struct):
    """A row and its place in the order."""

    source: StoredFact = field(name="_source")
    sort: list[Any] = []


Clause = dict[str, Any]


def fact_filters(search: FactSearch) -> list[Clause]:
    """The filters of a search for facts."""
    terms: dict[str, Sequence[Any]] = {
        "cik": search.ciks,
        "sics": search.sics,
        "accession_number": search.accession_numbers,
        "taxonomy": search.taxonomies,
        "unit": search.units,
        "fiscal_year": search.fiscal_years,
        "fiscal_period": search.fiscal_periods,
        "form_type": search.form_types,
    }
    filters: list[Clause] = [{"term": {"linked": True}}]
    filters += [{"terms": {name: list(values)}} for name, values in terms.items() if values]
    filters.append(_named(search))
    filters += _range("end", search.first_end, search.last_end)
    filters += _range("filing_date", search.first_day, search.last_day)
    if search.instant is not None:
        filters.append(_missing("start") if search.instant else _exists("start"))
    if not search.dimensions:
        filters.append(_missing("dimensions"))
    return [*filters, *_versions(search)]


def facts_body(search: FactSearch, size: int, after: Sequence[Any] | None = None) -> Clause:
    """The request for a page of facts; it has one row more than the page, if more follow."""
    body: Clause = {
        "query": {"bool": {"filter": fact_filters(search)}},
        "sort": _ORDERS[search.sort],
        "size": size + 1,
        "track_total_hits": True,
    }
    return body if after is None else {**body, "search_after": list(after)}


async def find_facts(
    engine: Engine,
    search: FactSearch,
    size: int,
    after: Sequence[Any] | None = None,
    account: str = "",
) -> FactPage:
    """The facts after a place in the order; as many as `size` at most."""
    body = facts_body(search, size, after)
    reply = await engine.search("facts", body, FactHit, account=account)
    hits = reply.hits.hits[:size]
    more = len(reply.hits.hits) > size
    return FactPage(reply.total, [hit.source for hit in hits], hits[-1].sort if more else None)


def _named(search: FactSearch) -> Clause:
    """The facts of these concepts or items; without any, all that were filed."""
    if search.taxonomies:
        return {"match_all": {}}
    if not search.concepts and not search.items:
        return {"bool": {"must_not": [{"term": {"taxonomy": STANDARD}}]}}
    bare = [name for name in search.concepts if ":" not in name]
    whole = [name for name in search.concepts if ":" in name]
    whole += [f"{STANDARD}:{item}" for item in search.items]
    choices = {"local_name": bare, "concept": whole}
    should = [{"terms": {name: values}} for name, values in choices.items() if values]
    return {"bool": {"should": should, "minimum_should_match": 1}}


def _versions(search: FactSearch) -> list[Clause]:
    """The filters that leave one row of each fact that was filed several times."""
    by_then = _range("filing_date", None, search.as_of)
    if search.original:
        return [*by_then, {"bool": {"must_not": [{"term": {"earlier": True}}]}}]
    if search.as_of is not None:
        later = {"range": {"superseded_on": {"gt": search.as_of.isoformat()}}}
        return [*by_then, {"bool": {"should": [_missing("superseded_by"), later]}}]
    return [] if search.accession_numbers else [_missing("superseded_by")]


def _range(name: str, first: date | None, last: date | None) -> list[Clause]:
    bounds = {"gte": first, "lte": last}
    given = {key: day.isoformat() for key, day in bounds.items() if day is not None}
    return [{"range": {name: given}}] if given else []


def _exists(name: str) -> Clause:
    return {"exists": {"field": name}}


def _missing(name: str) -> Clause:
    return {"bool": {"must_not": [_exists(name)]}}


async def next_fact_page(
    pagination: Pagination,
    context: SearchContext,
    search: FactSearch,
    size: int,
    start: Start,
    account: str,
) -> tuple[FactPage, CursorPosition | None]:
    """The facts after a cursor, and the position after them; None at the end.

    Raises SnapshotExpired and SnapshotsAtOnce.
    """
    kinds: tuple[Kind, ...] = ("facts",) if start.snapshot else ()
    everything = FilingCriteria()
    async with open_view(
        pagination.snapshots, context, everything, start.place, kinds, account
    ) as view:
        place = view.place
        page = await find_facts(view.context.engine, search, size, place.after, account)
        view.after = None
        if page.after is not None:
            view.after = structs.replace(place, after=page.after, rows=place.rows + size)
    return page, view.after


async def require_known(engine: Engine, search: FactSearch, account: str = "") -> None:
    """Raise NotFound for a company, filing, concept or unit that no fact has, by its name."""
    asked: dict[str, tuple[str, Sequence[str]]] = {
        "cik": ("cik", search.ciks),
        "accnum": ("accession_number", search.accession_numbers),
        "unit": ("unit", search.units),
        "concept": ("concept", [name for name in search.concepts if ":" in name]),
        "concept ": ("local_name", [name for name in search.concepts if ":" not in name]),
    }
    for name, (key, values) in asked.items():
        for value in values:
            body: Clause = {
                "query": {"term": {key: value}},
                "size": 1,
                "terminate_after": 1,
                "_source": False,
                "track_total_hits": False,
            }
            reply = await engine.search("facts", body, Struct, account=account)
            if not reply.hits.hits:
                raise NotFound(f"{name.strip()}: no filing here has facts of {value}")
