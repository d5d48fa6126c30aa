"""Fixtures of the tests of quotas."""

import pytest

from edgar_search.access import quota
from tests.support.memory_engine import MemoryEngine
from tests.unit.limits.spending import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (quota, quota):
        monkeypatch.setattr(module, "time", clock)
        monkeypatch.setattr(module, "datetime", clock)
    return clock


@pytest.fixture
def engine() -> MemoryEngine:
    return MemoryEngine()
