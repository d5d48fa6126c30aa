"""Endpoints for operators: health and metrics."""

import hmac
import time
from ipaddress import ip_address

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.engine.freshness import INTERVAL
from edgar_search.errors import Forbidden, NoBearerToken, Unavailable
from edgar_search.metrics.meters import CONTENT_TYPE, exposition
from edgar_search.settings import Settings
from edgar_search.settings.values import address_of
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.strangers import admit_balancer, admit_stranger


class Health(Struct):
    """`status` is always `ok`; if the service is not, the answer is an error."""

    status: str


OK = Health("ok")


async def live(request: Request) -> Response:
    """GET /health/live: 200 as long as the process answers."""
    await admit_balancer(request)
    return json_response(OK)


async def ready(request: Request) -> Response:
    """GET /health/ready: 200 if Elasticsearch and the indices are available, else 503.

    It is also 503 once the service was told to stop.
    """
    await admit_balancer(request)
    if request.state.draining.begun:
        raise Unavailable("the service is stopping")
    # However often balancers ask, Elasticsearch is asked at most once a second.
    await service(request).readiness.done_since(time.monotonic() - INTERVAL)
    return json_response(OK)


routes = [Route("/health/live", live), Route("/health/ready", ready)]


# Headers that a proxy on this machine adds: a client behind it is not on loopback.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


def is_forwarded(request: Request) -> bool:
    """Return True if a proxy says that it forwards the request."""
    return any(name in request.headers for name in _FORWARDED)


async def metrics(request: Request) -> Response:
    """Return the metrics of all workers of this service, and of the installation."""
    state = service(request)
    await admit_stranger(request)
    _guard(request, state.settings)
    return Response(exposition(await state.figures.current()), media_type=CONTENT_TYPE)


def metrics_routes(settings: Settings) -> list[Route]:
    """Return the route if the settings enable it; otherwise the path does not exist."""
    return [] if settings.metrics == "none" else [Route("/metrics", metrics, methods=["GET"])]


def _guard(request: Request, settings: Settings) -> None:
    if settings.metrics == "token":
        assert settings.metrics_token is not None
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(token.encode(), settings.metrics_token.encode())
        if scheme.lower() != "bearer" or not right:
            raise NoBearerToken(
                "/metrics needs `Authorization: Bearer` with EDGAR_SEARCH_METRICS_TOKEN"
            )
        return
    address = address_of(request.client.host) if request.client else None
    if address is None or not ip_address(str(address)).is_loopback or is_forwarded(request):
        raise Forbidden("/metrics is for this machine only")
