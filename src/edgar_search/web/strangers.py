"""Requests that need no key, or have no valid one: a rate for each address.

A refusal costs as much as an answer that was made before, so it comes a second late: clients that
ask again at once then ask once a second each.
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
# Balancers are never refused, and what else an address asks for does not count for them.
_HEALTH = "health"


async def admit_stranger(request: Request, counted: str = "stranger") -> None:
    """Count a request for its address; RateExceeded, after a second, above the rate."""
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
    """Count a request for the health of the service; above the rate it waits a second."""
    with suppress(RateExceeded):
        await admit_stranger(request, _HEALTH)


def rated(refuse: RefusalHandler) -> RefusalHandler:
    """Return the handler of unknown paths, within the rate of an address."""

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
