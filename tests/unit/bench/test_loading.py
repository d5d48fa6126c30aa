"""Commands that a benchmark starts have the settings that it gives them, and no others."""

import msgspec
import pytest

from bench.loading import environment
from edgar_search.settings import Settings


def test_a_setting_of_this_process_does_not_reach_a_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = Settings()
    monkeypatch.setenv("EDGAR_SEARCH_ARCHIVE", str(not usual.archive).lower())
    monkeypatch.setenv("EDGAR_SEARCH_PREFIX", "of-this-process-")
    monkeypatch.setenv("OTHER", "1")
    found = environment(msgspec.structs.replace(usual, prefix="given-"))
    assert "EDGAR_SEARCH_ARCHIVE" not in found
    assert found["EDGAR_SEARCH_PREFIX"] == "given-" and found["OTHER"] == "1"
