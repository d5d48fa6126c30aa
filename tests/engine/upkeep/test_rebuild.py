"""Indices made anew beside the ones in use, while filings come, change and go.

The tests share an installation, each with filings of its own, in the order of this file.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from ingest.indices.indices import list_indices
from ingest.indices.rebuild_records import RebuildRecord
from ingest.loading.owner import Owner
from ingest.upkeep.delete import Deleter
from ingest.upkeep.old_versions import prune
from ingest.upkeep.rebuild import Rebuild
from tests.support.asking import Client
from tests.support.loading import Hit, Loads, counts, stored
from tests.support.ownership_forms import FORMS
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
MARBLE = MadeUpEntity("0009990180", "MARBLE & MOSS CORP")
DOCUMENTS = (MadeUpDocument("Quarries were bought. " * 300), MadeUpDocument("Moss grows.\n"))
KINDS: tuple[Kind, ...] = (*PARTITIONED, "entities", "ledger")
# The filings have no XBRL.
WITHOUT_ENTRIES = ("financials", "facts")
REPORT = "<html><p>Item 1. Business</p><p>Quarries.</p><p>Item 2. Properties</p><p>Moss.</p>"


@pytest.fixture
async def engine(engine: Engine, made_settings: Settings) -> Engine:
    """The engine with all indices."""
    return engine


@pytest.fixture
def filings(new_number: Callable[[], str]) -> list[MadeUp]:
    """Six filings, of which the last has a report with sections and a form with rows."""
    return some_filings(new_number)


def some_filings(new_number: Callable[[], str]) -> list[MadeUp]:
    """Return the same."""
    usual = [MadeUp(new_number(), (MARBLE,), DOCUMENTS) for _ in range(5)]
    documents = (MadeUpDocument(REPORT, "10-K"), *FORMS)
    report = MadeUp(new_number(), (MARBLE,), documents, form_type="10-K")
    return [*usual, report]


def files(filings: list[MadeUp]) -> dict[str, bytes]:
    return {f"{filing.accession_number}.txt": txt(filing) for filing in filings}


@pytest.fixture(scope="module")
def same_filings(new_number: Callable[[], str]) -> list[MadeUp]:
    """Six filings for all kinds of indices: after the first load they are unchanged."""
    return some_filings(new_number)


async def everything(engine: Engine, filings: list[MadeUp]) -> dict[str, list[dict[str, Any]]]:
    """Return the stored entries of filings, without the names of indices."""
    found: dict[str, list[dict[str, Any]]] = {}
    for kind in PARTITIONED:
        await engine.refresh(kind)
        for filing in filings:
            hits: list[Hit] = await stored(engine, kind, filing.accession_number)
            found[f"{kind} {filing.accession_number}"] = [hit.source for hit in hits]
    return found


async def current(engine: Engine, settings: Settings) -> list[str]:
    states = await list_indices(engine, settings.prefix)
    return [s.name.removeprefix(settings.prefix) for s in states if s.current]


# Elasticsearch copies all kinds alike; the ledger has entries that no other has.
@pytest.mark.parametrize(
    "kind",
    [
        kind
        if kind in ("documents", "ledger")
        else pytest.param(kind, marks=pytest.mark.any_engine)
        for kind in KINDS
    ],
)
async def test_rebuilt_index_has_the_same_and_takes_the_place(
    engine: Engine, settings: Settings, loads: Loads, same_filings: list[MadeUp], kind: Kind
) -> None:
    filings = same_filings
    await loads(files(filings))
    before = await everything(engine, filings)
    rebuild = Rebuild(engine, settings)
    rebuilt = await rebuild.rebuild(kind, "all")
    assert rebuilt.old_entries == rebuilt.new_entries
    assert (rebuilt.old_entries == 0) is (kind in WITHOUT_ENTRIES)
    assert f"{kind}.all.v1" in await current(engine, settings)
    await rebuild.switch(kind, "all")
    assert await everything(engine, filings) == before
    names = await current(engine, settings)
    assert (f"{kind}.all.v2" in names, f"{kind}.all.v1" in names) == (True, False)
    pruned = await prune(engine, settings.prefix, kind, previous=True)
    assert [state.name for state in pruned.deleted] == [f"{settings.prefix}{kind}.all.v1"]
    assert counts(await loads(files(filings))) == (0, 6, 0, 0)


async def test_text_of_rebuilt_documents_is_searched(
    client: Client, engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    basalt = MadeUpDocument("Basalt was hewn. " * 300)
    await loads(files([msgspec.structs.replace(filings[0], documents=(basalt,))]))
    before = await client.search('"hewn. Basalt"')
    rebuild = Rebuild(engine, settings)
    await rebuild.rebuild("documents", "all")
    await rebuild.switch("documents", "all")
    assert await client.search('"hewn. Basalt"') == before
    assert before["total_count"] == 1


async def test_what_comes_changes_and_goes_between_rebuild_and_switch_is_taken_along(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    changed = msgspec.structs.replace(filings[1], documents=(MadeUpDocument("Only this.\n"),))
    await loads(files(filings[:4]))
    rebuild = Rebuild(engine, settings)
    for kind in PARTITIONED:
        await rebuild.rebuild(kind, "all")
    await loads(files([changed, *filings[4:]]))
    with Owner(settings.absolute_home) as owner:
        await Deleter(engine, settings, owner).delete(filings[0].accession_number)
    before = await everything(engine, filings)
    for kind in PARTITIONED:
        await rebuild.switch(kind, "all")
    assert await everything(engine, filings) == before


async def left_switching(engine: Engine, settings: Settings, kind: Kind) -> None:
    """Leave a switch as a process that is killed in the middle of it does."""
    record = RebuildRecord(engine, kind, "all")
    rebuild = await record.read()
    assert rebuild is not None
    now = datetime.now(UTC)
    await record.change(stage="switching", holder="process 1 on elsewhere", blocked_at=now)
    await Rebuild(engine, settings).block(rebuild.old, True)


@pytest.mark.any_engine
async def test_load_during_a_switch_waits_and_says_who_holds_the_index(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await loads(files(filings[:3]))
    rebuild = Rebuild(engine, settings)
    rebuilt = await rebuild.rebuild("passages", "all")
    await left_switching(engine, settings, "passages")
    (tmp_path / "more").mkdir()
    loading = asyncio.create_task(Loads(engine, settings, tmp_path / "more")(files(filings[3:])))
    await asyncio.sleep(1.5)
    assert not loading.done()
    with pytest.raises(SettingsError, match=r"passages\.all: process 1 on elsewhere is switching"):
        await rebuild.switch("passages", "all")
    await rebuild.resume("passages", "all")
    assert counts(await loading) == (3, 0, 0, 0)
    said = caplog.text
    assert f"{rebuilt.old} is held by process 1 on elsewhere since 20" in said
    assert "`edgar-ingest indices resume passages.all` takes it over" in said
    found = await everything(engine, filings)
    assert [len(v) for k, v in found.items() if k.startswith("passages")] == [5] * 5 + [
        1 + len(FORMS)
    ]


async def test_nothing_to_switch_to_is_said(
    engine: Engine, settings: Settings, loads: Loads
) -> None:
    await loads({})
    with pytest.raises(SettingsError, match="no copy to switch to"):
        await Rebuild(engine, settings).switch("filings", "all")


async def test_partition_that_is_not_there_is_said(
    engine: Engine, settings: Settings, loads: Loads
) -> None:
    await loads({})
    known = r"filings\.1999 is not an index in use; of filings there are filings\.all$"
    with pytest.raises(SettingsError, match=known):
        await Rebuild(engine, settings).rebuild("filings", "1999")
