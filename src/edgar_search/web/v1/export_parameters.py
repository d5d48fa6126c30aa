"""The parameters of exports: those of a search, but for its pages."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from edgar_search.errors import BadRequest
from edgar_search.search.criteria import OFFSETS, DocumentSearch, Window
from edgar_search.search.language import query_places
from edgar_search.search.shape import search_places
from edgar_search.web import filters
from edgar_search.web.declaration import Endpoint, Parameter
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.responses import JSON_LINES
from edgar_search.web.v1.cursor import BEGIN, CURSOR
from edgar_search.web.v1.endpoints import MAX_LIMIT, SEARCH
from edgar_search.web.v1.parameters import search_params

FORMATS = ("jsonl", "csv", "parquet")
RECORDS = ("documents", "filings", "matches")
# What is about a page, or about one hit among a few.
_OF_PAGES = ("limit", "offset", "snapshot", "cursor", "snippets", "group_by", "sort", "include")
# All but places in the text: a match has its own.
INCLUDED = tuple(name for name in filters.INCLUDED if name != OFFSETS)

EXPORT = Endpoint(
    "/v1/export",
    "sends everything that matches a search as one file",
    (
        *(each for each in SEARCH.parameters if each.name not in _OF_PAGES),
        Parameter(
            "include",
            "list",
            "more fields of each document: " + ", ".join(f"`{name}`" for name in INCLUDED),
            of="names of fields",
            choices=INCLUDED,
        ),
        Parameter(
            "sort",
            "choice",
            "as of `/v1/search`, and for filings `newest` or `oldest`; where it is absent,"
            " documents come by relevance and filings newest first",
            choices=("relevance", "newest", "oldest"),
        ),
        Parameter(
            "format",
            "choice",
            "a line of JSON for each record, comma-separated values, or Apache Parquet",
            default="jsonl",
            choices=FORMATS,
        ),
        Parameter(
            "what",
            "choice",
            "a record for each document, for each filing with those of its documents that match, or"
            " for each match in each document",
            default="documents",
            choices=RECORDS,
        ),
        Parameter(
            "snippet",
            "flag",
            "true: each document has its `snippet`, which takes much longer",
            default=False,
        ),
        structs.replace(
            CURSOR,
            description="of a control record: goes on after the records before it, and has nothing"
            " beside it but the key",
        ),
    ),
    credential="key",
    media=(JSON_LINES, "text/csv", "application/vnd.apache.parquet"),
)
OWN = ("sort", "format", "what", "snippet", "cursor")
ENDPOINTS = (EXPORT,)


# Rows of a page: what stands in memory at once. With snippets a page takes ten times as long, and
# matches are looked for in one document after the other.
ROWS, ROWS_WITH_SNIPPETS, ROWS_WITH_MATCHES = 1_000, 200, 50


class ExportParams(NamedTuple):
    """What is to be exported, and how it is written."""

    search: DocumentSearch
    format: str
    what: str
    snippets: bool

    @property
    def places(self) -> int:
        """How many of the places for searches a page of it takes."""
        if self.snippets:
            return search_places(self.search)
        return query_places(self.search.criteria.query)


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
    snippets = parameters.flag("snippet")
    if what == "filings" and sort == "relevance":
        raise BadRequest("sort: filings are exported by date; use newest or oldest")
    _refuse_of_documents(parameters, what)
    sort = sort or ("newest" if what == "filings" else "relevance")
    asked = {name: values for name, values in raw.items() if name not in OWN}
    rows = ROWS_WITH_SNIPPETS if snippets else ROWS
    if what == "matches":
        rows = ROWS_WITH_MATCHES
    page = search_params({**asked, "sort": [sort]}, MAX_LIMIT)
    search = structs.replace(page, window=Window(0, rows))
    if what == "filings":
        search = structs.replace(search, sort_by="filing")
    return ExportParams(search, parameters.choice("format"), what, snippets)


def _refuse_of_documents(parameters: Parameters, what: str) -> None:
    """Raise BadRequest for what only a record for each document has."""
    included = parameters.choices("include")
    if what == "documents":
        return
    if parameters.flag("snippet"):
        raise BadRequest("snippet: goes with what=documents")
    if included:
        raise BadRequest("include: goes with what=documents")
    # A document with all operands but one has no match of the whole query; and it comes after all
    # that have them all, also after another one of its filing.
    if parameters.choice("operands") != "all":
        raise BadRequest("operands: most goes with what=documents")
