"""GET /v1/stream: filings as they are loaded, changed or withdrawn, as server-sent events."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.lookup import LOOKUP, Filing, lookup_reply
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.api.parameters.filters import read_filters
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.search import SEARCH
from edgar_search.events.log import LogPage
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.event_matching import EventMatcher
from edgar_search.search.filings import FilingPage
from edgar_search.search.language import add_word_forms, parse_query, query_slots
from edgar_search.stored.events import FILING_EVENTS
from edgar_search.web.calls import V1Call
from edgar_search.web.service import service
from edgar_search.web.streams import AFTER, EVENT_STREAM, RULES, Rendered, begin, open_stream

_OF_ANSWERS = ("limit", "include", "cursor", "snapshot")
_OF_QUERIES = ("query", "word_forms")
STREAM = Endpoint(
    "/v1/stream",
    "streams filings as they are loaded, changed or withdrawn",
    (
        *(parameter for parameter in LOOKUP.parameters if parameter.name not in _OF_ANSWERS),
        *(
            structs.replace(parameter, required=False)
            for parameter in SEARCH.parameters
            if parameter.name in _OF_QUERIES
        ),
        AFTER,
    ),
    credential="key",
    media=(EVENT_STREAM,),
    rules=(
        "The names of events are `loaded`, `changed` (another version of the filing) and"
        " `withdrawn` (EDGAR has removed it). Their data is JSON: `at`, `filing` as `/v1/lookup`"
        " shows it, and with `query` the `documents` that match.",
        "Without a filter, all filings are sent. A filing that an operator deletes causes no"
        " event.",
        *RULES,
    ),
)


class FilingEvent(Struct):
    """An event of a filing; `documents` are the matching ones, if there is a query."""

    at: datetime
    filing: Filing
    documents: list[str] | UnsetType = UNSET


def stream_criteria(parameters: Parameters) -> DocumentCriteria:
    """Read the criteria of `/v1/stream`; raises BadRequest, which names the error."""
    query = parameters.text("query")
    node = None
    if query is not None:
        node = add_word_forms(parse_query(query), parameters.choice("word_forms"))
    return DocumentCriteria(node, read_filters(parameters))


async def filing_events(
    context: SearchContext,
    matcher: EventMatcher,
    criteria: DocumentCriteria,
    page: LogPage,
    arriving: bool,
) -> list[Rendered]:
    """Return the matching events of a page, with their filings; `arriving` if they are new."""
    # Arrivals from before the log existed are not new.
    events = [event for event in page.events if event.content.arrival is None]
    match = matcher.match if arriving else matcher.match_alone
    matched = await match(criteria, events) if events else []
    page_of_filings = FilingPage(len(matched), [event_match.filing for event_match in matched])
    filings = (
        lookup_reply(page_of_filings, await context.tickers.table(), ()).filings if matched else []
    )
    return [
        Rendered(
            event_match.event.position,
            event_match.event.content.kind,
            FilingEvent(
                event_match.event.content.at,
                filing,
                UNSET if event_match.documents is None else event_match.documents,
            ),
        )
        for event_match, filing in zip(matched, filings, strict=True)
    ]


async def stream(request: Request, call: V1Call) -> Response:
    """GET /v1/stream"""
    parameters = Parameters(call.raw, STREAM.declared)
    criteria = stream_criteria(parameters)
    state = service(request)

    async def render(page: LogPage, arriving: bool) -> Sequence[Rendered]:
        return await filing_events(state.context, state.event_matcher, criteria, page, arriving)

    beginning = await begin(request, parameters, state.feed)
    slots = query_slots(criteria.query)
    return await open_stream(request, call, beginning, render, FILING_EVENTS, slots=slots)
