"""The endpoints on one document's text, and their parameters."""

from msgspec import structs

from edgar_search.edgar import identifiers
from edgar_search.search.texts.passages import MOST_CHARS
from edgar_search.web.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.media_types import PLAIN
from edgar_search.web.v1.endpoints import SEARCH
from edgar_search.web.v1.evidence.answers import MatchesReply, TextReply

DEFAULT_MATCHES, MAX_MATCHES = 100, 1_000
_OF_SEARCH = {parameter.name: parameter for parameter in SEARCH.parameters}
_DOCUMENT_ID = Parameter(
    "document_id",
    "text",
    "the document",
    required=True,
    of="document id",
    pattern=identifiers.DOCUMENT_ID,
)

MATCHES = Endpoint(
    "/v1/matches",
    "gives every match of a query in one document, with its place",
    (
        API_KEY,
        _DOCUMENT_ID,
        _OF_SEARCH["query"],
        _OF_SEARCH["word_forms"],
        structs.replace(
            _OF_SEARCH["operands"],
            description="as of a search: with `most` there are matches too in a document that lacks"
            " one of at least three words, phrases and groups",
        ),
        Parameter(
            "limit",
            "integer",
            "items in the answer at most",
            least=1,
            most=MAX_MATCHES,
            default=DEFAULT_MATCHES,
        ),
        _OF_SEARCH["offset"],
    ),
    credential="key",
    answer=MatchesReply,
)
TEXT = Endpoint(
    "/v1/text",
    "gives the text of a document, or a part of it",
    (
        API_KEY,
        _DOCUMENT_ID,
        Parameter(
            "start",
            "integer",
            "where the part begins, in code points of the text; with `section` within it, and where"
            " it is absent at the section's beginning",
            least=0,
            default=0,
        ),
        Parameter(
            "length",
            "integer",
            "code points in the answer at most",
            least=1,
            most=MOST_CHARS,
            default=MOST_CHARS,
        ),
        Parameter(
            "section",
            "text",
            "only this section of a report: `10-K item 1A`, as `/v1/matches` names it, or `item1a`,"
            " in any case",
            of="name of a section",
        ),
        Parameter(
            "text_sha256",
            "text",
            "the text that is meant, by its hash; where the document has another one now, the"
            " answer is a 410",
            of="SHA-256, 64 hexadecimal digits",
            pattern="[0-9a-fA-F]{64}",
        ),
    ),
    credential="key",
    answer=TextReply,
    media=(PLAIN,),
    statuses=(200, 304),
)
ENDPOINTS = (MATCHES, TEXT)
