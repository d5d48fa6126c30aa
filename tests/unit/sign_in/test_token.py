"""`edgar-search token`, and where the service must not start with the local issuer."""

import os
from pathlib import Path

import pytest

from edgar_search import cli
from edgar_search.access.tokens.bearer import Identity, Tokens
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.commands import run
from edgar_search.http_client import HttpClient
from edgar_search.settings import Settings
from edgar_search.web import server

VARIABLE = "EDGAR_SEARCH_LOCAL_ISSUER"
REFUSED = (
    "edgar-search: EDGAR_SEARCH_LOCAL_ISSUER: must be false, or --host a loopback address such as "
    "127.0.0.1; tokens of the local issuer are for development on one machine\n"
)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "environ", {"EDGAR_SEARCH_HOME": str(tmp_path)})


@pytest.mark.anyio
async def test_token_stands_alone_on_the_last_line_and_is_valid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["token", "--sub", "somebody", "--lifetime", "60"]) == 0
    first, *_, token = capsys.readouterr().out.splitlines()
    assert first.startswith("for somebody, valid for 60 seconds;")
    tokens = Tokens(
        Settings(home=tmp_path, local_issuer=True), HttpClient("edgar-search tests", timeout=1)
    )
    assert await tokens.verify(token) == Identity(ISSUER, "somebody")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--sub", " "], "edgar-search: --sub: must be 1 to 255 printable characters\n"),
        (
            ["--sub", "a", "--lifetime", "31622401"],
            "edgar-search: --lifetime: must be 1 to 31622400 seconds\n",
        ),
    ],
)
def test_token_that_cannot_be_made_is_told(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["token", *arguments]) == 1
    assert capsys.readouterr() == ("", expected)


def test_token_needs_a_subject(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["token"])
    assert caught.value.code == 2
    assert "--sub" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["serve", "run"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.7"])
def test_service_does_not_start_with_the_local_issuer_on_an_open_host(
    command: str, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.environ[VARIABLE] = "true"
    assert cli.main([command, "--host", host]) == 1
    assert capsys.readouterr() == ("", REFUSED)


def test_serve_with_the_local_issuer_on_loopback_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, int, int, bool]] = []
    monkeypatch.setattr(server, "serve", lambda *arguments: started.append(arguments))
    os.environ |= {VARIABLE: "true", "EDGAR_SEARCH_ES_URL": "http://127.0.0.1:1"}
    assert cli.main(["serve", "--host", "127.0.0.1", "--port", "8000"]) == 0
    assert started == [("127.0.0.1", 8000, 1, False)]


def test_run_switches_the_local_issuer_on_for_its_worker_on_loopback() -> None:
    assert run.offer_local_issuer(Settings(), "127.0.0.1")
    assert Settings.from_environ(os.environ).local_issuer


@pytest.mark.parametrize(
    ("settings", "host", "given"),
    [
        (Settings(), "0.0.0.0", ""),
        (Settings(), "127.0.0.1", "false"),
        (Settings(oidc_issuer="https://issuer.example", oidc_audience="a"), "127.0.0.1", ""),
    ],
)
def test_run_leaves_the_local_issuer_off_elsewhere_or_where_told(
    settings: Settings, host: str, given: str
) -> None:
    os.environ[VARIABLE] = given
    assert not run.offer_local_issuer(settings, host)
    assert os.environ[VARIABLE] == given


def test_settings_that_cannot_be_used_stop_every_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    os.environ["EDGAR_SEARCH_OIDC_ALGORITHMS"] = "HS256"
    assert cli.main(["token", "--sub", "somebody"]) == 1
    assert "`HS256` is not an asymmetric algorithm" in capsys.readouterr().err
