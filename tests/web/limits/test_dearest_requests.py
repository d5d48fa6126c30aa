"""The dearest request of every path: `tests/torture/test_attacks.py` measures them as attacks."""

from random import Random

import httpx
import pytest

from edgar_search.settings import Settings
from edgar_search.web.edgar.routes import routes_of
from edgar_search.web.openapi.routes import document
from tests.torture.dearest_requests import DEAREST, OF_EDGAR, filled
from tests.web.canned import KEY

pytestmark = pytest.mark.anyio
IDS = ("0009990301-21-000000-1", "0009990301-21-900000-1")
# Users' own requests need an issuer, and a stream has no end.
READ = [path for path, dear in DEAREST.items() if dear.by != "token" and path != "/v1/stream"]


def test_every_path_that_openapi_lists_has_its_dearest_request() -> None:
    assert sorted(DEAREST) == sorted(document()["paths"])


def test_every_path_of_edgar_has_its_dearest_request() -> None:
    routes = routes_of(Settings(mirror="keys"))
    own = {route.path for route in routes if not route.path.startswith("/efts/")}
    assert own == set(OF_EDGAR)


@pytest.mark.parametrize("path", OF_EDGAR)
async def test_dearest_request_of_edgar_is_not_refused_as_wrong(
    client: httpx.AsyncClient, path: str
) -> None:
    address, dear = OF_EDGAR[path]
    reply = await client.get(address, params=dear.sent, headers={"X-API-Key": KEY})
    assert reply.status_code not in (400, 401, 405)


@pytest.mark.parametrize("path", READ)
async def test_dearest_request_is_not_refused_as_wrong(
    client: httpx.AsyncClient, path: str
) -> None:
    dear = DEAREST[path]
    sent = filled(dear.sent, *IDS, Random(1))
    headers = {"X-API-Key": KEY} if dear.by == "key" else {}
    if dear.method == "GET":
        reply = await client.get(path, params=sent, headers=headers)
    else:
        reply = await client.request(dear.method, path, json=sent, headers=headers)
    assert reply.status_code not in (400, 401, 405)
