"""POST /search/export, and the buttons of lists that lead there."""

from collections.abc import Mapping
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.export import EXPORT as CALL
from edgar_search.api.export import OF_SCREEN, ROWS_OF, records_of
from edgar_search.api.files.records import MOST_IN_A_WORKBOOK
from edgar_search.search.results import DocumentPage
from edgar_search.web.exports import calls_for, start_export
from edgar_search.web.pages.browser import PageCall, form_of
from edgar_search.web.pages.links import Lists, as_asked
from edgar_search.web.pages.templates import HEADERS

EXPORT = "/search/export"
# Parquet is for programs, which use the API.
_WORDS = {"csv": "CSV", "xlsx": "Excel", "jsonl": "JSON"}
# A page cannot resume an export, needs no key, and chooses its own fields.
_LEFT_OUT = {"cursor", "api_key", "include"}
_KNOWN = {
    spelling for parameter in CALL.parameters for spelling in parameter.all_spellings
} - _LEFT_OUT
_OF_DOCUMENTS = {
    "snippet": "true",
    "include": "document_type,description,period,eight_k_items,section,edgar_url",
}
_OF_MATCHES = {"what": "matches"}


class Exporting(NamedTuple):
    """The form that exports a list: its fields, its formats with labels, and its price in calls.

    `calls` is None for hits that are filings: their number of documents is unknown.
    """

    fields: list[tuple[str, str]]
    formats: list[tuple[str, str]]
    calls: int | None = None
    place: str = EXPORT


async def export(request: Request, call: PageCall) -> Response:
    """Return the file that `/v1/export` sends, except that its tables are for a spreadsheet."""
    form = form_of(call.raw.body)
    given = form if records_of(form) in (OF_SCREEN, *ROWS_OF) else as_asked(form)
    asked = {name: list(values) for name, values in given.items()}
    call.kept = {name: values for name, values in asked.items() if name not in _LEFT_OUT}
    response = await start_export(request, call, asked, for_spreadsheet=True)
    response.headers["Cache-Control"] = HEADERS["Cache-Control"]
    return response


def documents_export(lists: Lists, page: DocumentPage) -> Exporting:
    """Offer to export the documents that a search finds."""
    return _of_search(lists, page, _OF_DOCUMENTS)


def matches_export(lists: Lists, page: DocumentPage) -> Exporting:
    """Offer to export the matches in the documents that a search finds."""
    return _of_search(lists, page, _OF_MATCHES)


def _of_search(lists: Lists, page: DocumentPage, more: Mapping[str, str]) -> Exporting:
    calls = calls_for(page.total) if page.groups is None else None
    return Exporting(_fields(lists, more), _formats(page.total), calls)


def _fields(lists: Lists, more: Mapping[str, str]) -> list[tuple[str, str]]:
    fields = [
        (name, value)
        for name, values in lists.items()
        if name in _KNOWN - more.keys()
        for value in values
        if value.strip()
    ]
    return [*fields, *more.items()]


def screen_export(lists: Lists, total: int) -> Exporting:
    """Return the export of the `total` rows of a screen."""
    return Exporting(_fields(lists, {"what": OF_SCREEN}), _formats(total), calls_for(total))


def rows_export(total: int, **asked: str) -> Exporting:
    """Offer to export `total` records; `asked` are parameters of `/v1/export`."""
    return Exporting(list(asked.items()), _formats(total), calls_for(total))


def filings_export(total: int, **asked: object) -> Exporting:
    """Offer to export the filings that filters find, by their main documents."""
    parameters = {name: str(value) for name, value in asked.items() if value}
    return rows_export(total, **parameters, **_OF_DOCUMENTS)


def _formats(records: int) -> list[tuple[str, str]]:
    """Return the formats available for this number of records, with their labels."""
    return [
        (form, words)
        for form, words in _WORDS.items()
        if form != "xlsx" or records <= MOST_IN_A_WORKBOOK
    ]
