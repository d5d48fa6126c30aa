"""GET /v1/matches: every match of a query in one document, with its position."""

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.finding import (
    DOCUMENT_ID_PARAMETER,
    names_of,
    read_query,
)
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.citation import INCLUDE_CITATION
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.search import SEARCH
from edgar_search.document.matches import MatchPage, ShownMatch, match_page
from edgar_search.document.sections import section_name
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    OPERANDS,
    Operands,
    Window,
)
from edgar_search.search.language import (
    Node,
    query_slots,
)
from edgar_search.search.reading.names import NO_NAMES, Names

DEFAULT_MATCHES, MAX_MATCHES = 100, 1_000
_OF_SEARCH = {parameter.name: parameter for parameter in SEARCH.parameters}


class MatchItem(Struct):
    """A match in the text, with the matching text and the text around it.

    `prefix` and `suffix` are set if the request includes them.
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

    @property
    def result_count(self) -> int:
        """The number of matches in the whole document."""
        return self.total_count


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
    """The document and the query whose matches are requested."""

    document_id: str
    query: Node
    window: Window
    operands: Operands
    with_sides: bool


def matches_params(raw: Raw, names: Names = NO_NAMES) -> MatchesParams:
    """Read the parameters of `/v1/matches`; raises BadRequest."""
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
        parameters.choice_of("operands", OPERANDS),
        with_sides=bool(parameters.choices("include")),
    )


async def read_matches(context: Context, raw: Raw) -> MatchesParams:
    """Read the parameters, with the companies that a question names; raises BadRequest."""
    return matches_params(raw, await names_of(context.search, raw))


async def find_matches(context: Context, params: MatchesParams) -> MatchesReply:
    """Find the matches of a query in a document, in the order of its text.

    Raises NotFound if the document does not exist, and SearchesAtOnce if the search would wait too
    long for its slots.
    """
    await context.weigh(query_slots(params.query))
    page = await match_page(
        context.engine, params.document_id, params.query, params.window, params.operands
    )
    return matches_reply(page, with_sides=params.with_sides)


FIND_MATCHES = Operation(MATCHES, read_matches, find_matches)


def matches_reply(page: MatchPage, *, with_sides: bool = False) -> MatchesReply:
    """Build the answer for a page of matches; `with_sides` adds the context that citations need."""
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
