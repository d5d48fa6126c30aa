"""Version 2 over a raw socket: a GET that has a body, and the key in each place."""

import json

import pytest

from tests.web import canned
from tests.web.canned import KEY
from tests.web.process import Process, request

pytestmark = pytest.mark.anyio
AUTH = b"X-API-Key: " + KEY.encode()
PATH = b"/v2/filing_lookup"
NO_FILINGS = {"error": "`ciks` must be an array of strings"}


def with_body(method: bytes, target: bytes, body: bytes, *headers: bytes) -> bytes:
    """Return a request as it goes over the wire, with a body."""
    length = b"Content-Length: %d" % len(body)
    kind = b"Content-Type: application/json"
    return request(target, *headers, kind, length, method=method) + body


def fields(**named: object) -> bytes:
    return json.dumps(named).encode()


FORMS = [
    request(PATH + b"?form_types=10-K&api_key=" + KEY.encode()),
    request(PATH + b"?form_types=%5B%2210-K%22%5D", AUTH),
    request(PATH + b'?form_types=["10-K"]', AUTH),
    with_body(b"GET", PATH, fields(form_types=["10-K"], api_key=KEY)),
    with_body(b"GET", PATH, fields(form_types=["10-K"]), AUTH),
    with_body(b"GET", PATH + b"?api_key=" + KEY.encode(), fields(form_types=["10-K"])),
    with_body(b"POST", PATH, fields(form_types=["10-K"], api_key=KEY)),
    with_body(b"POST", PATH, fields(form_types=["10-K"]), AUTH),
    with_body(b"POST", PATH + b"?api_key=" + KEY.encode(), fields(form_types=["10-K"])),
    with_body(b"POST", PATH + b"?form_types=10-K", b"", AUTH),
]


@pytest.mark.parametrize("data", FORMS, ids=lambda data: repr(data[:40]))
async def test_every_form_is_understood(service: Process, data: bytes) -> None:
    reply = await service.ask(data)
    assert reply.status == 200, reply.body
    (filing,) = reply.json()["filings"]
    assert filing["accessionNumber"] == canned.FILING_HIT["_id"]


@pytest.mark.parametrize("method", [b"GET", b"POST"])
async def test_body_is_read_of_either_method(service: Process, method: bytes) -> None:
    reply = await service.ask(with_body(method, PATH, fields(ciks=1, api_key=KEY)))
    assert (reply.status, reply.json()) == (400, NO_FILINGS)


async def test_health_with_a_body(service: Process) -> None:
    reply = await service.ask(with_body(b"GET", b"/v2/health", fields(api_key="x")))
    assert (reply.status, reply.json()) == (200, {"status": "ok"})


async def test_key_in_a_body_is_not_logged(service: Process) -> None:
    await service.ask(with_body(b"POST", PATH, fields(ciks=[KEY], api_key=KEY)))
    assert KEY not in service.log.read_text()
