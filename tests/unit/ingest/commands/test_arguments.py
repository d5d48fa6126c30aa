"""Command lines of `edgar-ingest` whose options do not go together."""

import json
import re
from pathlib import Path

import pytest

from ingest import cli
from ingest.loading.summary import Summary
from tests.support.engines import CHECKOUT

LATE_FIRST = ["--from", "2025-01-02", "--to", "2025-01-01"]
ORDER = "--from 2025-01-02 is after --to 2025-01-01"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["load"], "load: give paths, or --archive"),
        (["load", "--archive", "x"], "load: give paths, or --archive"),
        (
            ["load", "--again", "--undelete"],
            "load: --again loads what is loaded; --undelete is for what is not",
        ),
        (["load", "/nowhere", *LATE_FIRST], ORDER),
        (["fetch", *LATE_FIRST], ORDER),
        (["check", *LATE_FIRST], ORDER),
        (["check", "/nowhere", *LATE_FIRST], ORDER),
    ],
)
def test_options_that_do_not_go_together_are_a_wrong_command_line(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EDGAR_SEARCH_ES_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("EDGAR_SEARCH_HOME", str(tmp_path))
    monkeypatch.setenv("EDGAR_SEARCH_CONTACT", "Test admin@example.com")
    assert cli.main(arguments) == 2
    assert capsys.readouterr().err == f"edgar-ingest: {reason}\n"


def test_documented_summary_has_the_fields_of_a_real_one() -> None:
    text = (CHECKOUT / "docs" / "ingest.md").read_text()
    (example,) = re.findall(r"^\{\"seen\".*?\}$", text, re.MULTILINE | re.DOTALL)
    assert list(json.loads(example)) == list(Summary().as_dict(0))
