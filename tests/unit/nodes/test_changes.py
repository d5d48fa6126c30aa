"""Changes that rest on what was read."""

from collections.abc import Sequence
from typing import cast

import pytest
from msgspec import Struct

from edgar_search.engine.changes import (
    Change,
    Tries,
    change,
    change_many,
    change_once,
    retry_on_conflict,
)
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import Conflict, EngineUnavailable, NotFound
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio

TRIES = Tries(3, 0.0, "too many; try again later")


class Number(Struct):
    value: int


def one_more(before: Number | None) -> Number:
    return Number(before.value + 1 if before else 1)


@pytest.fixture
def memory() -> MemoryEngine:
    return MemoryEngine()


@pytest.fixture
def engine(memory: MemoryEngine) -> Engine:
    return cast(Engine, memory)


async def test_document_that_is_not_there_is_created(engine: Engine) -> None:
    made = await change(engine, "usage", "a", Number, one_more, TRIES)
    assert made == Change(None, Number(1))
    assert await change(engine, "usage", "a", Number, one_more, TRIES) == Change(
        Number(1), Number(2)
    )


async def test_change_that_others_come_before_is_made_of_what_they_wrote(
    engine: Engine, memory: MemoryEngine
) -> None:
    await engine.create("usage", "a", Number(1))
    read: list[int] = []

    def overtaken(before: Number | None) -> Number | None:
        assert before is not None
        read.append(before.value)
        if len(read) < TRIES.most:
            memory.documents["usage", "a"] = Number(before.value * 10), len(read)
        return Number(before.value + 1)

    await change(engine, "usage", "a", Number, overtaken, TRIES)
    assert (read, memory.documents["usage", "a"][0]) == ([1, 10, 100], Number(101))


async def test_document_that_others_create_first_is_changed(
    engine: Engine, memory: MemoryEngine
) -> None:
    def second(before: Number | None) -> Number | None:
        if before is None:
            memory.documents["usage", "a"] = Number(7), 0
        return one_more(before)

    assert (await change(engine, "usage", "a", Number, second, TRIES)).after == Number(8)


async def test_change_that_is_overtaken_too_often_gives_up_in_the_words_given(
    engine: Engine, memory: MemoryEngine
) -> None:
    await engine.create("usage", "a", Number(1))
    memory.overtaken = TRIES.most
    with pytest.raises(EngineUnavailable, match="^too many; try again later$"):
        await change(engine, "usage", "a", Number, one_more, TRIES)
    assert memory.documents["usage", "a"][0] == Number(1)


@pytest.mark.parametrize("made", [None, Number(1)])
async def test_what_stays_as_it_is_is_not_written(
    engine: Engine, memory: MemoryEngine, made: Number | None
) -> None:
    await engine.create("usage", "a", Number(1))
    asked = memory.requests
    found = await change(engine, "usage", "a", Number, lambda before: made, TRIES)
    assert (found, memory.requests) == (Change(Number(1), Number(1)), asked + 1)


async def test_change_that_raises_writes_nothing(engine: Engine, memory: MemoryEngine) -> None:
    def refused(before: Number | None) -> Number | None:
        raise NotFound("there is none")

    with pytest.raises(NotFound):
        await change(engine, "usage", "a", Number, refused, TRIES)
    assert memory.documents == {}


async def test_one_try_says_that_another_write_came_first(
    engine: Engine, memory: MemoryEngine
) -> None:
    await engine.create("usage", "a", Number(1))
    memory.overtaken = 1
    with pytest.raises(Conflict):
        await change_once(engine, "usage", "a", Number, one_more)


async def test_other_errors_are_not_tried_again(engine: Engine, memory: MemoryEngine) -> None:
    memory.away = True
    with pytest.raises(EngineUnavailable, match="^away$"):
        await retry_on_conflict(lambda: change_once(engine, "usage", "a", Number, one_more), TRIES)
    assert memory.requests == 1


class Many:
    """Documents of which some are overtaken at each write, as `overtaken` says."""

    def __init__(self, *overtaken: set[str]) -> None:
        self._overtaken = [*overtaken]
        self.written: list[list[str]] = []
        self.asked: list[list[str]] = []

    async def write(self, new: Sequence[tuple[Stored[Number], Number]]) -> set[str]:
        self.written.append([stored.id for stored, _ in new])
        return self._overtaken.pop(0) if self._overtaken else set()

    async def read(self, keys: Sequence[str]) -> list[Stored[Number]]:
        self.asked.append([*keys])
        return found(*keys)


def found(*keys: str) -> list[Stored[Number]]:
    return [Stored(key, True, Number(1)) for key in keys]


def more(stored: Stored[Number]) -> Number | None:
    return None if stored.id == "b" else one_more(stored.source)


async def test_of_many_only_those_that_were_overtaken_are_made_again() -> None:
    many = Many({"a", "c"}, {"c"})
    assert await change_many(found("a", "b", "c", "d"), more, many.write, many.read) == []
    assert many.written == [["a", "c", "d"], ["a", "c"], ["c"]]
    assert many.asked == [["a", "c"], ["c"]]


async def test_of_many_those_left_after_all_tries_are_named() -> None:
    many = Many(*[{"c"}] * 5)
    assert await change_many(found("a", "c"), more, many.write, many.read, 2) == ["c"]
    assert (many.written, many.asked) == ([["a", "c"], ["c"]], [["c"]])


async def test_of_many_that_all_stay_none_is_written() -> None:
    many = Many()
    assert await change_many(found("b"), more, many.write, many.read) == []
    assert many.written == []
