"""Every endpoint that is served, with its parameters."""

from typing import Any

from edgar_search.web.auth import endpoints as auth
from edgar_search.web.declaration import Endpoint
from edgar_search.web.operations import Health
from edgar_search.web.v1 import endpoints as v1
from edgar_search.web.v1 import evidence, overview
from edgar_search.web.v1 import export_parameters as export
from edgar_search.web.v2 import endpoints as v2

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
    *v1.ENDPOINTS,
    *evidence.ENDPOINTS,
    *overview.ENDPOINTS,
    *export.ENDPOINTS,
    *v2.ENDPOINTS,
    *auth.ENDPOINTS,
    LIVE,
    READY,
    OPENAPI,
    LLMS,
)
