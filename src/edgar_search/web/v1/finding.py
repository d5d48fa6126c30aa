"""The parameters that say which documents are found, and the criteria that they make."""

from msgspec import structs

from edgar_search.edgar import identifiers
from edgar_search.edgar.identifiers import DOCUMENT_ID
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    DocumentCriteria,
    FilingCriteria,
    Operands,
)
from edgar_search.search.language import EXACT, WORD_FORMS, add_word_forms, parse_query
from edgar_search.search.language.lexer import MAX_QUERY_CHARS
from edgar_search.text.words import tokens
from edgar_search.web.parameters import types
from edgar_search.web.parameters.declaration import Parameter
from edgar_search.web.parameters.filters import (
    DOCUMENT_FILTERS,
    FILING_FILTERS,
    FROM_DATE,
    KIND_FILTERS,
    LONGEST_COMPANY_NAME,
    PERIOD_FILTERS,
    TO_DATE,
)
from edgar_search.web.parameters.reader import Parameters

# Parameters that say what a search finds.
FINDING = (
    Parameter(
        "query",
        "text",
        "the query, in the query language",
        required=True,
        longest=MAX_QUERY_CHARS,
    ),
    *KIND_FILTERS,
    FROM_DATE,
    TO_DATE,
    *FILING_FILTERS,
    *PERIOD_FILTERS,
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
    "the parts of the query that a document must have: with `most`, if fewer than 10 documents"
    " have all words, phrases and groups, those that lack one follow, or more than one if needed",
    default="all",
    choices=("all", "most"),
)
DOCUMENT_ID_PARAMETER = Parameter(
    "document_id",
    "text",
    "the document",
    required=True,
    type=types.DOCUMENT_ID,
    of="document id",
    pattern=identifiers.DOCUMENT_ID,
)
OPERANDS_BY_NAME: dict[str, Operands] = {"all": "all", "most": "most"}


def required_query(parameters: Parameters) -> DocumentCriteria:
    """The same as `document_criteria`; BadRequest if there is no query."""
    if parameters.text("query") is None:
        raise BadRequest("Missing query parameter")
    return document_criteria(parameters)


def document_criteria(parameters: Parameters, *, all_documents: bool = False) -> DocumentCriteria:
    """The criteria that the parameters of `FINDING` give; raises BadRequest."""
    query = parameters.text("query")
    return DocumentCriteria(
        query=None
        if query is None
        else add_word_forms(parse_query(query), parameters.choice("word_forms")),
        filings=_with_periods(filing_criteria(parameters), parameters),
        ids=parameters.values("ids"),
        document_types=parameters.values("document_type"),
        first_only=parameters.flag("primary"),
        all_documents=all_documents,
    )


def _with_periods(criteria: FilingCriteria, parameters: Parameters) -> FilingCriteria:
    first, last = parameters.days("period_from", "period_to")
    years = tuple(map(int, parameters.values("fiscal_year")))
    return structs.replace(criteria, first_period=first, last_period=last, fiscal_years=years)


def filing_criteria(parameters: Parameters) -> FilingCriteria:
    """The criteria that the filters of filings give; raises BadRequest."""
    first_day, last_day = parameters.days()
    return FilingCriteria(
        ciks=parameters.values("cik"),
        tickers=parameters.values("ticker"),
        sics=parameters.values("sic"),
        form_types=parameters.values("form_type"),
        company=_company(parameters),
        root_forms=parameters.values("form_family"),
        states=parameters.values("state"),
        items=parameters.values("item"),
        first_day=first_day,
        last_day=last_day,
    )


def _company(parameters: Parameters) -> str:
    company = parameters.text("company") or ""
    if len(company) > LONGEST_COMPANY_NAME:
        raise BadRequest(
            f"`company` may have at most {LONGEST_COMPANY_NAME} characters, not {len(company)}"
        )
    if company and not tokens(company):
        raise BadRequest("`company` has no word; give words of the company's name")
    return company
