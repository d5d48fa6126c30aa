"""Fixtures of the tests of quotas."""

import pytest

from edgar_search.access.limits import quota as quota_module
from tests.support.memory_engine import MemoryEngine
from tests.unit.access.limits.spending import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(quota_module, "time", clock)
    monkeypatch.setattr(quota_module, "datetime", clock)
    return clock


@pytest.fixture
def engine() -> MemoryEngine:
    return MemoryEngine()
