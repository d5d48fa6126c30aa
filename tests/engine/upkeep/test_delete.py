"""Deleted submissions: nothing of them is left, and they do not come back by themselves."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import msgspec
import pytest

from edgar_search.archive import archive
from edgar_search.archive.archive import open_archive
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.loading.ledger import read_entries
from ingest.loading.owner import Owner
from ingest.loading.session import load
from ingest.sources.paths import Sources
from ingest.upkeep.delete import Deleter, DeletionCounts
from tests.support.loading import Loads, counts, stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.shared_installation]
MARBLE = MadeUpEntity("0009990150", "MARBLE & MOSS CORP")
KINDS: tuple[Kind, ...] = ("filings", "documents", "passages")
LONG = (MadeUpDocument("Quarries were bought. " * 300), MadeUpDocument("Moss grows.\n", "EX-99"))


@pytest.fixture
def filing(new_number: Callable[[], str]) -> MadeUp:
    return MadeUp(new_number(), (MARBLE,), LONG)


@pytest.fixture
def changed(filing: MadeUp) -> MadeUp:
    return msgspec.structs.replace(filing, documents=(MadeUpDocument("Only this.\n"),))


@pytest.fixture
async def deleter(engine: Engine, settings: Settings) -> AsyncIterator[Deleter]:
    with Owner(settings.absolute_home) as owner:
        deleter = Deleter(engine, settings, owner)
        await deleter.set_up()
        yield deleter


async def entry(engine: Engine, number: str) -> LedgerEntry:
    return (await read_entries(engine, [number]))[number]


async def parts(engine: Engine, number: str) -> list[int]:
    return [len(await stored(engine, kind, number)) for kind in KINDS]


async def test_every_trace_goes_and_a_tombstone_stays(
    loads: Loads,
    engine: Engine,
    settings: Settings,
    deleter: Deleter,
    filing: MadeUp,
    changed: MadeUp,
) -> None:
    number = filing.accession_number
    await loads({"one.txt": txt(filing), "two.txt": txt(changed)})
    assert len(archive.versions(open_archive(settings.archive_place), number)) == 2
    assert await deleter.delete(number) == DeletionCounts(number, 1, 1, 1, 2)
    assert await parts(engine, number) == [0, 0, 0]
    assert archive.versions(open_archive(settings.archive_place), number) == []
    tombstone = await entry(engine, number)
    assert (tombstone.status, tombstone.parts, tombstone.owner) == ("deleted", {}, None)
    assert (len(tombstone.hashes), tombstone.settled, tombstone.loaded_hash) == (2, [], None)
    assert tombstone.deleted_at is not None


async def test_deleted_submission_stays_deleted_in_every_version(
    loads: Loads,
    engine: Engine,
    settings: Settings,
    deleter: Deleter,
    filing: MadeUp,
    changed: MadeUp,
) -> None:
    number = filing.accession_number
    await loads({"one.txt": txt(filing)})
    await deleter.delete(number)
    summary = await loads({"one.txt": txt(filing), "two.txt": txt(changed)})
    assert (counts(summary), summary.deleted, summary.seen) == ((0, 0, 0, 0), 2, 2)
    assert await parts(engine, number) == [0, 0, 0]
    assert archive.versions(open_archive(settings.archive_place), number) == []
    assert (await entry(engine, number)).status == "deleted"


async def test_deleted_submission_comes_back_where_that_is_asked_for(
    loads: Loads,
    engine: Engine,
    settings: Settings,
    deleter: Deleter,
    filing: MadeUp,
    tmp_path: Path,
) -> None:
    number = filing.accession_number
    await loads({"one.txt": txt(filing)})
    before = await parts(engine, number)
    await deleter.delete(number)
    (tmp_path / "again.txt").write_bytes(txt(filing))
    sources = Sources([tmp_path / "again.txt"])
    summary = await load(engine, settings, sources, 1, undelete=True)
    assert counts(summary) == (1, 0, 0, 0)
    assert await parts(engine, number) == before
    again = await entry(engine, number)
    assert (again.status, again.deleted_at) == ("loaded", None)


async def test_what_the_ledger_does_not_know_of_goes_too(
    loads: Loads, engine: Engine, deleter: Deleter, filing: MadeUp
) -> None:
    number = filing.accession_number
    await loads({"one.txt": txt(filing)})
    await deleter._ledger.change(
        await deleter._ledger.read([number]),
        lambda e: msgspec.structs.replace(e.source, parts={}) if e.source else None,
    )
    assert await deleter.delete(number) == DeletionCounts(number, 1, 2, 5, 1)
    assert await parts(engine, number) == [0, 0, 0]


async def test_submission_that_was_never_here_has_a_tombstone_and_is_not_loaded(
    loads: Loads, deleter: Deleter, filing: MadeUp
) -> None:
    number = filing.accession_number
    assert await deleter.delete(number) == DeletionCounts(number, 0, 0, 0, 0)
    assert (await loads({"one.txt": txt(filing)})).deleted == 1


async def test_archive_can_be_loaded_and_its_last_version_stands(
    loads: Loads,
    engine: Engine,
    settings: Settings,
    filing: MadeUp,
    changed: MadeUp,
    tmp_path: Path,
) -> None:
    """The versions' names begin with hashes, so their order by name means nothing."""
    number = filing.accession_number
    home = tmp_path / "home"
    (tmp_path / "in").mkdir()
    first = msgspec.structs.replace(settings, home=home)
    for each in (filing, changed, filing):
        await Loads(engine, first, tmp_path / "in")({"one.txt": txt(each)})
    second = msgspec.structs.replace(settings, prefix=f"{settings.prefix}again-", home=home)
    other = Engine.from_settings(second)
    try:
        summary = await load(other, second, Sources([home / "archive"]), 2)
        assert counts(summary) == (2, 0, 0, 0)
        assert await stored_text(other, number) == await stored_text(engine, number)
    finally:
        await other.close()


async def stored_text(engine: Engine, number: str) -> list[str]:
    return [hit.source["text"] for hit in await stored(engine, "passages", number)]
