"""Fixtures of the tests of quotas."""

import pytest

from edgar_search.access.limits import quota as quota_module
from tests.unit.access.limits.spending import Clock
from tests.unit.access.memory_engine import MemoryEngine


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(quota_module, "time", clock)
    monkeypatch.setattr(quota_module, "datetime", clock)
    return clock


@pytest.fixture
def engine() -> MemoryEngine:
    return MemoryEngine()
