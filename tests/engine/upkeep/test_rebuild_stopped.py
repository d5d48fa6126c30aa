"""Rebuilding that is stopped in the middle, taken over, given up or undone.

The tests share an installation, each with filings of its own, in the order of this file.
"""

import re
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED, ROW_KINDS
from ingest.commands import indices
from ingest.indices.indices import Indices
from ingest.indices.rebuild_records import RebuildRecord, all_records
from ingest.loading.owner import Owner
from ingest.upkeep import copying
from ingest.upkeep.copying import Copier, IndexPair
from ingest.upkeep.delete import Deleter
from ingest.upkeep.old_versions import Rollback, prune
from ingest.upkeep.rebuild import Rebuild
from tests.engine.upkeep.test_rebuild import (
    WITHOUT_ENTRIES,
    current,
    everything,
    files,
    left_switching,
    some_filings,
)
from tests.support.loading import Loads, counts
from tests.support.submissions import MadeUp, MadeUpDocument

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]


@pytest.fixture
async def engine(engine: Engine, made_settings: Settings) -> Engine:
    """The engine with all indices."""
    return engine


@pytest.fixture
def filings(new_number: Callable[[], str]) -> list[MadeUp]:
    """Six filings, of which the last has a report with sections and a form with rows."""
    return some_filings(new_number)


def untimed(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without when they were loaded."""
    return [{name: entry[name] for name in entry if name != "loaded_at"} for entry in entries]


async def copied(engine: Engine, kind: Kind) -> dict[str, int]:
    record = await RebuildRecord(engine, kind, "all").read()
    assert record is not None
    return record.copied


async def test_place_of_the_copying_outlives_templates_and_loads(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings[:4]))
    rebuild = Rebuild(engine, settings)
    await rebuild.rebuild("passages", "all")
    before = await copied(engine, "passages")
    await Indices(engine, settings).set_up()
    await loads(files(filings[4:]))
    assert await copied(engine, "passages") == before
    assert min(before.values()) > 0
    await rebuild.switch("passages", "all")
    assert counts(await loads(files(filings))) == (0, 6, 0, 0)


class Killed(BaseException):
    """Ends a process as SIGKILL does: nothing is tidied up."""


async def test_copying_that_was_killed_goes_on_where_it_was(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await loads(files(filings))
    monkeypatch.setattr(copying, "_NARROW", 1)
    pages: list[tuple[int, int]] = []
    killed_at = 3 * copying.SLICES
    whole = Copier._copy_slice

    async def copy_slice(self: Copier, pair: IndexPair, shard: str, low: int, high: int) -> int:
        pages.append((low, high))
        if len(pages) == killed_at:
            raise Killed
        return await whole(self, pair, shard, low, high)

    monkeypatch.setattr(Copier, "_copy_slice", copy_slice)
    with pytest.raises(Killed):
        await Rebuild(engine, settings).rebuild("passages", "all")
    done = await copied(engine, "passages")
    pages.clear()
    killed_at = 0
    rebuilt = await Rebuild(engine, settings).rebuild("passages", "all")
    assert min(low for low, _ in pages) == done["0"] > 0
    assert rebuilt.new.endswith("passages.all.v3")
    assert rebuilt.old_entries == rebuilt.new_entries > 0


async def test_status_says_what_a_copying_lacks(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def said() -> str:
        capsys.readouterr()
        assert await indices.status(engine, settings, Namespace()) == 0
        lines = capsys.readouterr().out.splitlines()
        (place,) = [at for at, line in enumerate(lines) if line.startswith("filings.all\tcopying")]
        return lines[place + 1].strip()

    rebuild = Rebuild(engine, settings)
    await loads(files(filings[:1]))
    new = (await rebuild.rebuild("filings", "all")).new
    switch = "`edgar-ingest indices switch filings.all` puts it into use"
    assert await said() == f"all is copied; {switch}"
    await loads(files(filings[1:3]))
    again = "`edgar-ingest indices rebuild filings.all`"
    assert await said() == f"2 entries are left to copy; {again} continues"
    await rebuild.rebuild("filings", "all")
    assert await said() == f"all is copied; {switch}"
    await engine.administer("DELETE", f"/{new}")
    assert await said() == f"its copy is gone; {again} begins a new one"
    await rebuild.rebuild("filings", "all")
    await rebuild.abandon("filings", "all")


async def test_commands_say_how_long_they_took(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    capsys: pytest.CaptureFixture[str],
) -> None:
    await loads(files(filings[:1]))
    options = Namespace(index=("entities", "all"), within=30.0, accepted="nothing")
    assert await indices.rebuild(engine, settings, options) == 0
    assert re.search(r"^copied in \d+\.\d s; not in use yet; ", capsys.readouterr().out, re.M)
    assert await indices.switch(engine, settings, options) == 0
    said = capsys.readouterr().out
    assert re.search(r"^in use, after \d+\.\d s without writes; ", said, re.M)


async def test_switch_that_was_killed_can_be_given_up(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings[:1]))
    rebuild = Rebuild(engine, settings)
    await rebuild.rebuild("filings", "all")
    await left_switching(engine, settings, "filings")
    assert await rebuild.abandon("filings", "all") == f"{settings.prefix}filings.all.v2"
    assert "filings.all" not in {record.id for record in await all_records(engine)}
    assert counts(await loads(files(filings[1:]))) == (5, 0, 0, 0)


async def test_switch_refuses_where_more_is_left_than_can_be_copied_in_time(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await loads(files(filings[:4]))
    rebuild = Rebuild(engine, settings)
    await rebuild.rebuild("passages", "all")

    async def left(*_: object) -> int:
        return 1_000_000

    monkeypatch.setattr(Copier, "count_left", left)
    with pytest.raises(SettingsError, match=r"1000000 entries are left, about [0-9]+ s of copying"):
        await rebuild.switch("passages", "all", within=5)
    monkeypatch.undo()
    assert counts(await loads(files(filings[4:]))) == (2, 0, 0, 0)


@pytest.mark.long
async def test_going_back_lets_what_came_since_be_loaded_again_from_the_archive(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    changed = msgspec.structs.replace(filings[1], documents=(MadeUpDocument("Only this.\n"),))
    await loads(files(filings[:4]))
    rebuild = Rebuild(engine, settings)
    for kind in PARTITIONED:
        await rebuild.rebuild(kind, "all")
        await rebuild.switch(kind, "all")
    in_use = await current(engine, settings)
    await loads(files([changed, *filings[4:]]))
    with Owner(settings.absolute_home) as owner:
        await Deleter(engine, settings, owner).delete(filings[0].accession_number)
        before = await everything(engine, filings)
        for kind in PARTITIONED:
            way = await Rollback(engine, settings, owner).roll_back(kind, "all")
            expected: dict[str, int] = {"sections": 1}
            expected |= {kind: int(kind not in WITHOUT_ENTRIES) for kind in ROW_KINDS}
            assert way.submissions == expected.get(kind, 3)
    left = set(in_use) - set(await current(engine, settings))
    assert {name.partition(".")[0] for name in left} == set(PARTITIONED)
    await loads.archive()
    after = await everything(engine, filings)
    assert {name: untimed(each) for name, each in after.items()} == {
        name: untimed(each) for name, each in before.items()
    }
    pruned = await prune(engine, settings.prefix)
    assert left <= {state.name.removeprefix(settings.prefix) for state in pruned.deleted}


async def test_switch_of_what_is_not_loaded_cannot_be_undone(
    engine: Engine, settings: Settings
) -> None:
    with Owner(settings.absolute_home) as owner:
        with pytest.raises(
            SettingsError, match="accounts: entries since the switch are nowhere else"
        ):
            await Rollback(engine, settings, owner).roll_back("accounts", "all")
        with pytest.raises(SettingsError, match=r"documents\.1999: there is no switch to undo"):
            await Rollback(engine, settings, owner).roll_back("documents", "1999")
