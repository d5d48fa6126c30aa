"""Checks of `make run` and `edgar-search run` before they install or start anything."""

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from edgar_search import cli
from edgar_search.commands import run
from edgar_search.commands.prerequisites import address_of, only_run
from edgar_search.engine import embedded
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings
from tests.support.engines import CHECKOUT


@pytest.fixture(autouse=True)
def nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of the test's own, in which an engine that is started is a failure."""
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path / "home"))

    def fail(*_: object) -> None:
        raise AssertionError("an engine was started")

    monkeypatch.setattr(embedded, "up", fail)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(["run", "--port", "0", *arguments]) == 1
    return capsys.readouterr().err


def test_missing_input_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refusal(capsys, str(tmp_path / "nowhere"))
    assert told.startswith(f"edgar-search: INPUT: {tmp_path}/nowhere: no such file or folder; give")


def test_folder_without_files_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty" / "emptier").mkdir(parents=True)
    told = refusal(capsys, str(tmp_path / "empty"))
    assert told.startswith(f"edgar-search: INPUT: {tmp_path}/empty: has no files; give a folder")


def test_second_run_on_one_home_is_told_of_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with only_run(tmp_path / "home", "http://127.0.0.1:8000/"):
        told = refusal(capsys)
    assert told == (
        f"edgar-search: the home {tmp_path}/home is in use by another run, process {os.getpid()} at"
        " http://127.0.0.1:8000/: use that one, stop it with Ctrl-C, or set EDGAR_SEARCH_HOME to"
        " another folder\n"
    )


def test_home_is_free_again_after_a_run(tmp_path: Path) -> None:
    with only_run(tmp_path, "http://127.0.0.1:8000/"):
        pass
    with only_run(tmp_path, "http://127.0.0.1:8001/"):
        kept = (tmp_path / "run.lock").read_text()
    assert kept == f"process {os.getpid()} at http://127.0.0.1:8001/\n"


def test_home_that_cannot_be_made_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path / "file" / "home"))
    told = refusal(capsys)
    assert told.startswith(
        f"edgar-search: EDGAR_SEARCH_HOME: {tmp_path}/file/home cannot be written: Not a directory"
    )


def test_address_of_version_six_has_brackets() -> None:
    assert address_of("::1", 8000) == "http://[::1]:8000/"


def test_printed_command_is_for_any_shell_in_any_folder(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "a home")
    environ = {"EDGAR_SEARCH_PREFIX": "mine-", "EDGAR_SEARCH_KEY": "secret"}
    assert shlex.split(run.command(settings, environ)) == [
        "env",
        f"EDGAR_SEARCH_HOME={tmp_path}/a home",
        "EDGAR_SEARCH_PREFIX=mine-",
        str(Path(sys.executable).with_name("edgar-search")),
    ]


def make(*arguments: str, folder: Path = CHECKOUT, **environ: str) -> str:
    """The message of `make` when it fails."""
    done = subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    return done.stderr


def program(path: Path, text: str) -> str:
    """Return a shell script in the place of a Python."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"PYTHON={path}"


def test_older_python_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.version_info = (3, 10, 14); sys.version = '3.10.14 '; exec(sys.argv[1])"
    old = program(tmp_path / "python3.10", f'exec {sys.executable} -c "{code}" "$2"')
    told = make("run", old)
    assert told.splitlines()[0] == (
        f"Python 3.11 or newer is needed, and {tmp_path}/python3.10 is 3.10.14;"
        " name another: make run PYTHON=python3.12"
    )


def test_missing_python_is_named() -> None:
    told = make("run", "PYTHON=no-python")
    assert told.splitlines()[0] == (
        "no-python is missing: install Python 3.11 or newer, or name it:"
        " make run PYTHON=/path/of/python3"
    )


@pytest.mark.parametrize("target", ["run", "setup"])
def test_missing_network_is_named_before_anything_is_made(tmp_path: Path, target: str) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "src"):
        (tmp_path / name).symlink_to(CHECKOUT / name)
    told = make(
        target,
        "PORT=0",
        f"PYTHON={sys.executable}",
        folder=tmp_path,
        HTTPS_PROXY="http://127.0.0.1:1",
        PIP_FIND_LINKS="",
    )
    assert "No Python packages can be fetched" in told
    assert not (tmp_path / ".venv").exists()


def test_checks_before_the_installation_import_no_package(tmp_path: Path) -> None:
    ended = subprocess.run(
        # Without `site`, the packages of this environment cannot be imported.
        [sys.executable, "-S", "-m", "edgar_search.commands.prerequisites", str(tmp_path)],
        env={"PYTHONPATH": str(CHECKOUT / "src"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (
        1,
        f"make run: INPUT: {tmp_path}: has no files; give a folder with complete submissions"
        " as EDGAR publishes them (.txt, .nc), plain, compressed or in archives\n",
    )


@pytest.mark.parametrize(
    ("own", "has_input", "started"),
    [
        ("", False, run._FIRST_LOOK),
        ("", True, ""),
        ("-XX:+UseSerialGC", False, "-XX:+UseSerialGC"),
    ],
)
def test_engine_of_a_first_look_starts_without_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str, has_input: bool, started: str
) -> None:
    given = []

    def up(settings: Settings, _: object) -> NoReturn:
        given.append(settings.engine_java_options)
        raise EngineUnavailable("no engine here")

    monkeypatch.setattr(embedded, "up", up)
    # `run` sets them for its workers; after the test they are gone.
    monkeypatch.setenv("EDGAR_SEARCH_LOCAL_ISSUER", "")
    monkeypatch.setenv("EDGAR_SEARCH_PAGES", "")
    (tmp_path / "a.txt").write_text("<SEC-DOCUMENT>")
    source = tmp_path / "a.txt" if has_input else None
    options = argparse.Namespace(input=source, company=None, host="127.0.0.1", port=0)
    with pytest.raises(EngineUnavailable):
        run.run(Settings(home=tmp_path / "home", engine_java_options=own), options)
    assert given == [started]
