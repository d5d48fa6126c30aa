"""The endpoint of exports and its parameters: those of a search, but for its pages."""

from msgspec import structs

from edgar_search.search.criteria import OFFSETS
from edgar_search.web.declaration import Endpoint, Parameter
from edgar_search.web.media_types import JSON_LINES
from edgar_search.web.v1 import filters
from edgar_search.web.v1.cursors import CURSOR
from edgar_search.web.v1.endpoints import SEARCH

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
