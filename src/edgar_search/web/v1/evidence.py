"""The endpoints on one document's text: its matches, and parts of it."""

import re

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.document.matches import MatchPage, ShownMatch, match_page
from edgar_search.document.sections import Piece, piece_of, read_piece, section_name
from edgar_search.document.text import MOST_CHARS, of_one_load
from edgar_search.edgar import identifiers
from edgar_search.edgar.identifiers import is_document_id
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import Operands, Window
from edgar_search.search.language import Node, formed, query_places, read
from edgar_search.web.calls import V1Call, v1_endpoint, while_connected
from edgar_search.web.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.responses import JSON, PLAIN, is_known, json_response, preferred
from edgar_search.web.service import service
from edgar_search.web.v1.endpoints import SEARCH
from edgar_search.web.v1.parameters import OPERANDS_BY_NAME


class MatchItem(Struct):
    """A place in the text, what stands there, before it and after it."""

    start: int
    end: int
    text: str
    before: str
    after: str
    section: str | None


class MatchesReply(Struct):
    document_id: str
    total_count: int
    items: list[MatchItem]
    text_sha256: str
    text_length: int


class TextReply(Struct):
    """`section` is there where one was asked for."""

    document_id: str
    start: int
    end: int
    text: str
    next_start: int | None
    text_sha256: str
    text_length: int
    section: str | UnsetType = UNSET


def matches_reply(page: MatchPage) -> MatchesReply:
    """A page of a document's matches."""
    text = page.text
    items = list(map(_item, page.items))
    return MatchesReply(text.document_id, page.total, items, text.sha256, text.length)


def text_reply(piece: Piece, text: str) -> TextReply:
    """A part of a text."""
    whole = piece.text
    return TextReply(
        document_id=whole.document_id,
        start=piece.start,
        end=piece.end,
        text=text,
        next_start=piece.next_start,
        text_sha256=whole.sha256,
        text_length=whole.length,
        section=UNSET if piece.section is None else section_name(piece.section),
    )


def text_headers(piece: Piece) -> dict[str, str]:
    """What the JSON says beside the text, for an answer that is the text alone."""
    following = {} if piece.next_start is None else {"X-Next-Start": str(piece.next_start)}
    return {
        "X-Text-Start": str(piece.start),
        "X-Text-End": str(piece.end),
        "X-Text-Length": str(piece.text.length),
        "X-Text-SHA256": piece.text.sha256,
        **following,
    }


def _item(match: ShownMatch) -> MatchItem:
    name = None if match.section is None else section_name(match.section)
    return MatchItem(match.start, match.end, match.text, match.before, match.after, name)


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


_SHA256 = re.compile("[0-9a-f]{64}")


class MatchesParams(Struct, frozen=True):
    """Which matches of which document are asked for."""

    document_id: str
    query: Node
    window: Window
    operands: Operands


class TextParams(Struct, frozen=True):
    """Which part of which text is asked for; None and "" where nothing was said."""

    document_id: str
    start: int | None
    length: int
    section: str
    text_sha256: str


def matches_params(raw: Raw) -> MatchesParams:
    """The parameters of `/v1/matches`; BadRequest names what is wrong."""
    parameters = Parameters(raw, MATCHES.parameters)
    document_id = _document_id(parameters)
    query = parameters.single("query")
    if query is None:
        raise BadRequest("Missing query parameter")
    offset = parameters.integer("offset")
    return MatchesParams(
        document_id,
        formed(read(query), parameters.choice("word_forms")),
        Window(offset, offset + parameters.integer("limit")),
        OPERANDS_BY_NAME[parameters.choice("operands")],
    )


def text_params(raw: Raw) -> TextParams:
    """The parameters of `/v1/text`; BadRequest names what is wrong."""
    parameters = Parameters(raw, TEXT.parameters)
    given = parameters.single("start") is not None
    return TextParams(
        _document_id(parameters),
        parameters.integer("start") if given else None,
        parameters.integer("length"),
        (parameters.single("section") or "").strip(),
        _sha256(parameters),
    )


def _document_id(parameters: Parameters) -> str:
    text = parameters.single("document_id")
    if text is None:
        raise BadRequest("document_id: is missing")
    if not is_document_id(text.strip()):
        raise BadRequest(
            "document_id: no document id; it is an accession number, a dash and a number"
        )
    return text.strip()


def _sha256(parameters: Parameters) -> str:
    text = (parameters.single("text_sha256") or "").strip().lower()
    if text and not _SHA256.fullmatch(text):
        raise BadRequest("text_sha256: no SHA-256; it has 64 hexadecimal digits")
    return text


# A text with this hash never becomes another; one asked for without may at any time.
_FOR_EVER, _ASK_AGAIN = "private, max-age=31536000, immutable", "private, no-cache"


async def matches(request: Request, call: V1Call) -> Response:
    """GET /v1/matches"""
    params = matches_params(call.raw)
    await call.share.weigh(query_places(params.query))
    work = match_page(
        service(request).engine,
        params.document_id,
        params.query,
        params.window,
        call.account,
        params.operands,
    )
    page = await while_connected(request, work)
    call.result_count = page.total
    return json_response(matches_reply(page))


async def text(request: Request, call: V1Call) -> Response:
    """GET /v1/text"""
    params = text_params(call.raw)
    engine, account = service(request).engine, call.account

    async def work() -> Response:
        piece = await piece_of(
            engine,
            params.document_id,
            start=params.start,
            length=params.length,
            section=params.section,
            sha256=params.text_sha256,
            account=account,
        )
        form = preferred(request.headers.get("accept", ""), (JSON, PLAIN))
        headers = _validators(piece, form, params)
        if is_known(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        content = await read_piece(engine, piece, account)
        if form == JSON:
            return json_response(text_reply(piece, content), headers=headers)
        return Response(content, headers=headers | text_headers(piece), media_type=PLAIN)

    response = await while_connected(request, of_one_load(engine, work))
    call.result_count = 1
    return response


def _validators(piece: Piece, form: str, params: TextParams) -> dict[str, str]:
    """Headers by which a client keeps an answer, and asks again for what it has."""
    form_of = {JSON: "json", PLAIN: "text"}[form]
    parts = (piece.text.sha256, piece.start, piece.end, piece.next_start or "last", form_of)
    version = "-".join(map(str, parts))
    # Where a section lies may be found better by a later version, in the same text.
    stays = params.text_sha256 and not params.section
    return {
        "ETag": f'"{version}"',
        "Cache-Control": _FOR_EVER if stays else _ASK_AGAIN,
        "Vary": "Accept",
    }


routes = [
    Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
    for endpoint, handler in ((MATCHES, matches), (TEXT, text))
]
