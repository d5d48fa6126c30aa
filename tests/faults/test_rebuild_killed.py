"""A rebuilding with another analyzer during searches and loads, killed at every stage of it.

`EDGAR_SEARCH_TEST_PASSAGES` and `EDGAR_SEARCH_TEST_KILLS` say how large it is and how often.
"""

import asyncio
import itertools
import os
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct, field

from edgar_search.engine import templates
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from ingest.indices.differences import diff_live
from tests.conftest import remove_everything
from tests.faults.contents import TIMES
from tests.faults.rebuilding import Commands, Operator
from tests.support.engines import installation
from tests.support.rewording import templates_without
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.torture.service import Target, Times, command, serving, timed

pytestmark = [pytest.mark.anyio, pytest.mark.long]
PASSAGES = int(os.environ.get("EDGAR_SEARCH_TEST_PASSAGES", "12000"))
KILLS = int(os.environ.get("EDGAR_SEARCH_TEST_KILLS", "20"))
SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "18"))
ENTITY = MadeUpEntity("0009990191", "WHIMBREL & CURLEW CORP")
# Of 2,000 characters each, at most.
PASSAGES_OF_ONE = 60
# Submissions that come while all is rebuilt, a few at a time.
LATER, AT_ONCE = PASSAGES // 200, 2
REBUILT: tuple[Kind, ...] = ("passages", "documents")
COMPARED: tuple[Kind, ...] = (*PARTITIONED, "entities", "ledger")
QUERIES = (
    "whimbrels",
    '"whimbrels on shore3"',
    "shore1 OR shore2",
    "curlew*",
    "tide7 AND NOT shore9",
)
PAUSE = 0.05  # between two searches
_PAGE = 5_000
# What was loaded again came from the archive.
LEFT_OUT = (*TIMES, "source")


class _Hit(Struct):
    id: str = field(name="_id")
    source: dict[str, Any] = field(name="_source")
    sort: list[Any] = []


def write(folder: Path, numbers: range, passages: int) -> Path:
    """Return submissions with these numbers, of about this many passages each."""
    folder.mkdir()
    for number in numbers:
        line = " ".join(f"the whimbrels on shore{number % 13} saw tide{step}" for step in range(9))
        lines = [f"{line} of row {row}.\n" for row in range(passages * 2_000 // len(line))]
        filing = MadeUp(f"0009990191-21-{number:06d}", (ENTITY,), (MadeUpDocument("".join(lines)),))
        (folder / f"{filing.accession_number}.txt").write_bytes(txt(filing))
    return folder


@asynccontextmanager
async def searching(target: Target) -> AsyncIterator[Times]:
    """Yield the outcomes of searches that run all the while."""
    times = Times([], Counter())

    async def ask_forever() -> None:
        async with target.client() as client:
            while True:
                query = QUERIES[len(times.seconds) % len(QUERIES)]
                await timed(client, times, f"{target.url}/v1/search", query=query)
                await asyncio.sleep(PAUSE)

    asking = asyncio.create_task(ask_forever())
    try:
        yield times
    finally:
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)


async def load_forever(commands: Commands, files: list[str], operated: asyncio.Event) -> None:
    """Load all of them, a few at a time and spread over the rebuilding; each must end well."""
    for start in range(0, len(files), AT_ONCE):
        await commands.well("load", "--workers", "1", *files[start : start + AT_ONCE])
        if not operated.is_set():
            await asyncio.sleep(2.0)


async def everything(engine: Engine, kind: Kind) -> dict[str, dict[str, Any]]:
    """Return all entries of a kind by id, without what depends on when they were loaded."""
    await engine.refresh(kind)
    body: dict[str, Any] = {"query": {"match_all": {}}, "size": _PAGE, "sort": ["_shard_doc"]}
    point = await engine.open_point(kind, 60, None)
    found: dict[str, dict[str, Any]] = {}
    while hits := (await engine.at({kind: point}).search(kind, body, _Hit)).hits.hits:
        for hit in hits:
            found[hit.id] = {
                name: each for name, each in hit.source.items() if name not in LEFT_OUT
            }
            if "announced" in hit.source:
                found[hit.id]["announced"] = sorted(hit.source["announced"])
        body["search_after"] = hits[-1].sort
    await engine.close_point(point)
    return found


async def totals(target: Target) -> list[tuple[int, int]]:
    """Return the status and the total of each query.

    Scores, and so orders, count what was deleted.
    """
    found = []
    async with target.client() as client:
        for query in QUERIES:
            async with client.get(f"{target.url}/v1/search", params={"query": query}) as reply:
                found.append((reply.status, (await reply.json())["total_count"]))
    return found


async def rebuilt_under_kills(
    settings: Settings, commands: Commands, later: list[str]
) -> Counter[str]:
    """Rebuild, switch and go back until it was killed often enough; the kills by their stage."""
    engine, done = Engine.from_settings(settings), asyncio.Event()
    operator = Operator(engine, commands, Random(SEED))
    loading = asyncio.create_task(load_forever(commands, later, done))
    try:
        await operator.look()
        for kind in REBUILT:
            await operator.round(kind, kills=False)
        turns = itertools.cycle(REBUILT)
        while operator.kills.total() < KILLS:
            await operator.round(next(turns), kills=True)
        done.set()
        await loading
        await commands.well("load", "--archive", "--workers", "1")
        for kind in REBUILT:
            await operator.for_good(kind)
    finally:
        loading.cancel()
        await asyncio.gather(loading, return_exceptions=True)
        await engine.close()
    return operator.kills


async def assert_equal(hit: Settings, fresh: Settings) -> None:
    """Assert that the rebuilt entries are those of a fresh load, by the templates of now."""
    engine, other = Engine.from_settings(hit), Engine.from_settings(fresh)
    try:
        differing = [name.removeprefix(hit.prefix) for name in await diff_live(engine, hit)]
        assert [name for name in differing if name.startswith(REBUILT)] == []
        for kind in COMPARED:
            one, two = await everything(engine, kind), await everything(other, kind)
            assert one.keys() == two.keys(), kind
            assert {key: (one[key], two[key]) for key in one if one[key] != two[key]} == {}
    finally:
        await engine.close()
        await other.close()


async def test_rebuilding_that_is_killed_again_and_again_loses_no_search_and_no_filing(
    engine_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    print(f"seed {SEED}, {PASSAGES} passages, {KILLS} kills", flush=True)
    first = write(tmp_path / "first", range(PASSAGES // PASSAGES_OF_ONE), PASSAGES_OF_ONE)
    later = write(tmp_path / "later", range(500_000, 500_000 + LATER), 2)
    changed = templates_without(tmp_path / "templates", "the")
    hit, fresh = (
        installation(engine_settings, name, tmp_path / name, local_issuer=True, searches=1_000)
        for name in ("hit", "fresh")
    )
    try:
        command(hit, "ingest.cli", "load", str(first), "--workers", "2")
        with serving(hit, tmp_path) as target:
            async with searching(target) as times:
                files = sorted(map(str, later.iterdir()))
                kills = await rebuilt_under_kills(hit, Commands(hit, changed), files)
            print(f"{dict(kills)}\nsearches: {times}", flush=True)
            assert {*times.ended} == {200}
            assert target.faults() == []
            after = await totals(target)
        await Commands(fresh, changed).well("load", "--workers", "2", str(first), str(later))
        with serving(fresh, tmp_path) as target:
            assert await totals(target) == after
        monkeypatch.setattr(templates, "_FOLDERS", (changed,))
        await assert_equal(hit, fresh)
    finally:
        await remove_everything(hit)
        await remove_everything(fresh)
