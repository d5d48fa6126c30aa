"""The folder of damaged files: what becomes of each, and how the command ends."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.acceptance.service import command, last_line_json
from tests.conftest import remove_everything
from tests.support.engines import installation

CUT_HEADER = "the header is cut off: it has no end"
REFUSED = {
    "0000012927-23-000048.first-1000-bytes.txt": CUT_HEADER,
    "0000320193-19-000119.tags-stripped.txt.gz": (
        "no SGML header tags: something stripped the file of its tags"
    ),
    "0000320193-97-000011.truncated.txt.gz": "document 6 is not terminated",
    "0000769397-25-000019.first-1000-bytes.txt": CUT_HEADER,
    "0000912057-00-023442.appended-5-times.txt.gz": "5 submissions in one file",
    "0001018724-24-000083.first-1000-bytes.txt": CUT_HEADER,
    "0001145197-23-000076.first-1000-bytes.txt": "document 1 is not terminated",
    "0001564590-20-004475.hand-cut.txt": "incomplete: 2 of 160 documents present",
    "0001628280-24-020011.first-1000-bytes.txt": CUT_HEADER,
    "0001637459-25-000011.first-1000-bytes.txt": CUT_HEADER,
    "no-such-key.xml": "an XML page, probably an error message, instead of a submission",
    "rate-exceeded.html": "an HTML page, probably an error message, instead of a submission",
}
LOADED = {
    "0001140361-25-045534.no-documents.txt",
    "0001193125-19-278752.indented-header.txt.gz",
}


@pytest.fixture(scope="module")
def settings(engine_settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An installation of this module's own."""
    return installation(engine_settings, "damaged", tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module", autouse=True)
def removed(settings: Settings) -> Iterator[None]:
    yield
    asyncio.run(remove_everything(settings))


@pytest.fixture(scope="module", params=["first time", "second time"])
def load(
    request: pytest.FixtureRequest, settings: Settings, corpus: Path
) -> tuple[str, int, dict[str, Any]]:
    """The name of a load, its exit status and its summary."""
    finished = command(settings, "ingest.cli", "load", str(corpus / "malformed"))
    return request.param, finished.returncode, last_line_json(finished)


def test_the_table_has_every_file(corpus: Path) -> None:
    files = {path.name for path in (corpus / "malformed").iterdir()} - {"manifest.jsonl"}
    assert files == LOADED | REFUSED.keys()


def test_each_damaged_file_is_refused_with_its_reason(
    load: tuple[str, int, dict[str, Any]],
) -> None:
    _, status, summary = load
    refusals = {Path(each["source"]).name: each["reason"] for each in summary["refusals"]}
    assert refusals == REFUSED
    assert summary["refused"] == len(REFUSED)
    assert status == 3


def test_the_others_are_loaded(load: tuple[str, int, dict[str, Any]]) -> None:
    time, _, summary = load
    outcomes = (summary["loaded"], summary["unchanged"])
    assert outcomes == ((len(LOADED), 0) if time == "first time" else (0, len(LOADED)))


def test_missing_folder_is_told_and_nothing_is_done(settings: Settings, tmp_path: Path) -> None:
    finished = command(settings, "ingest.cli", "load", str(tmp_path / "nowhere"))
    assert (finished.returncode, finished.stdout) == (1, "")
    assert f"{tmp_path}/nowhere: no such file or folder" in finished.stderr
