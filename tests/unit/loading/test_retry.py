"""Waits of a load for Elasticsearch, and the end of its patience."""

import pytest

from edgar_search.errors import EngineRefuses, EngineUnavailable
from ingest.loading.retry import Retry

pytestmark = pytest.mark.anyio


class Away:
    """An engine that is away for the first requests."""

    def __init__(self, times: int, error: EngineUnavailable) -> None:
        self.asked = 0
        self._times = times
        self._error = error

    async def ask(self, value: str) -> str:
        self.asked += 1
        if self.asked <= self._times:
            raise self._error
        return value


async def test_what_is_asked_is_asked_again_until_it_is_answered() -> None:
    away = Away(3, EngineUnavailable("gone"))
    assert await Retry(5, (0.01,))(away.ask, "here") == "here"
    assert away.asked == 4


async def test_end_of_the_wait_says_how_long_it_was_and_what_to_do() -> None:
    away = Away(10**9, EngineUnavailable("gone"))
    with pytest.raises(EngineUnavailable, match=r"gone \(waited 0 s.*start the load again later"):
        await Retry(0.2, (0.05,))(away.ask, "here")
    assert away.asked >= 4


async def test_refusal_for_good_is_not_waited_for() -> None:
    away = Away(1, EngineRefuses("no room"))
    with pytest.raises(EngineRefuses, match="no room"):
        await Retry(5)(away.ask, "here")
    assert away.asked == 1


async def test_wait_is_told_in_the_log_once_in_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await Retry(5, (0.01,))(Away(3, EngineUnavailable("gone")).ask, "here")
    assert caplog.messages == ["gone; waiting, 0 s of at most 5"]
