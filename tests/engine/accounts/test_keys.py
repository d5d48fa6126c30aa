"""API keys as they are kept: listed over several pages, revoked once."""

import asyncio

import pytest

from edgar_search.access import api_keys as module
from edgar_search.access.accounts import Accounts, Plans
from edgar_search.access.api_keys import ApiKeys
from edgar_search.engine.engine import Engine
from edgar_search.errors import NotFound
from edgar_search.settings import Settings

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


@pytest.fixture
async def keys(engine: Engine, made_settings: Settings) -> ApiKeys:
    return ApiKeys(engine)


@pytest.mark.parametrize("page", [1, 2, 3, 1000])
async def test_list_has_every_key_once_newest_first(
    keys: ApiKeys, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(module, "_PAGE", page)
    before = [key.id for key in await keys.list()]
    made = []
    for number in range(3):
        await asyncio.sleep(0.002)  # the order is by the millisecond
        made.append((await keys.create(f"key {number}", "a"))[1].id)
    assert [key.id for key in await keys.list()] == made[::-1] + before


async def test_keys_of_one_moment_are_listed_too(
    keys: ApiKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAGE", 2)
    made = await asyncio.gather(*(keys.create("at once", "b") for _ in range(7)))
    listed = [key.id for key in await keys.list() if key.account == "b"]
    assert sorted(listed) == sorted(stored.id for _, stored in made)


async def test_created_key_is_valid_until_it_is_revoked(engine: Engine, keys: ApiKeys) -> None:
    key, stored = await keys.create("one", "a")
    assert await keys.verify(key) == stored
    revoked = await keys.revoke(stored.id)
    assert revoked.revoked_at is not None
    assert await ApiKeys(engine).verify(key) is None


async def test_key_revoked_again_keeps_its_first_time(keys: ApiKeys) -> None:
    _, stored = await keys.create("one", "a")
    first = await keys.revoke(stored.id)
    assert await keys.revoke(stored.id) == first


async def test_unknown_id_is_not_found(keys: ApiKeys) -> None:
    with pytest.raises(NotFound, match="no API key has the id nobody"):
        await keys.revoke("nobody")


async def test_accounts_on_plans_that_are_gone_are_named(
    engine: Engine, made_settings: Settings
) -> None:
    before = Accounts(engine, Plans.from_settings(Settings(plans="pro=5/5")))
    await before.set_plan("on a plan that is gone", "pro")
    await before.set_plan("on another", "unlimited")
    after = Accounts(engine, Plans.from_settings(Settings()))
    asked = ["on a plan that is gone", "on another", "on none", "on none"]
    assert await after.on_unknown_plans(asked) == {"on a plan that is gone": "pro"}
    assert await after.on_unknown_plans([]) == {}
