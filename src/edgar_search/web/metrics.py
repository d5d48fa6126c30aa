"""GET /metrics, where the settings have it."""

import hmac
from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import Forbidden, NoBearerToken
from edgar_search.metrics.meters import CONTENT_TYPE, exposition
from edgar_search.settings import Settings
from edgar_search.settings.networks import address_of
from edgar_search.web.state import service

# What a proxy on this machine adds: whoever is behind it is not on loopback.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")


async def metrics(request: Request) -> Response:
    """The figures of all workers of this `serve`, and of the installation."""
    state = service(request)
    _guard(request, state.settings)
    return Response(exposition(await state.figures.current()), media_type=CONTENT_TYPE)


def routes(settings: Settings) -> list[Route]:
    """The route, where the settings have it; else the path is no path."""
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
    forwarded = any(name in request.headers for name in _FORWARDED)
    if address is None or not ip_address(str(address)).is_loopback or forwarded:
        raise Forbidden("/metrics is for this machine only")
