"""A plan's calls over several workers at once: never one too many, and hardly one lost."""

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Iterator

import httpx
import msgspec
import psutil
import pytest

from bench.service import RunningService, running_service
from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.quota import Quota
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from tests.conftest import remove_everything
from tests.support.redis_server import running_redis

WORKERS, CLIENTS, CALLS = 4, 32, 1_000
# The calls of those that share a Redis, or of which one is killed.
FEW_CALLS = 400
# Of those that only share a Redis, or of which one is killed.
FEW_WORKERS = 2
# A worker that Redis answers too late counts for itself for some seconds: on a busy machine a
# quarter of a second, its usual patience, is nothing.
PATIENCE = "?socket_timeout=20&socket_connect_timeout=20"
# Of the calls that the plan has, as the specification of this service promises.
AT_LEAST = 0.99
# A lease is at most a 64th part of what is left, and half of it may be there when the next comes.
LOST_AT_MOST = FEW_CALLS * 3 // (64 * 2)
PATH = "/v1/lookup?sic=9999"


@pytest.fixture(scope="module")
def settings(engine_settings: Settings) -> Iterator[Settings]:
    """An empty installation whose accounts have some hundred calls and no rate."""
    settings = msgspec.structs.replace(
        engine_settings,
        prefix=f"{engine_settings.prefix}quota-",
        plans=f"thousand={CALLS}/-, few={FEW_CALLS}/-, second=-/20",
        default_plan="thousand",
        # It is the month that is looked at: none of so many clients is to wait for its turn, or
        # to be refused by a machine that is busy with other tests. An account that is slower than
        # another one has a twelfth of these slots, and they rest after its searches.
        searches=10_000,
        es_timeout=60.0,
    )

    async def set_up() -> None:
        engine = Engine.from_settings(settings)
        try:
            await Indices(engine, settings).set_up()
        finally:
            await engine.close()

    asyncio.run(set_up())
    try:
        yield settings
    finally:
        asyncio.run(remove_everything(settings))


async def new_key(settings: Settings, account: str, plan: str = "thousand") -> str:
    engine = Engine.from_settings(settings)
    try:
        await Accounts(engine, Plans.from_settings(settings)).set_plan(account, plan)
        return (await ApiKeys(engine).create(account, account)).key
    finally:
        await engine.close()


async def counted(settings: Settings, account: str) -> int:
    """Return the state of the counter, by a worker of its own."""
    engine = Engine.from_settings(settings)
    try:
        return await Quota(engine).used(account)
    finally:
        await engine.close()


async def call_until_refused(
    url: str, key: str, beside: Callable[[Counter[int]], None] = lambda _: None
) -> Counter[int]:
    """Return all statuses.

    Each client continues until it was refused three times with a pause between.
    """
    statuses: Counter[int] = Counter()

    async def client() -> None:
        refused = 0
        async with httpx.AsyncClient(base_url=url, headers={"X-API-Key": key}, timeout=30) as http:
            while refused < 3:
                try:
                    status = (await http.get(PATH)).status_code
                except httpx.TransportError:
                    statuses[0] += 1  # Its worker was killed.
                    continue
                statuses[status] += 1
                beside(statuses)
                if status == 429:
                    refused += 1
                    await asyncio.sleep(1)

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return statuses


@pytest.mark.long
@pytest.mark.anyio
async def test_four_workers_let_through_what_the_plan_has(settings: Settings) -> None:
    key = await new_key(settings, "busy")
    with running_service(settings, WORKERS) as service:
        statuses = await call_until_refused(service.url, key)
    assert AT_LEAST * CALLS <= statuses[200] <= CALLS
    assert set(statuses) == {200, 429}
    # What was leased and not used has gone back at the stop.
    assert await counted(settings, "busy") == statuses[200]


@pytest.mark.anyio
async def test_killed_worker_loses_at_most_its_lease(settings: Settings) -> None:
    key = await new_key(settings, "killed", "few")
    with running_service(settings, FEW_WORKERS) as service:
        killed: list[psutil.Process] = []

        def kill_half_way(statuses: Counter[int]) -> None:
            if statuses[200] >= FEW_CALLS // 2 and not killed:
                killed.append(a_worker(service))
                killed[0].send_signal(signal.SIGKILL)

        statuses = await call_until_refused(service.url, key, kill_half_way)
    assert killed
    # Calls whose answer the killed worker did not send may have been let through too.
    assert FEW_CALLS - LOST_AT_MOST - statuses[0] <= statuses[200] <= FEW_CALLS
    assert await counted(settings, "killed") <= FEW_CALLS


@pytest.mark.anyio
async def test_usage_survives_a_restart(settings: Settings) -> None:
    key = await new_key(settings, "restarted")
    for expected in (3, 6):
        with running_service(settings) as service:
            async with httpx.AsyncClient(base_url=service.url) as http:
                for _ in range(3):
                    reply = await http.get(PATH, headers={"X-API-Key": key})
                    assert reply.status_code == 200
        assert await counted(settings, "restarted") == expected


@pytest.fixture(scope="module")
def sharing(settings: Settings) -> Iterator[RunningService]:
    """A service whose workers share their rates in Redis."""
    with running_redis() as address:
        shared = msgspec.structs.replace(settings, rate_storage=address + PATIENCE)
        with running_service(shared, FEW_WORKERS) as service:
            yield service


@pytest.mark.anyio
async def test_rate_in_redis_is_one_for_all_workers(
    settings: Settings, sharing: RunningService
) -> None:
    key = await new_key(settings, "fast", "second")
    began = asyncio.get_running_loop().time()
    statuses = await call_for(sharing.url, key, seconds=3.0)
    seconds = asyncio.get_running_loop().time() - began
    # A sliding window: no more than the rate in any second, and the one that was under way.
    assert 20 <= statuses[200] <= 20 * (seconds + 1)
    assert set(statuses) == {200, 429}


@pytest.mark.anyio
async def test_quota_holds_with_redis_for_the_rate(
    settings: Settings, sharing: RunningService
) -> None:
    statuses = await call_until_refused(sharing.url, await new_key(settings, "both", "few"))
    assert AT_LEAST * FEW_CALLS <= statuses[200] <= FEW_CALLS
    assert set(statuses) == {200, 429}


async def call_for(url: str, key: str, seconds: float) -> Counter[int]:
    """Return all statuses of clients that never pause."""
    statuses: Counter[int] = Counter()

    async def client() -> None:
        async with httpx.AsyncClient(base_url=url, headers={"X-API-Key": key}, timeout=30) as http:
            async with asyncio.timeout(None) as limit:
                limit.reschedule(asyncio.get_running_loop().time() + seconds)
                while True:
                    statuses[(await http.get(PATH)).status_code] += 1

    await asyncio.gather(*(client() for _ in range(CLIENTS)), return_exceptions=True)
    return statuses


def a_worker(service: RunningService) -> psutil.Process:
    """One of the processes that answer requests."""
    workers = [p for p in service.process.children() if "spawn_main" in " ".join(p.cmdline())]
    assert len(workers) == FEW_WORKERS
    return workers[0]
