"""The store of what belongs to users, on Elasticsearch: what is seen, found and lost."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest
from msgspec import Struct, structs

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, Conflict, EngineUnavailable, NotFound
from edgar_search.settings import Settings
from edgar_search.stored.user_items import REMOVED
from edgar_search.user_data.items import TRIES, UserItems

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
NOT_FOUND = "^no thing has this id$"


class Thing(Struct, frozen=True, omit_defaults=True):
    """Two numbers that different requests change."""

    left: int = 0
    right: int = 0


def more(name: str) -> Any:
    """Return a change that adds one to a number of a thing."""
    return lambda thing: structs.replace(thing, **{name: getattr(thing, name) + 1})


@pytest.fixture
async def items(engine: Engine, made_settings: Settings) -> UserItems[Thing]:
    return UserItems(engine, "favorites", Thing, "thing")


@pytest.fixture
async def others(settings: Settings) -> AsyncIterator[UserItems[Thing]]:
    """The same store as another worker has it."""
    engine = Engine.from_settings(settings)
    try:
        yield UserItems(engine, "favorites", Thing, "thing")
    finally:
        await engine.close()


@pytest.fixture
def account() -> str:
    """An account that has nothing yet."""
    return f"u_{secrets.token_hex(8)}"


async def outcomes(*works: Awaitable[Any]) -> list[str]:
    """Return the outcome of each, all begun at once: `done`, or the name of the error."""
    results = await asyncio.gather(*works, return_exceptions=True)
    return [type(r).__name__ if isinstance(r, BaseException) else "done" for r in results]


async def test_what_one_worker_writes_the_other_reads_next(
    items: UserItems[Thing], others: UserItems[Thing], account: str
) -> None:
    made = await items.add(account, Thing(1))
    assert await others.page(account, 10) == (1, [made])
    changed = await others.change(account, made.id, more("left"))
    assert changed == structs.replace(made, content=Thing(2))
    assert await items.page(account, 10) == (1, [changed])
    assert await items.read(account, made.id) == changed
    await items.remove(account, made.id)
    assert await others.page(account, 10) == (0, [])


async def test_pages_have_each_item_once_newest_first(
    items: UserItems[Thing], account: str
) -> None:
    made = []
    for number in range(5):
        made.append(await items.add(account, Thing(number)))
        await asyncio.sleep(0.002)  # the order is by the millisecond
    found = [item for offset in (0, 2, 4) for item in (await items.page(account, 2, offset)).items]
    assert found == made[::-1]
    assert await items.page(account, 2, 6) == (5, [])


async def test_items_of_one_moment_have_an_order_too(items: UserItems[Thing], account: str) -> None:
    await asyncio.gather(*(items.add(account, Thing(number)) for number in range(20)))
    pages = [await items.page(account, 3, offset) for offset in range(0, 20, 3)]
    found = [item.id for page in pages for item in page.items]
    assert (len(found), len(set(found)), {page.total for page in pages}) == (20, 20, {20})


async def test_last_page_can_be_reached(items: UserItems[Thing], account: str) -> None:
    await items.add(account, Thing())
    assert await items.page(account, 200, 10_000) == (1, [])


@pytest.mark.parametrize(
    "item_id", ["unknown", "", " ", "a/b", "../x", "x" * 65, "é", "a\x00b", "_search", "_doc"]
)
async def test_unknown_id_is_not_found(items: UserItems[Thing], account: str, item_id: str) -> None:
    with pytest.raises(NotFound, match=NOT_FOUND):
        await items.change(account, item_id, more("left"))
    with pytest.raises(NotFound, match=NOT_FOUND):
        await items.remove(account, item_id)


async def test_item_of_another_account_is_not_found(items: UserItems[Thing], account: str) -> None:
    made = await items.add(account, Thing(1))
    with pytest.raises(NotFound, match=NOT_FOUND):
        await items.change(account + "x", made.id, more("left"))
    with pytest.raises(NotFound, match=NOT_FOUND):
        await items.remove(account + "x", made.id)
    assert await items.page(account + "x", 10) == (0, [])
    assert await items.page(account, 10) == (1, [made])


async def test_item_of_another_area_is_not_found(
    engine: Engine, items: UserItems[Thing], account: str
) -> None:
    made = await items.add(account, Thing(1))
    area = UserItems(engine, "saved-links", Thing, "thing")
    with pytest.raises(NotFound, match=NOT_FOUND):
        await area.read(account, made.id)
    assert await area.page(account, 10) == (0, [])


async def test_id_is_taken_once(items: UserItems[Thing], account: str) -> None:
    works = (items.add(account, Thing(number), item_id="one") for number in range(20))
    assert sorted(await outcomes(*works)) == ["Conflict"] * 19 + ["done"]


async def test_item_is_removed_once(items: UserItems[Thing], account: str) -> None:
    made = await items.add(account, Thing())
    works = (items.remove(account, made.id) for _ in range(20))
    assert sorted(await outcomes(*works)) == ["NotFound"] * 19 + ["done"]


async def test_id_of_a_removed_item_may_be_taken_again(
    items: UserItems[Thing], account: str
) -> None:
    for number in range(3):
        made = await items.add(account, Thing(number), item_id="again")
        assert await items.page(account, 10) == (1, [made])
        await items.remove(account, "again")


async def test_no_change_of_fifty_at_once_is_lost(
    items: UserItems[Thing], others: UserItems[Thing], account: str
) -> None:
    made = await items.add(account, Thing())
    works = [items.change(account, made.id, more("left")) for _ in range(25)]
    works += [others.change(account, made.id, more("right")) for _ in range(25)]
    assert set(await outcomes(*works)) == {"done"}
    assert (await items.read(account, made.id)).content == Thing(25, 25)


async def test_refusal_of_a_change_changes_nothing(items: UserItems[Thing], account: str) -> None:
    def refuse(thing: Thing) -> Thing:
        raise BadRequest("no")

    made = await items.add(account, Thing(1))
    with pytest.raises(BadRequest, match="^no$"):
        await items.change(account, made.id, refuse)
    assert await items.read(account, made.id) == made


async def test_account_has_so_many_items_at_most(items: UserItems[Thing], account: str) -> None:
    await items.add(account, Thing(), most=2)
    await items.add(account, Thing(), most=2)
    with pytest.raises(
        BadRequest, match="^favorites: this account already has 2; remove one first$"
    ):
        await items.add(account, Thing(), most=2)


async def test_items_of_a_state_are_found_by_it(items: UserItems[Thing], account: str) -> None:
    new = await items.add(account, Thing(1), state="new")
    await items.add(account, Thing(2), state="old")
    assert await items.page(account, 10, state="new") == (1, [new])


async def test_item_marked_as_removed_is_gone_and_keeps_its_id(
    items: UserItems[Thing], account: str
) -> None:
    made = await items.add(account, Thing(), item_id="once", state="new")
    await items.change(account, made.id, lambda old: old, lambda content: REMOVED)
    assert await items.page(account, 10) == (0, [])
    assert await items.page(account, 10, state="new") == (0, [])
    with pytest.raises(NotFound, match=NOT_FOUND):
        await items.read(account, made.id)
    with pytest.raises(Conflict):
        await items.add(account, Thing(), item_id="once", state="new")


async def test_change_of_all_changes_each_once(
    items: UserItems[Thing], others: UserItems[Thing], account: str
) -> None:
    for number in range(7):
        await items.add(account, Thing(number), state="new")
    counts = await asyncio.gather(
        *(
            worker.change_all(lambda: items.stored_page(account, "new", 3), more("right"), "old")
            for worker in (items, others)
        )
    )
    found = await items.page(account, 10, state="old")
    assert sum(counts) == found.total == 7
    assert sorted(item.content.left for item in found.items) == list(range(7))
    assert {item.content.right for item in found.items} == {1}


async def test_change_of_all_that_is_always_overtaken_gives_up(
    items: UserItems[Thing], account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.user_data.items.TRIES", TRIES._replace(most=3))
    made = await items.add(account, Thing(), state="new")
    stale = await items.stored(account, [made.id])
    await items.change(account, made.id, more("left"), lambda content: "new")

    async def select() -> Any:
        return stale

    with pytest.raises(
        EngineUnavailable, match="^too many requests are changing this item at once"
    ):
        await items.change_all(select, more("right"), "old")
    assert (await items.read(account, made.id)).content == Thing(1)
