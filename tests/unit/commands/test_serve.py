"""What `edgar-search serve` refuses before it starts any worker."""

import os
import socket
from pathlib import Path

import pytest

from edgar_search import cli
from edgar_search.settings.counts import WORKERS_OF_A_CORE, workers
from edgar_search.web import server
from edgar_search.web.listening import refuse_unbindable
from ingest.cli import main as ingest_main


def test_members_of_indices_that_cannot_be_read_are_told_before_workers_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[object] = []
    monkeypatch.setattr(server, "serve", lambda *arguments: started.append(arguments))
    missing = tmp_path / "members.csv"
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EDGAR_SEARCH_INDEX_MEMBERS", str(missing))
    assert cli.main(["serve"]) == 1
    assert capsys.readouterr().err == (
        f"edgar-search: EDGAR_SEARCH_INDEX_MEMBERS: {missing} cannot be read:"
        " No such file or directory\n"
    )
    assert started == []


@pytest.mark.parametrize(
    "command", [["serve"], ["load", "submissions"], ["follow"]], ids=lambda command: command[0]
)
def test_more_workers_than_a_machine_has_use_for_are_refused(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    most = WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    main = cli.main if command == ["serve"] else ingest_main
    with pytest.raises(SystemExit) as ended:
        main([*command, "--workers", str(most + 1)])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(
        f"argument --workers: {most + 1} is more than {most}, 16 for each core of this machine\n"
    )


def test_as_many_workers_as_a_machine_has_use_for_are_taken() -> None:
    most = WORKERS_OF_A_CORE * (os.cpu_count() or 1)
    assert workers(str(most)) == most


@pytest.mark.parametrize("command", ["serve", "run"])
def test_port_at_which_another_process_listens_is_told_before_anything_starts(
    command: str, capsys: pytest.CaptureFixture[str], engine_elsewhere: None
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        assert cli.main([command, "--port", str(taken)]) == 1
    assert capsys.readouterr().err == (
        f"edgar-search: --host 127.0.0.1 --port {taken}: another process listens there;"
        " end it or choose another --port\n"
    )


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("192.0.2.7", "--host 192.0.2.7 --port 8000"),
        ("nowhere.invalid", "--host nowhere.invalid"),
        ("a" * 80, f"--host {'a' * 80}"),
    ],
)
def test_host_that_is_no_address_of_this_machine_is_told(
    host: str, named: str, capsys: pytest.CaptureFixture[str], engine_elsewhere: None
) -> None:
    assert cli.main(["serve", "--host", host]) == 1
    assert capsys.readouterr().err == (
        f"edgar-search: {named}: no address of this machine; 0.0.0.0 stands for all of them\n"
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", ""])
def test_host_at_which_a_server_can_listen_is_taken(host: str) -> None:
    refuse_unbindable(host, 0)


def test_port_of_a_connection_that_is_not_yet_forgotten_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server_side:
        port = server_side.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = server_side.accept()
            # What closes first is the side that waits.
            accepted.close()
    refuse_unbindable("127.0.0.1", port)


@pytest.fixture
def engine_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of Elasticsearch, so that none is started or looked for."""
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
