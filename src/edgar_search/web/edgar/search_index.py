"""/LATEST/search-index: EDGAR's full-text search, in the form its clients use.

It is the search of `/v1/search` in another language: parameters, answers and errors are EDGAR's,
totals are exact, pages reach further, and each hit has a snippet. A key that cannot be sent in a
header may be in the path.
"""

import asyncio
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.admission import CallLimits
from edgar_search.edgar.form_types import form_categories
from edgar_search.edgar.identifiers import parse_accession_number, parse_cik
from edgar_search.errors import BadRequest, EdgarSearchError
from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentField,
    DocumentSearch,
    FacetSearch,
    FilingCriteria,
    Order,
    Window,
)
from edgar_search.search.entities import (
    SuggestedCompany,
    Suggestions,
    entities_of,
    suggested_companies,
)
from edgar_search.search.facets import Facet, FacetPage, count_facets
from edgar_search.search.filings import filings_of
from edgar_search.search.language import parse, query_slots
from edgar_search.search.language.lenient import read_leniently
from edgar_search.search.results import DetailedHit, DocumentPage, FoundDocument
from edgar_search.search.search import search_documents, search_slots
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.filings import FilingEntity, StoredFiling, StoredFilingValues
from edgar_search.web.callers import identify_client_of_edgar
from edgar_search.web.calls import CallKind, V1Call, answer_call, context_of
from edgar_search.web.responses import json_response, on_error

SCOPE = "efts"
PATH = "/LATEST/search-index"
# For clients that cannot send a key, but let users change the base address.
PATH_WITH_KEY = "/efts/{key}" + PATH
PAGE_SIZE, MOST_BUCKETS, MOST_ENTITIES = 100, 30, 10
# EDGAR's own text, which clients search for.
BLANK = (
    "Blank search not valid.  Either entity, keywords, location, or filing types must be submitted."
)
_INDEX = "edgar_file"
# EDGAR has left it out since 2021, and older clients read it.
_TYPE = "_doc"
# A name as EDGAR's page completes it: `APPLE INC (AAPL) (CIK 0000320193)`.
_NAMED_CIK = re.compile(r"\(CIK (\d{1,10})\)\s*$")
_ALL, _NONE, _LOCATED = "all", "\0", "state"


class Total(Struct):
    """The number of hits, which is always exact."""

    value: int
    relation: str = "eq"


class Source(Struct):
    """The fields of a hit; lists have one value for each entity, unless they say otherwise.

    `sics`, `biz_states` and `root_forms` leave out entities without a value; `root_form` is for
    clients of before 2022. `xsl` and `schema_version` are not known here.
    """

    ciks: list[str]
    period_ending: date | None
    file_num: list[str]
    display_names: list[str]
    xsl: str | None
    sequence: int
    root_forms: list[str]
    root_form: str
    file_date: str
    biz_states: list[str]
    sics: list[str]
    form: str
    adsh: str
    film_num: list[str]
    biz_locations: list[str]
    file_type: str
    file_description: str | None
    inc_states: list[str]
    items: list[str]
    schema_version: str | None


class Hit(Struct):
    """A document; its `highlight` has the snippet under `doc_text`."""

    index: str = field(name="_index")
    type: str = field(name="_type")
    id: str = field(name="_id")
    score: float | None = field(name="_score")
    source: Source = field(name="_source")
    highlight: dict[str, list[str]] | UnsetType = UNSET


class EntitySource(Struct):
    """A company or person, its tickers with commas, and a rank that grows with its size."""

    entity: str
    entity_words: str
    rank: int
    tickers: str | UnsetType = UNSET


class EntityHit(Struct):
    """An entity; its id is the CIK without zeros in front."""

    index: str = field(name="_index")
    type: str = field(name="_type")
    id: str = field(name="_id")
    score: float = field(name="_score")
    source: EntitySource = field(name="_source")


class Hits(Struct):
    """The hits of a page."""

    total: Total
    max_score: float | None
    hits: list[Hit] | list[EntityHit]


class Bucket(Struct):
    """A value and the number of documents that have it."""

    key: str
    doc_count: int


class Aggregation(Struct):
    """The most common values, and the sum of the numbers of all others."""

    doc_count_error_upper_bound: int
    sum_other_doc_count: int
    buckets: list[Bucket]


class Reply(Struct, omit_defaults=True):
    """An answer; `aggregations` come with the first page of documents."""

    took: int
    timed_out: bool
    shards: dict[str, int] = field(name="_shards")
    hits: Hits
    aggregations: dict[str, Aggregation] | UnsetType = UNSET
    query: dict[str, Any] | UnsetType = UNSET


_SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}


class IndexQuery(NamedTuple):
    """A search given by EDGAR's parameters.

    `text` is its query in our language, or "", and `places` the kind of its locations.
    """

    search: DocumentSearch
    text: str
    places: str


class _Blank(Exception):
    """There is nothing to search for."""


class _TooFar(BadRequest):
    """A page lies beyond the last row that is served."""


def read_query(raw: Mapping[str, Sequence[str]], max_window: int) -> IndexQuery:
    """Translate EDGAR's parameters into a search, ignoring the ones that EDGAR ignores.

    Raises `_Blank` if there is nothing to search for, and BadRequest.
    """
    text = " ".join(raw.get("q", ())).strip()
    number = parse_accession_number(text.strip('"'))
    query = "" if number else read_leniently(text)
    start = _whole_number("from", raw)
    if start + PAGE_SIZE > max_window:
        raise _TooFar(
            "Result window is too large, from + size must be less than or equal to:"
            f" [{max_window}] but was [{start + PAGE_SIZE}]."
        )
    filings = _filings(raw, number)
    # A date alone is not a search.
    if not query and filings in (FilingCriteria(), _dates(raw)) and not _excludes(raw):
        raise _Blank
    sort, order = _sort(raw, query)
    criteria = DocumentCriteria(
        parse(query) if query else None,
        filings,
        all_documents=bool(number or filings.document_type),
    )
    search = DocumentSearch(criteria, Window(start, start + PAGE_SIZE), sort, order, _DETAILS)
    return IndexQuery(search, query, _location_field(raw))


# Fields that a hit needs beyond the ones of `/v1/search`.
_DETAILS = ("document_type", "description")


def _sort(raw: Mapping[str, Sequence[str]], query: str) -> tuple[DocumentField, Order]:
    sort = " ".join(raw.get("sort", ())).strip()
    if sort not in ("", "asc", "desc"):
        raise BadRequest("`sort` must be asc or desc, by filing date; without it best first")
    if sort or not query:
        return "filing_date", "asc" if sort == "asc" else "desc"
    return "_score", "desc"


def _filings(raw: Mapping[str, Sequence[str]], number: str | None) -> FilingCriteria:
    wanted, unwanted = _forms(raw)
    names = [name for name in (_text(raw, "entityName"), _text(raw, "filter_entityName")) if name]
    ciks_of_names = {name: _cik_of(name) for name in names}
    lists = [_values(raw, "ciks"), _values(raw, "filter_ciks")]
    # EDGAR ignores the name if there are CIKs.
    if lists[0] and "entityName" in raw:
        names = names[1:]
    lists += [[cik] for name in names if (cik := ciks_of_names[name])]
    company = next((name for name in names if not ciks_of_names[name]), None)
    places = _both([_values(raw, "locationCodes", "locationCode"), _values(raw, "filter_location")])
    states = tuple(place.upper() for place in places)
    located = _location_field(raw) == _LOCATED
    dates = _dates(raw)
    return FilingCriteria(
        cik=_both([[_cik(text) for text in texts] for texts in lists]),
        company=company,
        form_type=wanted,
        excluded_form_types=unwanted,
        sic=tuple(_values(raw, "sics")),
        item=tuple(_values(raw, "items")),
        document_type=tuple(_values(raw, "fileType")),
        from_date=dates.from_date,
        to_date=dates.to_date,
        numbers=(number,) if number else (),
        state=states if located else (),
        incorporation_state=() if located else states,
    )


def _location_field(raw: Mapping[str, Sequence[str]]) -> str:
    kind = _text(raw, "locationType") or "located"
    return "incorporation_state" if kind == "incorporated" else _LOCATED


def _forms(raw: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the form types to include and to exclude, each with its amendments."""
    names = _values(raw, "forms") or form_categories().get(_text(raw, "category"), ())
    also = _values(raw, "filter_forms")
    wanted = _both(
        [
            [amendment for form in forms if form[:1] != "-" for amendment in _with_amendments(form)]
            for forms in (names, also)
        ]
    )
    unwanted = [form[1:] for form in [*names, *also] if form[:1] == "-"]
    return wanted, tuple(amendment for form in unwanted for amendment in _with_amendments(form))


def _with_amendments(form: str) -> tuple[str, ...]:
    plain = form.upper()
    return (plain,) if plain.endswith("/A") else (plain, f"{plain}/A")


def _excludes(raw: Mapping[str, Sequence[str]]) -> bool:
    """True for `forms=-0`, with which clients request everything."""
    return bool(_forms(raw)[1])


def _both(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Return the values that are in each of these lists that is not empty.

    If there are none, return a value that nothing has.
    """
    filled = [values for values in lists if values]
    if not filled:
        return ()
    common = [
        value for value in dict.fromkeys(filled[0]) if all(value in values for values in filled)
    ]
    return tuple(common) or (_NONE,)


def _dates(raw: Mapping[str, Sequence[str]]) -> FilingCriteria:
    return FilingCriteria(from_date=_date("startdt", raw), to_date=_date("enddt", raw))


def _date(name: str, raw: Mapping[str, Sequence[str]]) -> date | None:
    text = _text(raw, name)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BadRequest(f"`{name}` must be a date as YYYY-MM-DD, not `{text[:40]}`") from None


def _whole_number(name: str, raw: Mapping[str, Sequence[str]]) -> int:
    text = _text(raw, name) or "0"
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise BadRequest(f"`{name}` must be a whole number from 0, not `{text[:40]}`")
    return int(text)


def _text(raw: Mapping[str, Sequence[str]], name: str) -> str:
    return " ".join(raw.get(name, ())).strip()


def _values(raw: Mapping[str, Sequence[str]], *names: str) -> list[str]:
    """Return the comma-separated values of the first of these parameters that has any."""
    for name in names:
        values = [value.strip() for text in raw.get(name, ()) for value in text.split(",")]
        if any(values):
            return [value for value in values if value and value.lower() != _ALL]
    return []


def _cik(text: str) -> str:
    cik = parse_cik(text)
    if cik is None:
        raise BadRequest(f"`ciks` must be numbers of at most 10 digits, not `{text[:40]}`")
    return cik


def _cik_of(name: str) -> str | None:
    """Return the CIK in a name as EDGAR completes it, or the text itself if it is a CIK."""
    match = _NAMED_CIK.search(name)
    return parse_cik(match[1] if match else name)


async def find_documents(call: V1Call, request: Request, asked: IndexQuery) -> Reply:
    """Return the page of documents.

    Makes one engine request more than `/v1/search`, and counts facets beside the first page.
    """
    context, began = context_of(request, call), time.perf_counter()
    first = not asked.search.window.start
    counts = query_slots(asked.search.criteria.query) if first else 0
    await context.weigh(search_slots(asked.search) + counts)
    names = ("form_family", "company", "sic", asked.places)
    facets = FacetSearch(asked.search.criteria, names, MOST_BUCKETS)

    async def find() -> tuple[DocumentPage, list[StoredFiling]]:
        page = await search_documents(context.search, asked.search)
        numbers = list(dict.fromkeys(hit.fields.accession_number[0] for hit in page.hits))
        return page, await filings_of(context.engine, numbers) if numbers else []

    async def count() -> FacetPage | None:
        return await count_facets(context.search, facets) if first else None

    (page, filings), counted = await asyncio.gather(find(), count())
    table = await context.search.tickers.table()
    reply = search_reply(
        asked, page, {filing.accession_number: filing for filing in filings}, table
    )
    if counted is not None:
        reply.aggregations = _aggregations(counted.facets, asked.places, table)
    reply.took = round(1_000 * (time.perf_counter() - began))
    return reply


def search_reply(
    asked: IndexQuery, page: DocumentPage, filings: Mapping[str, StoredFiling], table: TickerTable
) -> Reply:
    """Return a page of documents, given their filings by number."""
    hits = [
        _hit(document, filing, table, scored=bool(asked.text))
        for document in page.found
        if (filing := filings.get(document.hit.fields.accession_number[0]))
    ]
    scores = [hit.score for hit in hits if hit.score is not None]
    return Reply(
        took=0,
        timed_out=False,
        shards=_SHARDS,
        hits=Hits(Total(page.total), max(scores, default=None), hits),
        query=_echo(asked),
    )


def _echo(asked: IndexQuery) -> dict[str, Any]:
    """Return the search in the fields with which EDGAR echoes it.

    Its words are a query of our language.
    """
    filings = asked.search.criteria.filings
    lists = {
        "adsh": filings.numbers,
        "ciks": filings.cik,
        "form": filings.form_type,
        "sics": filings.sic,
        "items": filings.item,
        "file_type": filings.document_type,
        "biz_states": filings.state,
        "inc_states": filings.incorporation_state,
    }
    fields: list[dict[str, Any]] = [
        {"terms": {name: values}} for name, values in lists.items() if values
    ]
    bounds = {"gte": filings.from_date, "lte": filings.to_date}
    if days := {name: day for name, day in bounds.items() if day}:
        fields.append({"range": {"file_date": days}})
    must: list[dict[str, Any]] = []
    if asked.text:
        must.append({"query_string": {"query": asked.text}})
    if filings.company:
        must.append({"match": {"display_names": filings.company}})
    unwanted = filings.excluded_form_types
    return {
        "_source": {"exclude": ["doc_text"]},
        "query": {
            "bool": {
                "must": must,
                "must_not": [{"terms": {"form": unwanted}}] if unwanted else [],
                "should": [],
                "filter": fields,
            }
        },
        "from": asked.search.window.start,
        "size": PAGE_SIZE,
        "aggregations": {
            name: {"terms": {"field": field, "size": MOST_BUCKETS}}
            for name, field in (
                ("form_filter", "root_forms"),
                ("entity_filter", "display_names.raw"),
                ("sic_filter", "sics"),
                _STATES[asked.places],
            )
        },
    }


# The aggregation of states and its field, by kind of location.
_STATES = {
    _LOCATED: ("biz_states_filter", "biz_states"),
    "incorporation_state": ("inc_states_filter", "inc_states"),
}


def _hit(found: FoundDocument, filing: StoredFiling, table: TickerTable, *, scored: bool) -> Hit:
    hit = found.hit
    assert isinstance(hit, DetailedHit)
    number, name = filing.accession_number, hit.fields.file_name[0]
    sequence = int(hit.document_id.rpartition("-")[2])
    # Some documents of the 1990s have no name; the address that clients build from this works.
    file = name or f"{number}.txt#{sequence}"
    return Hit(
        index=_INDEX,
        type=_TYPE,
        id=f"{number}:{file}",
        score=hit.score if scored else None,
        source=_source(hit, filing, sequence, table),
        highlight={"doc_text": [found.snippet]} if scored and found.snippet else UNSET,
    )


def _source(hit: DetailedHit, filing: StoredFiling, sequence: int, table: TickerTable) -> Source:
    entities, root = filing.entities, filing.root_form or filing.form_type.removesuffix("/A")
    states = [entity.business_state for entity in entities if entity.business_state]
    return Source(
        ciks=[entity.cik for entity in entities],
        period_ending=filing.period,
        file_num=[_filed_as(entity).file_number or "" for entity in entities],
        display_names=[display_name(entity.name, entity.cik, table) for entity in entities],
        xsl=None,
        sequence=sequence,
        root_forms=[root],
        root_form=root,
        file_date=filing.filing_date.isoformat(),
        biz_states=list(dict.fromkeys(states)),
        sics=[entity.sic for entity in entities if entity.sic],
        form=filing.form_type,
        adsh=filing.accession_number,
        film_num=[_filed_as(entity).film_number or "" for entity in entities],
        biz_locations=[_location(entity) for entity in entities],
        file_type=hit.fields.document_type[0],
        file_description=hit.fields.description[0] or None,
        inc_states=[entity.state_of_incorporation or "" for entity in entities],
        items=filing.items,
        schema_version=None,
    )


_NO_VALUES = StoredFilingValues()


def _filed_as(entity: FilingEntity) -> StoredFilingValues:
    return entity.filing_values[0] if entity.filing_values else _NO_VALUES


def display_name(name: str, cik: str, table: TickerTable) -> str:
    """Return a name as EDGAR shows it: `APPLE INC  (AAPL)  (CIK 0000320193)`."""
    tickers = table.tickers(cik)
    parts = (name, f"({', '.join(tickers)})" if tickers else "", f"(CIK {cik})")
    return "  ".join(part for part in parts if part)


def _location(entity: FilingEntity) -> str:
    place = (entity.business_city or "").title(), entity.business_state or ""
    return ", ".join(part for part in place if part)


def _aggregations(
    facets: Mapping[str, Facet], places: str, table: TickerTable
) -> dict[str, Aggregation]:
    names = {
        "entity_filter": "company",
        "sic_filter": "sic",
        _STATES[places][0]: places,
        "form_filter": "form_family",
    }
    return {name: _aggregation(facets[facet], table) for name, facet in names.items()}


def _aggregation(facet: Facet, table: TickerTable) -> Aggregation:
    buckets = [
        Bucket(value if name is None else display_name(name, value, table), number)
        for value, number, name in facet.values
    ]
    return Aggregation(0, facet.sum_other, buckets)


async def find_entities(call: V1Call, request: Request, typed: str) -> Reply:
    """Return the companies and persons whose names begin with this text, the best known first."""
    context, began = context_of(request, call).search, time.perf_counter()
    table = await context.tickers.table()
    suggestions = await suggested_companies(context.engine, table, typed, MOST_ENTITIES)
    if (cik := parse_cik(typed)) and not suggestions.companies:
        entities = await entities_of(context.engine, [cik])
        suggestions = Suggestions(
            len(entities),
            [SuggestedCompany(e.cik, e.name or "", table.tickers(e.cik), None) for e in entities],
        )
    hits = [
        EntityHit(
            index="edgar_entity",
            type=_TYPE,
            id=str(int(company.cik)),
            score=float(MOST_ENTITIES - place),
            source=EntitySource(
                entity=name,
                entity_words=name,
                rank=len(table.ranks) - table.ranks.get(company.cik, len(table.ranks)),
                tickers=", ".join(company.tickers) or UNSET,
            ),
        )
        for place, company in enumerate(suggestions.companies)
        for name in [
            f"{company.name} ({', '.join(company.tickers)})" if company.tickers else company.name
        ]
    ]
    took = round(1_000 * (time.perf_counter() - began))
    best = hits[0].score if hits else None
    return Reply(took, False, _SHARDS, Hits(Total(suggestions.total), best, hits))


async def search_index(request: Request, call: V1Call) -> Response:
    """GET and POST /LATEST/search-index, also below /efts/{key}"""
    if typed := _text(call.raw, "keysTyped"):
        return json_response(await find_entities(call, request, typed))
    try:
        query = read_query(call.raw, context_of(request, call).max_window)
    except _Blank:
        return json_response({"error": BLANK, "hits": {"hits": []}})
    reply = await find_documents(call, request, query)
    call.result_count = reply.hits.total.value
    return json_response(reply)


async def _refuse(request: Request, error: EdgarSearchError) -> Response:
    """Return an error with EDGAR's fields, so that no client mistakes it for an empty result."""
    response = await on_error(request, error)
    message: Any = str(error)
    if isinstance(error, _TooFar):
        cause = {"type": "illegal_argument_exception", "reason": message}
        message = {"root_cause": [cause], **cause}
    else:
        message = msgspec.json.decode(bytes(response.body))["error"]
    kept = {name: value for name, value in response.headers.items() if name in _KEPT}
    empty = {"total": Total(0), "hits": []}
    return json_response({"error": message, "hits": empty}, response.status_code, kept)


_KEPT = ("retry-after", "www-authenticate", "cache-control")
_KIND = CallKind(CallLimits(counts=True), identify_client_of_edgar, _refuse, tells_limits=True)


async def _endpoint(request: Request) -> Response:
    return await answer_call(_KIND, SCOPE, search_index, request)


routes = [Route(path, _endpoint, methods=["GET", "POST"]) for path in (PATH, PATH_WITH_KEY)]
