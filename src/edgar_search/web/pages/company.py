"""GET /company/CIK, and companies by the beginning of a name."""

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.edgar.identifiers import parse_cik
from edgar_search.errors import NotFound
from edgar_search.search.criteria import FilingCriteria, FilingSearch, Window
from edgar_search.search.entities import entities_of
from edgar_search.search.filing_spread import spread_of
from edgar_search.search.filings import look_up_filings
from edgar_search.search.suggestions import suggested_companies
from edgar_search.search.warnings.searches import or_none
from edgar_search.web.credentials import query_parameters
from edgar_search.web.declaration import Parameter
from edgar_search.web.disconnect import while_connected
from edgar_search.web.filing_filters import FROM_DATE, TO_DATE
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.pages.links import address, curl
from edgar_search.web.pages.matrix import matrix
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import HEADERS, rendered
from edgar_search.web.parameters import Parameters
from edgar_search.web.responses import json_response
from edgar_search.web.state import directory_of

PATH = "/company/{cik}"
SUGGESTIONS = "/companies"
SIZE = 50
# As far as Elasticsearch pages without more ado.
_MOST_ROWS = 10_000
_DECLARED = (
    Parameter("form_type", "list", "exactly these form types", of="form types"),
    structs.replace(FROM_DATE, kind="day"),
    structs.replace(TO_DATE, kind="day"),
    Parameter("offset", "integer", "rows to skip", least=0, most=_MOST_ROWS - SIZE, default=0),
)
_BEGINNING = Parameter("name", "text", "the beginning of words of a name, or a ticker", longest=100)


async def company(request: Request, call: PageCall) -> Response:
    """A company or person: its names, and its filings, newest first."""
    cik = parse_cik(request.path_params["cik"])
    if cik is None:
        raise NotFound("a CIK has 1 to 10 digits")
    lists = query_parameters(request, without=())
    parameters = Parameters(lists, _DECLARED)
    forms, offset = parameters.upper("form_type"), parameters.integer("offset")
    first, last = parameters.days()
    criteria = FilingCriteria(ciks=(cik,), form_types=forms, first_day=first, last_day=last)
    directory = await directory_of(request)
    account = call.reader.account
    search = FilingSearch(criteria, Window(offset, offset + SIZE))
    found = await while_connected(request, look_up_filings(directory, search, account))
    entities = await entities_of(directory.engine, [cik], account)
    if not entities and not found.total:
        raise NotFound(f"no company or person here has the CIK {cik}")
    call.result_count = found.total
    spread = await or_none([], spread_of, directory.engine, cik, account)
    here, most = f"/company/{cik}", min(found.total, _MOST_ROWS)
    return rendered(
        "company.html",
        cik=cik,
        entity=entities[0] if entities else None,
        name=(entities[0].name if entities else None) or f"CIK {cik}",
        tickers=directory.table.tickers(cik),
        filings=found.filings,
        total=found.total,
        first=offset,
        forms=forms,
        first_day=first,
        last_day=last,
        matrix=matrix(here, spread),
        here=here,
        newer=address(here, lists, offset=offset - SIZE or None) if offset >= SIZE else None,
        older=address(here, lists, offset=offset + SIZE) if offset + SIZE < most else None,
        api=_call_of(request, criteria),
        milliseconds=call.milliseconds,
        **head(call),
    )


def _call_of(request: Request, criteria: FilingCriteria) -> str:
    """The call of the API that has the filings of the page."""
    asked = address(
        "/v1/lookup",
        cik=",".join(criteria.ciks),
        form_type=",".join(criteria.form_types),
        from_date=criteria.first_day,
        to_date=criteria.last_day,
        limit=SIZE,
    )
    return curl(asked, str(request.base_url)[:-1])


async def suggestions(request: Request, call: PageCall) -> Response:
    """Companies whose names, or former ones, have words that begin so; and those of a ticker."""
    parameters = Parameters(query_parameters(request, without=()), (_BEGINNING,))
    directory = await directory_of(request)
    found = await suggested_companies(
        directory.engine, directory.table, parameters.single("name") or ""
    )
    return json_response({"companies": found}, headers={"Cache-Control": HEADERS["Cache-Control"]})
