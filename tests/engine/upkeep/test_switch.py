"""Rules that a switch to a copy compares, and the older versions that are pruned."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine import templates
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from ingest.indices.indices import Indices
from ingest.loading.owner import Owner
from ingest.upkeep.old_versions import Rollback, prune
from ingest.upkeep.rebuild import Rebuild
from tests.engine.upkeep.test_rebuild import current, files
from tests.support.loading import Loads
from tests.support.ownership_forms import FORMS
from tests.support.rewording import templates_scoring, templates_without
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
TERN = MadeUpEntity("0009990190", "ARCTIC TERN HOLDINGS CORP")
# The filings have no XBRL.
WITHOUT_ENTRIES = ("financials", "facts")
KINDS: tuple[Kind, ...] = (*PARTITIONED, "entities")
SEARCHED = [kind for kind in KINDS if kind not in WITHOUT_ENTRIES]


@pytest.fixture
def settings(emptied_settings: Settings) -> Settings:
    """An installation for each test."""
    return emptied_settings


@pytest.fixture
async def engine(engine: Engine, settings: Settings) -> Engine:
    """The engine with all indices."""
    await Indices(engine, settings).set_up()
    return engine


@pytest.fixture
def rebuild(engine: Engine, settings: Settings) -> Rebuild:
    """Rebuilds the test's indices."""
    return Rebuild(engine, settings)


@pytest.fixture
def filings(new_number: Callable[[], str]) -> list[MadeUp]:
    """Ten reports of different words, each with an item, and beside it a form with a row."""
    return [
        MadeUp(
            new_number(),
            (TERN,),
            (MadeUpDocument(report(number), "10-K"), *FORMS),
            form_type="10-K",
        )
        for number in range(10)
    ]


def report(number: int) -> str:
    words = " ".join(f"terns{number + step} wintered on islands{step}" for step in range(20))
    return f"<html><p>Item 1. Business</p><p>{words}</p><p>Item 2. Properties</p><p>Ice.</p>"


async def renew(rebuild: Rebuild, kind: Kind) -> list[str] | None:
    """Make an index anew and switch to it; the differences of the rules of search."""
    await rebuild.rebuild(kind, "all")
    differences = (await rebuild.switch(kind, "all")).differences
    return None if differences is None else [str(difference) for difference in differences]


async def test_rebuilding_that_changes_nothing_is_switched_to(
    engine: Engine, settings: Settings, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings))
    rebuild = Rebuild(engine, msgspec.structs.replace(settings, shards="passages=3"))
    for kind in SEARCHED:
        assert await renew(rebuild, kind) == []


async def test_another_analyzer_is_seen_and_switched_to_only_where_it_is_meant(
    engine: Engine,
    settings: Settings,
    rebuild: Rebuild,
    loads: Loads,
    filings: list[MadeUp],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    await loads(files(filings))
    folder = templates_without(tmp_path / "templates", "wintered")
    monkeypatch.setattr(templates, "_FOLDERS", (folder,))
    await rebuild.rebuild("passages", "all")
    with pytest.raises(SettingsError, match=r"may-differ") as refused:
        await rebuild.switch("passages", "all")
    assert 'analyzer.filter of `text` was ["lowercase"] and is ' in str(refused.value)
    with pytest.raises(SettingsError, match=r"may-differ"):
        await rebuild.switch("passages", "all", accepted="ranking")
    assert "passages.all.v1" in await current(engine, settings)
    # Nothing was switched, and nothing is kept from writes.
    more = msgspec.structs.replace(filings[0], documents=(MadeUpDocument("Gulls.\n"),))
    assert (await loads({f"{more.accession_number}.txt": txt(more)})).loaded == 1
    switched = await rebuild.switch("passages", "all", accepted="anything")
    assert [each.rule for each in switched.differences or ()] == ["analyzer.filter"]
    assert "passages.all.v2" in await current(engine, settings)


async def test_other_parameters_of_scores_are_switched_to_only_if_they_are_meant(
    rebuild: Rebuild, loads: Loads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await loads({})
    folder = templates_scoring(tmp_path / "templates", k1=1.2, b=0.1)
    monkeypatch.setattr(templates, "_FOLDERS", (folder,))
    await rebuild.rebuild("documents", "all")
    with pytest.raises(SettingsError, match="--may-rank-differently") as refused:
        await rebuild.switch("documents", "all")
    assert "similarity.b of `headings`, `text` was 0.75 and is 0.1; " in str(refused.value)
    assert "similarity.k1" not in str(refused.value)
    switched = await rebuild.switch("documents", "all", accepted="ranking")
    assert [each.rule for each in switched.differences or ()] == ["similarity.b"]


async def test_pruning_keeps_the_version_before_unless_it_is_asked_for(
    engine: Engine, settings: Settings, rebuild: Rebuild, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings[:1]))
    kinds: tuple[Kind, ...] = ("filings", "filings", "sections")
    for kind in kinds:
        await renew(rebuild, kind)
    await rebuild.rebuild("entities", "all")

    pruned = partial(pruned_names, engine, settings)
    assert await pruned("sections") == [[], ["sections.all.v1"]]
    assert await pruned() == [["filings.all.v1"], ["filings.all.v2", "sections.all.v1"]]
    assert await pruned() == [[], ["filings.all.v2", "sections.all.v1"]]
    assert await pruned("filings", previous=True) == [["filings.all.v2"], []]
    assert await pruned(previous=True) == [["sections.all.v1"], []]
    # The copy that waits is still there.
    await rebuild.switch("entities", "all")
    assert "entities.all.v2" in await current(engine, settings)


async def pruned_names(
    engine: Engine, settings: Settings, kind: Kind | None = None, *, previous: bool = False
) -> list[list[str]]:
    found = await prune(engine, settings.prefix, kind, previous=previous)
    assert all(state.bytes > 0 for state in found.deleted)
    return [[state.name.removeprefix(settings.prefix) for state in some] for some in found]


async def test_pruning_after_going_back_takes_the_version_that_was_left(
    engine: Engine, settings: Settings, rebuild: Rebuild, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings[:1]))

    go_to_the_next = partial(renew, rebuild, "filings")

    async def go_back() -> None:
        with Owner(settings.absolute_home) as owner:
            await Rollback(engine, settings, owner).roll_back("filings", "all")

    await go_to_the_next()
    await go_to_the_next()
    await go_back()
    # 2 is in use: 1, from which it was switched, stays, and 3, which was left, goes.
    assert await pruned_names(engine, settings) == [["filings.all.v3"], ["filings.all.v1"]]
    await go_to_the_next()
    await go_back()
    await go_to_the_next()
    # 4 is in use, by way of 2 and of a 3 that was left: the way back is to 2.
    assert "filings.all.v4" in await current(engine, settings)
    deleted, kept = await pruned_names(engine, settings)
    assert [deleted, kept] == [["filings.all.v1", "filings.all.v3"], ["filings.all.v2"]]
    await go_back()
    assert "filings.all.v2" in await current(engine, settings)
