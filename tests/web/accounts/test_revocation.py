"""Keys and tickers as they are stored now, or were at most five seconds ago."""

import asyncio

import httpx
import pytest

from edgar_search.access import api_keys
from edgar_search.access.api_keys import key_hash, new_key
from edgar_search.engine import freshness
from tests.web.canned import KEY, UNKNOWN_KEY, stored_key
from tests.web.conftest import serving
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
HASH = key_hash(KEY)
UNAVAILABLE = Reply(503, b'{"error":{"type":"cluster_block_exception"}}')


class Clock:
    """Stands in for the module `time`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(freshness, "time", clock)
    return clock


async def status(client: httpx.AsyncClient, key: str = KEY) -> int:
    return (await client.get("/v1/lookup?sic=1", headers={"X-API-Key": key})).status_code


async def test_revoked_key_is_refused_after_five_seconds(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    assert await status(client) == 200
    stub.keys[HASH] = stored_key(KEY, revoked_at="2024-01-02T00:00:00Z")
    clock.now += 5.01
    assert await status(client) == 401


async def test_revoked_key_in_use_is_refused_sooner(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    await status(client)
    stub.keys[HASH] = stored_key(KEY, revoked_at="2024-01-02T00:00:00Z")
    clock.now += 2.01
    # The first of these begins the reading, beside its own answer.
    found = [await status(client) for _ in range(20)]
    assert (found[0], found[-1]) == (200, 401)


async def test_deleted_key_is_refused_too(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    await status(client)
    del stub.keys[HASH]
    clock.now += 5.01
    assert await status(client) == 401


async def test_key_in_use_is_read_once_in_two_seconds(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    for _ in range(20):
        clock.now += 0.1
        await status(client)
    assert stub.operations().count("api_keys/_doc") == 1


async def test_many_requests_with_one_key_read_it_once(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    assert await asyncio.gather(*[status(client) for _ in range(20)]) == [200] * 20
    assert stub.operations().count("api_keys/_doc") == 1


async def test_key_that_was_unknown_works_five_seconds_after_it_was_made(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    assert await status(client, UNKNOWN_KEY) == 401
    stub.keys[key_hash(UNKNOWN_KEY)] = stored_key(UNKNOWN_KEY)
    clock.now += 5.01
    assert await status(client, UNKNOWN_KEY) == 200


async def test_keys_that_cannot_be_checked_work_for_five_seconds(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    await status(client)
    stub.faults["api_keys/_doc"] = UNAVAILABLE
    clock.now += 4.99
    assert await status(client) == 200


async def test_keys_that_cannot_be_checked_for_longer_are_a_503(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    await status(client)
    stub.faults["api_keys/_doc"] = UNAVAILABLE
    clock.now += 5.01
    assert await status(client) == 503


async def test_keys_past_the_number_remembered_are_read_again(
    stub: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_keys, "MAX_REMEMBERED", 3)
    async with serving(stub.url) as client:
        await status(client)
        for key in [new_key() for _ in range(3)]:
            await status(client, key)
        assert await status(client) == 200
        assert stub.operations().count("api_keys/_doc") == 5


async def test_key_in_use_stays_while_others_are_forgotten(
    stub: StubEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_keys, "MAX_REMEMBERED", 3)
    async with serving(stub.url) as client:
        for key in [new_key() for _ in range(6)]:
            await status(client)
            await status(client, key)
        assert stub.operations().count("api_keys/_doc") == 7


async def test_new_ticker_counts_after_five_seconds(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    async def errors() -> list[str]:
        reply = await client.get("/v1/lookup?ticker=new", headers={"X-API-Key": KEY})
        found: list[str] = reply.json()["response_details"]["errors"]
        return found

    assert await errors() == ["unknown ticker: NEW"]
    stub.tickers["NEW"] = "0000000001"
    clock.now += 5.01
    assert await errors() == []


async def test_tickers_are_read_whole_only_where_they_changed(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    await status(client)
    clock.now += 5.01
    await status(client)
    wholes = [a for a in stub.asked if a.operation == "tickers/_mget" and not a.params]
    assert len(wholes) == 1


async def test_tickers_that_cannot_be_read_are_a_503_after_five_seconds(
    client: httpx.AsyncClient, stub: StubEngine, clock: Clock
) -> None:
    await status(client)
    stub.faults["tickers/_mget"] = UNAVAILABLE
    clock.now += 4.99
    assert await status(client) == 200
    clock.now += 0.02
    assert await status(client) == 503
