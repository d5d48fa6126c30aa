"""Filters of filings and documents, declared and read for Version 1 and for alert triggers.

`Shown` describes them on pages. The fields of `DocumentFilters` have the names of these parameters,
and `edgar_search.search.filters` builds their clauses.
"""

from typing import Any

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter, Shown
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import identifiers
from edgar_search.edgar.auditors import auditor_key
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import DocumentField, FilingCriteria, Order
from edgar_search.search.figures import (
    MAX_CONDITIONS,
    field_of,
    nearest_figures,
    read_condition,
)
from edgar_search.search.joined_events import EXAMPLE, events_text, read_events
from edgar_search.stored.filters import DocumentFilters
from edgar_search.text.words import tokens

CIK = Parameter(
    "cik",
    "list",
    "an entity of the filing has one of them",
    ("ciks",),
    type=types.CIK,
    of="CIKs of 1 to 10 digits",
    pattern=identifiers.CIK,
    shown=Shown("CIK {}", "CIK", "CIK", picks="filer"),
)
FORM_TYPE = Parameter(
    "form_type",
    "list",
    "the filing has exactly that form type: `10-K` does not match `10-K/A`",
    ("form_types", "formType"),
    type=types.CAPITALS,
    of="form types, in any case",
    shown=Shown("form {}", "form type", "Form", example="10-K, 8-K", in_search=True, picks="form"),
)
# Filters by the kind of filing.
KIND_FILTERS = (
    CIK,
    Parameter(
        "ticker",
        "list",
        "an entity of the filing has one of them now",
        ("tickers",),
        type=types.CAPITALS,
        of="tickers, in any case",
        shown=Shown("ticker {}", "ticker", "Ticker", picks="filer"),
    ),
    Parameter(
        "sic",
        "list",
        "one of them is the code of an entity in the filing",
        ("sics",),
        type=types.SIC,
        of="codes of up to 4 digits",
        pattern=types.SIC_PATTERN,
        shown=Shown("SIC {}", "industry", "SIC code"),
    ),
    FORM_TYPE,
)
FROM_DATE = Parameter(
    "from_date",
    "date",
    "filed on that day or later",
    shown=Shown("from {}", "days of filing", "Filed from", in_search=True),
)
TO_DATE = Parameter(
    "to_date",
    "date",
    "filed on that day or earlier",
    shown=Shown("to {}", "days of filing", "to", in_search=True),
)

LONGEST_COMPANY_NAME = 300


def _auditor(name: str) -> str | None:
    return name if auditor_key(name) else None


# A list is split at commas, so `Example, LLP` has a second item.
_AUDITOR = types.ValueType(
    _auditor, "the name of a firm, without a comma before its legal form (`Ernst & Young LLP`)"
)

# Filters by filing, which lookups and searches have.
FILING_FILTERS = (
    Parameter(
        "form_family",
        "list",
        "the filing has that form type or is its amendment: `10-K` matches `10-K` and `10-K/A`",
        ("form_families",),
        type=types.FORM_FAMILY,
        of="form types, in any case",
        shown=Shown(
            "form {} with amendments",
            "form family",
            "Form and amendments",
            example="10-K",
            picks="form",
        ),
    ),
    Parameter(
        "company",
        "text",
        "an entity of the filing has, or had, a name with all these words, in any order and any"
        " case, or it is its ticker or a short name of it (`AAPL`, `J&J`); if no entity is found"
        " so, a name with words that begin with these; if none has, with parts of words",
        longest=LONGEST_COMPANY_NAME,
        of="words of a name",
        shown=Shown(
            "company {}",
            "name of the company",
            "Company",
            example="words of its name",
            in_search=True,
            picks="filer",
        ),
    ),
    Parameter(
        "state",
        "list",
        "the business address of an entity of the filing is in one of them",
        ("states",),
        type=types.STATE,
        of="EDGAR's codes of two characters, in any case",
        shown=Shown("state {}", "state", "State", example="CA"),
    ),
    Parameter(
        "incorporation_state",
        "list",
        "an entity of the filing is incorporated in one of them",
        ("incorporation_states",),
        type=types.STATE,
        of="EDGAR's codes of two characters, in any case",
        shown=Shown(
            "incorporated in {}", "state of incorporation", "Incorporated in", example="DE"
        ),
    ),
    Parameter(
        "item",
        "list",
        "an 8-K with one of these items",
        ("items",),
        type=types.ITEM,
        of="numbers such as `5.02`, before 23 August 2004 `5`",
        shown=Shown("item {}", "item", "8-K item", example="5.02", picks="form"),
    ),
    Parameter(
        "auditor",
        "list",
        "the filing is an annual report that names one of them as its auditor, as inline XBRL has"
        " since 2021; in searches its main document",
        ("auditors",),
        type=_AUDITOR,
        of="names, in any case, with or without punctuation, `and` and legal form; also `EY`,"
        " `PwC`, `Deloitte`",
        shown=Shown("audited by {}", "auditor", "Auditor", example="KPMG"),
    ),
)
# Filters by the period that a filing reports on.
PERIOD_FILTERS = (
    Parameter(
        "period_from",
        "date",
        "the period of report ends on that day or later",
        shown=Shown("period from {}", "period of report", "Period from", in_search=True),
    ),
    Parameter(
        "period_to",
        "date",
        "the period of report ends on that day or earlier",
        shown=Shown("period to {}", "period of report", "to", in_search=True),
    ),
    Parameter(
        "fiscal_year",
        "list",
        "the period of report ends from 8 January of that year to 7 February of the next, like the"
        " fiscal year of that number",
        ("fiscal_years",),
        type=types.YEAR,
        of="years from 1900 to 2099",
        pattern=types.YEAR_PATTERN,
        shown=Shown("fiscal year {}", "period of report", "Fiscal year", in_search=True),
    ),
)


def _condition(text: str) -> str:
    read_condition(text)
    return text


_CONDITION = types.ValueType(_condition)
# Filters by figures of a report.
FIGURE_FILTERS = (
    Parameter(
        "figures",
        "list",
        "the report's own figures meet all these conditions, see"
        " [Figures](query-language.md#figures)",
        most=MAX_CONDITIONS,
        type=_CONDITION,
        of="conditions such as `revenue<previous*0.9`",
        shown=Shown("{}", "figures", "Figures", example="net_income<0", in_search=True),
    ),
    Parameter(
        "currency",
        "text",
        "the report's figures are in that currency, or with `any` in whichever",
        default=None,
        type=types.CURRENCY,
        of="code of three letters, in any case; with `figures` the default is USD",
        shown=Shown("figures in {}", "figures", "Currency", example="USD"),
    ),
)
WITH = Parameter(
    "with",
    "text",
    "the same company has these events near the filing: at most two 8-Ks with an item or"
    " transactions of Form 4, each with the most days between, such as `8-K:4.01,365d` or"
    " `4:P,90d after`; see [Events](query-language.md#events)",
    type=types.ValueType(lambda text: events_text(read_events(text))),
    of="events with days",
    shown=Shown("with {}", "events of the company", "With an event", example=EXAMPLE),
)
# Filters by document, and by its figures if it is a report.
DOCUMENT_FILTERS = (
    Parameter(
        "document_type",
        "list",
        "the document's own type: `EX-99.1`; the main document has the form type",
        ("document_types",),
        type=types.CAPITALS,
        of="types of documents, in any case",
        shown=Shown(
            "document {}", "type of document", "Document", example="EX-99.1", in_search=True
        ),
    ),
    Parameter(
        "primary",
        "flag",
        "true finds only the first document of each filing",
        default=False,
        shown=Shown("main documents", "main documents only", "main documents only", in_search=True),
    ),
    Parameter(
        "original",
        "flag",
        "true finds no amendments, whose form types end with `/A`",
        default=False,
        shown=Shown("no amendments", "no amendments", "no amendments", in_search=True),
    ),
    *FIGURE_FILTERS,
)
# All filters of a search except for the filing date.
UNDATED_FILTERS = (*KIND_FILTERS, *FILING_FILTERS, *PERIOD_FILTERS, *DOCUMENT_FILTERS)
_DATES = ((FROM_DATE.name, TO_DATE.name), ("period_from", "period_to"))
SORTS = ("relevance", "newest", "oldest")
ASCENDING = ":asc"


def read_sort(text: str) -> str | None:
    """Return a sort order, or the name of a figure in lower case.

    Raises BadRequest if it almost names a figure.
    """
    if text in SORTS:
        return text
    name = text.lower().removesuffix(ASCENDING)
    if field_of(name) is not None:
        return text.lower()
    nearest = nearest_figures(name, sure=True)
    if nearest:
        offered = ", ".join(f"`{each}`" for each in nearest)
        raise BadRequest(f"`sort`: no figure is `{text[:40]}`; the nearest are {offered}")
    return None


# Sort orders by name: field and direction of the search.
_SORTS: dict[str, tuple[DocumentField, Order]] = {
    "relevance": ("_score", "desc"),
    "newest": ("filing_date", "desc"),
    "oldest": ("filing_date", "asc"),
}


def sort_order(sort: str) -> tuple[DocumentField, Order, str | None]:
    """Return the field and direction of a sort order, and the field of its figure if it has one."""
    if sort in _SORTS:
        return (*_SORTS[sort], None)
    order: Order = "asc" if sort.endswith(ASCENDING) else "desc"
    return "filing_date", order, field_of(sort.removesuffix(ASCENDING))


SORT = Parameter(
    "sort",
    "text",
    "best match first (`relevance`), by filing date (`newest`, `oldest`), or by a figure, the"
    " largest first (`revenue`, `revenue_change`, `net_margin`) or the smallest (`revenue:asc`)",
    default="relevance",
    type=types.ValueType(read_sort, f"one of {', '.join(SORTS)}"),
    of="way to sort, or a [figure](query-language.md#figures)",
)
FILING = "filing"
GROUP_BY = Parameter(
    "group_by",
    "choice",
    "the unit of a hit: with `filing` each hit is a filing, see [below](#hits-by-filing)",
    default="document",
    choices=("document", FILING),
)
# Elasticsearch works longer for each snippet of a page: this is as much as ten pages of 20 items.
MAX_SNIPPETS_OF_A_PAGE = 200
SNIPPETS = Parameter(
    "snippets",
    "integer",
    "the largest number of snippets of each item, the best first, with their positions in the text;"
    f" `limit` times `snippets` must be at most {MAX_SNIPPETS_OF_A_PAGE}",
    least=0,
    most=5,
    default=0,
)


def read_filters(parameters: Parameters) -> FilingCriteria:
    """Read the filters of a request that its endpoint supports; raises BadRequest."""
    values = _filter_values(parameters)
    if parameters.declares(WITH.name) and (events := parameters.value(WITH.name)):
        values["events"] = read_events(events)
    return FilingCriteria(**values)


def read_document_filters(parameters: Parameters) -> DocumentFilters:
    """Read the filters except the filing date; raises BadRequest."""
    return DocumentFilters(**_filter_values(parameters))


def _filter_values(parameters: Parameters) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for first, last in _DATES:
        if parameters.declares(first):
            values[first], values[last] = parameters.days(first, last)
    for parameter in UNDATED_FILTERS:
        if parameter.kind == "date" or not parameters.declares(parameter.name):
            continue
        if parameter.kind == "list":
            values[parameter.name] = parameters.values(parameter.name)
        elif parameter.kind == "flag":
            values[parameter.name] = parameters.flag(parameter.name)
        elif parameter.type is not None:
            values[parameter.name] = parameters.value(parameter.name)
        else:
            values[parameter.name] = _company(parameters)
    return values


def _company(parameters: Parameters) -> str | None:
    company = parameters.bounded_text("company")
    if company and not tokens(company):
        raise BadRequest("`company` has no word; give words of the company's name")
    return company
