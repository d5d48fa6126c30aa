"""Whatever is sent under any declared parameter, the answer is one that is documented."""

import os
from itertools import islice
from random import Random

import httpx
import pytest

from edgar_search.web.endpoints import ENDPOINTS
from edgar_search.web.streams import EVENT_STREAM
from tests.web.api.values.hostile import HostileRequest, requests

pytestmark = pytest.mark.anyio
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "14"))
REQUESTS = int(os.environ.get("EDGAR_SEARCH_TEST_REQUESTS", "2000"))
# What a wrong request may be answered; the engine of these tests is never away.
ANSWERS = {200, 201, 304, 400, 401, 403, 404}


def wrong(reply: httpx.Response) -> str | None:
    """Return the fault of an answer; None if it has none."""
    if reply.status_code not in ANSWERS:
        return f"status {reply.status_code}"
    if "x-request-id" not in reply.headers:
        return "no request id"
    if reply.status_code >= 400:
        if not reply.headers["content-type"].startswith("application/json"):
            return "an error that is not JSON"
        if not isinstance(reply.json().get("error"), str):
            return "an error without its text"
    return None


async def ask(client: httpx.AsyncClient, request: HostileRequest) -> httpx.Response:
    headers = {} if request.body is None else {"Content-Type": "application/json"}
    return await client.request(
        request.method, request.target, content=request.body, headers=headers
    )


async def test_no_value_of_any_parameter_is_a_fault(client: httpx.AsyncClient) -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    asked = requests(
        [e for e in ENDPOINTS if e.parameters and EVENT_STREAM not in e.media], Random(SEED)
    )
    for request in islice(asked, REQUESTS):
        what = wrong(await ask(client, request))
        assert what is None, f"{what}, seed {SEED}: {request!r:.2000}"
