"""The places of the embedded engine's files."""

import os
from pathlib import Path

import pytest

from edgar_search.engine.embedded import folders
from edgar_search.engine.embedded.folders import EngineFolders, State
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings of a home in a world where `open` stands for the folder that all may enter."""
    (tmp_path / "open").mkdir()
    monkeypatch.setattr(folders, "OPEN_FOLDER", tmp_path / "open")
    return Settings(home=tmp_path / "home")


def closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "can_enter", lambda *_: False)


def test_home_that_can_be_entered_holds_all(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "can_enter", lambda *_: True)
    assert folders.find(settings) == EngineFolders(settings.absolute_home / "engine")


def test_closed_home_has_its_files_outside(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(monkeypatch)
    name = f"edgar-search-{folders.digest(settings.absolute_home)}"
    assert folders.find(settings) == EngineFolders(folders.OPEN_FOLDER / name)


def test_folder_outside_is_remembered(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    closed(monkeypatch)
    settings.absolute_home.joinpath("engine").mkdir(parents=True)
    where = folders.prepare(settings)
    folders.write_state(settings, State(str(where.folder), 20001, "9.5.4"))
    monkeypatch.setattr(folders, "can_enter", lambda *_: True)
    assert folders.find(settings) == where


def test_copied_home_does_not_take_the_engine_of_the_first(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "can_enter", lambda *_: True)
    copy = Settings(home=tmp_path / "copy")
    for one in (settings, copy):
        (one.absolute_home / "engine").mkdir(parents=True)
    folders.write_state(copy, State(str(settings.absolute_home / "engine"), 20001, "9.5.4"))
    assert folders.find(copy) == EngineFolders(copy.absolute_home / "engine")


def test_folder_that_others_may_write_is_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(monkeypatch)
    folders.find(settings).folder.mkdir()
    folders.find(settings).folder.chmod(0o777)
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_HOME"):
        folders.prepare(settings)


def test_link_in_place_of_the_folder_is_refused(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed(monkeypatch)
    (tmp_path / "elsewhere").mkdir()
    folders.find(settings).folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match="belongs to another user"):
        folders.prepare(settings)


def test_data_are_closed_to_others(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    closed(monkeypatch)
    where = folders.prepare(settings)
    modes = [folder.stat().st_mode & 0o777 for folder in (where.folder, where.data, where.logs)]
    assert modes == [0o755, 0o700, 0o700]


def test_entering_needs_every_folder_on_the_way(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    stranger = (os.geteuid() + 1, 0)
    (tmp_path / "a").chmod(0o700)
    assert not folders.can_enter(inner, stranger)


def test_state_is_read_back(settings: Settings) -> None:
    (settings.absolute_home / "engine").mkdir(parents=True)
    state = State("/somewhere", 20001, "9.5.4", "9.2.4")
    folders.write_state(settings, state)
    assert folders.read_state(settings) == state
    assert [path.name for path in (settings.absolute_home / "engine").iterdir()] == ["state.json"]


@pytest.mark.parametrize("text", ["", "{", '{"port": 1}'])
def test_damaged_state_counts_as_none(settings: Settings, text: str) -> None:
    (settings.absolute_home / "engine").mkdir(parents=True)
    (settings.absolute_home / "engine" / "state.json").write_text(text)
    assert folders.read_state(settings) is None
