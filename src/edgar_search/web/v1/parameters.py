"""The parameters of the v1 endpoints, as frozen values."""

from datetime import date

from msgspec import Struct, structs

from edgar_search.errors import BadRequest
from edgar_search.search.language import Node, parse
from edgar_search.web.parameters import Parameters, Raw

MAX_FILINGS = 1000
DEFAULT_LIMIT, MAX_LIMIT = 20, 100

# The filters that say what a filing is, with their other spellings.
KIND_FILTERS: dict[str, tuple[str, ...]] = {
    "cik": ("ciks",),
    "ticker": ("tickers",),
    "sic": ("sics",),
    "form_type": ("form_types", "formType"),
}
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
    parameters = Parameters(raw, _LOOKUP_NAMES)
    filters = _filters(parameters, strict=True)
    if not (filters.ciks or filters.tickers or filters.sics or filters.form_types):
        raise BadRequest("at least one of cik, ticker, sic, form_type must be given")
    return LookupParams(filters, parameters.integer("limit", MAX_FILINGS, 1, MAX_FILINGS))


def search_params(raw: Raw, max_window: int) -> SearchParams:
    """The parameters of `/v1/search`; BadRequest names what is wrong.

    `max_window` is how far pages go: the highest `offset + limit`.
    """
    parameters = Parameters(raw, _SEARCH_NAMES)
    query = parameters.single("query")
    if query is None:
        raise BadRequest("Missing query parameter")
    params = SearchParams(
        query=parse(query),
        filters=_filters(parameters, strict=False),
        ids=parameters.items("ids"),
        limit=parameters.integer("limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
        offset=parameters.integer("offset", 0, 0),
    )
    if params.offset + params.limit > max_window:
        raise BadRequest(f"offset: offset + limit goes up to {max_window}; narrow the search")
    return params


def kind_filters(parameters: Parameters, *, strict: bool = False) -> Filters:
    """The filters of `KIND_FILTERS`; `strict` takes CIKs of 10 digits only."""
    return Filters(
        ciks=parameters.ciks("cik", padded=strict),
        tickers=parameters.upper("ticker"),
        sics=parameters.sics("sic"),
        form_types=parameters.upper("form_type"),
    )


def _filters(parameters: Parameters, *, strict: bool) -> Filters:
    from_date, to_date = parameters.days(times=not strict)
    kinds = kind_filters(parameters, strict=strict)
    return structs.replace(kinds, from_date=from_date, to_date=to_date)
