"""POST /search/export: everything that a search page finds, as one file."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.search.documents import DocumentPage
from edgar_search.web.pages.asked import as_asked
from edgar_search.web.pages.browser import form_of
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.pages.links import Lists
from edgar_search.web.pages.templates import HEADERS
from edgar_search.web.v1.export.endpoints import EXPORT as CALL
from edgar_search.web.v1.export.endpoints import FORMATS
from edgar_search.web.v1.export.parquet import has_parquet
from edgar_search.web.v1.export.routes import exported
from edgar_search.web.v1.export.stream import calls_for

EXPORT = "/search/export"
_KNOWN = {spelling for each in CALL.parameters for spelling in each.all_spellings}
# A page goes on with no export, asks for no key, and shows what it shows.
_LEFT_OUT = {"cursor", "api_key", "include"}


async def export(request: Request, call: PageCall) -> Response:
    """The file, as `/v1/export` sends it, but that its CSV is for a spreadsheet."""
    form = await form_of(request)
    asked = {name: list(values) for name, values in as_asked(form).items()}
    call.asked = {name: values for name, values in asked.items() if name not in _LEFT_OUT}
    response = await exported(request, call, asked, for_spreadsheet=True)
    response.headers["Cache-Control"] = HEADERS["Cache-Control"]
    return response


def export_form(lists: Lists, page: DocumentPage) -> dict[str, Any]:
    """What the form for an export of a search has: its fields, formats, and what it counts as.

    Of filings it is not known how many documents they have.
    """
    fields = [
        (name, value)
        for name, values in lists.items()
        if name in _KNOWN - _LEFT_OUT
        for value in values
        if value.strip()
    ]
    formats = [each for each in FORMATS if each != "parquet" or has_parquet()]
    calls = calls_for(page.total) if page.groups is None else None
    return {"place": EXPORT, "fields": fields, "formats": formats, "calls": calls}
