"""GET /v1/text over HTTP: as JSON or as plain text, with validators for caching."""

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.media_types import PLAIN
from edgar_search.api.text import FIND_TEXT, TextReply
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.responses import JSON, is_known, json_response, preferred_type

# A text with this hash never changes; the answer to a request without a hash may change any time.
_FOR_EVER, _ASK_AGAIN = "private, max-age=31536000, immutable", "private, no-cache"


async def text(request: Request, call: V1Call) -> Response:
    """GET /v1/text"""
    reply = await FIND_TEXT.answer(context_of(request, call), call.raw)
    call.result_count = reply.result_count
    form = preferred_type(request.headers.get("accept", ""), (JSON, PLAIN))
    headers = _validators(
        reply, form, has_hash=any(map(str.strip, call.raw.get("text_sha256", ())))
    )
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    if form == JSON:
        return json_response(reply, headers=headers)
    return Response(reply.text, headers=headers | _text_headers(reply), media_type=PLAIN)


def _validators(reply: TextReply, form: str, *, has_hash: bool) -> dict[str, str]:
    """Return headers by which a client caches an answer and checks whether it is current."""
    form_of = {JSON: "json", PLAIN: "text"}[form]
    place: tuple[object, ...] = (reply.start, reply.end, reply.next_start or "last")
    more: list[str] = []
    if reply.citation is not UNSET:
        more = [reply.citation]
    elif reply.prefix is not UNSET:
        more = ["sides"]
    if reply.start is None:
        place = ("gone",)
    version = "-".join(map(str, (reply.text_sha256, *place, form_of, *more)))
    # A later version may locate a section better, in the same text.
    stays = has_hash and reply.section is UNSET and reply.citation is UNSET
    return {
        "ETag": f'"{version}"',
        "Cache-Control": _FOR_EVER if stays else _ASK_AGAIN,
        "Vary": "Accept",
    }


def _text_headers(reply: TextReply) -> dict[str, str]:
    """Return the JSON's other fields as headers, for an answer that is plain text."""
    fields = {
        "X-Text-Start": reply.start,
        "X-Text-End": reply.end,
        "X-Text-Length": reply.text_length,
        "X-Text-SHA256": reply.text_sha256,
        "X-Citation": reply.citation,
        "X-Next-Start": reply.next_start,
    }
    if reply.followed is not UNSET:
        fields["X-Document-Id"] = reply.document_id
        fields["X-Followed-From"] = reply.followed.document_id
    return {name: str(value) for name, value in fields.items() if value not in (None, UNSET)}
