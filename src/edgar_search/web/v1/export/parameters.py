"""The parameters of exports, as frozen values."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from edgar_search.errors import BadRequest
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.v1.cursors import BEGIN
from edgar_search.web.v1.endpoints import MAX_LIMIT
from edgar_search.web.v1.export.endpoints import EXPORT, OWN
from edgar_search.web.v1.parameters import search_params

# Rows of a page: what stands in memory at once. With snippets a page takes ten times as long.
ROWS, ROWS_WITH_SNIPPETS = 1_000, 200


class ExportParams(NamedTuple):
    """What is to be exported, and how it is written."""

    search: DocumentSearch
    format: str
    what: str
    snippets: bool


def export_cursor(raw: Raw) -> str | None:
    """The cursor that an export goes on from; None at the beginning.

    BadRequest for an unknown parameter, and for one beside a cursor.
    """
    text = Parameters(raw, EXPORT.parameters).single("cursor")
    if text is None or text.strip() == BEGIN:
        return None
    others = [name for name in raw if name != "cursor" and any(map(str.strip, raw[name]))]
    if others:
        raise BadRequest(
            f"{', '.join(others)}: a cursor keeps the query that it began with; beside it may stand"
            " only the key"
        )
    return text.strip()


def export_params(raw: Mapping[str, Sequence[str]]) -> ExportParams:
    """The parameters of `/v1/export` but for the cursor; BadRequest names what is wrong."""
    parameters = Parameters(raw, EXPORT.parameters)
    what = parameters.choice("what")
    sort = parameters.choice("sort") if parameters.single("sort") else ""
    snippets = parameters.integer("snippets") > 0
    if what == "filings" and sort == "relevance":
        raise BadRequest("sort: filings are exported by date; use newest or oldest")
    if what == "filings" and snippets:
        raise BadRequest("snippets: goes with what=documents")
    sort = sort or ("relevance" if what == "documents" else "newest")
    asked = {name: values for name, values in raw.items() if name not in OWN}
    rows = ROWS_WITH_SNIPPETS if snippets else ROWS
    page = search_params({**asked, "sort": [sort]}, MAX_LIMIT)
    search = structs.replace(page, window=Window(0, rows))
    if what == "filings":
        search = structs.replace(search, sort_by="filing")
    return ExportParams(search, parameters.choice("format"), what, snippets)
