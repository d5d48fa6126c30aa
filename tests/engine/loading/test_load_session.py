"""A load session: what it sets up once, and what a load that fails leaves to others."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading import session as module
from ingest.loading.ledger import read_entries
from ingest.loading.owner import Owner
from ingest.loading.session import LoadSession
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.tasks import PreparedSubmission
from ingest.reading.workers.pool import Workers
from tests.support.loading import counts, write_sources
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990023", "MARBLE")
File = Callable[[], tuple[str, dict[str, bytes]]]


@pytest.fixture
def file(new_number: Callable[[], str]) -> File:
    """Makes a submission up: its number, and the file it is in."""

    def make() -> tuple[str, dict[str, bytes]]:
        made_up = MadeUp(new_number(), (MARBLE,), (MadeUpDocument("Moss.\n"),))
        return made_up.accession_number, {f"{made_up.accession_number}.txt": txt(made_up)}

    return make


@pytest.fixture
def set_ups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each time that the indices are looked after."""
    began: list[str] = []
    set_up = Indices.set_up

    async def noted(indices: Indices) -> list[str]:
        began.append("set_up")
        return await set_up(indices)

    monkeypatch.setattr(Indices, "set_up", noted)
    return began


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Workers]]:
    """The worker processes that sessions start."""
    started: list[Workers] = []

    def start(count: int, settings: Settings) -> Workers:
        started.append(Workers(count, settings))
        return started[-1]

    monkeypatch.setattr(module, "_start_workers", start)
    yield started


async def test_indices_and_workers_are_set_up_once_for_many_loads(
    engine: Engine,
    settings: Settings,
    tmp_path: Path,
    file: File,
    set_ups: list[str],
    pools: list[Workers],
) -> None:
    with LoadSession(engine, settings, 1) as session:
        summaries = [await session.load(write_sources(tmp_path, file()[1])) for _ in range(3)]
    assert [counts(summary).loaded for summary in summaries] == [1, 1, 1]
    assert (len(set_ups), len(pools)) == (1, 1)


async def test_session_that_loads_nothing_starts_no_workers(
    engine: Engine, settings: Settings, pools: list[Workers]
) -> None:
    with LoadSession(engine, settings, 1) as session:
        await session.set_up()
    assert pools == []


async def test_load_that_fails_lets_others_take_over_and_the_session_goes_on(
    engine: Engine,
    settings: Settings,
    tmp_path: Path,
    file: File,
    pools: list[Workers],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number, submission = file()
    claim = SubmissionWriter._write_claimed

    async def fail(*_: object) -> tuple[list[object], list[PreparedSubmission]]:
        raise EngineUnavailable("as if it were away now")

    with LoadSession(engine, settings, 1) as session:
        monkeypatch.setattr(SubmissionWriter, "_write_claimed", fail)
        with pytest.raises(EngineUnavailable):
            await session.load(write_sources(tmp_path, submission))
        monkeypatch.setattr(SubmissionWriter, "_write_claimed", claim)
        entry = (await read_entries(engine, [number]))[number]
        assert (entry.status, entry.owner) == ("pending", session.ledger.owner.name)
        assert Owner(settings.absolute_home).running(str(entry.owner)) == "no"
        other = module.load(engine, settings, write_sources(tmp_path, submission), 1)
        assert counts(await asyncio.wait_for(other, 30)).loaded == 1
        assert counts(await session.load(write_sources(tmp_path, submission))).unchanged == 1
        assert session.ledger.owner.name != entry.owner
    assert len(pools) == 3
