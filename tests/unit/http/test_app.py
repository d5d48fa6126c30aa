"""Preparations of a worker process before it serves."""

import sys

import pytest

from edgar_search.app import SWITCH_SECONDS, from_environ


def test_worker_waits_half_a_millisecond_for_a_thread_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = sys.getswitchinterval()
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    try:
        from_environ()
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    finally:
        sys.setswitchinterval(usual)
