"""A second installation that takes a first one for EDGAR, by the same commands, over a socket."""

import asyncio
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from bench.service import running_service
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from tests.conftest import remove_everything
from tests.support.engines import installation
from tests.support.fetching import Command
from tests.support.loading import Hit, archived, load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.any_engine
MARBLE, GRAVEL = MadeUpEntity("0009990191", "MARBLE & SONS"), MadeUpEntity("0009990192", "GRAVÉL")
MOSS = MadeUpDocument("Moss.\n")
TODAY = datetime.now(ZoneInfo("America/New_York")).date()
JANUARY = ("--from", "2021-01-01", "--to", "2021-01-31")
KINDS: tuple[Kind, ...] = ("filings", "documents", "passages")
NUMBERS = [f"0009990191-21-{place:06d}" for place in range(3)]
NEW = "0009990191-26-000001"
FILED = {
    NUMBERS[0]: MadeUp(NUMBERS[0], (MARBLE,), (MOSS,), "10-K", date(2021, 1, 4)),
    NUMBERS[1]: MadeUp(NUMBERS[1], (MARBLE, GRAVEL), (MOSS,), "8-K", date(2021, 1, 29)),
    NUMBERS[2]: MadeUp(
        NUMBERS[2],
        (GRAVEL,),
        (MOSS, MadeUpDocument("<p>Lichen \x93quoted\x94\n", "EX-99.1", "lichen 1.htm")),
        "SC 13D/A",
        date(2021, 1, 15),
    ),
}
OF_TODAY = MadeUp(NEW, (MARBLE,), (MOSS,), "8-K", TODAY)


@pytest.fixture
def first(emptied_settings: Settings) -> Settings:
    """The installation that has the filings of January 2021."""
    return msgspec.structs.replace(emptied_settings, mirror="open")


@pytest.fixture
def second(engine_settings: Settings, first: Settings, tmp_path: Path) -> Iterator[Settings]:
    """An empty installation whose EDGAR is the first one, while that is served."""
    with running_service(first) as service:
        made = installation(engine_settings, "second", tmp_path / "second", edgar_url=service.url)
        try:
            yield made
        finally:
            asyncio.run(remove_everything(made))


def ran(settings: Settings, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the exit status and the summary of a command of ingest."""
    return Command(settings, *arguments).ended()


async def searchable(settings: Settings, kind: Kind) -> dict[str, dict[str, Any]]:
    """Return all visible entries of a kind by id, without the time of their load."""
    engine = Engine.from_settings(settings)
    try:
        await engine.refresh(kind)
        reply = await engine.search(kind, {"query": {"match_all": {}}, "size": 1_000}, Hit)
    finally:
        await engine.close()
    return {hit.id: hit.source | {"loaded_at": None} for hit in reply.hits.hits}


def holds_the_same(one: Settings, other: Settings) -> None:
    """Assert that two installations have the same archive, filings, documents and texts."""
    assert archived(one) == archived(other) != {}
    for kind in KINDS:
        ours, theirs = (asyncio.run(searchable(each, kind)) for each in (one, other))
        assert ours == theirs != {}, kind


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for the files of the first installation."""
    made = tmp_path / "files"
    made.mkdir()
    return made


def test_fetch_check_and_follow_end_with_the_same(
    first: Settings, second: Settings, folder: Path
) -> None:
    files = {f"{number}.txt": txt(filing) for number, filing in FILED.items()}
    load_now(first, folder, {**files, f"{NEW}.txt": txt(OF_TODAY)})

    status, fetched = ran(second, "fetch", *JANUARY, "--workers", "1")
    assert (status, fetched["listed"], fetched["loaded"]) == (0, 3, 3)
    status, checked = ran(second, "check", *JANUARY)
    assert (status, checked["listed"], checked["missing"]) == (0, 3, 0)
    status, followed = ran(second, "follow", "--once", "--workers", "1")
    assert (status, followed["loaded"], followed["pending"]) == (0, 1, [])
    holds_the_same(first, second)


@pytest.mark.long
def test_reconcile_ends_with_the_same(first: Settings, second: Settings, folder: Path) -> None:
    load_now(first, folder, {f"{number}.txt": txt(filing) for number, filing in FILED.items()})
    assert ran(second, "fetch", *JANUARY, "--workers", "1")[0] == 0

    status, compared = ran(second, "reconcile", *JANUARY, "--workers", "1")
    assert (status, compared["checked"], compared["unchanged"]) == (0, 3, 3)
    corrected = msgspec.structs.replace(FILED[NUMBERS[0]], documents=(MadeUpDocument("Fern.\n"),))
    load_now(first, folder, {f"{NUMBERS[0]}.txt": txt(corrected)})
    status, compared = ran(second, "reconcile", *JANUARY, "--workers", "1")
    assert (status, compared["unchanged"], compared["changed"]) == (0, 2, 1)
    holds_the_same(first, second)

    assert ran(first, "delete", NUMBERS[1])[0] == 0
    status, compared = ran(second, "reconcile", *JANUARY, "--workers", "1")
    assert (compared["absent"], compared["unchanged"]) == ([NUMBERS[1]], 2)
