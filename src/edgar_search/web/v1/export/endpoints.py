"""The endpoint of exports and its parameters: those of a search, but for its pages."""

from msgspec import structs

from edgar_search.web.declaration import Endpoint, Parameter
from edgar_search.web.v1.cursors import CURSOR
from edgar_search.web.v1.endpoints import SEARCH

FORMATS = ("jsonl", "csv", "parquet")
RECORDS = ("documents", "filings")
# What is about a page, or about one hit among a few.
_OF_PAGES = ("limit", "offset", "snapshot", "cursor", "snippets", "group_by", "sort")

EXPORT = Endpoint(
    "/v1/export",
    "sends everything that matches a search as one file",
    (
        *(each for each in SEARCH.parameters if each.name not in _OF_PAGES),
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
            "a record for each document, or for each filing with those of its documents that match",
            default="documents",
            choices=RECORDS,
        ),
        Parameter(
            "snippets",
            "integer",
            "1: each document has its snippet; 0 is much faster",
            least=0,
            most=1,
            default=0,
        ),
        structs.replace(
            CURSOR,
            description="of a control record: goes on after the records before it, and has nothing"
            " beside it but the key",
        ),
    ),
    credential="key",
)
OWN = ("sort", "format", "what", "snippets", "cursor")
ENDPOINTS = (EXPORT,)
