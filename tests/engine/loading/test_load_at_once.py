"""Two loads at once, the first of their installation."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS
from edgar_search.settings import Settings
from ingest.indices.indices import list_indices
from tests.support.loading import Loads, counts, stored, today
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
ENTITY = MadeUpEntity("0009990130", "MARBLE")
DOCUMENTS = (MadeUpDocument("Moss grows.\n"),)


async def test_first_loads_at_once_make_each_index_once_and_load_everything(
    settings: Settings, tmp_path: Path, new_number: Callable[[], str]
) -> None:
    numbers = [new_number() for _ in range(4)]
    engines = [Engine.from_settings(settings) for _ in numbers]
    running = []
    for number, engine in zip(numbers, engines, strict=True):
        (tmp_path / number).mkdir()
        loads = Loads(engine, settings, tmp_path / number)
        running.append(loads({"one.txt": txt(MadeUp(number, (ENTITY,), DOCUMENTS))}))
    try:
        assert [counts(each).loaded for each in await asyncio.gather(*running)] == [1] * 4
        states = await list_indices(engines[0], settings.prefix)
        assert [state.name for state in states] == [
            f"{settings.prefix}{kind}.{today(kind)}.v1" for kind in sorted(KINDS)
        ]
        for number in numbers:
            assert len(await stored(engines[0], "filings", number)) == 1
    finally:
        for engine in engines:
            await engine.close()


async def test_same_filing_in_two_loads_at_once_is_stored_once(
    engine: Engine, settings: Settings, tmp_path: Path, new_number: Callable[[], str]
) -> None:
    number = new_number()
    data = txt(MadeUp(number, (ENTITY,), DOCUMENTS))
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    bare = msgspec.structs.replace(settings, archive=False)
    running = [Loads(engine, bare, folder)({f"{number}.txt": data}) for folder in folders]
    summaries = await asyncio.gather(*running)
    assert [counts(summary).refused for summary in summaries] == [0, 0]
    assert [len(await stored(engine, kind, number)) for kind in ("filings", "documents")] == [1, 1]
