"""The line that says how far a fetch is."""

import io
import logging
import sys
from datetime import date

import pytest

from ingest.fetching import fetch
from ingest.fetching.fetch import FetchProgress
from ingest.loading import summary as lines
from ingest.loading.summary import Summary

MONDAY, TUESDAY = date(2024, 3, 4), date(2024, 3, 5)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in seconds, which tests move on."""
    now = [100.0]
    for module in (lines, fetch):
        monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_line_has_days_submissions_bytes_rate_and_what_is_left(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with FetchProgress() as progress:
        progress.begin({MONDAY: 30, TUESDAY: 70})
        clock[0] += 10
        progress.done(MONDAY, 30)
        progress.received(1_500_000)
        clock[0] += 10
        progress.done(TUESDAY, 10)
    assert caplog.messages == [
        "1 of 2 days, 30 of 100 submissions, 0 B; 3.0 submissions/s, 23 s left",
        "1 of 2 days, 40 of 100 submissions, 2 MB; 2.0 submissions/s, 30 s left",
    ]


def test_archive_is_shown_while_it_comes_and_its_load_counts(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with FetchProgress() as progress:
        progress.begin({MONDAY: 4})
        clock[0] += 5
        progress.downloading("20240304.nc.tar.gz", 120_000_000, 1_250_000_000)
        progress.downloaded(1_250_000_000)
        summary = Summary()
        load = progress.of_day(MONDAY)([], summary)
        with load:
            summary.loaded = 3
            clock[0] += 5
            load.update()
    assert caplog.messages == [
        "0 of 1 days, 0 of 4 submissions, 0 B; 0.0 submissions/s;"
        " 20240304.nc.tar.gz: 120 MB of 1.25 GB",
        "0 of 1 days, 3 of 4 submissions, 1.25 GB; 0.3 submissions/s, 3 s left",
    ]


def test_terminal_has_one_line_that_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with FetchProgress() as progress:
        progress.begin({MONDAY: 2})
        progress.done(MONDAY)
        progress.done(MONDAY)
    text = terminal.getvalue()
    assert "1 of 1 days, 2 of 2 submissions" in text
    assert text.count("\n") == 1


@pytest.mark.parametrize(
    ("seconds", "expected"), [(59, "59 s"), (61, "1 min 1 s"), (3 * 3600 + 125, "3 h 2 min")]
)
def test_time_that_is_left_has_two_units_at_most(seconds: float, expected: str) -> None:
    assert lines.format_duration(seconds) == expected
