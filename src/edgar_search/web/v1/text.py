"""GET /v1/text: the text of a document, or a part of it."""

from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.document.sections import Piece, piece_of, read_piece, section_name
from edgar_search.document.text import MOST_CHARS, retry_if_reloaded
from edgar_search.web.calls import V1Call, while_connected
from edgar_search.web.parameters import types
from edgar_search.web.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.parameters.reader import Parameters, Raw
from edgar_search.web.responses import JSON, PLAIN, is_known, json_response, preferred
from edgar_search.web.service import service
from edgar_search.web.v1.finding import DOCUMENT_ID_PARAMETER

# A text with this hash never becomes another; one asked for without may at any time.
_FOR_EVER, _ASK_AGAIN = "private, max-age=31536000, immutable", "private, no-cache"


class TextReply(Struct):
    """`section` is there if one was asked for."""

    document_id: str
    start: int
    end: int
    text: str
    next_start: int | None
    text_sha256: str
    text_length: int
    section: str | UnsetType = UNSET


TEXT = Endpoint(
    "/v1/text",
    "gives the text of a document, or a part of it",
    (
        API_KEY,
        DOCUMENT_ID_PARAMETER,
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
            type=types.SHA256,
            of="SHA-256, 64 hexadecimal digits",
            pattern="[0-9a-fA-F]{64}",
        ),
    ),
    credential="key",
    answer=TextReply,
    media=(PLAIN,),
    statuses=(200, 304),
)


class TextParams(Struct, frozen=True):
    """The part of a text that is asked for; None and "" for what was not given."""

    document_id: str
    start: int | None
    length: int
    section: str
    text_sha256: str


def text_params(raw: Raw) -> TextParams:
    """The parameters of `/v1/text`; BadRequest names what is wrong."""
    parameters = Parameters(raw, TEXT.declared)
    given = parameters.text("start") is not None
    return TextParams(
        parameters.required_value("document_id"),
        parameters.integer("start") if given else None,
        parameters.integer("length"),
        (parameters.text("section") or "").strip(),
        parameters.value("text_sha256") or "",
    )


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

    response = await while_connected(request, retry_if_reloaded(engine, work))
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
    """The JSON's fields beside the text as headers, for an answer that is the text alone."""
    following = {} if piece.next_start is None else {"X-Next-Start": str(piece.next_start)}
    return {
        "X-Text-Start": str(piece.start),
        "X-Text-End": str(piece.end),
        "X-Text-Length": str(piece.text.length),
        "X-Text-SHA256": piece.text.sha256,
        **following,
    }
