"""The list of every served endpoint, from which routes, OpenAPI and the reference follow."""

from typing import Any

from starlette.routing import Route

from edgar_search.api.draft import CHECK_DRAFT
from edgar_search.api.export import EXPORT
from edgar_search.api.operations import OPERATIONS
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.api.screen import FIND_SCREEN
from edgar_search.api.similar import SIMILAR
from edgar_search.api.statements import FIND_STATEMENTS
from edgar_search.api.tables import FIND_TABLES
from edgar_search.api.text import FIND_TEXT
from edgar_search.web.auth import (
    alert_triggers,
    api_keys,
    favorites,
    history,
    notifications,
    plan,
    saved_links,
    webhooks,
)
from edgar_search.web.calls import route, v1_endpoint
from edgar_search.web.exports import export
from edgar_search.web.files import SCREEN_FILES, statements_file
from edgar_search.web.filing_stream import STREAM, stream
from edgar_search.web.operations import Health, ready
from edgar_search.web.v1 import draft, similar
from edgar_search.web.v1.answers import Files, answered_by
from edgar_search.web.v1.tables import tables
from edgar_search.web.v1.text import text
from edgar_search.web.v2.documents import DOCUMENT, FILING_SECTIONS, document, filing_sections
from edgar_search.web.v2.entities import ENTITY_LOOKUP, entity_lookup
from edgar_search.web.v2.filings import (
    EIGHT_K_ITEMS,
    FILING_INFO,
    FILING_LOOKUP,
    eight_k_items,
    filing_info,
    filing_lookup,
)
from edgar_search.web.v2.financials import FINANCIALS
from edgar_search.web.v2.finding import METHODS
from edgar_search.web.v2.pdf import PRINTED, pdf
from edgar_search.web.v2.search import FULLTEXT_SEARCH, fulltext_search

# Handlers of paths that answer with more than JSON.
_HANDLERS = {FIND_TEXT.endpoint.path: text, FIND_TABLES.endpoint.path: tables}
_FILES: dict[str, Files[Any]] = {
    FIND_STATEMENTS.endpoint.path: {"xlsx": statements_file},
    FIND_SCREEN.endpoint.path: SCREEN_FILES,
}
V1 = (
    *(
        (each.endpoint, _HANDLERS[each.endpoint.path])
        if each.endpoint.path in _HANDLERS
        else answered_by(each, _FILES.get(each.endpoint.path, {}))
        for each in OPERATIONS
    ),
    (EXPORT, export),
    (STREAM, stream),
)
V2 = (
    (ENTITY_LOOKUP, entity_lookup),
    (FILING_LOOKUP, filing_lookup),
    (FILING_INFO, filing_info),
    (FULLTEXT_SEARCH, fulltext_search),
    (DOCUMENT, document),
    (EIGHT_K_ITEMS, eight_k_items),
    (FILING_SECTIONS, filing_sections),
    *FINANCIALS,
    (PRINTED, pdf),
)
V2_HEALTH = Endpoint("/v2/health", "answers like `/health/ready`", methods=METHODS, answer=Health)
AUTH = (
    *favorites.ENDPOINTS,
    *history.ENDPOINTS,
    *saved_links.ENDPOINTS,
    *notifications.ENDPOINTS,
    *alert_triggers.ENDPOINTS,
    *webhooks.ENDPOINTS,
    *api_keys.ENDPOINTS,
    *plan.ENDPOINTS,
)
LIVE = Endpoint("/health/live", "says that the process answers", answer=Health)
READY = Endpoint(
    "/health/ready", "says that Elasticsearch and the indices are there", answer=Health
)
OPENAPI = Endpoint(
    "/openapi.json",
    "describes all endpoints as OpenAPI 3.1",
    answer=dict[str, Any],
    statuses=(200, 304),
)
LLMS = Endpoint(
    "/llms.txt",
    "describes them on one page of Markdown",
    media=("text/markdown",),
    statuses=(200, 304),
)
ENDPOINTS: tuple[Endpoint, ...] = (
    *(endpoint for endpoint, _ in V1),
    CHECK_DRAFT,
    SIMILAR,
    *(endpoint for endpoint, _ in V2),
    V2_HEALTH,
    *(endpoint for user_endpoint in AUTH for endpoint in user_endpoint.declared),
    LIVE,
    READY,
    OPENAPI,
    LLMS,
)


routes = [
    *(
        Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
        for endpoint, handler in V1
    ),
    Route(CHECK_DRAFT.path, draft.endpoint, methods=CHECK_DRAFT.methods),
    Route(SIMILAR.path, similar.endpoint, methods=SIMILAR.methods),
    *(route(endpoint, handler) for endpoint, handler in V2),
    Route(V2_HEALTH.path, ready, methods=METHODS),
    *(user_endpoint.route() for user_endpoint in AUTH),
]
