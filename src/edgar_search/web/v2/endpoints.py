"""The endpoints of Version 2 and their parameters."""

from typing import Any

from edgar_search.edgar import identifiers
from edgar_search.search.language import WORD_FORMS
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.web.operations import Health
from edgar_search.web.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.parameters.types import SIC_PATTERN
from edgar_search.web.v2.document_answers import DocumentReply, SectionsReply
from edgar_search.web.v2.entity_answers import EntitiesReply
from edgar_search.web.v2.filing_answers import FilingReply, FilingsReply, Item
from edgar_search.web.v2.search import QUERY_TYPES, SearchReply

DEFAULT_WINDOW, MAX_WINDOW = 100, 10_000
# Each is a clause of its own, and for a part of a name the engine reads all names.
MAX_ALTERNATIVES = 20
MAX_NUMBERS = 100
# Each is a clause of its own.
MAX_PREFIXES = 100

METHODS = ("GET", "POST")
FILING_SORTS = (
    "filing_date",
    "acceptance_date_time",
    "report_date",
    "form",
    "size",
    "entity_name",
)
REPORT_FORMS = ("10-K", "10-Q")
DOCUMENT_SORTS = ("filing_date", "_score")
ORDERS = ("desc", "asc")
OUTPUT_FORMATS = ("raw", "json")

_CIKS = Parameter(
    "ciks", "list", "the entity has one of them", of="CIKs, padded or not", pattern=identifiers.CIK
)
# The entity filters that `/v2/filing_lookup` has at its top level.
_LISTED = (
    _CIKS,
    Parameter("tickers", "list", "the entity has one of them now", of="tickers, in any case"),
    Parameter(
        "exchanges",
        "list",
        "as EDGAR names them: NYSE, Nasdaq, OTC, CBOE",
        most=MAX_ALTERNATIVES,
        of="exchanges, in any case",
    ),
    Parameter(
        "sics", "list", "the entity's industry", of="codes of up to 4 digits", pattern=SIC_PATTERN
    ),
    Parameter(
        "states",
        "list",
        "the entity's state of incorporation",
        of="EDGAR's codes of two characters",
    ),
)
ENTITY_FILTERS = (
    *_LISTED,
    Parameter(
        "index_tickers",
        "list",
        "members of stock indices, by the index's symbol; only where the operator has supplied"
        " `EDGAR_SEARCH_INDEX_MEMBERS`, else a 400",
        of="symbols, in any case",
    ),
    Parameter(
        "entity_types",
        "list",
        "`operating`, `investment`, `other`; known of entities whose submissions JSON was loaded",
        most=MAX_ALTERNATIVES,
        of="types, in any case",
    ),
    Parameter(
        "name_includes",
        "list",
        "each is part of the current name or of a former one, or all its words are words of one, in"
        " any order",
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
        "eins", "list", "employer identification numbers", of="EINs, with or without the dash"
    ),
)
_WINDOW = (
    Parameter(
        "from", "integer", "the first row, counted from 0", least=0, most=MAX_WINDOW, default=0
    ),
    Parameter(
        "to",
        "integer",
        "the row behind the last",
        least=0,
        most=MAX_WINDOW,
        default=DEFAULT_WINDOW,
    ),
)
_ENTITY_QUERY = Parameter(
    "entity_query",
    "object",
    "one entity matches all of them",
    of="any filters of `/v2/entity_lookup`",
    fields=ENTITY_FILTERS,
)
_FORM_TYPES = Parameter(
    "form_types", "list", "`10-K` is not `10-K/A`", of="form types, in any case"
)
_DATES = (
    Parameter("date_from", "date", "filed on that day or later"),
    Parameter("date_to", "date", "filed on that day or earlier"),
)
_SORT_ORDER = Parameter(
    "sort_order", "choice", "descending or ascending", default="desc", choices=ORDERS
)
_DOCUMENT_ID = Parameter(
    "document_id",
    "text",
    "accession number, dash, number",
    required=True,
    of="document id",
    pattern=identifiers.DOCUMENT_ID,
)


def _data(
    path: str,
    summary: str,
    *parameters: Parameter,
    answer: Any,
    media: tuple[str, ...] = (),
    statuses: tuple[int, ...] = (200,),
) -> Endpoint:
    parameters = (API_KEY, *parameters)
    return Endpoint(path, summary, parameters, METHODS, "both", "key", answer, media, statuses)


ENTITY_LOOKUP = _data(
    "/v2/entity_lookup",
    "finds companies and persons",
    *ENTITY_FILTERS,
    *_WINDOW,
    answer=EntitiesReply,
)
FILING_LOOKUP = _data(
    "/v2/filing_lookup",
    "finds filings, also by entity filters and 8-K items",
    *_LISTED,
    _ENTITY_QUERY,
    _FORM_TYPES,
    Parameter("excluded_form_types", "list", "none of these", of="form types, in any case"),
    *_DATES,
    Parameter("items", "list", "`1.01`, before August 2004 `5`", of="items of current reports"),
    Parameter(
        "exclude_amendments", "flag", "true leaves out forms that end in `/A`", default=False
    ),
    Parameter(
        "sort_by",
        "choice",
        "what has no value comes last; ties are in the order of accession numbers",
        default="filing_date",
        choices=FILING_SORTS,
    ),
    _SORT_ORDER,
    *_WINDOW,
    answer=FilingsReply,
)
FILING_INFO = _data(
    "/v2/filing_info",
    "one filing with all that belongs to it",
    Parameter(
        "accession_number",
        "text",
        "the filing",
        required=True,
        of="accession number, with or without dashes",
        pattern=identifiers.WITH_OR_WITHOUT_DASHES,
    ),
    answer=FilingReply,
)
FULLTEXT_SEARCH = _data(
    "/v2/fulltext_search",
    "searches the text of documents",
    Parameter("query", "text", "what is searched for", required=True, longest=MAX_QUERY_CHARS),
    Parameter(
        "query_type", "choice", "how the query is read", default="match", choices=QUERY_TYPES
    ),
    Parameter(
        "word_forms",
        "choice",
        "`all`: words in small letters also find their inflections,"
        " see [Forms of a word](query-language.md#forms-of-a-word);"
        " the default is `all` for `match`, else `exact`",
        choices=WORD_FORMS,
    ),
    _ENTITY_QUERY,
    _CIKS,
    _FORM_TYPES,
    Parameter(
        "accession_numbers",
        "list",
        f"whole numbers, or beginnings of some (at most {MAX_PREFIXES} beginnings)",
        of="accession numbers",
    ),
    *_DATES,
    Parameter(
        "sort_by",
        "choice",
        "`_score` is the best match first",
        default="filing_date",
        choices=DOCUMENT_SORTS,
    ),
    _SORT_ORDER,
    *_WINDOW,
    answer=SearchReply,
)
DOCUMENT = _data(
    "/v2/document",
    "a document as filed",
    _DOCUMENT_ID,
    Parameter(
        "output_format",
        "choice",
        "`raw`: the bytes. `json`: an object with `data`",
        default="raw",
        choices=OUTPUT_FORMATS,
    ),
    Parameter(
        "convert_xml_to_json",
        "flag",
        "true, with `json`: XML becomes an object; what is no well-formed XML stays text",
        default=False,
    ),
    answer=DocumentReply,
    media=("*/*",),
    statuses=(200, 304),
)
EIGHT_K_ITEMS = _data(
    "/v2/8k_items",
    "items of current reports",
    Parameter(
        "accession_numbers",
        "list",
        "the filings",
        required=True,
        most=MAX_NUMBERS,
        of="accession numbers, with or without dashes",
        pattern=identifiers.WITH_OR_WITHOUT_DASHES,
    ),
    answer=dict[str, list[Item]],
)
FILING_SECTIONS = _data(
    "/v2/filing_sections",
    "items of annual and quarterly reports, with content",
    _DOCUMENT_ID,
    Parameter("form_type", "choice", "the filing's form", default="10-K", choices=REPORT_FORMS),
    answer=SectionsReply,
)
HEALTH = Endpoint("/v2/health", "as `/health/ready`", methods=METHODS, answer=Health)
ENDPOINTS = (
    ENTITY_LOOKUP,
    FILING_LOOKUP,
    FILING_INFO,
    FULLTEXT_SEARCH,
    DOCUMENT,
    EIGHT_K_ITEMS,
    FILING_SECTIONS,
    HEALTH,
)
