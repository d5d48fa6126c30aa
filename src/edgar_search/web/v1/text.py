"""GET /v1/text: the text of a document, or a part of it."""

from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import DOCUMENT_ID_PARAMETER
from edgar_search.api.parameters.citation import (
    CITATION_PARAMETERS,
    CITED_TEXT,
    INCLUDE_CITATION,
    citation_of,
)
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.citations import (
    CITED,
    Citation,
    CitationStatus,
    cited_piece,
)
from edgar_search.document.sections import Piece, piece_of, read_around, section_name
from edgar_search.document.text import DocumentText, retry_if_reloaded
from edgar_search.errors import BadRequest
from edgar_search.web.calls import V1Call
from edgar_search.web.responses import JSON, PLAIN, is_known, json_response, preferred_type
from edgar_search.web.service import service

# A text with this hash never changes; an answer to a request without a hash may at any time.
_FOR_EVER, _ASK_AGAIN = "private, max-age=31536000, immutable", "private, no-cache"


class Follow(Struct):
    """An item that only points elsewhere: its document, and its place in the text of that."""

    document_id: str
    start: int | None
    end: int | None


class TextReply(Struct):
    """A part of a text, with fields that only some requests ask for.

    `section` is set if the request names one, and `followed` if that item points to this document.
    `citation` is set if a citation asks for the part; `prefix` and `suffix` then too, and if the
    request includes them.
    """

    document_id: str
    start: int | None
    end: int | None
    text: str
    next_start: int | None
    text_sha256: str
    text_length: int
    section: str | UnsetType = UNSET
    followed: Follow | UnsetType = UNSET
    citation: CitationStatus | UnsetType = UNSET
    prefix: str | UnsetType = UNSET
    suffix: str | UnsetType = UNSET


LENGTH, TEXT_SHA256 = CITED_TEXT
TEXT = Endpoint(
    "/v1/text",
    "returns the text of a document, or a part of it",
    (
        API_KEY,
        DOCUMENT_ID_PARAMETER,
        Parameter(
            "start",
            "integer",
            "the first character of the part, in code points of the text; with `section` it must"
            " be in that section, and is its first character by default",
            least=0,
            default=0,
        ),
        LENGTH,
        Parameter(
            "section",
            "text",
            "only this section of a report: `10-K item 1A`, as `/v1/matches` names it, or `item1a`,"
            " in any case",
            of="name of a section",
        ),
        TEXT_SHA256,
        *CITATION_PARAMETERS,
        INCLUDE_CITATION,
    ),
    credential="key",
    answer=TextReply,
    media=(PLAIN,),
    statuses=(200, 304),
)


class TextParams(Struct, frozen=True):
    """The part of a text in a request; None and "" for absent parameters."""

    document_id: str
    start: int | None
    length: int
    section: str
    text_sha256: str
    citation: Citation | None
    with_sides: bool


def text_params(raw: Raw) -> TextParams:
    """The parameters of `/v1/text`; raises BadRequest."""
    parameters = Parameters(raw, TEXT.declared)
    given = parameters.text("start") is not None
    citation = citation_of(parameters)
    section = (parameters.text("section") or "").strip()
    if citation is not None and section:
        raise BadRequest("`section` cannot be combined with `prefix`, `suffix` or `quote`")
    return TextParams(
        parameters.required_value("document_id"),
        parameters.integer("start") if given else None,
        parameters.integer("length"),
        section,
        parameters.value("text_sha256") or "",
        citation,
        with_sides=citation is not None or bool(parameters.choices("include")),
    )


class FoundText(NamedTuple):
    """A part of a text, with what became of the citation that asked for it; None if it is gone."""

    piece: Piece | None
    text: DocumentText
    citation: CitationStatus | None = None


async def text(request: Request, call: V1Call) -> Response:
    """GET /v1/text"""
    params = text_params(call.raw)
    engine = service(request).engine

    async def work() -> Response:
        found = await _find(request, params)
        form = preferred_type(request.headers.get("accept", ""), (JSON, PLAIN))
        headers = _validators(found, form, params)
        if is_known(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        around = CITED if params.with_sides else 0
        read = await read_around(engine, found.piece, around) if found.piece else NOTHING
        if form == JSON:
            return json_response(text_reply(found, read, params), headers=headers)
        return Response(read[1], headers=headers | text_headers(found), media_type=PLAIN)

    response = await retry_if_reloaded(engine, work)
    call.result_count = 1
    return response


NOTHING = ("", "", "")


async def _find(request: Request, params: TextParams) -> FoundText:
    engine = service(request).engine
    document_id, sha256 = params.document_id, params.text_sha256
    if params.citation is not None:
        return FoundText(*await cited_piece(engine, document_id, params.citation, sha256))
    piece = await piece_of(
        engine,
        document_id,
        start=params.start,
        length=params.length,
        section=params.section,
        sha256=sha256,
    )
    return FoundText(piece, piece.text)


def _validators(found: FoundText, form: str, params: TextParams) -> dict[str, str]:
    """Headers by which a client keeps an answer, and checks if it is still current."""
    form_of = {JSON: "json", PLAIN: "text"}[form]
    piece = found.piece
    place = (piece.start, piece.end, piece.next_start or "last") if piece else ("gone",)
    more = [found.citation] if found.citation else ["sides"] if params.with_sides else []
    version = "-".join(map(str, (found.text.sha256, *place, form_of, *more)))
    # A later version may find the place of a section better, in the same text.
    stays = params.text_sha256 == found.text.sha256 and not params.section
    return {
        "ETag": f'"{version}"',
        "Cache-Control": _FOR_EVER if stays and params.citation is None else _ASK_AGAIN,
        "Vary": "Accept",
    }


def text_reply(found: FoundText, read: tuple[str, str, str], params: TextParams) -> TextReply:
    """A part of a text, with what is read of it and beside it."""
    piece, whole = found.piece, found.text
    prefix, text, suffix = read
    named = piece.section if piece else None
    sides = params.with_sides and piece is not None
    return TextReply(
        document_id=whole.document_id,
        start=piece.start if piece else None,
        end=piece.end if piece else None,
        text=text,
        next_start=piece.next_start if piece else None,
        text_sha256=whole.sha256,
        text_length=whole.length,
        section=UNSET if named is None else section_name(named),
        followed=Follow(named.document_id, named.text_start, named.text_end)
        if named and named.followed
        else UNSET,
        citation=found.citation or UNSET,
        prefix=prefix if sides else UNSET,
        suffix=suffix if sides else UNSET,
    )


def text_headers(found: FoundText) -> dict[str, str]:
    """The JSON's fields beside the text as headers, for an answer that is the text alone."""
    piece, whole = found.piece, found.text
    place = (
        {} if piece is None else {"X-Text-Start": str(piece.start), "X-Text-End": str(piece.end)}
    )
    next_start = piece.next_start if piece else None
    following = {} if next_start is None else {"X-Next-Start": str(next_start)}
    if piece and piece.section and piece.section.followed:
        following["X-Document-Id"] = whole.document_id
        following["X-Followed-From"] = piece.section.document_id
    return {
        **place,
        "X-Text-Length": str(whole.length),
        "X-Text-SHA256": whole.sha256,
        **({"X-Citation": found.citation} if found.citation else {}),
        **following,
    }
