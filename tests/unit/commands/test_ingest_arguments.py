"""Command lines of `edgar-ingest` whose options do not go together."""

import json
import re
from pathlib import Path

import pytest

from ingest import cli
from ingest.commands import arguments
from ingest.loading.summary import Summary
from tests.support.engines import CHECKOUT

LATE_FIRST = ["--from", "2025-01-02", "--to", "2025-01-01"]
ORDER = "--from 2025-01-02 is after --to 2025-01-01"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (["load"], "load: give paths, or --archive"),
        (["load", "--archive", "x"], "load: give paths, or --archive"),
        (
            ["load", "--again", "--undelete"],
            "load: give --again or --undelete, not both: --again loads only what is loaded",
        ),
        (["load", "/nowhere", *LATE_FIRST], ORDER),
        (["fetch", *LATE_FIRST], ORDER),
        (["check", *LATE_FIRST], ORDER),
        (["check", "/nowhere", *LATE_FIRST], ORDER),
    ],
)
def test_options_that_do_not_go_together_are_a_wrong_command_line(
    line: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path))
    monkeypatch.setenv("EDGAR_SEARCH_CONTACT", "Test admin@example.com")
    assert cli.main(line) == 2
    assert capsys.readouterr().err == f"edgar-ingest: {reason}\n"


def test_lines_of_the_log_are_objects_if_the_settings_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path))
    monkeypatch.setenv("EDGAR_SEARCH_LOGS", "json")
    monkeypatch.setenv("EDGAR_SEARCH_LOAD_PATIENCE", "0.1")
    (tmp_path / "one.txt").write_text("x")
    assert cli.main(["load", str(tmp_path / "one.txt")]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["level"] for line in lines][-1] == "error"
    assert {"at", "logger", "message"} <= {*lines[0]}
    assert lines[0]["message"].startswith("Elasticsearch is away: ")


def test_figures_of_a_command_are_in_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EDGAR_SEARCH_METRICS_FOLDER", str(tmp_path))
    assert cli.main(["load"]) == 2
    (file,) = tmp_path.iterdir()
    assert file.name == "edgar-ingest-load-edgar.prom"
    assert 'edgar_ingest_exit_status{command="load",prefix="edgar-"} 2.0\n' in file.read_text()
    monkeypatch.setenv("EDGAR_SEARCH_METRICS_FOLDER", "/nowhere")
    assert cli.main(["load"]) == 1
    reason = "EDGAR_SEARCH_METRICS_FOLDER: /nowhere must be a folder that can be written to\n"
    assert capsys.readouterr().err.endswith(reason)


@pytest.mark.parametrize("text", ["x", "12345678901", "\u0661\u0662", "-1", "1.0"])
def test_what_is_no_cik_is_a_wrong_command_line(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["load", f"--ciks=320193,{text}", "x"])
    assert ended.value.code == 2
    reason = f"argument --ciks: {text} is not a CIK; expected a number of at most 10 digits\n"
    assert capsys.readouterr().err.endswith(reason)


def test_ciks_are_given_with_ten_digits() -> None:
    assert arguments.ciks(" 320193, 0000789019,") == {"0000320193", "0000789019"}


@pytest.mark.parametrize(
    "text", ["x", "000099901025000004", "0009990101-25-00000\u0664", "0009990101-25-0000044"]
)
def test_what_is_no_accession_number_is_a_wrong_command_line(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["delete", text])
    assert ended.value.code == 2
    refusal = f"{text} is not an accession number such as 0001234567-24-000001\n"
    assert refusal in capsys.readouterr().err


def test_documented_summary_has_the_fields_of_a_real_one() -> None:
    text = (CHECKOUT / "docs" / "ingest.md").read_text()
    (example,) = re.findall(r"^\{\"seen\".*?\}$", text, re.MULTILINE | re.DOTALL)
    assert list(json.loads(example)) == list(Summary().as_dict(0))
