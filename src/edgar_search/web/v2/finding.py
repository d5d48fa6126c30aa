"""Parameters that Version 2 endpoints share, and their readers."""

from typing import Any

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import identifiers
from edgar_search.search.criteria import EntityCriteria, Order, Window

DEFAULT_WINDOW, MAX_WINDOW = 100, 10_000
# Each is a clause of its own, and for a part of a name the engine reads all names.
MAX_ALTERNATIVES = 20
METHODS = ("GET", "POST")
# The sort orders that the search accepts.
ORDERS: tuple[Order, ...] = ("desc", "asc")

CIKS = Parameter(
    "ciks",
    "list",
    "the entity has one of them",
    type=types.CIK,
    of="CIKs, padded or not",
    pattern=identifiers.CIK,
)
# The entity filters that `/v2/filing_lookup` takes at its top level.
LISTED_FILTERS = (
    CIKS,
    Parameter(
        "tickers",
        "list",
        "the entity has one of them now",
        type=types.CAPITALS,
        of="tickers, in any case",
    ),
    Parameter(
        "exchanges",
        "list",
        "as EDGAR names them: NYSE, Nasdaq, OTC, CBOE",
        type=types.CAPITALS,
        most=MAX_ALTERNATIVES,
        of="exchanges, in any case",
    ),
    Parameter(
        "sics",
        "list",
        "the entity's industry",
        type=types.SIC,
        of="codes of up to 4 digits",
        pattern=types.SIC_PATTERN,
    ),
    Parameter(
        "states",
        "list",
        "the entity's state of incorporation",
        type=types.CAPITALS,
        of="EDGAR's codes of two characters",
    ),
)
ENTITY_FILTERS = (
    *LISTED_FILTERS,
    Parameter(
        "index_tickers",
        "list",
        "members of stock indices, by the index's symbol; a 400 if the operator has not supplied"
        " `EDGAR_SEARCH_INDEX_MEMBERS`",
        type=types.CAPITALS,
        of="symbols, in any case",
    ),
    Parameter(
        "entity_types",
        "list",
        "`operating`, `investment`, `other`; known of entities whose submissions JSON was loaded",
        most=MAX_ALTERNATIVES,
        type=types.CAPITALS,
        of="types, in any case",
    ),
    Parameter(
        "name_includes",
        "list",
        "each is part of the current name or of a former one, or all its words are words of one, in"
        " any order, or it is a ticker, a nickname, or a name in joined words or with another legal"
        " form",
        most=MAX_ALTERNATIVES,
        of="parts of a name, in any case",
    ),
    Parameter(
        "name_excludes",
        "list",
        "parts that the current name does not have",
        most=MAX_ALTERNATIVES,
        of="parts of a name, in any case",
    ),
    Parameter(
        "eins",
        "list",
        "employer identification numbers",
        type=types.EIN,
        of="EINs, with or without the dash",
    ),
)
WINDOW = (
    Parameter(
        "from", "integer", "the first row, counted from 0", least=0, most=MAX_WINDOW, default=0
    ),
    Parameter(
        "to",
        "integer",
        "the row after the last",
        least=0,
        most=MAX_WINDOW,
        default=DEFAULT_WINDOW,
    ),
)
ENTITY_QUERY = Parameter(
    "entity_query",
    "object",
    "one entity matches all of them",
    of="any filters of `/v2/entity_lookup`",
    fields=ENTITY_FILTERS,
)
FORM_TYPES = Parameter(
    "form_types",
    "list",
    "`10-K` is not `10-K/A`",
    type=types.CAPITALS,
    of="form types, in any case",
)
DATES = (
    Parameter("date_from", "date", "filed on that day or later"),
    Parameter("date_to", "date", "filed on that day or earlier"),
)
SORT_ORDER = Parameter(
    "sort_order", "choice", "descending or ascending", default="desc", choices=ORDERS
)
DOCUMENT_ID = Parameter(
    "document_id",
    "text",
    "accession number, dash, number",
    required=True,
    type=types.DOCUMENT_ID,
    of="document id",
    pattern=identifiers.DOCUMENT_ID,
)


def data_endpoint(
    path: str,
    summary: str,
    *parameters: Parameter,
    answer: Any,
    media: tuple[str, ...] = (),
    statuses: tuple[int, ...] = (200,),
    rules: tuple[str, ...] = (),
) -> Endpoint:
    """Declare an endpoint whose parameters and key come from the query string and a body."""
    parameters = (API_KEY, *parameters)
    return Endpoint(
        path, summary, parameters, METHODS, "both", "key", answer, media, statuses, rules
    )


def entity_query(fields: Parameters) -> EntityCriteria:
    """Read the entity filters in the object `entity_query`."""
    inner = fields.fields("entity_query")
    return EntityCriteria() if inner is None else entity_filters(inner)


def entity_filters(fields: Parameters) -> EntityCriteria:
    """Read all entity filters."""
    listed = listed_filters(fields)
    return EntityCriteria(
        ciks=listed.ciks,
        tickers=listed.tickers,
        exchanges=listed.exchanges,
        sics=listed.sics,
        states=listed.states,
        index_tickers=fields.values("index_tickers"),
        entity_types=fields.values("entity_types"),
        name_includes=fields.values("name_includes"),
        name_excludes=fields.values("name_excludes"),
        eins=fields.values("eins"),
    )


def listed_filters(fields: Parameters) -> EntityCriteria:
    """Read the entity filters that `/v2/filing_lookup` takes at its top level."""
    return EntityCriteria(
        ciks=ciks(fields),
        tickers=fields.values("tickers"),
        exchanges=fields.values("exchanges"),
        sics=fields.values("sics"),
        states=fields.values("states"),
    )


def ciks(fields: Parameters) -> tuple[str, ...]:
    """Read CIKs of 1 to 10 digits, padded to 10."""
    return fields.values("ciks")


def window(fields: Parameters) -> Window:
    """Read the requested window of rows."""
    start = fields.integer("from")
    end = fields.integer("to")
    if start > end:
        raise fields.refusal("from", f"is {start}, which is more than `to`, {end}")
    return Window(start, end)
