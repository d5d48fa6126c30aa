"""The cost of access to a data request: CPU of the whole endpoint against that of its handler."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bench.installation import Installation
from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import service_of
from edgar_search.http_client import HttpClient
from edgar_search.web.callers import query_parameters
from edgar_search.web.calls import V1Call, v1_endpoint
from edgar_search.web.responses import json_response
from edgar_search.web.service import Service

_CALLS = 5_000
_ROUNDS = 5
_QUERY = b"query=revenue&cik=0000320193&limit=20"
# A plan with both limits, of which the benchmark reaches neither.
_PLAN = "limited=1000000/1000000"

Endpoint = Callable[[Request], Awaitable[Response]]


async def measure_access(installation: Installation) -> None:
    """Print the CPU time that key, scope, rate, quota, headers and history take, and requests."""
    service = _service(installation)
    key, _ = await ApiKeys(installation.engine).create("bench", "bench-limited")
    guarded = v1_endpoint("v1/search", _handler)
    await guarded(_request(service, key))
    tending = asyncio.create_task(service.admission.quota.run_forever())
    added = []
    for _ in range(_ROUNDS):
        bare = await _cpu(_bare, service, key)
        added.append(await _cpu(guarded, service, key) - bare)
    tending.cancel()
    print(f"access adds {min(added):.0f} us CPU to a data request (best of {_ROUNDS} rounds)")
    await service.admission.history.flush()
    await service.admission.quota.close()


async def _handler(request: Request, call: V1Call) -> Response:
    return json_response({})


async def _bare(request: Request) -> Response:
    query_parameters(request)
    return json_response({})


async def _cpu(endpoint: Endpoint, service: Service, key: str) -> float:
    """Return microseconds of this process for one request, with what it causes beside itself."""
    requests = [_request(service, key) for _ in range(_CALLS)]
    began = time.process_time()
    for number, request in enumerate(requests):
        await endpoint(request)
        if number % 50 == 0:
            await asyncio.sleep(0)
    await service.admission.history.flush()
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
    settings = msgspec.structs.replace(installation.settings, plans=_PLAN, default_plan="limited")
    return service_of(settings, installation.engine, HttpClient("bench", timeout=1))
