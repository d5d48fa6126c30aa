"""What access adds to a data request: CPU of the endpoint around a handler against the handler."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from bench.installation import Installation
from edgar_search.access.accounts import Accounts
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.call_log import CallLog
from edgar_search.access.limits.admission import Admission
from edgar_search.access.limits.plans import Plan, Plans
from edgar_search.access.limits.quota import Quota
from edgar_search.access.limits.rates import Rates
from edgar_search.access.limits.shares import Shares
from edgar_search.access.tokens.bearer import Tokens
from edgar_search.archive.store import open_archive
from edgar_search.http_client import HttpClient
from edgar_search.search.index_members import IndexMembers
from edgar_search.search.tickers import Tickers
from edgar_search.web.credentials import query_parameters
from edgar_search.web.data_call import V1Call, v1_endpoint
from edgar_search.web.responses import json_response
from edgar_search.web.state import Service

_CALLS = 5_000
_ROUNDS = 5
_QUERY = b"query=revenue&cik=0000320193&limit=20"
# A plan with both limits, of which the benchmark reaches neither.
_PLAN = Plan("bench", calls=1_000_000, rate=1_000_000)

Endpoint = Callable[[Request], Awaitable[Response]]


async def measure_access(installation: Installation) -> None:
    """Print the CPU time that key, scope, rate, quota, headers and history take, and requests."""
    service = _service(installation)
    key = await installation.key()
    guarded = v1_endpoint("v1/search", _handler)
    await guarded(_request(service, key))
    tending = asyncio.create_task(service.admission.quota.tend())
    added = []
    for _ in range(_ROUNDS):
        bare = await _cpu(_bare, service, key)
        added.append(await _cpu(guarded, service, key) - bare)
    tending.cancel()
    print(f"access adds {min(added):.0f} us CPU to a data request (best of {_ROUNDS} rounds)")
    await service.calls.flush()
    await service.admission.quota.close()


async def _handler(request: Request, call: V1Call) -> Response:
    return json_response({})


async def _bare(request: Request) -> Response:
    query_parameters(request)
    return json_response({})


async def _cpu(endpoint: Endpoint, service: Service, key: str) -> float:
    """Microseconds of this process for one request, with what it causes beside itself."""
    requests = [_request(service, key) for _ in range(_CALLS)]
    began = time.process_time()
    for number, request in enumerate(requests):
        await endpoint(request)
        if number % 50 == 0:
            await asyncio.sleep(0)
    await service.calls.flush()
    return (time.process_time() - began) / _CALLS * 1e6


def _request(service: Service, key: str) -> Request:
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": "/v1/search",
        "query_string": _QUERY,
        "headers": [(b"host", b"bench.test"), (b"x-api-key", key.encode())],
        "state": {"service": service},
    }
    return Request(scope)


def _service(installation: Installation) -> Service:
    engine, settings = installation.engine, installation.settings
    plans = Plans({_PLAN.name: _PLAN}, _PLAN, ())
    return Service(
        settings=settings,
        engine=engine,
        keys=ApiKeys(engine),
        tickers=Tickers(engine),
        admission=Admission(
            Accounts(engine, plans),
            Quota(engine),
            Rates.from_settings(settings),
            Shares.from_settings(settings),
        ),
        calls=CallLog(engine, settings),
        tokens=Tokens(settings, HttpClient("bench", timeout=1)),
        members=IndexMembers(None),
        archive=open_archive(settings.archive_place),
    )
