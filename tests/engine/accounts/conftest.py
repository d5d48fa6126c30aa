"""Fixtures of the tests of accounts."""

from functools import partial

import pytest

from edgar_search import cli
from edgar_search.settings import Settings
from tests.support.commands import Run, runner


@pytest.fixture
def run(
    made_settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs `edgar-search accounts` with arguments."""
    return partial(runner(made_settings, monkeypatch, capsys), cli.main, "accounts")
