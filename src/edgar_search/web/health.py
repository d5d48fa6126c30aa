"""Health, for load balancers: whether the process lives, and whether it can answer."""

import time

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.engine.shared_work import INTERVAL
from edgar_search.errors import Unavailable
from edgar_search.web.health_answers import OK
from edgar_search.web.responses import json_response
from edgar_search.web.state import service


async def live(request: Request) -> Response:
    """GET /health/live: 200 as long as the process answers."""
    return json_response(OK)


async def ready(request: Request) -> Response:
    """GET /health/ready: 200 where Elasticsearch and the indices are there, else 503.

    503 also from when the service was told to stop.
    """
    if request.state.draining.begun:
        raise Unavailable("the service is being stopped")
    # However often balancers ask, Elasticsearch is asked once a second at most.
    await service(request).readiness.done_since(time.monotonic() - INTERVAL)
    return json_response(OK)


routes = [Route("/health/live", live), Route("/health/ready", ready)]
