"""Queries that are asked of an index and of its copy before that takes the place."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine import bulk_lines, templates
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from ingest.indices.indices import Indices
from ingest.loading.owner import Owner
from ingest.upkeep.old_versions import Rollback, prune
from ingest.upkeep.rebuild import Rebuild
from ingest.upkeep.sampling import Sampled
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


async def renewed(rebuild: Rebuild, kind: Kind) -> Sampled | None:
    """Make an index anew and switch to it: the queries that were asked of both."""
    await rebuild.rebuild(kind, "all")
    return (await rebuild.switch(kind, "all")).sampled


@pytest.mark.parametrize(
    ("replaced", "shards"), [pytest.param(0, "", marks=pytest.mark.long), (3, "passages=3")]
)
async def test_rebuilding_that_changes_nothing_answers_alike(
    engine: Engine,
    settings: Settings,
    loads: Loads,
    filings: list[MadeUp],
    replaced: int,
    shards: str,
) -> None:
    await loads(files(filings))
    # What was replaced counts in the scores of the old index, and not in those of the copy.
    for filing in filings[:replaced]:
        longer = MadeUpDocument(report(50) + "<p>More of them.</p>", "10-K")
        await loads(files([msgspec.structs.replace(filing, documents=(longer,))]))
    rebuild = Rebuild(engine, msgspec.structs.replace(settings, shards=shards))
    for kind in SEARCHED:
        sampled = await renewed(rebuild, kind)
        assert sampled is not None
        assert sampled.asked >= (1 if kind == "entities" else 10)
        assert sampled == Sampled(sampled.asked)


async def test_another_analyzer_is_seen_and_switched_to_only_where_it_is_meant(
    engine: Engine,
    settings: Settings,
    rebuild: Rebuild,
    loads: Loads,
    filings: list[MadeUp],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    # Nearly any word that is sampled is one that the other analyzer leaves out.
    text = f"<html><p>{'wintered ' * 50}on islands</p>"
    words = (MadeUpDocument(text, "10-K"),)
    await loads(files([msgspec.structs.replace(each, documents=words) for each in filings]))
    folder = templates_without(tmp_path / "templates", "wintered")
    monkeypatch.setattr(templates, "_FOLDERS", (folder,))
    await rebuild.rebuild("passages", "all")
    with pytest.raises(SettingsError, match=r"may-differ") as refused:
        await rebuild.switch("passages", "all")
    assert re.search(r"[1-9]\d* of \d+ sampled queries find other entries", str(refused.value))
    assert 'analyzer.filter of `text` was ["lowercase"] and is ' in str(refused.value)
    with pytest.raises(SettingsError, match=r"may-differ"):
        await rebuild.switch("passages", "all", accepted="ranking")
    assert "passages.all.v1" in await current(engine, settings)
    # Nothing was switched, and nothing is kept from writes.
    more = msgspec.structs.replace(filings[0], documents=(MadeUpDocument("Gulls.\n"),))
    assert (await loads({f"{more.accession_number}.txt": txt(more)})).loaded == 1
    sampled = (await rebuild.switch("passages", "all", accepted="anything")).sampled
    assert sampled is not None
    assert sampled.asked > len(sampled.found) > 0
    assert "passages.all.v2" in await current(engine, settings)


async def test_other_parameters_of_scores_are_seen_named_and_switched_to_only_if_they_are_meant(
    rebuild: Rebuild,
    loads: Loads,
    filings: list[MadeUp],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def texts(length: int) -> tuple[MadeUpDocument, ...]:
        return tuple(
            MadeUpDocument("terns " * (number % 7 + 1) + "wintered " * (number**2 % length))
            for number in range(40)
        )

    await loads(files([msgspec.structs.replace(filings[0], documents=texts(50))]))
    # What is deleted counts in the scores of the old index, too.
    await loads(files([msgspec.structs.replace(filings[0], documents=texts(31))]))
    folder = templates_scoring(tmp_path / "templates", k1=1.2, b=0.1)
    monkeypatch.setattr(templates, "_FOLDERS", (folder,))
    await rebuild.rebuild("documents", "all")
    with pytest.raises(SettingsError, match="--may-rank-differently") as refused:
        await rebuild.switch("documents", "all")
    said = str(refused.value)
    assert re.search(r"0 of \d+ sampled queries find other entries, ", said)
    assert re.search(r", [1-9]\d* have other scores \(up to [\d.]+ %, such as `", said)
    assert "similarity.b of `headings`, `text` was 0.75 and is 0.1; " in said
    assert "similarity.k1" not in said
    sampled = (await rebuild.switch("documents", "all", accepted="ranking")).sampled
    assert sampled is not None
    assert (sampled.found, sampled.largest > 0.01) == ((), True)


async def test_parameters_of_scores_are_named_if_no_sampled_query_shows_them(
    rebuild: Rebuild, loads: Loads, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await loads({})
    folder = templates_scoring(tmp_path / "templates", k1=2.0)
    monkeypatch.setattr(templates, "_FOLDERS", (folder,))
    await rebuild.rebuild("documents", "all")
    with pytest.raises(
        SettingsError, match="similarity.k1 of `headings`, `text` was 1.2 and is 2.0"
    ):
        await rebuild.switch("documents", "all")


async def test_one_entry_that_was_copied_wrong_is_seen(
    engine: Engine, settings: Settings, rebuild: Rebuild, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings))
    rebuilt = await rebuild.rebuild("passages", "all")
    path = f"/{rebuilt.new}/_search"
    hit = (await engine.administer("POST", path, {"size": 1, "version": True}))["hits"]["hits"][0]
    wrong = {**hit["_source"], "text": "Gulls."}
    target = f"{settings.prefix}passages.all.next"
    line = bulk_lines.index(target, hit["_id"], wrong, hit["_version"])
    assert [item.error for item in await engine.bulk_items(line)] == [None]
    with pytest.raises(SettingsError, match=r"[1-9]\d* of \d+ sampled queries find other entries"):
        await rebuild.switch("passages", "all")


async def test_what_belongs_to_users_is_not_asked_for(rebuild: Rebuild, loads: Loads) -> None:
    await loads({})
    assert await renewed(rebuild, "user_items") == Sampled(
        0, unasked="user_items are not searched by words"
    )


async def test_pruning_keeps_the_version_before_unless_it_is_asked_for(
    engine: Engine, settings: Settings, rebuild: Rebuild, loads: Loads, filings: list[MadeUp]
) -> None:
    await loads(files(filings[:1]))
    kinds: tuple[Kind, ...] = ("filings", "filings", "sections")
    for kind in kinds:
        await renewed(rebuild, kind)
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

    go_to_the_next = partial(renewed, rebuild, "filings")

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
