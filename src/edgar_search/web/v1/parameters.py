"""The parameters of the v1 endpoints, as frozen values."""

from datetime import date, timedelta

from msgspec import structs

from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    CoverageCriteria,
    DocumentCriteria,
    DocumentSearch,
    FilingCriteria,
    FilingSearch,
    Window,
)
from edgar_search.search.language import parse
from edgar_search.web.filing_filters import KIND_FILTERS, kind_filters
from edgar_search.web.parameters import Parameters, Raw

MAX_FILINGS = 1000
DEFAULT_LIMIT, MAX_LIMIT = 20, 100
DEFAULT_DAYS = 30
# A year has about 80,000 pairs of day and form; more than that is for several requests.
MAX_DAYS = 366
_FILTERS: dict[str, tuple[str, ...]] = {**KIND_FILTERS, "from_date": (), "to_date": ()}
# The key is taken out before; it is here to be listed among the known ones.
_LOOKUP_NAMES = {"api_key": (), **_FILTERS, "limit": ()}
_SEARCH_NAMES = {
    "api_key": (),
    "query": (),
    **_FILTERS,
    "ids": ("document_ids",),
    "limit": (),
    "offset": (),
}
_COVERAGE_NAMES: dict[str, tuple[str, ...]] = {
    "api_key": (),
    "from_date": (),
    "to_date": (),
    "form_type": ("form_types", "formType"),
}


def lookup_params(raw: Raw) -> FilingSearch:
    """The parameters of `/v1/lookup`; BadRequest names what is wrong."""
    parameters = Parameters(raw, _LOOKUP_NAMES)
    filters = _filters(parameters, strict=True)
    if not (filters.ciks or filters.tickers or filters.sics or filters.form_types):
        raise BadRequest("at least one of cik, ticker, sic, form_type must be given")
    limit = parameters.integer("limit", MAX_FILINGS, 1, MAX_FILINGS)
    return FilingSearch(filters, Window(0, limit))


def search_params(raw: Raw, max_window: int) -> DocumentSearch:
    """The parameters of `/v1/search`; BadRequest names what is wrong.

    `max_window` is how far pages go: the highest `offset + limit`.
    """
    parameters = Parameters(raw, _SEARCH_NAMES)
    query = parameters.single("query")
    if query is None:
        raise BadRequest("Missing query parameter")
    criteria = DocumentCriteria(
        query=parse(query),
        filings=_filters(parameters, strict=False),
        ids=parameters.items("ids"),
    )
    limit = parameters.integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    offset = parameters.integer("offset", 0, 0)
    if offset + limit > max_window:
        raise BadRequest(f"offset: offset + limit goes up to {max_window}; narrow the search")
    return DocumentSearch(criteria, Window(offset, offset + limit))


def coverage_params(raw: Raw, today: date) -> CoverageCriteria:
    """The parameters of `/v1/coverage`; BadRequest names what is wrong."""
    parameters = Parameters(raw, _COVERAGE_NAMES)
    first, last = parameters.days(times=True)
    last = last or (max(first, today) if first else today)
    first = first or last - timedelta(days=DEFAULT_DAYS - 1)
    if (last - first).days >= MAX_DAYS:
        raise BadRequest(f"from_date: {first} to {last} is more than {MAX_DAYS} days; ask in parts")
    return CoverageCriteria(first, last, parameters.upper("form_type"))


def _filters(parameters: Parameters, *, strict: bool) -> FilingCriteria:
    first_day, last_day = parameters.days(times=not strict)
    kinds = kind_filters(parameters, strict=strict)
    return structs.replace(kinds, first_day=first_day, last_day=last_day)
