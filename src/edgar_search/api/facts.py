"""GET /v1/facts: numbers of filings, by company, concept and period."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.cursor import CURSOR, SNAPSHOT, WALK_RULES
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
from edgar_search.api.operation import Page
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.filters import FROM_DATE, TO_DATE
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.rows import ABOUT_PAGES, AskedRows, Counted, Rows, rows_window
from edgar_search.engine.replies import SortedHit
from edgar_search.errors import BadRequest
from edgar_search.financials.derived import DERIVED_KINDS, Derived, DerivedKind, find_derived
from edgar_search.financials.facts import (
    FACT_SORTS,
    FactRowSearch,
    FactSearch,
    fact_rows,
    require_known,
)
from edgar_search.financials.history import MOST_CONCEPTS
from edgar_search.financials.statements import number
from edgar_search.search.pagination import Start, Step
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.financials import STANDARD_ITEMS, ItemRule, StoredFact

MAX_FACTS, DEFAULT_FACTS = 1_000, 100
_INSTANT = {"true": True, "false": False}
# Criteria of complete series: any other would leave out amounts that derived ones need.
_OF_DERIVED = (
    "cik",
    "ticker",
    "concept",
    "item",
    "unit",
    "period_from",
    "period_to",
    "as_of",
    "original",
)
_NO_FILTERS = frozenset({"api_key", "derived", "sort", *ABOUT_PAGES})


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


class FactDimension(Struct):
    axis: str
    member: str


class Fact(Struct):
    """A number as filed, or a standard item with the `sources` it is made of, by a `rule`.

    `decimals` is null if it is exact, `start` if it is as of a day. `superseded_by` is the next
    filing that has the same fact. `doubt` says why the value may be wrong, null if nothing suggests
    it.
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


class FactPart(Struct):
    """A filed amount that is part of a derived one; a `sign` of -1 subtracts it."""

    sign: int
    value: Decimal
    start: date | None
    end: date
    accnum: str


class DerivedFact(Struct):
    """An amount that was not filed: a fourth quarter (`q4`) or twelve trailing months (`ttm`)."""

    derived: DerivedKind
    cik: str
    name: str
    concept: str
    label: str
    value: Decimal
    unit: str
    start: date
    end: date
    parts: list[FactPart]


class FactsReply(Counted):
    """`next_cursor` is set on a walk by cursor, null at its end.

    `derived` has amounts that were not filed, the newest first, if they are requested; on a walk it
    is in the first answer.
    """

    items: list[Fact]
    derived: list[DerivedFact] | UnsetType = UNSET
    next_cursor: str | None | UnsetType = UNSET


DERIVED = Parameter(
    "derived",
    "list",
    "adds amounts of money that were not filed, by subtraction: `q4`, the fourth quarter, and"
    " `ttm`, twelve trailing months at the end of each quarter",
    of="kinds",
    choices=DERIVED_KINDS,
)
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
        DERIVED,
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
        f"`derived` is of one company and of 1 to {MOST_CONCEPTS} concepts and items. Of the"
        f" filters only {_names(_OF_DERIVED)} may be given with it.",
        *WALK_RULES,
    ),
)
_NEEDED = ("cik", "ticker", "sic", "accnum", "concept", "item")


def fact_search(parameters: Parameters, table: TickerTable) -> FactSearch:
    """Read the criteria of `/v1/facts`; raises BadRequest.

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
        fiscal_years=[int(year) for year in parameters.values("fiscal_year")],
        fiscal_periods=parameters.values("fiscal_period"),
        form_types=parameters.values("form_type"),
        first_day=first_day,
        last_day=last_day,
        as_of=as_of,
        original=parameters.flag("original"),
        dimensions=parameters.flag("dimensions"),
        members=parameters.values("dimension"),
        sort=next(year for year in FACT_SORTS if year == sort),
    )


def derived_kinds(parameters: Parameters, search: FactSearch) -> list[DerivedKind]:
    """Read which kinds of amounts to derive; BadRequest if other parameters exclude them."""
    kinds = parameters.choices("derived")
    if not kinds:
        return []
    others = parameters.sent(FACTS.declared.keys() - _NO_FILTERS - {*_OF_DERIVED})
    if others:
        raise BadRequest(f"{_names(sorted(others))} may not be given with `derived`")
    if len(search.ciks) != 1 or not 1 <= len(search.concepts) + len(search.items) <= MOST_CONCEPTS:
        raise BadRequest(
            f"`derived` needs one company, and 1 to {MOST_CONCEPTS} values of `concept` and `item`"
        )
    return [kind for kind in DERIVED_KINDS if kind in kinds]


class AskedFacts(FactRowSearch, frozen=True):
    """A search for facts; its first page also has derived amounts of these kinds."""

    derived: Sequence[DerivedKind] = ()


def read_facts(parameters: Parameters, table: TickerTable) -> AskedFacts:
    """Read the search of `/v1/facts`; raises as `fact_search` and `derived_kinds` do."""
    search = fact_search(parameters, table)
    kinds = derived_kinds(parameters, search)
    rows = fact_rows(search, rows_window(parameters))
    return AskedFacts(**structs.asdict(rows), derived=kinds)


def facts_reply(step: Step[SortedHit[StoredFact]], warnings: list[str]) -> FactsReply:
    """Build the answer of `/v1/facts`, which has no warnings."""
    return FactsReply(step.total, [fact_item(hit.source) for hit in step.hits])


def derived_fact(derived: Derived) -> DerivedFact:
    """Build the answer's item for a derived amount, with its parts."""
    year = derived.year
    return DerivedFact(
        derived=derived.kind,
        cik=year.cik,
        name=year.name,
        concept=year.concept,
        label=year.label,
        value=derived.value,
        unit=year.unit,
        start=derived.start,
        end=derived.end,
        parts=[
            FactPart(sign, number(row.value), row.start, row.end, row.accession_number)
            for sign, row in derived.parts
        ],
    )


def fact_item(row: StoredFact) -> Fact:
    """Build the answer's item for a stored row."""
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
        dimensions=[FactDimension(*dimension.split("=", 1)) for dimension in row.dimensions],
        sources=row.sources,
        rule=row.rule,
        superseded_by=row.superseded_by,
        place=text_place(row.place),
        doubt=row.doubt,
    )


class FactRows(Rows[FactsReply], frozen=True):
    """Finds facts; NotFound if none match and something that the search names is unknown."""

    async def find(
        self, context: Context, asked: AskedRows, start: Start | None = None
    ) -> Page[FactsReply]:
        """Find a page of facts; NotFound names a company, filing, concept or unit that has none."""
        search = asked.search
        assert isinstance(search, AskedFacts)
        page = await Rows.find(self, context, asked, start)
        if not page.answer.total_count:
            await require_known(context.engine, search.asked)
        if search.derived and (start is None or start.place is None):
            derived = await find_derived(context.engine, search.asked, search.derived)
            page.answer.derived = list(map(derived_fact, derived))
        return page


FACT_ROWS = FactRows(FACTS, StoredFact, Fact, fact_item, read=read_facts, reply=facts_reply)
