"""The address of a home's engine, also while it does not answer."""

from pathlib import Path

import pytest

from edgar_search.engine import embedded
from edgar_search.engine.embedded import folders, process
from edgar_search.engine.embedded.folders import State
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home that remembers an engine of which a process runs, and which does not answer."""
    settings = Settings(home=tmp_path)
    folder = folders.control_folder(settings)
    folder.mkdir()
    folders.write_state(settings, State(str(folder), 20123, "9.5.4"))
    monkeypatch.setattr(process, "launcher", lambda where: 4711)
    monkeypatch.setattr(process, "answers", lambda url, cluster_name: False)
    monkeypatch.setattr(process, "is_silent", lambda url: True)
    return settings


def test_engine_that_runs_and_is_frozen_is_there(settings: Settings) -> None:
    assert embedded.resolve(settings).es_url == "http://127.0.0.1:20123"


def test_engine_that_does_not_run_is_not(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "launcher", lambda where: None)
    with pytest.raises(EngineUnavailable, match="edgar-search engine up"):
        embedded.resolve(settings)


def test_another_engine_on_its_port_is_not_taken_for_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "is_silent", lambda url: False)
    with pytest.raises(EngineUnavailable, match="edgar-search engine up"):
        embedded.resolve(settings)
