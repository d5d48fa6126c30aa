"""GET /v1/matches: every match of a query in one document, with its place."""

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import (
    DOCUMENT_ID_PARAMETER,
    OPERANDS_BY_NAME,
    names_of,
    read_query,
)
from edgar_search.api.parameters.citation import INCLUDE_CITATION
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.search import SEARCH
from edgar_search.document.matches import MatchPage, ShownMatch, match_page
from edgar_search.document.sections import section_name
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    Operands,
    Window,
)
from edgar_search.search.language import (
    Node,
    query_places,
)
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.web.calls import V1Call
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

DEFAULT_MATCHES, MAX_MATCHES = 100, 1_000
_OF_SEARCH = {parameter.name: parameter for parameter in SEARCH.parameters}


class MatchItem(Struct):
    """A place in the text, with the text there, before it and after it.

    `prefix` and `suffix` are there if they are to be included.
    """

    start: int
    end: int
    text: str
    before: str
    after: str
    section: str | None
    prefix: str | UnsetType = UNSET
    suffix: str | UnsetType = UNSET


class MatchesReply(Struct):
    document_id: str
    total_count: int
    items: list[MatchItem]
    text_sha256: str
    text_length: int


MATCHES = Endpoint(
    "/v1/matches",
    "returns every match of a query in one document, with its position",
    (
        API_KEY,
        DOCUMENT_ID_PARAMETER,
        _OF_SEARCH["query"],
        _OF_SEARCH["word_forms"],
        _OF_SEARCH["reading"],
        structs.replace(
            _OF_SEARCH["operands"],
            description="as in a search: with `most` a document that has only some of the words,"
            " phrases and groups has matches too",
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
        INCLUDE_CITATION,
    ),
    credential="key",
    answer=MatchesReply,
)


class MatchesParams(Struct, frozen=True):
    """The document and the query of a request for matches."""

    document_id: str
    query: Node
    window: Window
    operands: Operands
    with_sides: bool


def matches_params(raw: Raw, names: Names = NO_NAMES) -> MatchesParams:
    """The parameters of `/v1/matches`; raises BadRequest."""
    parameters = Parameters(raw, MATCHES.declared)
    document_id = parameters.required_value("document_id")
    node, _, _ = read_query(parameters, names)
    if node is None:
        raise BadRequest("Missing query parameter")
    offset = parameters.integer("offset")
    return MatchesParams(
        document_id,
        node,
        Window(offset, offset + parameters.integer("limit")),
        OPERANDS_BY_NAME[parameters.choice("operands")],
        with_sides=bool(parameters.choices("include")),
    )


async def matches(request: Request, call: V1Call) -> Response:
    """GET /v1/matches"""
    params = matches_params(call.raw, await names_of(service(request).context, call.raw))
    await call.share.weigh(query_places(params.query))
    work = match_page(
        service(request).engine,
        params.document_id,
        params.query,
        params.window,
        params.operands,
    )
    page = await work
    call.result_count = page.total
    return json_response(matches_reply(page, with_sides=params.with_sides))


def matches_reply(page: MatchPage, *, with_sides: bool = False) -> MatchesReply:
    """A page of a document's matches, with what a citation has beside its place if asked for."""
    text = page.text
    items = [_item(match, with_sides) for match in page.items]
    return MatchesReply(text.document_id, page.total, items, text.sha256, text.length)


def _item(match: ShownMatch, with_sides: bool) -> MatchItem:
    return MatchItem(
        match.start,
        match.end,
        match.text,
        match.before,
        match.after,
        None if match.section is None else section_name(match.section),
        prefix=match.prefix if with_sides else UNSET,
        suffix=match.suffix if with_sides else UNSET,
    )
