"""Requests without a key, or without a valid one: a rate limit for each address.

A refusal costs as much as a cached answer, so it comes a second late: clients that retry at once
are then limited to one request a second each.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import EdgarSearchError, RateExceeded, Unauthorized
from edgar_search.web.connections import customer_of
from edgar_search.web.responses import on_error
from edgar_search.web.service import service

RefusalHandler: TypeAlias = Callable[[Request, Exception], Awaitable[Response]]
_LATE_SECONDS = 1.0
# Balancers are never refused, and other requests from their address do not count for them.
_HEALTH = "health"


async def admit_stranger(request: Request, counted: str = "stranger") -> None:
    """Count a request against its address; raises RateExceeded, after a second, above the rate."""
    state = service(request)
    host = request.client.host if request.client else ""
    try:
        await state.admission.rates.check_address(
            f"{counted}/{customer_of(host) or host}", state.settings.address_rate
        )
    except RateExceeded:
        await asyncio.sleep(_LATE_SECONDS)
        raise


async def admit_balancer(request: Request) -> None:
    """Count a health check; above the rate it waits a second."""
    with suppress(RateExceeded):
        await admit_stranger(request, _HEALTH)


def rated(refuse: RefusalHandler) -> RefusalHandler:
    """Limit the handler of unknown paths to an address's rate."""

    async def handle(request: Request, error: Exception) -> Response:
        try:
            await admit_stranger(request)
        except RateExceeded as exceeded:
            return await on_error(request, exceeded)
        return await refuse(request, error)

    return handle


async def refusal_of(request: Request, refusal: EdgarSearchError) -> EdgarSearchError:
    """Return the refusal of a request: by rate, after too many without a valid credential."""
    if not isinstance(refusal, Unauthorized):
        return refusal
    try:
        await admit_stranger(request)
    except RateExceeded as exceeded:
        return exceeded
    return refusal
