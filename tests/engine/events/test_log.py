"""The event log: order, positions, what was deleted, rebuilds, and arrivals from before it."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, PositionGone
from edgar_search.events.feed import Feed
from edgar_search.events.log import Event, EventLog
from edgar_search.settings import Settings
from edgar_search.stored.events import Generation, LogState, StoredEvent
from edgar_search.stored.user_items import WAITING, LogPosition, StoredArrival
from ingest.indices.indices import Indices
from ingest.upkeep.rebuild import Rebuild
from tests.support.alerting import Told, Watcher, alerts, events_of, filing, match
from tests.support.loading import Loads

pytestmark = [pytest.mark.anyio]
NOW = datetime.now(UTC)


@pytest.fixture
async def log(engine: Engine, settings: Settings) -> EventLog:
    await Indices(engine, settings).set_up()
    return EventLog(engine)


def event(number: int, at: datetime = NOW) -> tuple[str, StoredEvent]:
    return f"event {number}", StoredEvent("loaded", at, f"{number}")


async def read(log: EventLog, after: int, size: int = 500) -> list[str]:
    return [each.content.accession_number for each in (await log.page(after, size)).events]


async def test_position_that_was_deleted_is_gone_and_one_beyond_the_end_is_refused(
    log: EventLog,
) -> None:
    begun = await log.mark()
    old = NOW - timedelta(days=40)
    await log.append([event(11, old), event(12, old), event(13)])
    page = await log.page(begun)
    first, second, third = (each.position for each in page.events)
    before = NOW - timedelta(days=30)
    assert await log.prune(before, begun) == 0
    assert await read(log, begun) == ["11", "12", "13"]
    assert await log.prune(before, third) == 2
    with pytest.raises(PositionGone, match="begins at"):
        await log.page(begun)
    with pytest.raises(PositionGone):
        await log.require(first)
    await log.require(second)
    assert await read(log, second) == ["13"]
    with pytest.raises(BadRequest, match="after the end of the log"):
        await log.require(await log.end() + 1_000_000)


async def test_deletion_that_is_killed_halfway_is_finished_by_the_next(
    log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = await log.mark()
    await log.append([event(21), event(22), event(23)])
    second = (await log.page(begun)).events[1].position
    before = NOW + timedelta(days=1)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Engine, "delete_many", _kill)
        await log.prune(before, second)
    # No reader takes what is half deleted for all that there was.
    with pytest.raises(PositionGone):
        await log.page(begun)
    assert await read(log, second) == ["23"]
    assert await log.prune(before, second) >= 2
    assert await log.prune(before, second) == 0
    assert await read(log, second) == ["23"]


class Killed(BaseException):
    """The end of a process, as the work that it had begun meets it."""


async def _kill(*_: object) -> int:
    raise Killed


async def test_reader_gets_each_event_once_and_in_order_while_others_append(log: EventLog) -> None:
    begun = await log.end()
    writers = [
        asyncio.create_task(_append(log, range(first, first + 300, 3)))
        for first in (10_100, 10_200, 10_300)
    ]
    found: list[int] = []
    positions: list[int] = []
    position = begun
    while len(found) < 300:
        page = await log.page(position, 7)
        found += [int(each.content.accession_number) for each in page.events]
        positions += [each.position for each in page.events]
        position = page.position
    await asyncio.gather(*writers)
    assert len(set(found)) == 300
    assert positions == sorted(set(positions))
    assert [int(number) for number in await read(log, begun)] == found
    assert await log.append([event(101_001)]) == 0
    assert await read(log, position) == []


async def _append(log: EventLog, numbers: range) -> None:
    # Ids of three writers interleave: the order is that of the writes, not of the ids.
    for number in numbers:
        await log.append([event(number * 10 + numbers.start // 100 % 100)])


async def test_positions_last_through_a_rebuild(
    engine: Engine, settings: Settings, log: EventLog
) -> None:
    begun = await log.mark()
    await log.append([event(number) for number in range(2_000, 2_020)])
    before = await log.page(begun)
    rebuild = Rebuild(engine, settings)
    await rebuild.rebuild("events", "all")
    await log.append([event(2_020)])
    await rebuild.switch("events", "all")
    await log.append([event(2_021)])
    after = await EventLog(engine).page(begun)
    assert after.events[:20] == [
        each._replace(content=copied.content)
        for each, copied in zip(before.events, after.events, strict=False)
    ]
    assert [each.content.accession_number for each in after.events] == [
        str(number) for number in range(2_000, 2_022)
    ]
    half = before.events[9].position
    assert await read(log, half, 3) == ["2010", "2011", "2012"]
    assert await read(log, after.events[20].position) == ["2021"]
    assert (await log.page(after.position)).events == []


async def test_log_in_another_index_begins_above_all_positions_before(
    engine: Engine, log: EventLog
) -> None:
    await log.append([event(3_001)])
    end = await log.end()
    stored = await engine.get("events", "log", StoredEvent)
    assert stored and stored.source and stored.source.log
    # As it comes with a restored index.
    (*_, last) = stored.source.log.generations
    other = LogState([Generation("another index", last.first, last.base)])
    await engine.replace("events", stored, StoredEvent("log", NOW, log=other))
    restored = EventLog(engine)
    assert await restored.end() >= end
    await restored.append([event(3_002)])
    (new,) = (await restored.page(end)).events
    assert new.content.accession_number == "3002"
    assert new.position > end + 1_000_000


async def test_arrivals_of_an_earlier_version_are_matched_once_as_if_they_had_come_then(
    engine: Engine, settings: Settings, loads: Loads, log: EventLog
) -> None:
    watcher = Watcher(engine, "carried")
    number = "0009990771-26-000001"
    await loads(filing(number, "older stone"), alerts=False)
    late = await watcher.watch("stone")
    arrival = StoredArrival(WAITING, NOW, f"{number}-1", number, True)
    await engine.create("arrivals", f"{number}-1", arrival)
    # Made by the earlier version, before and after the arrival.
    early = await _as_earlier(engine, watcher, -1)
    later = await _as_earlier(engine, watcher, 1_000_000)
    assert (await match(engine, settings)).notifications == 1
    assert await watcher.told() == [Told(early, f"{number}-1")]
    assert late.id != early != later
    assert (await alerts(engine, settings).once()).notifications == 0
    assert [each.arrival is not None for each in await events_of(engine, number)] == [True]


async def _as_earlier(engine: Engine, watcher: Watcher, seq_no: int) -> str:
    """Return a trigger whose position is one in the index of arrivals."""
    trigger = await watcher.watch("stone")
    index = await engine.index_id("arrivals")
    await watcher.triggers._items.change(
        watcher.account,
        trigger.id,
        lambda old: structs.replace(old, after=LogPosition(index, seq_no)),
        lambda new: "enabled",
    )
    return trigger.id


@pytest.mark.long
async def test_ten_thousand_events_reach_readers_that_are_cut_at_random(
    engine: Engine, settings: Settings, log: EventLog
) -> None:
    chosen = random.Random(34)
    begun = await log.end()
    ids = [f"{place:05d}" for place in range(10_000)]

    async def write(mine: list[str]) -> None:
        while mine:
            some, mine = mine[:50], mine[50:]
            events = [(f"many {each}", StoredEvent("loaded", NOW, each)) for each in some]
            # A writer that was killed before it knew: the next one appends the same again.
            for _ in range(chosen.choice((1, 1, 2))):
                await EventLog(engine).append(events)

    async def read_on() -> list[Event]:
        found: list[Event] = []
        while len(found) < len(ids):
            feed = Feed(engine, 0.05)
            following = asyncio.create_task(feed.run_forever())
            for _ in range(chosen.randrange(1, 12)):
                position = found[-1].position if found else begun
                page = await feed.page(position, 0.2, kinds=("loaded",), size=97)
                # What was sent after the last id that the client has seen is told again.
                found += page.events[: chosen.randrange(1, 98)]
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        return found

    readers = [asyncio.create_task(read_on()) for _ in range(5)]
    await asyncio.gather(*(write(ids[first::4]) for first in range(4)))
    async with asyncio.timeout(300):
        (first, *others) = await asyncio.gather(*readers)
    assert sorted(each.content.accession_number for each in first) == ids
    assert [each.position for each in first] == sorted({each.position for each in first})
    assert all(other == first for other in others)
