"""The pace of a client that reads an export."""

import asyncio

import pytest
from prometheus_client import REGISTRY
from starlette.types import Message

from edgar_search.web import long_answers as module
from edgar_search.web.long_answers import Reader

pytestmark = pytest.mark.anyio


class Connection:
    """Takes each piece after some seconds, which pass on the clock of the loop without a wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        self.seconds = seconds
        self._passed = 0.0
        loop = asyncio.get_running_loop()
        real = loop.time
        monkeypatch.setattr(loop, "time", lambda: real() + self._passed)

    async def send(self, message: Message) -> None:
        self._passed += self.seconds


async def stand(message: Message) -> None:
    """Take nothing for longer than a test runs."""
    await asyncio.sleep(60)


async def test_client_at_the_rate_is_never_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(Connection(monkeypatch, 10.0).send, rate=1_000)
    for _ in range(30):
        await reader.take(bytes(20_000))
        assert not reader.too_slow


async def test_client_below_the_rate_is_too_slow_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reader = Reader(Connection(monkeypatch, 19.0).send, rate=1_000)
    found = []
    for _ in range(4):
        await reader.take(bytes(10_000))
        found.append(reader.too_slow)
    assert found == [False, False, False, True]


async def test_what_was_read_quickly_gives_no_credit(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(monkeypatch, 0.0)
    reader = Reader(connection.send, rate=1_000)
    await reader.take(bytes(1_000_000))
    connection.seconds = module.BEHIND_SECONDS + 1
    await reader.take(b"a")
    assert reader.too_slow


async def test_client_that_stands_is_given_up_and_counted_until_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "BEHIND_SECONDS", 0.2)
    monkeypatch.setattr(module, "END_SECONDS", 0.3)
    monkeypatch.setattr(module, "_UNREAD_SECONDS", 0.05)

    def unread() -> float:
        return REGISTRY.get_sample_value("edgar_search_exports_unread") or 0.0

    before = unread()
    reader = Reader(stand, rate=1_000)
    taking = asyncio.create_task(reader.take(b"a"))
    await asyncio.sleep(0.1)
    assert unread() == before + 1
    with pytest.raises(TimeoutError):
        await taking
    assert unread() == before
