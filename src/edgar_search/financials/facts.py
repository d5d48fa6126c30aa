"""Facts: rows by company, concept and period, as known now, on a day, or as first filed."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal, NamedTuple

from msgspec import Struct, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import FieldsHit, SortedHit
from edgar_search.errors import NotFound
from edgar_search.search.criteria import FilingCriteria, Window
from edgar_search.search.cursors import BEGINNING, CursorPosition
from edgar_search.search.entities import CikFields
from edgar_search.search.pagination import Step
from edgar_search.search.query.matching import Clause
from edgar_search.search.rows import RowOrder, RowSearch
from edgar_search.stored.financials import StoredFact

FactSort = Literal["newest", "oldest", "largest", "smallest"]
FACT_SORTS: tuple[FactSort, ...] = ("newest", "oldest", "largest", "smallest")
# The taxonomy of standard items, which a table makes comparable; filings do not have them.
STANDARD = "standard"
# Taxonomies whose facts EDGAR publishes in its interfaces and data sets. Others are filers'
# extensions, schedules of 1993 to 2001, and standard items.
PUBLISHED_TAXONOMIES = (
    "us-gaap",
    "dei",
    "ifrs-full",
    "srt",
    "invest",
    "ecd",
    "cyd",
    "ffd",
    "vip",
)
# As many rows as Elasticsearch returns at once, with one to spare.
_PAGE = 9_999
_ORDERS: dict[FactSort, RowOrder] = {
    "newest": RowOrder("end", "desc"),
    "oldest": RowOrder("end", "asc"),
    "largest": RowOrder("amount", "desc"),
    "smallest": RowOrder("amount", "asc"),
}


class FactSearch(Struct, frozen=True, kw_only=True):
    """Criteria of facts; empty ones and None match all.

    `concepts` are names, with their taxonomy (`us-gaap:Assets`) or without. `items` are standard
    items, which are found only if they are asked for. `first_end` and `last_end` bound the last day
    of the period, `first_day` and `last_day` the filing date. `instant` finds only facts as of a
    day, or only facts of a period. Of facts that were filed again it finds the last one filed by
    `as_of`, or with `original` the first; with only `accession_numbers` all of these filings, and
    with `every_filing` one for each filing. `members` are axes, members, or both as AXIS=MEMBER,
    with their taxonomies or without.
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
    every_filing: bool = False
    dimensions: bool = False
    members: Sequence[str] = ()
    sort: FactSort = "newest"


class FactPage(NamedTuple):
    """Rows, the number of all, and the position after the last row if more follow."""

    total: int
    rows: list[StoredFact]
    after: CursorPosition | None


def fact_filters(search: FactSearch) -> list[Clause]:
    """Build the filters of a search for facts."""
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
    filters.append(_concepts_clause(search))
    filters += _range("end", search.first_end, search.last_end)
    filters += _range("filing_date", search.first_day, search.last_day)
    if search.instant is not None:
        filters.append(_lacks("start") if search.instant else _exists("start"))
    if search.members:
        filters.append({"bool": {"should": list(map(_member_clause, search.members))}})
    elif not search.dimensions:
        filters.append(_lacks("dimensions"))
    return [*filters, *_versions(search)]


class FactRowSearch(RowSearch, frozen=True):
    """A search for rows of facts, each as it was known on the requested day."""

    asked: FactSearch = FactSearch()

    async def step(
        self, engine: Engine, stored: type[Any], position: CursorPosition
    ) -> Step[SortedHit[Any]]:
        """Find the rows after a position, up to the window's limit, with one engine request."""
        step = await RowSearch.step(self, engine, stored, position)
        for hit in step.hits:
            hit.source = known_by(self.asked.as_of, hit.source)
        return step


def fact_rows(search: FactSearch, window: Window) -> FactRowSearch:
    """Build the search for the rows of these facts."""
    return FactRowSearch(
        "facts",
        tuple(fact_filters(search)),
        FilingCriteria(),
        _ORDERS[search.sort],
        window,
        ("filing_date",),
        search,
    )


async def find_facts(
    engine: Engine, search: FactSearch, size: int, after: CursorPosition = BEGINNING
) -> FactPage:
    """Find up to `size` facts after a position in their order."""
    step = await fact_rows(search, Window(0, size)).step(engine, StoredFact, after)
    return FactPage(step.total, [hit.source for hit in step.hits], step.place)


async def all_facts(engine: Engine, search: FactSearch) -> list[StoredFact]:
    """Find all facts that match a search, in its order."""
    page = await find_facts(engine, search, _PAGE)
    rows = page.rows
    while page.after is not None:
        page = await find_facts(engine, search, _PAGE, page.after)
        rows += page.rows
    return rows


def ciks_body(after: str, size: int) -> Clause:
    """Build the search for companies with facts, by CIK, after this one."""
    return {
        "query": {"bool": {"filter": [{"range": {"cik": {"gt": after}}}]}},
        "collapse": {"field": "cik"},
        "size": size,
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["cik"],
    }


async def ciks_with_facts(engine: Engine, after: str, size: int) -> list[str]:
    """Find the CIKs of companies with facts, in order, after this one."""
    reply = await engine.search("facts", ciks_body(after, size), FieldsHit[CikFields])
    return [hit.fields.cik[0] for hit in reply.hits.hits]


def known_by(as_of: date | None, row: StoredFact) -> StoredFact:
    """Return the row as it was known on a day: without later filings of the same fact."""
    if as_of is None or row.superseded_on is None or row.superseded_on <= as_of:
        return row
    return structs.replace(row, superseded_by=None, superseded_on=None)


def _concepts_clause(search: FactSearch) -> Clause:
    """Match the facts of these concepts or items; without any, all that were filed."""
    if search.taxonomies:
        return {"match_all": {}}
    if not search.concepts and not search.items:
        return {"bool": {"must_not": [{"term": {"taxonomy": STANDARD}}]}}
    bare = [name for name in search.concepts if ":" not in name]
    whole = [name for name in search.concepts if ":" in name]
    whole += [f"{STANDARD}:{item}" for item in search.items]
    should: list[Clause] = []
    if bare:
        filed = {"must_not": [{"term": {"taxonomy": STANDARD}}]}
        should.append({"bool": {"filter": [{"terms": {"local_name": bare}}], **filed}})
    if whole:
        should.append({"terms": {"concept": whole}})
    return {"bool": {"should": should, "minimum_should_match": 1}}


def _member_clause(wanted: str) -> Clause:
    """Match the facts of an axis, of a member, or of a member of an axis."""
    axis, equals, member = wanted.partition("=")
    if not equals and not wanted.endswith("Axis"):
        axis, member = "", wanted
    if axis and member and ":" in axis and ":" in member:
        return {"term": {"dimensions": wanted}}
    axis = axis if ":" in axis else f"*{':' + axis if axis else ''}"
    member = member if ":" in member else f"*{':' + member if member else ''}"
    return {"wildcard": {"dimensions": {"value": f"{axis}={member}"}}}


def _versions(search: FactSearch) -> list[Clause]:
    """Build the filters that leave one row of each fact that was filed several times."""
    by_then = _range("filing_date", None, search.as_of)
    if search.original:
        return [*by_then, {"bool": {"must_not": [{"term": {"earlier": True}}]}}]
    if search.as_of is not None:
        later = {"range": {"superseded_on": {"gt": search.as_of.isoformat()}}}
        return [*by_then, {"bool": {"should": [_lacks("superseded_by"), later]}}]
    return [] if search.accession_numbers or search.every_filing else [_lacks("superseded_by")]


def _range(name: str, first: date | None, last: date | None) -> list[Clause]:
    bounds = {"gte": first, "lte": last}
    given = {key: day.isoformat() for key, day in bounds.items() if day is not None}
    return [{"range": {name: given}}] if given else []


def _exists(name: str) -> Clause:
    return {"exists": {"field": name}}


def _lacks(name: str) -> Clause:
    return {"bool": {"must_not": [_exists(name)]}}


async def require_known(engine: Engine, search: FactSearch) -> None:
    """Raise NotFound for a company, filing, concept or unit that no fact has; it names which."""
    criteria: dict[str, tuple[str, Sequence[str]]] = {
        "cik": ("cik", search.ciks),
        "accnum": ("accession_number", search.accession_numbers),
        "unit": ("unit", search.units),
        "concept": ("concept", [name for name in search.concepts if ":" in name]),
        "concept ": ("local_name", [name for name in search.concepts if ":" not in name]),
    }
    for name, (key, values) in criteria.items():
        for value in values:
            body: Clause = {
                "query": {"term": {key: value}},
                "size": 1,
                "terminate_after": 1,
                "_source": False,
                "track_total_hits": False,
            }
            reply = await engine.search("facts", body, Struct)
            if not reply.hits.hits:
                raise NotFound(f"{name.strip()}: no filing here has facts for {value}")
