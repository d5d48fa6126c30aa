"""Two loading machines: own homes, one archive, half of the rate each; one of them dies."""

import asyncio
import time
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.archive.archive import open_archive, versions
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.ledger import read_entries
from tests.support.edgar_site import EdgarSite
from tests.support.fetching import Command
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.any_engine
ENTITY = MadeUpEntity("0009990186", "MARBLE")
EACH = 25
MONTHS = (("2021-01-01", "2021-01-31"), ("2021-02-01", "2021-02-28"))
BOTH = ("--from", "2021-01-01", "--to", "2021-02-28")


@pytest.fixture
def machines(emptied_settings: Settings, tmp_path: Path) -> list[Settings]:
    shared = msgspec.structs.replace(
        emptied_settings,
        archive_url=(tmp_path / "archive").as_uri(),
        edgar_rate=5.0,
    )
    return [msgspec.structs.replace(shared, home=tmp_path / name) for name in ("one", "other")]


def filed_in(month: int) -> list[MadeUp]:
    moss = (MadeUpDocument("Moss.\n"),)
    return [
        MadeUp(f"0009990186-21-{month}{n:05d}", (ENTITY,), moss, filing_date=date(2021, month, 5))
        for n in range(EACH)
    ]


def fetching(settings: Settings, first: str, last: str) -> Command:
    return Command(settings, "fetch", "--files", "--from", first, "--to", last, "--workers", "1")


async def readable(settings: Settings, numbers: list[str]) -> list[str]:
    """Return the submissions that the ledger has as loaded and the archive has."""
    engine = Engine.from_settings(settings)
    try:
        entries = await read_entries(engine, numbers)
    finally:
        await engine.close()
    archive = open_archive(settings.archive_place)
    loaded = (number for number in numbers if entries[number].status == "loaded")
    return [number for number in loaded if versions(archive, number)]


@pytest.mark.long
def test_two_machines_load_one_range_and_one_ends_what_the_other_began(
    machines: list[Settings],
) -> None:
    with EdgarSite().serving() as site:
        filings = [*filed_in(1), *filed_in(2)]
        for filing in filings:
            site.add(txt(filing))
        one, other = (msgspec.structs.replace(machine, edgar_url=site.url) for machine in machines)
        dying, going_on = fetching(one, *MONTHS[0]), fetching(other, *MONTHS[1])
        while len(site.asked("/data/9990186/0009990186-21-1")) < 10:
            assert dying.process.poll() is None, dying.ended()
            time.sleep(0.01)
        dying.kill()
        status, summary = going_on.ended()
        assert (status, summary["listed"], summary["loaded"]) == (0, EACH, EACH)
        status, summary = fetching(other, *MONTHS[0]).ended()
        assert (status, summary["listed"], summary["pending"]) == (0, EACH, [])
        status, checked = Command(one, "check", *BOTH, "--deep").ended()
        assert (status, checked["listed"], checked["missing"]) == (0, 2 * EACH, 0)
        times = sorted(asked.time for asked in site.log)
        busiest = max(sum(begin <= t < begin + 1 for t in times) for begin in times)
        print(f"{len(times)} requests in {times[-1] - times[0]:.1f} s, {busiest} in the busiest")
        assert busiest <= 10
    numbers = [filing.accession_number for filing in filings]
    assert asyncio.run(readable(one, numbers)) == numbers
