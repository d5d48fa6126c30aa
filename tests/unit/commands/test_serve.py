"""What `edgar-search serve` refuses before it starts any worker."""

import os
from pathlib import Path

import pytest

from edgar_search import cli
from edgar_search.settings.counts import WORKERS_OF_A_CORE, workers
from edgar_search.web import server
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
