"""GET /company/CIK, and companies by the beginning of a name."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.api.finding import names_of
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.filters import FROM_DATE, TO_DATE
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import NotFound
from edgar_search.financials.derived import Derived, find_derived
from edgar_search.financials.facts import FactPage, FactSearch, find_facts
from edgar_search.financials.filings import list_filings
from edgar_search.search.criteria import FilingCriteria, FilingSearch, Window
from edgar_search.search.entities import entities_of, suggested_companies
from edgar_search.search.filings import FormYears, look_up_filings, spread_of
from edgar_search.search.warnings.warnings import or_default
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.company_events import events_of
from edgar_search.web.pages.exports import filings_export
from edgar_search.web.pages.feed import feed_link
from edgar_search.web.pages.filing_titles import titles_of
from edgar_search.web.pages.links import address, curl
from edgar_search.web.pages.one_box import named_things
from edgar_search.web.pages.owners import (
    BY,
    PARTS,
    QUARTER,
    ROWS,
    ownership_of,
)
from edgar_search.web.pages.owners import (
    MOST_ROWS as MOST_ROWS_OF_A_PART,
)
from edgar_search.web.pages.search import head
from edgar_search.web.pages.series import (
    ITEMS,
    MOST_ROWS,
    PERIODS,
    Series,
    concept_search,
    concept_series,
    derived_kinds,
    gap_at_the_end,
    item_search,
    item_series,
)
from edgar_search.web.pages.templates import HEADERS, render
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

# How many forms get a row of their own.
_MOST_FORMS = 10


class Cell(NamedTuple):
    """A number of filings with the address that lists them, or None for zero."""

    number: int
    address: str | None


class Row(NamedTuple):
    """A form type and its number of filings, overall and in each year."""

    form_type: str
    whole: Cell
    cells: list[Cell]


class Matrix(NamedTuple):
    """Forms by years with any filing, the most common form and the newest year first.

    `left` counts the form types without a row.
    """

    years: list[int]
    rows: list[Row]
    left: int


def matrix(here: str, spread: Sequence[FormYears]) -> Matrix:
    """Build the matrix of a company's page, whose address is `here`."""
    years = sorted({year for form in spread for year in form.years}, reverse=True)
    rows = [_row(here, form, years) for form in spread[:_MOST_FORMS]]
    return Matrix(years, rows, max(0, len(spread) - _MOST_FORMS))


def _row(here: str, form: FormYears, years: Sequence[int]) -> Row:
    total = Cell(form.total, address(here, form_type=form.form_type))
    return Row(form.form_type, total, [_cell(here, form, year) for year in years])


def _cell(here: str, form: FormYears, year: int) -> Cell:
    number = form.years.get(year, 0)
    if not number:
        return Cell(0, None)
    days = {"from_date": f"{year}-01-01", "to_date": f"{year}-12-31"}
    return Cell(number, address(here, form_type=form.form_type, **days))


PATH = "/company/{cik}"
PART = "/company/{cik}/{part}"
COMPANIES, FOUND = "/companies", "/found"
SIZE = 50
# Filings whose statements are linked above the list of all filings.
_MOST_STATEMENTS = 6
# The limit of Elasticsearch's ordinary paging.
_MOST_ROWS = 10_000
_DECLARED = by_spelling(
    [
        Parameter(
            "form_type", "list", "exactly these form types", type=types.CAPITALS, of="form types"
        ),
        Parameter("item", "list", "an 8-K with one of these items", type=types.ITEM, of="items"),
        structs.replace(FROM_DATE, kind="day"),
        structs.replace(TO_DATE, kind="day"),
        Parameter("offset", "integer", "rows to skip", least=0, most=_MOST_ROWS - SIZE, default=0),
        Parameter(
            "figures", "choice", "the periods of figures", default="years", choices=tuple(PERIODS)
        ),
        Parameter(
            "concept",
            "list",
            "a concept whose figures are shown too, such as `Assets`",
            type=types.CONCEPT,
            of="names of concepts",
            pattern=types.CONCEPT_PATTERN,
        ),
        QUARTER,
        BY,
    ]
)

_DECLARED_OF_A_PART = by_spelling(
    [
        Parameter(
            "offset",
            "integer",
            "rows to skip",
            least=0,
            most=MOST_ROWS_OF_A_PART - ROWS,
            default=0,
        ),
        QUARTER,
        BY,
    ]
)
_BEGINNING = by_spelling(
    [Parameter("name", "text", "the beginning of words of a name, or a ticker", longest=100)]
)
_TYPED = by_spelling([Parameter("query", "text", "the text that is typed", longest=1_000)])


async def company(request: Request, call: PageCall) -> Response:
    """Show a company or person: its names, and its filings, newest first."""
    cik = parse_cik(request.path_params["cik"])
    if cik is None:
        raise NotFound("a CIK has 1 to 10 digits")
    lists = page_parameters(request)
    parameters = Parameters(lists, _DECLARED)
    forms, items = parameters.values("form_type"), parameters.values("item")
    offset = parameters.integer("offset")
    first, last = parameters.days()
    criteria = FilingCriteria(
        cik=(cik,), form_type=forms, item=items, from_date=first, to_date=last
    )
    context = service(request).context
    search = FilingSearch(criteria, Window(offset, offset + SIZE))
    filings = await look_up_filings(context, search)
    entities = await entities_of(context.engine, [cik])
    if not entities and not filings.total:
        raise NotFound(f"no company or person here has the CIK {cik}")
    call.result_count = filings.total
    entity = entities[0] if entities else None
    is_issuer = bool(entity and entity.sic)
    figures, owners, spread, events, reports, watched = await asyncio.gather(
        _figures(request, parameters, cik),
        ownership_of(request, call, parameters, cik, is_issuer=is_issuer),
        or_default([], spread_of, context.engine, cik),
        events_of(context, cik),
        or_default([], list_filings, context.engine, [cik], most=_MOST_STATEMENTS),
        _is_watched(request, call, cik),
    )
    titles = await titles_of(context, filings.filings, cik)
    table = await context.tickers.table()
    figures = figures._replace(until=gap_at_the_end(figures.series, spread))
    here, most = f"/company/{cik}", min(filings.total, _MOST_ROWS)
    name = (entity.name if entity else None) or f"CIK {cik}"
    return render(
        "company.html",
        cik=cik,
        entity=entity,
        name=name,
        tickers=table.tickers(cik),
        filings=filings.filings,
        titles=titles,
        total=filings.total,
        first=offset,
        forms=forms,
        items=items,
        events=events,
        statements=reports,
        watched=watched,
        first_day=first,
        last_day=last,
        matrix=matrix(here, spread),
        figures=figures,
        owners=owners,
        here=here,
        feed=feed_link({"cik": [cik]}, {cik: name}),
        exporting=filings_export(
            filings.total,
            cik=cik,
            form_type=",".join(forms),
            item=",".join(items),
            from_date=first,
            to_date=last,
        ),
        newer=address(here, lists, offset=offset - SIZE or None) if offset >= SIZE else None,
        older=address(here, lists, offset=offset + SIZE) if offset + SIZE < most else None,
        api=_call_of(request, criteria),
        milliseconds=call.milliseconds,
        **head(call),
    )


async def company_part(request: Request, call: PageCall) -> Response:
    """GET /company/CIK/PART: all rows of a part of a company's page, page by page."""
    cik, part = parse_cik(request.path_params["cik"]), request.path_params["part"]
    if cik is None or part not in PARTS:
        raise NotFound(f"no part of a company's page is {part[:40]}; known are {', '.join(PARTS)}")
    lists = page_parameters(request)
    parameters = Parameters(lists, _DECLARED_OF_A_PART)
    context = service(request).context
    owners = await ownership_of(request, call, parameters, cik, is_issuer=True, part=part)
    entities = await entities_of(context.engine, [cik])
    owned = next((owner for owner in owners if owner is not None), None)
    if owned is None:
        raise NotFound(f"no {PARTS[part]} of the CIK {cik} are here")
    call.result_count = owned.total
    offset, here = parameters.integer("offset"), request.url.path
    most = min(owned.total, MOST_ROWS_OF_A_PART)
    return render(
        "company_part.html",
        cik=cik,
        name=(entities[0].name if entities else None) or f"CIK {cik}",
        title=PARTS[part],
        owners=owners,
        previous=address(here, lists, offset=offset - ROWS or None) if offset >= ROWS else None,
        following=address(here, lists, offset=offset + ROWS) if offset + ROWS < most else None,
        milliseconds=call.milliseconds,
        **head(call),
    )


async def _is_watched(request: Request, call: PageCall, cik: str) -> bool:
    if not call.caller.name:
        return False
    triggers = AlertTriggers(service(request).engine)
    return await or_default(False, triggers.is_watching, call.account, cik)


class Figures(NamedTuple):
    """Series of a company; `concept` is the requested one, with or without a series.

    `periods` gives the addresses of the same page with other periods' figures. `until` says that
    later annual reports contain no figures.
    """

    series: list[Series]
    concept: str
    found: list[Series]
    periods: list[tuple[str, str | None]]
    facts: str
    until: str | None = None


async def _figures(request: Request, parameters: Parameters, cik: str) -> Figures:
    engine, periods = service(request).engine, parameters.choice("figures")
    none = FactPage(0, [], None)

    async def rows(search: FactSearch) -> FactPage:
        return await or_default(none, find_facts, engine, search, MOST_ROWS)

    concepts = parameters.values("concept")
    concept = concepts[0] if concepts else ""
    searches = [item_search(cik), *([concept_search(cik, concept)] if concept else [])]
    items, of_concept = [*await asyncio.gather(*map(rows, searches)), none][:2]
    derived: list[list[Derived]] = [[], []]
    if kinds := derived_kinds(periods):
        lookups = [
            or_default([], find_derived, engine, one_search, kinds) for one_search in searches
        ]
        derived = [*await asyncio.gather(*lookups), *derived]
    here = request.url.path
    others = [
        (
            name,
            None if one_search == periods else address(here, figures=one_search, concept=concept),
        )
        for one_search, name in PERIODS.items()
    ]
    facts = address("/v1/facts", cik=cik, item=",".join(ITEMS))
    return Figures(
        item_series(items.rows, periods, derived[0]),
        concept,
        concept_series(of_concept.rows, periods, derived[1]),
        others if items.rows or concept else [],
        curl(facts, str(request.base_url)[:-1]),
    )


def _call_of(request: Request, criteria: FilingCriteria) -> str:
    """Return the API call that lists the page's filings."""
    query = address(
        "/v1/lookup",
        cik=",".join(criteria.cik),
        form_type=",".join(criteria.form_type),
        item=",".join(criteria.item),
        from_date=criteria.from_date,
        to_date=criteria.to_date,
        limit=SIZE,
    )
    return curl(query, str(request.base_url)[:-1])


async def found(request: Request, call: PageCall) -> Response:
    """GET /found: suggestions for a text while it is typed."""
    query = Parameters(page_parameters(request), _TYPED).text("query") or ""
    names = await names_of(service(request).context, {"query": [query], "reading": ["person"]})
    things = await or_default([], named_things, request, query, names)
    return json_response(
        {"found": [thing._asdict() for thing in things]},
        headers={"Cache-Control": HEADERS["Cache-Control"]},
    )


async def companies(request: Request, call: PageCall) -> Response:
    """GET /companies: companies and persons by the beginning of a name, or a ticker.

    A browser gets a page, the company field's script gets JSON.
    """
    lists = page_parameters(request)
    name = Parameters(lists, _BEGINNING).text("name") or ""
    context = service(request).context
    table = await context.tickers.table()
    suggested = (await suggested_companies(context.engine, table, name)).companies
    if "text/html" not in request.headers.get("accept", ""):
        kept = {"Cache-Control": HEADERS["Cache-Control"]}
        return json_response({"companies": suggested}, headers=kept)
    return render("companies.html", name=name, companies=suggested, **head(call))
