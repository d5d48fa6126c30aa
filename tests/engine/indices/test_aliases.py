"""Aliases that someone deleted: `templates diff` shows them, `templates put` puts them back."""

import argparse

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineRefuses, EngineUnavailable
from edgar_search.settings import Settings
from ingest.commands import indices
from ingest.indices.indices import Indices
from tests.support.loading import Hit

pytestmark = [pytest.mark.anyio, pytest.mark.own_installation]
NOTHING = argparse.Namespace()


@pytest.fixture(autouse=True)
async def in_place(engine: Engine, settings: Settings) -> None:
    """All is in place before each test."""
    await Indices(engine, settings).set_up()


async def remove(engine: Engine, index: str, *aliases: str) -> None:
    actions = [{"remove": {"index": index, "alias": alias}} for alias in aliases]
    await engine.administer("POST", "/_aliases", {"actions": actions})


@pytest.mark.parametrize("deleted", [("",), (".all",), ("", ".all")])
async def test_deleted_alias_is_shown_and_put_back(
    engine: Engine,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    deleted: tuple[str, ...],
) -> None:
    index = f"{settings.prefix}filings.all.v1"
    names = sorted(f"{settings.prefix}filings{name}" for name in deleted)
    await remove(engine, index, *names)
    assert await indices.diff(engine, settings, NOTHING) == 3
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == index
    assert sorted(shown[1:]) == [
        f"  + alias: {name}  (applies at once: edgar-ingest templates put)" for name in names
    ]
    await indices.put(engine, settings, NOTHING)
    put = capsys.readouterr().out.strip().removeprefix("put: ").split(", ")
    assert sorted(put) == [f"alias {name} of {index}" for name in names]
    assert await indices.diff(engine, settings, NOTHING) == 0


async def test_what_the_missing_alias_is_told_with_mends_it(
    engine: Engine, settings: Settings
) -> None:
    await remove(engine, f"{settings.prefix}documents.all.v1", f"{settings.prefix}documents")
    with pytest.raises(EngineUnavailable, match="edgar-ingest templates put"):
        await engine.search("documents", {}, Hit)
    await indices.put(engine, settings, NOTHING)
    assert (await engine.search("documents", {}, Hit)).hits.hits == []


async def test_partition_of_a_later_version_gets_its_aliases_back_and_no_other_index(
    engine: Engine, settings: Settings
) -> None:
    name = f"{settings.prefix}history.1999-12.v2"
    await engine.create_index(name, {})
    await engine.ensure_partition("history", "1999-12")
    found = await engine.administer("GET", f"/{settings.prefix}history.1999-12.*/_alias")
    aliases: dict[str, object] = {
        f"{settings.prefix}history": {},
        f"{settings.prefix}history.1999-12": {},
    }
    assert found == {name: {"aliases": aliases}}


async def test_copy_that_is_not_in_use_yet_gets_no_alias(
    engine: Engine, settings: Settings
) -> None:
    copy = f"{settings.prefix}sections.all.v2"
    waiting: dict[str, object] = {f"{settings.prefix}sections.all.next": {}}
    await engine.create_index(copy, {"aliases": waiting})
    index = f"{settings.prefix}sections.all.v1"
    await remove(engine, index, f"{settings.prefix}sections", f"{settings.prefix}sections.all")
    await indices.put(engine, settings, NOTHING)
    found = await engine.administer("GET", f"/{settings.prefix}sections.*/_alias")
    assert found[copy] == {"aliases": waiting}
    assert len(found[index]["aliases"]) == 2


async def test_two_versions_without_aliases_are_named(engine: Engine, settings: Settings) -> None:
    other = f"{settings.prefix}tickers.all.v2"
    await engine.create_index(other, {})
    index = f"{settings.prefix}tickers.all.v1"
    await remove(engine, index, f"{settings.prefix}tickers", f"{settings.prefix}tickers.all")
    with pytest.raises(EngineRefuses) as raised:
        await indices.put(engine, settings, NOTHING)
    assert str(raised.value).startswith(f"{index} and {other} cannot both be in use")
    await engine.administer("DELETE", f"/{other}")
    await indices.put(engine, settings, NOTHING)
    assert await indices.diff(engine, settings, NOTHING) == 0
