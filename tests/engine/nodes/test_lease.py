"""A lease on a real Elasticsearch: taken by one, lost by whoever stood still."""

import asyncio
from collections import Counter

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.lease import Lease, LeaseLost
from edgar_search.errors import Conflict
from edgar_search.settings import Settings
from edgar_search.stored.installation import StoredLease

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
SECONDS = 0.6


class Site:
    """Leases of one name by several holders."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name

    def lease(self, holder: str, seconds: float = SECONDS) -> Lease:
        return Lease(self._engine, self._name, holder, seconds)

    async def stored(self) -> StoredLease:
        stored = await self._engine.get("leases", self._name, StoredLease)
        assert stored is not None and stored.source is not None
        return stored.source


@pytest.fixture
async def site(engine: Engine, made_settings: Settings, request: pytest.FixtureRequest) -> Site:
    return Site(engine, request.node.name)


async def test_one_of_many_takes_the_lease(site: Site) -> None:
    taken = await asyncio.gather(*(site.lease(f"h{n}", 60).take() for n in range(10)))
    assert Counter(taken) == {True: 1, False: 9}
    assert (await site.stored()).epoch == 1


async def test_lease_that_is_renewed_is_not_taken(site: Site) -> None:
    holder, waiter = site.lease("holder"), site.lease("waiter")
    assert await holder.take()
    keeping = asyncio.create_task(holder.keep())
    for _ in range(20):
        assert not await waiter.take()
        await asyncio.sleep(SECONDS / 6)
    keeping.cancel()
    await holder.hold()
    assert (await site.stored()).holder == "holder"


async def test_holder_that_stood_still_has_lost_its_lease(site: Site) -> None:
    holder, waiter = site.lease("holder"), site.lease("waiter")
    assert await holder.take()
    assert not await waiter.take()
    await asyncio.sleep(SECONDS / 2)
    assert not await waiter.take()
    await asyncio.sleep(SECONDS)
    assert await waiter.take()
    with pytest.raises(LeaseLost):
        await holder.hold()
    found = await site.stored()
    assert (found.holder, found.epoch) == ("waiter", 2)


async def test_waiter_that_has_not_looked_long_enough_does_not_take_an_old_lease(
    site: Site,
) -> None:
    assert await site.lease("holder").take()
    await asyncio.sleep(2 * SECONDS)
    assert not await site.lease("waiter").take()


async def test_holder_that_stood_still_alone_goes_on(site: Site) -> None:
    holder = site.lease("holder")
    assert await holder.take()
    await asyncio.sleep(2 * SECONDS)
    await holder.hold()
    assert (await site.stored()).epoch == 1


async def test_lease_that_was_given_back_is_taken_at_once(site: Site) -> None:
    holder, waiter = site.lease("holder", 60), site.lease("waiter", 60)
    assert await holder.take()
    await holder.release()
    assert await waiter.take()
    assert not await holder.take()
    with pytest.raises(LeaseLost):
        await holder.hold()


async def test_renewal_whose_reply_was_lost_went_through(
    site: Site, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = site.lease("holder")
    assert await holder.take()
    await asyncio.sleep(SECONDS / 2)
    replace = engine.replace

    async def deaf(*arguments: object, **more: object) -> object:
        await replace(*arguments, **more)  # type: ignore[arg-type]
        raise Conflict("as if it had been sent twice")

    monkeypatch.setattr(engine, "replace", deaf)
    await holder.hold()
    monkeypatch.undo()
    await asyncio.sleep(SECONDS / 2)
    await holder.hold()
    assert (await site.stored()).revision == 3
