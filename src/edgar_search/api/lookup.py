"""GET /v1/lookup: filings by filer, ticker, industry, form type and date."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.cursor import CURSOR, SNAPSHOT, WALK_RULES
from edgar_search.api.operation import Page, WalkedOperation
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.filters import (
    CIK,
    FIGURE_FILTERS,
    FILING_FILTERS,
    FROM_DATE,
    KIND_FILTERS,
    TO_DATE,
    WITH,
    read_filters,
)
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.edgar.identifiers import PADDED_CIK
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    FilingCriteria,
    FilingSearch,
    Window,
)
from edgar_search.search.filings import (
    WITHDRAWN,
    FilingPage,
    ListedFiling,
    listed_slots,
    look_up_and_check,
)
from edgar_search.search.pagination import Start, next_filing_page
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.filings import FilingDocument

MAX_FILINGS = 1000


class ResponseDetails(Struct):
    filings_found: int
    errors: list[str]


class FilerDetails(Struct):
    cik: str
    name: str
    tickers: list[str]


class Document(Struct, gc=False):
    document_id: str
    form_type: str
    description: str
    size: int
    file_name: str


class Filing(Struct):
    """A filing; `withdrawn`, if requested, says since when EDGAR no longer has it."""

    accnum: str
    form_type: str
    filing_date: date
    period: date | None
    tickers: list[str]
    filer_details: FilerDetails
    documents: list[Document]
    withdrawn: str | None | UnsetType = UNSET


class LookupReply(Struct):
    """`next_cursor` is set on a walk by cursor, null at its end."""

    response_details: ResponseDetails
    filings: list[Filing]
    next_cursor: str | None | UnsetType = UNSET

    @property
    def result_count(self) -> int:
        """The number of filings that match."""
        return self.response_details.filings_found


LOOKUP = Endpoint(
    "/v1/lookup",
    "finds filings by filer, ticker, industry, form type and date",
    (
        # The API key has been removed before; it is listed as one of the known parameters.
        API_KEY,
        structs.replace(
            CIK, type=types.PADDED_CIK, of="CIKs of exactly 10 digits", pattern=PADDED_CIK
        ),
        *KIND_FILTERS[1:],
        structs.replace(FROM_DATE, kind="day"),
        structs.replace(TO_DATE, kind="day"),
        *FILING_FILTERS,
        *FIGURE_FILTERS,
        WITH,
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
            "additional fields of each filing: `withdrawn`",
            of="names of fields",
            choices=(WITHDRAWN,),
        ),
        CURSOR,
        SNAPSHOT,
    ),
    credential="key",
    answer=LookupReply,
    rules=(
        "At least one of `cik`, `ticker`, `sic`, `form_type`, `form_family`, `company`, `state`,"
        " `item`, `auditor`, `figures` and `with` is needed; dates alone are a 400.",
        *WALK_RULES,
    ),
)


def lookup_params(raw: Raw) -> FilingSearch:
    """Read the parameters of `/v1/lookup`; raises BadRequest."""
    parameters = Parameters(raw, LOOKUP.declared)
    filters = read_filters(parameters)
    # Dates alone do not make a search.
    if structs.replace(filters, from_date=None, to_date=None) == FilingCriteria():
        raise BadRequest("at least one of cik, ticker, sic, form_type must be given")
    window = Window(0, parameters.integer("limit"))
    return FilingSearch(filters, window, details=parameters.choices("include"))


async def read_lookup(context: Context, raw: Raw) -> FilingSearch:
    """Read the search for filings; raises BadRequest."""
    return lookup_params(raw)


async def find_filings(
    context: Context, search: FilingSearch, start: Start | None = None
) -> Page[LookupReply]:
    """Find the filings that match, newest first.

    Raises SearchesAtOnce if the search would wait too long for its slots.
    """
    await context.weigh(listed_slots(search))
    if start is None:
        page, position = await look_up_and_check(context.search, search), None
    else:
        walked = await next_filing_page(context.pagination, context.search, search, start)
        page, position = walked.checked, walked.place
    table = await context.search.tickers.table()
    return Page(lookup_reply(page.page, table, page.errors, page.withdrawn), position)


FIND_FILINGS = WalkedOperation(LOOKUP, read_lookup, find_filings)


def lookup_reply(
    page: FilingPage,
    table: TickerTable,
    errors: Sequence[str],
    withdrawn: Mapping[str, str] | None = None,
) -> LookupReply:
    """Build the answer, with the current tickers of each filing's entities.

    `withdrawn` are the filings that EDGAR has removed, if requested.
    """
    filings = [_filing(filing, table) for filing in page.filings]
    if withdrawn is not None:
        for each in filings:
            each.withdrawn = withdrawn.get(each.accnum)
    return LookupReply(ResponseDetails(page.total, list(errors)), filings)


def _filing(filing: ListedFiling, table: TickerTable) -> Filing:
    tickers = dict.fromkeys(ticker for cik in filing.ciks for ticker in table.tickers(cik))
    return Filing(
        accnum=filing.accession_number,
        form_type=filing.form_type,
        filing_date=filing.filing_date,
        period=filing.period,
        tickers=list(tickers),
        filer_details=_filer(filing, table),
        documents=list(map(_document, filing.documents)),
    )


def _document(stored: FilingDocument) -> Document:
    # Positional arguments are faster, and a lookup may list thousands of documents.
    return Document(
        stored.document_id, stored.form_type, stored.description, stored.size, stored.file_name
    )


def _filer(filing: ListedFiling, table: TickerTable) -> FilerDetails:
    if not filing.entities:
        return FilerDetails("", "", [])
    primary = filing.entities[filing.primary]
    return FilerDetails(primary.cik, primary.name, table.tickers(primary.cik))
