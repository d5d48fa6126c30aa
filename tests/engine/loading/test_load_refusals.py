"""Files that cannot be loaded: refused with a reason, recorded, and in nobody's way."""

import hashlib
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.loading import session
from ingest.loading.ledger import read_entries
from ingest.loading.session import load
from ingest.sources.paths import Sources
from tests.support.loading import Loads, counts, stored, text_of, write_sources
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990030", "MARBLE & MOSS CORP")
PAGE = b"<html><body>Request rate exceeded</body></html>"
TRUNCATED = "truncated: no end marker after 1 of 2 documents"


@pytest.fixture
def filing(new_number: Callable[[], str]) -> MadeUp:
    documents = (MadeUpDocument("Quarries were bought.\n"), MadeUpDocument("Moss grows.\n"))
    return MadeUp(new_number(), (MARBLE,), documents)


def cut(data: bytes) -> bytes:
    """Return a submission that lost its end after the first document."""
    end = b"</DOCUMENT>\n"
    return data[: data.index(end) + len(end)]


async def ledger(engine: Engine, key: str) -> LedgerEntry:
    return (await read_entries(engine, [key]))[key]


async def test_damaged_submission_is_in_the_ledger_under_its_number(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    data = cut(txt(filing))
    summary = await loads({"cut.txt": data})
    entry = await ledger(engine, filing.accession_number)
    assert summary.refusals == [{"source": entry.source, "reason": TRUNCATED}]
    assert (datetime.now(UTC) - entry.seen_at).total_seconds() < 60
    assert entry == LedgerEntry(
        status="refused",
        source=entry.source,
        seen_at=entry.seen_at,
        hashes=[hashlib.sha256(data).hexdigest()],
        reason=TRUNCATED,
    )
    assert await stored(engine, "filings", filing.accession_number) == []


async def test_file_without_number_is_in_the_ledger_under_its_hash(
    loads: Loads, engine: Engine
) -> None:
    await loads({"0009990001-21-999999.txt": PAGE})
    entry = await ledger(engine, hashlib.sha256(PAGE).hexdigest())
    assert entry.status == "refused"
    assert entry.reason == ("an HTML page, probably an error message, instead of a submission")


async def test_refused_files_keep_nobody_else_from_loading(
    loads: Loads, engine: Engine, filing: MadeUp, new_number: Callable[[], str]
) -> None:
    other = msgspec.structs.replace(filing, accession_number=new_number())
    files = {"a.txt": PAGE + b" ", "b.txt": txt(filing), "c.txt": b"", "d.txt": txt(other)}
    summary = await loads(files, workers=2)
    assert counts(summary) == (2, 0, 0, 2)
    assert [Path(refusal["source"]).name for refusal in summary.refusals] == ["a.txt", "c.txt"]
    for number in (filing.accession_number, other.accession_number):
        assert len(await stored(engine, "filings", number)) == 1


async def test_refused_file_is_refused_each_time(loads: Loads, filing: MadeUp) -> None:
    files = {f"{filing.accession_number}.txt": cut(txt(filing))}
    assert [counts(await loads(files)) for _ in range(2)] == [(0, 0, 0, 1)] * 2


async def test_good_version_after_a_refused_one_is_loaded(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    name = f"{filing.accession_number}.txt"
    await loads({name: cut(txt(filing))})
    assert counts(await loads({name: txt(filing)})) == (1, 0, 0, 0)
    entry = await ledger(engine, filing.accession_number)
    assert (entry.status, entry.reason) == ("loaded", None)


async def test_damaged_version_is_refused_before_and_after_the_good_one(
    loads: Loads, filing: MadeUp
) -> None:
    name = f"{filing.accession_number}.txt"
    versions = [cut(txt(filing)), txt(filing), cut(txt(filing))]
    outcomes = [counts(await loads({name: data})) for data in versions]
    assert outcomes == [(0, 0, 0, 1), (1, 0, 0, 0), (0, 0, 0, 1)]


async def test_refusal_of_another_version_leaves_the_loaded_one(
    loads: Loads, engine: Engine, filing: MadeUp
) -> None:
    number = filing.accession_number
    await loads({"good.txt": txt(filing)})
    before = await ledger(engine, number), await stored(engine, "documents", number)
    summary = await loads({"cut.txt": cut(txt(filing))})
    source = summary.refusals[0]["source"]
    seen = hashlib.sha256(cut(txt(filing))).hexdigest()
    assert await ledger(engine, number) == msgspec.structs.replace(
        before[0], reason=f"{source}: {TRUNCATED}", hashes=[*before[0].hashes, seen]
    )
    assert await stored(engine, "documents", number) == before[1]
    assert counts(await loads({"good.txt": txt(filing)})) == (0, 1, 0, 0)


async def test_unreadable_file_is_refused(
    engine: Engine, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    summary = await load(engine, settings, Sources([tmp_path]), 1)
    assert summary.refusals == [
        {
            "source": str(tmp_path / "gone.txt"),
            "reason": "cannot be read: No such file or directory",
        }
    ]


async def test_file_whose_name_is_no_text_is_loaded(
    engine: Engine, settings: Settings, tmp_path: Path, filing: MadeUp
) -> None:
    sources = write_sources(tmp_path, {os.fsdecode(b"caf\xe9.txt"): txt(filing)})
    summary = await load(engine, settings, sources, 1)
    assert counts(summary) == (1, 0, 0, 0)
    assert (await ledger(engine, filing.accession_number)).source == f"{tmp_path}/0/caf\ufffd.txt"


async def test_too_large_document_is_listed_and_recorded_but_not_searched(
    engine: Engine,
    settings: Settings,
    tmp_path: Path,
    filing: MadeUp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number = filing.accession_number
    monkeypatch.setattr(session, "MAX_TEXT_CHARS", len("Moss grows."))
    summary = await Loads(engine, settings, tmp_path)({"large.txt": txt(filing)})
    assert (counts(summary), summary.too_large) == ((1, 0, 0, 0), [f"{number}-1"])
    (hit,) = await stored(engine, "filings", number)
    listed = [document["document_id"] for document in hit.source["documents"]]
    assert listed == [f"{number}-1", f"{number}-2"]
    assert [hit.id for hit in await stored(engine, "documents", number)] == [f"{number}-2"]
    assert await text_of(engine, f"{number}-1") == ""
    entry = await ledger(engine, number)
    assert entry.reason == f"too large to be searched: {number}-1"
    assert entry.parts == {f"{number}-2": 1}
