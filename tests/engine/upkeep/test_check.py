"""EDGAR's index against the ledger, and the ledger against what is stored, by the command."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from edgar_search.stored.installation import EdgarFile
from ingest.commands.check import check, index_entries
from ingest.loading.bulk import BulkWriter
from ingest.loading.ledger import Ledger
from ingest.loading.ledger_entries import ListedFiling
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.reading.operations import deletion
from ingest.sources.paths import FilingFilter
from ingest.upkeep.delete import Deleter
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
CIK = "0009990160"
MARBLE = MadeUpEntity(CIK, "MARBLE & MOSS CORP")
DAY = date(2021, 1, 5)
WANTED = FilingFilter(None, None, date(2021, 1, 1), date(2021, 1, 31))
TODAY = datetime.now(UTC).date().isoformat()


@pytest.fixture
def filings(new_number: Callable[[], str]) -> list[MadeUp]:
    documents = (MadeUpDocument("Quarries were bought. " * 300), MadeUpDocument("Moss.\n"))
    return [MadeUp(new_number(), (MARBLE,), documents) for _ in range(8)]


def index_file(folder: Path, filings: list[MadeUp], day: date = DAY) -> Path:
    """EDGAR's master index of these filings, each under two of its entities."""
    lines = [
        f"{cik}|MARBLE & MOSS CORP|8-K|{day}|edgar/data/{cik}/{filing.accession_number}.txt"
        for filing in filings
        for cik in ("9990160", "9990161")
    ]
    head = ["Description: Master Index", "CIK|Company Name|Form Type|Date Filed|Filename", "-" * 80]
    path = folder / "master.idx"
    path.write_text("\n".join([*head, *lines, ""]))
    return path


def row(filing: MadeUp, why: str) -> str:
    name = "MARBLE & MOSS CORP"
    return f"{filing.accession_number}\t8-K\t2021-01-05\t{CIK}\t{name}\t{why}"


async def test_what_is_missing_is_named_with_its_reason(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    loaded, refused, deleted, listed, unseen, pending = filings[:6]
    files = {f"{n}.txt": txt(each) for n, each in enumerate([loaded, deleted])}
    cut = txt(refused).replace(b"</SEC-DOCUMENT>\n", b"").rpartition(b"<DOCUMENT>")[0]
    await loads(files | {"cut.txt": cut})
    with Owner(settings.absolute_home) as owner:
        await Deleter(engine, settings, owner).delete(deleted.accession_number)
        ledger = Ledger(engine, settings.prefix, Retry(5), owner)
        number = listed.accession_number
        assert await ledger.mark_listed([ListedFiling(number, "8-K", DAY, "feed")]) == 1
        assert await ledger.mark_listed([ListedFiling(number, "8-K", DAY, "index")]) == 0
        await ledger.mark_listed([ListedFiling(pending.accession_number, "8-K", DAY, "feed")])
        await ledger.mark_fetched(pending.accession_number, "a file", EdgarFile("0" * 64))
    path = index_file(tmp_path, filings[:6])
    capsys.readouterr()
    assert await check(engine, settings, index_entries([path], WANTED), deep=False) == 3
    *rows, summary = capsys.readouterr().out.splitlines()
    assert rows == [
        row(refused, "refused: truncated: no end marker after 1 of 2 documents"),
        row(deleted, f"deleted on {TODAY}"),
        row(listed, "listed, never fetched"),
        row(unseen, "never seen"),
        row(pending, "fetched, never loaded"),
    ]
    kinds = ("refused", "deleted", "listed", "never seen", "fetched")
    why = dict.fromkeys(kinds, 1)
    assert json.loads(summary) == {"listed": 6, "searchable": 1, "missing": 5, "why": why}


async def test_all_is_there(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await loads({f"{n}.txt": txt(each) for n, each in enumerate(filings)})
    path = index_file(tmp_path, filings)
    assert await check(engine, settings, index_entries([path], WANTED), deep=True) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary == {"listed": 8, "searchable": 8, "missing": 0, "why": {}}


async def test_filings_of_other_days_are_not_asked_for(
    engine: Engine,
    settings: Settings,
    filings: list[MadeUp],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = index_file(tmp_path, filings, date(2021, 2, 1))
    assert await check(engine, settings, index_entries([path], WANTED), deep=False) == 0
    assert json.loads(capsys.readouterr().out)["listed"] == 0


@pytest.mark.parametrize(
    ("kind", "part", "why"),
    [
        ("filings", "", "0 filings instead of 1"),
        ("documents", "-2", "1 documents instead of 2"),
        ("passages", "-1#2", "4 passages instead of 5"),
    ],
)
async def test_deep_check_finds_what_only_the_ledger_has(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: Kind,
    part: str,
    why: str,
) -> None:
    whole, damaged = filings[:2]
    await loads({"0.txt": txt(whole), "1.txt": txt(damaged)})
    key = f"{damaged.accession_number}{part}"
    line = deletion(kind, settings.prefix, "all", key)
    await BulkWriter(engine, Retry(5)).write_all([line])
    path = index_file(tmp_path, [whole, damaged])
    assert await check(engine, settings, index_entries([path], WANTED), deep=False) == 0
    capsys.readouterr()
    assert await check(engine, settings, index_entries([path], WANTED), deep=True) == 3
    assert capsys.readouterr().out.splitlines()[0] == row(damaged, f"not as loaded: {why}")
