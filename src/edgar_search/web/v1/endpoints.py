"""The endpoints of Version 1 and their parameters."""

from msgspec import structs

from edgar_search.edgar.identifiers import DOCUMENT_ID, PADDED_CIK
from edgar_search.search.coverage import MAX_DAYS
from edgar_search.search.filings import WITHDRAWN
from edgar_search.search.language import EXACT, WORD_FORMS
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.web.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.filters import (
    CIK,
    DOCUMENT_FILTERS,
    FILING_FILTERS,
    FORM_TYPE,
    FROM_DATE,
    GROUP_BY,
    INCLUDE,
    KIND_FILTERS,
    SNIPPETS,
    SORT,
    TO_DATE,
)
from edgar_search.web.v1.answers import CoverageReply, LookupReply, SearchReply
from edgar_search.web.v1.cursor import CURSOR, SNAPSHOT, WALK_RULES

MAX_FILINGS = 1000
DEFAULT_LIMIT, MAX_LIMIT = 20, 100
DEFAULT_DAYS = 30

LOOKUP = Endpoint(
    "/v1/lookup",
    "finds filings by filer, ticker, industry, form type and date",
    (
        # The key is taken out before; it is here to be listed among the known ones.
        API_KEY,
        structs.replace(CIK, of="CIKs of exactly 10 digits", pattern=PADDED_CIK),
        *KIND_FILTERS[1:],
        structs.replace(FROM_DATE, kind="day"),
        structs.replace(TO_DATE, kind="day"),
        *FILING_FILTERS,
        Parameter(
            "limit",
            "integer",
            "filings in the answer at most",
            least=1,
            most=MAX_FILINGS,
            default=MAX_FILINGS,
        ),
        Parameter(
            "include",
            "list",
            "more fields of each filing: `withdrawn`",
            of="names of fields",
            choices=(WITHDRAWN,),
        ),
        CURSOR,
        SNAPSHOT,
    ),
    credential="key",
    answer=LookupReply,
    rules=(
        "At least one of `cik`, `ticker`, `sic`, `form_type`, `form_family`, `company`, `state` and"
        " `item` is needed; dates alone are a 400.",
        *WALK_RULES,
    ),
)
# What a search finds.
FINDING = (
    Parameter(
        "query",
        "text",
        "what is searched for, in the query language",
        required=True,
        longest=MAX_QUERY_CHARS,
    ),
    *KIND_FILTERS,
    FROM_DATE,
    TO_DATE,
    *FILING_FILTERS,
    *DOCUMENT_FILTERS,
    Parameter(
        "word_forms",
        "choice",
        "`all`: words in small letters also find their inflections,"
        " see [Forms of a word](query-language.md#forms-of-a-word)",
        default=EXACT,
        choices=WORD_FORMS,
    ),
    Parameter(
        "ids",
        "list",
        "only these documents",
        ("document_ids",),
        of="document ids",
        pattern=DOCUMENT_ID,
    ),
)
OPERANDS = Parameter(
    "operands",
    "choice",
    "what of the query a document must have: with `most` those with all words, phrases and"
    " groups but one follow, where fewer than 10 have all of at least three",
    default="all",
    choices=("all", "most"),
)
SEARCH = Endpoint(
    "/v1/search",
    "searches the text of documents",
    (
        API_KEY,
        *FINDING,
        Parameter(
            "limit",
            "integer",
            "items in the answer at most",
            least=1,
            most=MAX_LIMIT,
            default=DEFAULT_LIMIT,
        ),
        Parameter("offset", "integer", "items to skip", least=0, default=0),
        SORT,
        INCLUDE,
        SNIPPETS,
        OPERANDS,
        GROUP_BY,
        CURSOR,
        SNAPSHOT,
    ),
    credential="key",
    answer=SearchReply,
    rules=WALK_RULES,
)
COVERAGE = Endpoint(
    "/v1/coverage",
    "says how complete and how fresh the filings are",
    (
        API_KEY,
        structs.replace(
            FROM_DATE,
            description="filed on that day or later; where it is absent,"
            f" {DEFAULT_DAYS - 1} days before `to_date`",
        ),
        structs.replace(
            TO_DATE,
            description="filed on that day or earlier; where it is absent, today (UTC);"
            f" not more than {MAX_DAYS} days in all",
        ),
        FORM_TYPE,
    ),
    credential="key",
    answer=CoverageReply,
    rules=(
        f"`from_date` to `to_date` are at most {MAX_DAYS} days, both counted; more is a 400."
        f" Without dates they are the last {DEFAULT_DAYS} days.",
    ),
)
ENDPOINTS = (LOOKUP, SEARCH, COVERAGE)
