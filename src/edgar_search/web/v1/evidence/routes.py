"""The endpoints on one document's text."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.search.language import query_places
from edgar_search.search.matches import match_page
from edgar_search.search.texts.document_text import of_one_load
from edgar_search.search.texts.piece import Piece, piece_of, read_piece
from edgar_search.web.conditional import is_known
from edgar_search.web.data_call import V1Call, v1_endpoint
from edgar_search.web.disconnect import while_connected
from edgar_search.web.media_types import JSON, PLAIN, preferred
from edgar_search.web.responses import json_response
from edgar_search.web.state import service
from edgar_search.web.v1.evidence.answers import matches_reply, text_headers, text_reply
from edgar_search.web.v1.evidence.endpoints import MATCHES, TEXT
from edgar_search.web.v1.evidence.parameters import TextParams, matches_params, text_params

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
        call.key.account,
        params.operands,
    )
    page = await while_connected(request, work)
    call.result_count = page.total
    return json_response(matches_reply(page))


async def text(request: Request, call: V1Call) -> Response:
    """GET /v1/text"""
    params = text_params(call.raw)
    engine, account = service(request).engine, call.key.account

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
