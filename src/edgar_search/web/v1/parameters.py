"""The parameters of the v1 endpoints, as frozen values."""

from datetime import date, timedelta

from msgspec import structs

from edgar_search.errors import BadRequest
from edgar_search.search.coverage import MAX_DAYS
from edgar_search.search.criteria import (
    CoverageCriteria,
    DocumentCriteria,
    DocumentField,
    DocumentSearch,
    FilingCriteria,
    FilingSearch,
    Operands,
    Order,
    Window,
)
from edgar_search.search.language import formed, read
from edgar_search.web.filters import FILING, MAX_SNIPPETS_OF_A_PAGE, filing_filters, kind_filters
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.v1.endpoints import COVERAGE, DEFAULT_DAYS, LOOKUP, SEARCH

# What each way to sort is in the search.
_SORTS: dict[str, tuple[DocumentField, Order]] = {
    "relevance": ("_score", "desc"),
    "newest": ("filing_date", "desc"),
    "oldest": ("filing_date", "asc"),
}

OPERANDS_BY_NAME: dict[str, Operands] = {"all": "all", "most": "most"}


def lookup_params(raw: Raw) -> FilingSearch:
    """The parameters of `/v1/lookup`; BadRequest names what is wrong."""
    parameters = Parameters(raw, LOOKUP.parameters)
    filters = _filters(parameters, strict=True)
    # Days alone are no question.
    if structs.replace(filters, first_day=None, last_day=None) == FilingCriteria():
        raise BadRequest("at least one of cik, ticker, sic, form_type must be given")
    window = Window(0, parameters.integer("limit"))
    return FilingSearch(filters, window, details=parameters.choices("include"))


def search_params(raw: Raw, max_window: int) -> DocumentSearch:
    """The parameters of `/v1/search`; BadRequest names what is wrong.

    `max_window` is how far pages go: the highest `offset + limit`.
    """
    parameters = Parameters(raw, SEARCH.parameters)
    criteria = required_query(parameters)
    sort_by, order = _SORTS[parameters.choice("sort")]
    limit = parameters.integer("limit")
    offset = parameters.integer("offset")
    if offset + limit > max_window:
        raise BadRequest(f"offset: offset + limit goes up to {max_window}; narrow the search")
    snippets = parameters.integer("snippets")
    if limit * snippets > MAX_SNIPPETS_OF_A_PAGE:
        raise BadRequest(
            f"`limit` times `snippets` must be at most {MAX_SNIPPETS_OF_A_PAGE}, not"
            f" {limit * snippets} ({limit} times {snippets}); with `snippets={snippets}`, `limit`"
            f" must be from 1 to {MAX_SNIPPETS_OF_A_PAGE // snippets}"
        )
    return DocumentSearch(
        criteria,
        Window(offset, offset + limit),
        sort_by,
        order,
        details=parameters.choices("include"),
        operands=OPERANDS_BY_NAME[parameters.choice("operands")],
        snippets=snippets,
        grouped=parameters.choice("group_by") == FILING,
    )


def required_query(parameters: Parameters) -> DocumentCriteria:
    """The same as `document_criteria`; BadRequest where there is no query."""
    if parameters.single("query") is None:
        raise BadRequest("Missing query parameter")
    return document_criteria(parameters)


def document_criteria(parameters: Parameters, *, all_documents: bool = False) -> DocumentCriteria:
    """What is to be found, by the parameters of `FINDING`; BadRequest names what is wrong."""
    query = parameters.single("query")
    return DocumentCriteria(
        query=None if query is None else formed(read(query), parameters.choice("word_forms")),
        filings=_filters(parameters, strict=False),
        ids=parameters.items("ids"),
        document_types=parameters.upper("document_type"),
        first_only=parameters.flag("primary"),
        all_documents=all_documents,
    )


def coverage_params(raw: Raw, today: date) -> CoverageCriteria:
    """The parameters of `/v1/coverage`; BadRequest names what is wrong."""
    parameters = Parameters(raw, COVERAGE.parameters)
    first, last = parameters.days()
    last = last or (max(first, today) if first else today)
    first = first or _days_before(last, DEFAULT_DAYS - 1)
    if (last - first).days >= MAX_DAYS:
        raise BadRequest(f"from_date: {first} to {last} is more than {MAX_DAYS} days; ask in parts")
    return CoverageCriteria(first, last, parameters.upper("form_type"))


def _days_before(day: date, days: int) -> date:
    """The day so many days earlier, or the first that there is."""
    return day - min(timedelta(days), day - date.min)


def _filters(parameters: Parameters, *, strict: bool) -> FilingCriteria:
    first_day, last_day = parameters.days()
    kinds = filing_filters(parameters, kind_filters(parameters, strict=strict))
    return structs.replace(kinds, first_day=first_day, last_day=last_day)
