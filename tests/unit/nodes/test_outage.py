"""One line when Elasticsearch goes away and one when it is back."""

import logging

import pytest

from edgar_search.engine import requests
from edgar_search.engine.requests import Outage


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(requests, "time", clock)
    return clock


def test_outage_of_many_requests_has_two_lines(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    seen = Outage()
    seen.answer()
    clock.now = 110.0
    for began in range(110, 1_110):
        seen.no_answer(float(began), "ConnectionError")
    clock.now = 175.0
    seen.answer()
    seen.answer()
    assert caplog.messages == [
        "Elasticsearch is away: ConnectionError",
        "Elasticsearch is back after 65 s, in which 1000 requests had no answer",
    ]


def test_slow_request_beside_answered_ones_is_no_outage(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Outage()
    clock.now = 105.0
    seen.answer()
    clock.now = 110.0
    seen.no_answer(100.0, "ConnectionTimeout")
    assert caplog.messages == []
