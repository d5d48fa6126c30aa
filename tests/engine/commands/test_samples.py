"""`edgar-search samples`: made-up filings that are loaded once, listed and removed."""

from pathlib import Path

import pytest

from edgar_search.commands.samples import accession_numbers
from edgar_search.settings import Settings
from tests.acceptance.service import command
from tests.support.engines import installation

pytestmark = pytest.mark.any_engine


def test_samples_are_loaded_once_listed_and_removed(
    engine_settings: Settings, tmp_path: Path
) -> None:
    settings = installation(engine_settings, "samples", tmp_path / "home")

    def run(action: str) -> tuple[str, str]:
        done = command(settings, "edgar_search.cli", "samples", action)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    count = len(accession_numbers())
    loaded = f"loading the samples\n{count} loaded\nloading their tickers\n"
    assert run("load") == ("", loaded)
    assert run("list")[0].split() == accession_numbers()
    assert run("load") == ("", f"{count} samples are here\n")
    # The note of another release, whose samples were others.
    (tmp_path / "home" / "samples-loaded").write_text("other")
    again = f"loading the samples\n{count} here already\nloading their tickers\n"
    assert run("load") == ("", again)
    assert run("remove")[0] == f"{count} samples removed; 0 other filings stay\n"
    assert run("list")[0] == ""
    assert run("load")[1].startswith("loading the samples\n")
    assert run("list")[0] == ""
