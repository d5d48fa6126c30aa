"""Bulk bodies to an engine that is away, busy, or refuses."""

from collections.abc import Callable, Iterator

import msgspec
import pytest

from edgar_search.engine.engine import BulkItem, Engine
from edgar_search.engine.replies import ItemError
from edgar_search.errors import EngineFault, EngineRefuses, EngineUnavailable, OperationTooLarge
from ingest.loading.bulk import BulkWriter, Refusal
from ingest.loading.retry import Retry
from ingest.reading.operations import deletion, operation

pytestmark = pytest.mark.anyio

Reply = list[tuple[int, BulkItem]] | Exception
AWAY = EngineUnavailable("away")
# As Elasticsearch says it; the first may fit later, the second never.
FULL = "coordinating_and_primary_bytes=90, all_bytes=90, primary_operation_bytes=20, max_p_bytes=99"
NEVER = "coordinating_and_primary_bytes=9, all_bytes=9, primary_operation_bytes=200, max_p_bytes=99"


class Thing(msgspec.Struct):
    name: str


class TwoWaits(Retry):
    """Asks three times, without waiting."""

    def _steps(self) -> Iterator[float]:
        return iter((0.0, 0.0))


BACK_OFF = TwoWaits(1)


class FakeEngine(Engine):
    """Answers each bulk request by the function given, and keeps what was sent."""

    def __init__(self, reply: Callable[[int, list[str]], Reply]) -> None:
        self.sent: list[list[str]] = []
        self._reply = reply

    async def bulk(self, body: bytes) -> list[tuple[int, BulkItem]]:
        self.sent.append(ids(body))
        reply = self._reply(len(self.sent), self.sent[-1])
        if isinstance(reply, Exception):
            raise reply
        return reply


def ids(body: bytes) -> list[str]:
    lines = [msgspec.json.decode(line) for line in body.splitlines()]
    targets = [target for line in lines for target in line.values() if isinstance(target, dict)]
    return [target["_id"] for target in targets]


def put(key: str, size: int = 1) -> bytes:
    return operation("passages", "test-", "all", key, Thing('{"delete"' * size))


def failed(place: int, key: str, status: int, kind: str, reason: str = "") -> tuple[int, BulkItem]:
    return place, BulkItem("test-passages", key, status, ItemError(kind, reason))


def rejected(place: int, key: str, reason: str = FULL) -> tuple[int, BulkItem]:
    return failed(place, key, 429, "es_rejected_execution_exception", reason)


@pytest.mark.parametrize("times", [1, 2])
async def test_request_is_sent_again_while_the_engine_is_away(times: int) -> None:
    engine = FakeEngine(lambda number, _: AWAY if number <= times else [])
    assert await BulkWriter(engine, BACK_OFF).write([put("a"), put("b")]) == {}
    assert engine.sent == [["a", "b"]] * (times + 1)


async def test_engine_that_stays_away_stops_the_load_after_the_last_wait() -> None:
    engine = FakeEngine(lambda number, _: AWAY)
    with pytest.raises(EngineUnavailable, match="away"):
        await BulkWriter(engine, BACK_OFF).write([put("a")])
    assert engine.sent == [["a"]] * 3


async def test_engine_that_stays_full_stops_the_load_after_the_last_wait() -> None:
    engine = FakeEngine(lambda number, _: [rejected(0, "a")])
    with pytest.raises(EngineUnavailable, match="overloaded"):
        await BulkWriter(engine, BACK_OFF).write([put("a")])
    assert engine.sent == [["a"]] * 3


async def test_only_rejected_operations_are_sent_again() -> None:
    replies: list[Reply] = [[rejected(1, "b"), rejected(3, "d")], [rejected(1, "d")], []]
    engine = FakeEngine(lambda number, _: replies[number - 1])
    pieces = [put("a"), deletion("passages", "test-", "all", "b"), put("c"), put("d")]
    assert await BulkWriter(engine, BACK_OFF).write(pieces) == {}
    assert engine.sent == [["a", "b", "c", "d"], ["b", "d"], ["d"]]


async def test_operation_whose_shard_is_not_ready_is_sent_again() -> None:
    not_ready = failed(0, "a", 503, "unavailable_shards_exception")
    engine = FakeEngine(lambda number, _: [not_ready] if number == 1 else [])
    assert await BulkWriter(engine, BACK_OFF).write([put("a"), put("b")]) == {}
    assert engine.sent == [["a", "b"], ["a"]]


async def test_refused_operation_is_reported_and_not_sent_again() -> None:
    refused = failed(0, "a", 400, "document_parsing_exception")
    replies: list[Reply] = [[refused, rejected(1, "b")], []]
    engine = FakeEngine(lambda number, _: replies[number - 1])
    assert await BulkWriter(engine, BACK_OFF).write([put("a"), put("b")]) == {
        "a": Refusal("Elasticsearch refused a (400 document_parsing_exception)", 400)
    }
    assert engine.sent == [["a", "b"], ["b"]]


async def test_request_that_is_too_large_is_halved_down_to_the_operation_to_blame() -> None:
    engine = FakeEngine(lambda _, sent: OperationTooLarge("no room") if "c" in sent else [])
    refusals = await BulkWriter(engine, BACK_OFF).write([put("a"), put("b"), put("c"), put("d")])
    reason = f"c is too large for this Elasticsearch ({len(put('c'))} bytes)"
    assert refusals == {"c": Refusal(reason, 413)}
    assert engine.sent == [["a", "b", "c", "d"], ["a", "b"], ["c", "d"], ["c"], ["d"]]


async def test_operations_for_which_there_is_never_room_are_halved_at_once() -> None:
    def reply(_: int, sent: list[str]) -> Reply:
        return (
            [rejected(place, key, NEVER) for place, key in enumerate(sent)] if "c" in sent else []
        )

    engine = FakeEngine(reply)
    refusals = await BulkWriter(engine, BACK_OFF).write([put("b"), put("c")])
    assert list(refusals) == ["c"]
    assert engine.sent == [["b", "c"], ["b"], ["c"]]


async def test_refusal_where_none_can_be_is_a_fault() -> None:
    engine = FakeEngine(lambda *_: [failed(0, "a", 400, "illegal_argument_exception")])
    with pytest.raises(EngineFault, match="refused a"):
        await BulkWriter(engine, BACK_OFF).write_all([put("a")])


async def test_large_operation_is_a_request_alone() -> None:
    engine = FakeEngine(lambda *_: [])
    await BulkWriter(engine, BACK_OFF).write([put("a"), put("b", 1_000_000), put("c"), put("d")])
    assert engine.sent == [["a"], ["b"], ["c", "d"]]


@pytest.mark.parametrize("status", [429, 403])
async def test_full_disk_stops_the_load_at_once_and_says_what_to_do(status: int) -> None:
    block = failed(0, "a", status, "cluster_block_exception", "blocked by: [.../12/disk usage ...]")
    engine = FakeEngine(lambda *_: [block])
    with pytest.raises(EngineRefuses, match="disk is full.*make room"):
        await BulkWriter(engine, BACK_OFF).write([put("a"), put("b")])
    assert engine.sent == [["a", "b"]]


async def test_cluster_that_has_not_recovered_its_state_is_waited_for() -> None:
    block = failed(0, "a", 503, "cluster_block_exception")
    engine = FakeEngine(lambda number, _: [block] if number == 1 else [])
    assert await BulkWriter(engine, BACK_OFF).write([put("a")]) == {}
    assert engine.sent == [["a"]] * 2
