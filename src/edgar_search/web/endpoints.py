"""Every endpoint that is served, with its parameters; the routes of Version 1 follow from them."""

from typing import Any

from starlette.routing import Route

from edgar_search.web.auth import endpoints as auth
from edgar_search.web.calls import v1_endpoint
from edgar_search.web.operations import Health
from edgar_search.web.parameters.declaration import Endpoint
from edgar_search.web.v1.check import CHECK, check
from edgar_search.web.v1.coverage import COVERAGE, coverage
from edgar_search.web.v1.export import EXPORT, export
from edgar_search.web.v1.facets import FACETS, facets
from edgar_search.web.v1.lookup import LOOKUP, lookup
from edgar_search.web.v1.matches import MATCHES, matches
from edgar_search.web.v1.search import SEARCH, search
from edgar_search.web.v1.text import TEXT, text
from edgar_search.web.v2 import endpoints as v2

V1 = (
    (LOOKUP, lookup),
    (SEARCH, search),
    (COVERAGE, coverage),
    (MATCHES, matches),
    (TEXT, text),
    (FACETS, facets),
    (CHECK, check),
    (EXPORT, export),
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
    *v2.ENDPOINTS,
    *auth.ENDPOINTS,
    LIVE,
    READY,
    OPENAPI,
    LLMS,
)

routes = [
    Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
    for endpoint, handler in V1
]
