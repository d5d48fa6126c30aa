"""The parameters of the v1 endpoints, as frozen values."""

from datetime import date

from msgspec import Struct, structs

from edgar_search.errors import BadRequest
from edgar_search.search.language import Node, parse
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.v1.endpoints import DEFAULT_LIMIT, LOOKUP, MAX_FILINGS, SEARCH


class Filters(Struct, frozen=True):
    """What filings are asked for; an empty filter asks nothing. Both dates are included."""

    ciks: tuple[str, ...] = ()
    tickers: tuple[str, ...] = ()
    sics: tuple[str, ...] = ()
    form_types: tuple[str, ...] = ()
    from_date: date | None = None
    to_date: date | None = None


class LookupParams(Struct, frozen=True):
    """A look-up of filings, newest first."""

    filters: Filters
    limit: int = MAX_FILINGS


class SearchParams(Struct, frozen=True):
    """A full-text search over documents, best first; `ids` are document ids."""

    query: Node
    filters: Filters
    ids: tuple[str, ...] = ()
    limit: int = DEFAULT_LIMIT
    offset: int = 0


def lookup_params(raw: Raw) -> LookupParams:
    """The parameters of `/v1/lookup`; BadRequest names what is wrong."""
    parameters = Parameters(raw, LOOKUP.parameters)
    filters = _filters(parameters, strict=True)
    if not (filters.ciks or filters.tickers or filters.sics or filters.form_types):
        raise BadRequest("at least one of cik, ticker, sic, form_type must be given")
    return LookupParams(filters, parameters.integer("limit"))


def search_params(raw: Raw, max_window: int) -> SearchParams:
    """The parameters of `/v1/search`; BadRequest names what is wrong.

    `max_window` is how far pages go: the highest `offset + limit`.
    """
    parameters = Parameters(raw, SEARCH.parameters)
    query = parameters.single("query")
    if query is None:
        raise BadRequest("Missing query parameter")
    params = SearchParams(
        query=parse(query),
        filters=_filters(parameters, strict=False),
        ids=parameters.items("ids"),
        limit=parameters.integer("limit"),
        offset=parameters.integer("offset"),
    )
    if params.offset + params.limit > max_window:
        raise BadRequest(f"offset: offset + limit goes up to {max_window}; narrow the search")
    return params


def kind_filters(parameters: Parameters, *, strict: bool = False) -> Filters:
    """The filters that say what a filing is; `strict` takes CIKs of 10 digits only."""
    return Filters(
        ciks=parameters.ciks("cik", padded=strict),
        tickers=parameters.upper("ticker"),
        sics=parameters.sics("sic"),
        form_types=parameters.upper("form_type"),
    )


def _filters(parameters: Parameters, *, strict: bool) -> Filters:
    from_date, to_date = parameters.days()
    kinds = kind_filters(parameters, strict=strict)
    return structs.replace(kinds, from_date=from_date, to_date=to_date)
