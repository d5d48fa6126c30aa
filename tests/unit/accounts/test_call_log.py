"""The history of calls as a worker writes it, over an engine that only remembers."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pytest

from edgar_search.access import call_log as calls_module
from edgar_search.access.call_log import MAX_VALUE, MAX_VALUES, CallLog, kept_parameters
from edgar_search.engine.engine import BulkItem, Engine
from edgar_search.engine.replies import ItemError
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredCall
from tests.web.canned import KEY

pytestmark = pytest.mark.anyio


class Recorder:
    """The part of the engine that the history needs."""

    def __init__(self, *indices: str) -> None:
        self.indices = list(indices)
        self.partitions: list[str] = []
        self.bodies: list[bytes] = []
        self.failures: list[tuple[int, BulkItem]] = []
        self.away = False
        # How long Elasticsearch takes for a bulk request, in seconds.
        self.bulk_seconds = 0.0
        self.refreshed: list[str] = []
        self.time = datetime.now(UTC)

    async def refresh(self, kind: str) -> None:
        self.refreshed.append(kind)

    async def now(self, kind: str, field: str) -> datetime:
        return self.time

    async def ensure_partition(self, kind: str, partition: str) -> None:
        self.partitions.append(partition)

    async def administer(self, method: str, path: str) -> Any:
        if method == "DELETE":
            self.indices.remove(path[1:])
        return {name: {} for name in self.indices}

    async def bulk(self, body: bytes) -> list[tuple[int, BulkItem]]:
        if self.away:
            raise EngineUnavailable("away")
        await asyncio.sleep(self.bulk_seconds)
        self.bodies.append(body)
        failures, self.failures = self.failures, []
        return failures

    def written(self) -> list[str]:
        lines = b"".join(self.bodies).splitlines()
        return [msgspec.json.decode(line)["create"]["_id"] for line in lines[::2]]


def log_over(engine: Recorder, **settings: Any) -> CallLog:
    return CallLog(cast(Engine, engine), Settings(prefix="test-", **settings))


def call(key: str, at: datetime = datetime(2026, 11, 20, tzinfo=UTC)) -> StoredCall:
    return StoredCall(key, "alice", at, "v1/search", {"query": ["a"]}, 200, 1.5, "sk_live_abcd", 3)


async def test_calls_are_written_to_their_months_in_one_request() -> None:
    engine = Recorder()
    log = log_over(engine)
    log.record(call("1"))
    log.record(call("2", datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC)))
    await log.flush()
    assert engine.bodies == [
        b'{"create":{"_index":"test-history.2026-11","_id":"1"}}\n'
        b'{"id":"1","account":"alice","at":"2026-11-20T00:00:00Z","endpoint":"v1/search",'
        b'"parameters":{"query":["a"]},"status":200,"duration_ms":1.5,'
        b'"key_prefix":"sk_live_abcd","result_count":3}\n'
        b'{"create":{"_index":"test-history.2026-10","_id":"2"}}\n'
        b'{"id":"2","account":"alice","at":"2026-10-31T23:59:59Z","endpoint":"v1/search",'
        b'"parameters":{"query":["a"]},"status":200,"duration_ms":1.5,'
        b'"key_prefix":"sk_live_abcd","result_count":3}\n'
    ]
    assert sorted(engine.partitions) == ["2026-10", "2026-11"]


async def test_nothing_is_written_twice() -> None:
    engine = Recorder()
    log = log_over(engine)
    log.record(call("1"))
    await log.flush()
    await log.flush()
    log.record(call("2"))
    await log.flush()
    assert engine.written() == ["1", "2"]
    assert engine.partitions == ["2026-11"]


async def test_calls_wait_for_an_engine_that_is_away() -> None:
    engine = Recorder()
    log = log_over(engine)
    log.record(call("1"))
    engine.away = True
    with pytest.raises(EngineUnavailable):
        await log.flush()
    engine.away = False
    log.record(call("2"))
    await log.flush()
    assert engine.written() == ["1", "2"]


async def test_oldest_calls_are_lost_when_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_module, "MAX_WAITING", 3)
    engine = Recorder()
    log = log_over(engine)
    engine.away = True
    for number in range(5):
        log.record(call(str(number)))
    with pytest.raises(EngineUnavailable):
        await log.flush()
    engine.away = False
    await log.flush()
    assert engine.written() == ["2", "3", "4"]


async def test_nothing_is_lost_of_what_elasticsearch_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_module, "MAX_WAITING", 3)
    monkeypatch.setattr(calls_module, "_BATCH", 2)
    engine = Recorder()
    log = log_over(engine)
    for number in range(5):
        log.record(call(str(number)))
    await log.flush()
    assert engine.written() == ["0", "1", "2", "3", "4"]


async def test_refused_calls_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_module, "MAX_WAITING", 3)
    engine = Recorder()
    log = log_over(engine)
    for number in range(5):
        log.record(call(str(number)))
    engine.failures = [(place, failure(429)) for place in range(5)]
    await log.flush()
    engine.bodies.clear()
    await log.flush()
    assert engine.written() == ["2", "3", "4"]


def failure(status: int) -> BulkItem:
    return BulkItem("test-history.2026-11.v1", "2", status, ItemError("made_up", ""))


@pytest.mark.parametrize(
    ("status", "again"), [(429, ["2"]), (503, ["2"]), (404, ["2"]), (409, []), (400, [])]
)
async def test_call_that_was_refused_is_sent_again_where_that_helps(
    status: int, again: list[str]
) -> None:
    engine = Recorder()
    log = log_over(engine)
    for key in "123":
        log.record(call(key))
    engine.failures = [(1, failure(status))]
    await log.flush()
    await log.flush()
    assert engine.written() == ["1", "2", "3", *again]


async def test_months_that_are_too_old_go() -> None:
    now = datetime.now(UTC)
    this = f"{now.year:04d}-{now.month:02d}"
    kept = f"{now.year - 1:04d}-{now.month:02d}"
    engine = Recorder(
        "test-history.1999-12.v1",
        f"test-history.{kept}.v1",
        f"test-history.{this}.v1",
        "test-history.other",
    )
    log = log_over(engine, history_months=12)
    log.record(call("1", now))
    await log.flush()
    assert engine.indices == [
        f"test-history.{kept}.v1",
        f"test-history.{this}.v1",
        "test-history.other",
    ]


def test_ids_differ_between_workers_and_calls() -> None:
    logs = [log_over(Recorder()) for _ in range(2)]
    assert len({log.new_id() for log in logs for _ in range(100)}) == 200


def test_parameters_are_kept_without_keys_and_not_endless() -> None:
    raw = {"query": ["x" * 5_000], KEY: ["1"], "cik": [KEY, "y"], "ids": ["z"] * 500}
    assert kept_parameters(raw) == {
        "query": ["x" * MAX_VALUE],
        "sk_live_...": ["1"],
        "cik": ["sk_live_...", "y"],
        "ids": ["z"] * MAX_VALUES,
    }


async def test_month_whose_index_is_gone_is_made_again() -> None:
    engine = Recorder()
    log = log_over(engine)
    log.record(call("1"))
    engine.failures = [(0, failure(404))]
    await log.flush()
    await log.flush()
    assert engine.partitions == ["2026-11", "2026-11"]


async def test_call_of_this_worker_can_be_found_at_once() -> None:
    engine = Recorder()
    log = log_over(engine)
    log.record(call("1"))
    await log.show()
    assert (engine.written(), engine.refreshed) == (["1"], ["history"])


async def test_pages_that_are_read_one_after_the_other_share_a_refresh() -> None:
    engine = Recorder()
    log = log_over(engine)
    for _ in range(20):
        await log.show()
    assert engine.refreshed == ["history"]


@asynccontextmanager
async def busy(log: CallLog, engine: Recorder) -> AsyncIterator[None]:
    """Yield calls that arrive all the time, faster than the bulk requests that write them."""
    engine.bulk_seconds = 0.05

    async def arriving() -> None:
        while True:
            log.record(call(log.new_id()))
            await asyncio.sleep(0.01)

    arrivals = asyncio.create_task(arriving())
    try:
        await asyncio.sleep(0.02)
        yield
    finally:
        arrivals.cancel()


async def test_flush_ends_while_calls_go_on_arriving() -> None:
    engine = Recorder()
    log = log_over(engine)
    async with busy(log, engine):
        log.record(call("own"))
        async with asyncio.timeout(1.0):
            await log.flush()
    assert "own" in engine.written()


async def test_many_who_flush_at_once_share_the_requests() -> None:
    engine = Recorder()
    log = log_over(engine)
    async with busy(log, engine):
        async with asyncio.timeout(1.0):
            await asyncio.gather(*(log.flush() for _ in range(50)))
    assert len(engine.bodies) <= 2


async def test_history_of_a_busy_service_is_shown_with_the_readers_own_call() -> None:
    engine = Recorder()
    log = log_over(engine)
    async with busy(log, engine):
        log.record(call("own"))
        began = time.monotonic()
        async with asyncio.timeout(3.0):
            await log.show()
        assert time.monotonic() - began < 2.0
        assert "own" in engine.written() and engine.refreshed


async def test_history_that_cannot_be_written_in_time_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls_module, "SHOW_SECONDS", 0.1)
    engine = Recorder()
    engine.bulk_seconds = 30.0
    log = log_over(engine)
    log.record(call("1"))
    with pytest.raises(EngineUnavailable, match="could not be written in time"):
        await log.show()
    engine.bulk_seconds = 0.0
    await log.flush()
    assert engine.written() == ["1"]


async def test_closing_ends_while_calls_go_on_arriving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_module, "CLOSE_SECONDS", 0.3)
    monkeypatch.setattr(calls_module, "FLUSH_SECONDS", 0.01)
    engine = Recorder()
    log = log_over(engine)
    async with busy(log, engine):
        log.record(call("own"))
        async with asyncio.timeout(2.0):
            await log.close()
        assert "own" in engine.written()


async def test_closing_writes_what_elasticsearch_had_no_time_for_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls_module, "FLUSH_SECONDS", 0.01)
    engine = Recorder()
    log = log_over(engine)
    for key in "12":
        log.record(call(key))
    engine.failures = [(0, failure(429)), (1, failure(429))]
    await log.close()
    assert engine.written() == ["1", "2", "1", "2"]


async def test_clock_that_jumped_ahead_deletes_nothing() -> None:
    months = [f"test-history.2025-{n:02d}.v1" for n in range(10, 13)]
    months += [f"test-history.2026-{n:02d}.v1" for n in range(1, 12)]
    far = datetime(2126, 11, 20, tzinfo=UTC)
    for here, there in ((far, far), (far, datetime(2026, 11, 20, tzinfo=UTC))):
        engine = Recorder(*months, "test-history.2126-11.v1")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(calls_module, "datetime", Frozen(here))
            engine.time = there
            log = log_over(engine, history_months=13)
            log.record(call("1", here))
            await log.flush()
        assert engine.indices == [*months, "test-history.2126-11.v1"]


async def test_elasticsearch_must_say_too_that_a_month_is_old() -> None:
    now = datetime.now(UTC)
    this = f"{now.year:04d}-{now.month:02d}"
    kept = f"{now.year - 1:04d}-{now.month:02d}"
    names = [f"test-history.{month}.v1" for month in ("1999-12", kept, this)]
    engine = Recorder(*names)
    engine.time = datetime(2000, 1, 1, tzinfo=UTC)
    log = log_over(engine, history_months=12)
    log.record(call("1", now))
    await log.flush()
    assert engine.indices == names


class Frozen:
    """Stands in for `datetime`'s now."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self, zone: object) -> datetime:
        return self._moment
