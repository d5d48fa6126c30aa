"""GET /v1/facts: numbers of filings, by company, concept and period."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.cursor import CURSOR, SNAPSHOT, WALK_RULES, walk_of
from edgar_search.api.financials import (
    ACCNUM,
    AS_OF,
    CIK,
    FORM_TYPE,
    SIC,
    TICKER,
    TextPlace,
    companies,
    text_place,
)
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.filters import FROM_DATE, TO_DATE
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import BadRequest
from edgar_search.financials.facts import (
    FACT_SORTS,
    FactSearch,
    fact_rows,
    known_by,
    require_known,
)
from edgar_search.financials.statements import number
from edgar_search.search.pagination import Start, Step
from edgar_search.search.rows import RowHit, next_row_page
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.financials import STANDARD_ITEMS, ItemRule, StoredFact
from edgar_search.web.calls import V1Call, context_of, while_connected
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v1.answers import page_response
from edgar_search.web.v1.rows import AskedRows, Rows, rows_window

MAX_FACTS, DEFAULT_FACTS = 1_000, 100
_INSTANT = {"true": True, "false": False}


class FactDimension(Struct):
    axis: str
    member: str


class Fact(Struct):
    """A number as filed, or a standard item with what it is made of as `sources`, by a `rule`.

    `decimals` is null if it is exact, `start` if it is of a day. `superseded_by` is the next filing
    that has the same fact. `doubt` says why the value may be another, null if nothing does.
    """

    cik: str
    name: str
    accnum: str
    form_type: str
    filing_date: date
    concept: str
    label: str
    value: Decimal
    unit: str
    decimals: int | None
    start: date | None
    end: date
    fiscal_year: int | None
    fiscal_period: str | None
    dimensions: list[FactDimension]
    sources: list[str]
    rule: ItemRule | None
    superseded_by: str | None
    place: TextPlace | None
    doubt: str | None


class FactsReply(Struct):
    """`next_cursor` is there on a walk by cursor, null at its end."""

    total_count: int
    items: list[Fact]
    next_cursor: str | None | UnsetType = UNSET


FACTS = Endpoint(
    "/v1/facts",
    "finds numbers of filings, by company, concept and period: series and cross-sections",
    (
        API_KEY,
        structs.replace(CIK, description="of one of these companies"),
        structs.replace(TICKER, description="of the companies that have one of them now"),
        SIC,
        structs.replace(ACCNUM, description="of one of these filings"),
        Parameter(
            "concept",
            "list",
            "one of these concepts, with its taxonomy (`us-gaap:Assets`) or without (`Assets`)",
            type=types.CONCEPT,
            of="names of concepts",
            pattern=types.CONCEPT_PATTERN,
        ),
        Parameter(
            "item",
            "list",
            "one of these [standard items](#standard-items)",
            of="names of standard items",
            choices=STANDARD_ITEMS,
        ),
        Parameter(
            "unit",
            "list",
            "in one of these units: `USD`, `shares`, `USD/shares`, `pure`",
            of="units, as filed",
        ),
        Parameter("period_from", "day", "of a period or day that ends on that day or later"),
        Parameter("period_to", "day", "of a period or day that ends on that day or earlier"),
        Parameter(
            "instant",
            "choice",
            "`true` finds amounts of a day only, `false` those of a period",
            default="any",
            choices=("any", *_INSTANT),
        ),
        Parameter(
            "fiscal_year",
            "list",
            "filed for one of these fiscal years, as the filing names it",
            type=types.YEAR,
            of="years of four digits",
            pattern=types.YEAR_PATTERN,
        ),
        Parameter(
            "fiscal_period",
            "list",
            "filed for one of these periods: `FY`, `Q1`, `Q2`, `Q3`",
            type=types.CAPITALS,
            of="names of periods, in any case",
        ),
        FORM_TYPE,
        FROM_DATE,
        TO_DATE,
        AS_OF,
        Parameter(
            "original",
            "flag",
            "true gives a value that was filed several times as it was filed first",
            default=False,
        ),
        Parameter(
            "dimensions",
            "flag",
            "true also finds amounts of members, such as segments and products",
            default=False,
        ),
        Parameter(
            "dimension",
            "list",
            "amounts of one of these members, of one of these axes, or of a member of an axis:"
            " `us-gaap:ProductMember`, `ProductOrServiceAxis`, `axis=member`",
            type=types.DIMENSION,
            of="axes or members, with their taxonomy or without",
            pattern=types.DIMENSION_PATTERN,
        ),
        Parameter(
            "sort",
            "choice",
            "by the end of the period, or by the amount",
            default="newest",
            choices=FACT_SORTS,
        ),
        Parameter(
            "limit",
            "integer",
            "facts in the answer at most",
            least=1,
            most=MAX_FACTS,
            default=DEFAULT_FACTS,
        ),
        CURSOR,
        SNAPSHOT,
    ),
    credential="key",
    answer=FactsReply,
    rules=(
        "At least one of `cik`, `ticker`, `sic`, `accnum`, `concept` and `item` is needed.",
        "A fact that was filed several times appears once, as it was filed last: by `as_of`, if"
        " that is given. With `original=true` it appears as it was filed first. With `accnum`"
        " and neither of these, all facts of the filing appear.",
        *WALK_RULES,
    ),
)
_NEEDED = ("cik", "ticker", "sic", "accnum", "concept", "item")


def fact_search(parameters: Parameters, table: TickerTable) -> FactSearch:
    """The criteria of `/v1/facts`; BadRequest names what is wrong.

    Raises NotFound for a ticker that no company has.
    """
    if not any(parameters.values(name) for name in _NEEDED):
        raise BadRequest(f"one of {', '.join(f'`{name}`' for name in _NEEDED)} must be given")
    first_end, last_end = parameters.days("period_from", "period_to")
    first_day, last_day = parameters.days()
    as_of, _ = parameters.days("as_of", "as_of")
    sort = parameters.choice("sort")
    return FactSearch(
        ciks=companies(parameters, table),
        sics=parameters.values("sic"),
        accession_numbers=parameters.values("accnum"),
        concepts=parameters.values("concept"),
        items=parameters.choices("item"),
        units=parameters.values("unit"),
        first_end=first_end,
        last_end=last_end,
        instant=_INSTANT.get(parameters.choice("instant")),
        fiscal_years=[int(each) for each in parameters.values("fiscal_year")],
        fiscal_periods=parameters.values("fiscal_period"),
        form_types=parameters.values("form_type"),
        first_day=first_day,
        last_day=last_day,
        as_of=as_of,
        original=parameters.flag("original"),
        dimensions=parameters.flag("dimensions"),
        members=parameters.values("dimension"),
        sort=next(each for each in FACT_SORTS if each == sort),
    )


def read_facts(parameters: Parameters, table: TickerTable) -> AskedRows:
    """The search for rows of `/v1/facts`, which an export has too."""
    search = fact_search(parameters, table)

    def item(row: StoredFact) -> Fact:
        return fact_item(known_by(search.as_of, row))

    return AskedRows(fact_rows(search, rows_window(parameters)), [], item)


async def facts(request: Request, call: V1Call) -> Response:
    """GET /v1/facts"""
    walk = await walk_of(context_of(request, call), call.raw, FACTS)
    state, context = service(request), service(request).context

    async def found() -> Step[RowHit[StoredFact]]:
        table = await context.tickers.table()
        parameters = Parameters(call.raw if walk is None else walk.question, FACTS.declared)
        search = fact_search(parameters, table)
        rows = fact_rows(search, rows_window(parameters))
        start = Start() if walk is None else walk.start
        step = await next_row_page(state.pagination, context, rows, StoredFact, start, call.account)
        if not step.total:
            await require_known(context.engine, search)
        for hit in step.hits:
            hit.source = known_by(search.as_of, hit.source)
        return step

    step = await while_connected(request, found())
    call.result_count = step.total
    reply = facts_reply(step.total, [hit.source for hit in step.hits])
    if walk is None:
        return json_response(reply)
    return await page_response(context_of(request, call), FACTS, walk, reply, step.place)


def facts_reply(total: int, rows: Sequence[StoredFact]) -> FactsReply:
    """The facts in their order."""
    return FactsReply(total, list(map(fact_item, rows)))


def fact_item(row: StoredFact) -> Fact:
    """The item of a stored row."""
    return Fact(
        cik=row.cik,
        name=row.name,
        accnum=row.accession_number,
        form_type=row.form_type,
        filing_date=row.filing_date,
        concept=row.concept,
        label=row.label,
        value=number(row.value),
        unit=row.unit,
        decimals=row.decimals,
        start=row.start,
        end=row.end,
        fiscal_year=row.fiscal_year,
        fiscal_period=row.fiscal_period,
        dimensions=[FactDimension(*each.split("=", 1)) for each in row.dimensions],
        sources=row.sources,
        rule=row.rule,
        superseded_by=row.superseded_by,
        place=text_place(row.place),
        doubt=row.doubt,
    )


FACT_ROWS = Rows(FACTS, read_facts, StoredFact, Fact, fact_item)
