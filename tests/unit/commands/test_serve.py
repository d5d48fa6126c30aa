"""What `edgar-search serve` refuses before it starts any worker."""

from pathlib import Path

import pytest

from edgar_search import cli
from edgar_search.web import server


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
