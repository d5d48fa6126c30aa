"""`edgar-search sets write`: files by set and year, with the rows of the endpoints."""

import json
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest

from edgar_search.api.files import records
from edgar_search.cli import main
from edgar_search.commands import sets
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from ingest.loading.owner import Owner
from ingest.upkeep.delete import Deleter
from tests.support.asking import Client
from tests.support.commands import Run, runner
from tests.support.loading import Loads
from tests.support.made_up_xbrl import report, report_facts
from tests.support.sets import manifest, rows
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
CIK = "0009991601"
KILN = MadeUpEntity(CIK, "KILN CORP")
KINDS_OF_SETS: tuple[Kind, ...] = ("documents", "facts", "financials")
REPORT = "0009991600-24-000009"


def filing(number: int, day: date) -> dict[str, bytes]:
    """Return a submission with two documents, in a file."""
    documents = (
        MadeUpDocument(f"Terracotta {number}.\n", "10-K", "a.htm", "REPORT"),
        MadeUpDocument("Tiles.\n", "EX-99", "b.htm"),
    )
    made = MadeUp(
        f"0009991600-21-{number:06d}", (KILN,), documents, "10-K", day, date(2020, 12, 31)
    )
    return {f"{made.accession_number}.txt": txt(made)}


@pytest.fixture
async def loaded(loads: Loads) -> None:
    """Three filings of two years, and a report with facts of a third."""
    files = {
        **filing(1, date(2021, 3, 1)),
        **filing(2, date(2021, 4, 1)),
        **filing(3, date(2022, 3, 1)),
        **report(REPORT, CIK, report_facts(2023), date(2024, 2, 1)),
    }
    await loads(files)


@pytest.fixture
def run(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs a command on the installation of the test."""
    return runner(settings, monkeypatch, capsys)


def written(summary: str) -> Sequence[int]:
    """Return the numbers of files that were written, unchanged and removed."""
    found = json.loads(summary)
    return found["written"], found["unchanged"], found["removed"]


@pytest.mark.usefixtures("loaded")
async def test_files_have_the_rows_of_the_endpoints(
    run: Run, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page ends in the middle of a filing, and a row group in the middle of a file.
    monkeypatch.setattr(records, "_GROUP", 2)
    monkeypatch.setattr("edgar_search.api.export.ROWS", 3)
    folder = tmp_path / "new" / "sets"
    folder.parent.mkdir()
    done = await run(main, "sets", "write", str(folder))
    assert done.status == 0, done.error
    files = manifest(folder)["files"]
    assert {file["name"] for file in files} == {
        "filings/2021.parquet",
        "filings/2022.parquet",
        "filings/2024.parquet",
        "documents/2021.parquet",
        "documents/2022.parquet",
        "documents/2024.parquet",
        "facts/2024.parquet",
        "statement_lines/2024.parquet",
        *(f"sec_financial_{table}/2024.parquet" for table in ("sub", "num", "pre", "tag")),
    }
    for file in files:
        data = (folder / file["name"]).read_bytes()
        assert (len(data), sha256(data).hexdigest()) == (file["bytes"], file["sha256"])
        assert len(rows(folder, file["name"])) == file["rows"]

    of_2021 = rows(folder, "filings/2021.parquet")
    assert [each["accnum"] for each in of_2021] == [f"0009991600-21-00000{n}" for n in (1, 2)]
    assert of_2021[0]["document_ids"] == [f"0009991600-21-000001-{n}" for n in (1, 2)]
    documents = rows(folder, "documents/2021.parquet")
    assert [document["document_type"] for document in documents] == ["10-K", "EX-99"] * 2
    assert documents[0]["period"] == date(2020, 12, 31)

    facts = (await client.get("/v1/facts", cik=CIK, limit=1000))["items"]
    found = rows(folder, "facts/2024.parquet")
    assert [(each["concept"], float(each["value"]), each["end"].isoformat()) for each in found] == [
        (fact["concept"], fact["value"], fact["end"]) for fact in facts
    ]


@pytest.mark.usefixtures("loaded")
async def test_some_sets_alone(run: Run, tmp_path: Path) -> None:
    done = await run(main, "sets", "write", str(tmp_path), "--only", "facts,stakes")
    assert [each["name"] for each in manifest(tmp_path)["files"]] == ["facts/2024.parquet"]
    assert "facts/2024.parquet" in done.error


async def test_what_is_wrong_is_named(run: Run, tmp_path: Path) -> None:
    unknown = await run(main, "sets", "write", str(tmp_path), "--only", "fact")
    assert (unknown.status, "--only: fact: sets are filings," in unknown.error) == (1, True)
    (tmp_path / "manifest.json").write_text("{")
    damaged = await run(main, "sets", "write", str(tmp_path))
    assert (damaged.status, "is not a manifest of sets" in damaged.error) == (1, True)
    (tmp_path / "file").write_text("")
    file = await run(main, "sets", "write", str(tmp_path / "file"))
    assert file.status == 1
    assert str(tmp_path / "file") in file.error


def test_every_set_is_in_the_help() -> None:
    assert set(sets.SETS) == {
        *("filings", "documents", "facts", "insider_trades", "insider_holdings", "stakes"),
        *("planned_sales", "holdings", "statement_lines", "sections"),
        *(f"sec_financial_{table}" for table in ("sub", "num", "pre", "tag")),
        *(f"sec_insider_{table}" for table in ("submission", "reportingowner")),
        *("sec_insider_nonderiv_trans", "sec_insider_nonderiv_holding"),
        *("sec_insider_deriv_trans", "sec_insider_deriv_holding"),
    }


@pytest.mark.usefixtures("loaded")
async def test_only_what_changed_is_written_again(
    run: Run, engine: Engine, settings: Settings, loads: Loads, tmp_path: Path
) -> None:
    # What is deleted here is not loaded again: the last test of the module.
    async def write() -> Sequence[int]:
        return written((await run(main, "sets", "write", str(tmp_path))).output)

    assert await write() == (12, 0, 0)
    first = manifest(tmp_path)
    assert await write() == (0, 12, 0)
    await loads(filing(4, date(2022, 5, 1)))
    assert await write() == (2, 10, 0)
    assert len(rows(tmp_path, "filings/2022.parquet")) == 2
    assert manifest(tmp_path)["as_of_event"] > first["as_of_event"]

    with Owner(settings.home) as owner:
        await Deleter(engine, settings, owner).delete(REPORT)
    for kind in KINDS_OF_SETS:
        await engine.refresh(kind)
    assert await write() == (0, 4, 8)
    assert not (tmp_path / "facts" / "2024.parquet").exists()

    (tmp_path / "filings" / "2021.parquet").unlink()
    assert await write() == (1, 3, 0)
