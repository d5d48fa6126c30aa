"""`edgar-ingest fetch --feed`: days by their archives, the rest one by one, and nothing missing."""

import json
import os
import random
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.settings import Settings
from ingest.commands import fetch
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.daily_archives import DailyArchives, lock_archives
from ingest.fetching.download import download
from ingest.fetching.fetch import Fetcher, FetchSummary
from ingest.fetching.index_files import IndexCache
from ingest.fetching.listing import Listing
from ingest.loading.ledger import read_entries
from ingest.loading.owner import Owner
from ingest.loading.session import LoadSession
from ingest.sources.paths import FilingFilter
from tests.support.daily_archives import archive, archive_path, put_archives
from tests.support.edgar_site import EdgarSite
from tests.support.fetching import CONTACT, TODAY
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990183", "MARBLE")
JANUARY = FilingFilter(from_date=date(2021, 1, 1), to_date=date(2021, 1, 31))
FIRST, SECOND, THIRD = date(2021, 1, 5), date(2021, 1, 6), date(2021, 1, 7)


@pytest.fixture
def site() -> Iterator[EdgarSite]:
    with EdgarSite().serving() as site:
        yield site


async def fetch_by_feed(engine: Engine, settings: Settings) -> tuple[FetchSummary, DailyArchives]:
    async with http_client(settings) as http:
        edgar = Edgar(settings, http, back_off=(0.01, 0.01))
        home = settings.absolute_home
        index = IndexCache(edgar, home)
        with LoadSession(engine, settings, 1) as session:
            archives = DailyArchives(edgar, session, index.read, home, least=2)
            await archives.run(Listing(index.read, JANUARY, TODAY), JANUARY)
            fetcher = Fetcher(edgar, session, home)
            return await fetcher.run(Listing(index.read, JANUARY, TODAY)), archives


async def test_days_come_by_their_archives_and_what_these_lack_one_by_one(
    engine: Engine, settings: Settings, site: EdgarSite, new_number: Callable[[], str]
) -> None:
    chance = random.Random(18)

    def made_up(day: date) -> MadeUp:
        # Nothing that packs well: a cut must leave something to continue with.
        text = " ".join(f"{chance.getrandbits(64):x}" for _ in range(8_000))
        return MadeUp(new_number(), (MARBLE,), (MadeUpDocument(text),), filing_date=day)

    first, second, third = (
        [made_up(day) for _ in range(n)] for day, n in ((FIRST, 4), (SECOND, 3), (THIRD, 1))
    )
    for each in (*first, *second, *third):
        site.add(txt(each))
    # The second day's archive lacks one, and holds one of another month; the third has none.
    other = made_up(date(2020, 12, 31))
    put_archives(site, {FIRST: archive(first), SECOND: archive([*second[1:], other])})
    cut = archive_path(FIRST)
    site.faults[cut] = ["cut", "503"]
    fetching = msgspec.structs.replace(settings, edgar_url=site.url, contact=CONTACT)
    summary, archives = await fetch_by_feed(engine, fetching)
    assert archives.loaded == [FIRST, SECOND]
    assert (summary.listed, summary.known, summary.fetched) == (8, 6, 2)
    assert summary.complete
    numbers = [each.accession_number for each in (*first, *second, *third, other)]
    entries = await read_entries(engine, numbers)
    assert [entries[n].status for n in numbers[:-1]] == ["loaded"] * 8
    assert other.accession_number not in entries
    # What an archive brought was fetched before it was loaded, as what came by itself was.
    for entry in (entries[n] for n in numbers[:-1]):
        assert entry.fetched_at and entry.loaded_at and entry.fetched_at < entry.loaded_at
    lacking = {second[0].accession_number, third[0].accession_number}
    assert {
        path.rpartition("/")[2].removesuffix(".txt") for path in site.asked("/data/")
    } == lacking
    # The rest of what was cut was requested, and not the whole again.
    ranges = [asked.range for asked in site.log if asked.path == cut]
    assert ranges[0] is None
    assert all(each is not None and each.startswith("bytes=") for each in ranges[1:])
    assert list((fetching.absolute_home / "fetched").iterdir()) == []
    # Again nothing lacks.
    asked = len(site.asked("Feed/2021/QTR1/2021"))
    again, archives = await fetch_by_feed(engine, fetching)
    assert (archives.loaded, again.known, again.fetched) == ([], 8, 0)
    assert len(site.asked("Feed/2021/QTR1/2021")) == asked


def options_of(option: str) -> Namespace:
    """Return the options of `fetch` for the first day, with `feed`, `files` or neither."""
    return Namespace(
        company=None,
        last=None,
        forms=None,
        ciks=None,
        from_date=FIRST,
        to_date=FIRST,
        workers=1,
        feed=option == "feed",
        files=option == "files",
    )


async def test_second_fetch_of_archives_names_the_first_and_ends(
    engine: Engine,
    settings: Settings,
    site: EdgarSite,
    new_number: Callable[[], str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fetch, "LEAST_OF_BACKFILLS", 2)
    moss = (MadeUpDocument("Moss.\n"),)
    filings = [MadeUp(new_number(), (MARBLE,), moss, filing_date=FIRST) for _ in range(3)]
    for filing in filings:
        site.add(txt(filing))
    put_archives(site, {FIRST: archive(filings)})
    fetching = msgspec.structs.replace(settings, edgar_url=site.url, contact=CONTACT)
    with lock_archives(settings.absolute_home):
        with pytest.raises(SettingsError, match=rf"^process {os.getpid()} on .*, since 20.* UTC, "):
            await fetch.run_fetch(engine, fetching, options_of("feed"))
        assert site.asked("Feed") == site.asked("/data/") == []
        assert await fetch.run_fetch(engine, fetching, options_of("files")) == 0
    assert json.loads(capsys.readouterr().out)["loaded"] == 3


async def test_what_another_process_is_loading_is_left_to_it(
    engine: Engine,
    settings: Settings,
    site: EdgarSite,
    new_number: Callable[[], str],
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    moss = (MadeUpDocument("Moss.\n"),)
    filings = [MadeUp(new_number(), (MARBLE,), moss, filing_date=FIRST) for _ in range(2)]
    paths = [site.add(txt(filing)).paths[0] for filing in filings]
    fetching = msgspec.structs.replace(settings, edgar_url=site.url, contact=CONTACT)
    home, number = settings.absolute_home, filings[0].accession_number
    with Owner(home) as other:
        async with http_client(fetching) as http:
            file = home / "fetched" / f"{number}.txt"
            edgar = Edgar(fetching, http)
            await download(edgar, f"/Archives/{paths[0]}", file, owner=other)
        assert await fetch.run_fetch(engine, fetching, options_of("files")) == 3
        assert json.loads(capsys.readouterr().out)["pending"] == [number]
        assert "1 submissions are being fetched or loaded by another process" in caplog.text
        assert file.exists()
    assert await fetch.run_fetch(engine, fetching, options_of("files")) == 0
    assert json.loads(capsys.readouterr().out)["loaded"] == 1
    assert not file.exists()
    assert len(site.asked(paths[0])) == 1


@pytest.mark.parametrize(
    ("missing", "option", "by_archive"),
    [(4, "", True), (3, "", False), (3, "feed", True), (1, "feed", False), (4, "files", False)],
)
async def test_way_that_needs_fewer_requests_is_chosen(
    engine: Engine,
    settings: Settings,
    site: EdgarSite,
    new_number: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    missing: int,
    option: str,
    by_archive: bool,
) -> None:
    monkeypatch.setattr(fetch, "LEAST", 4)
    monkeypatch.setattr(fetch, "LEAST_OF_BACKFILLS", 2)
    moss = (MadeUpDocument("Moss.\n"),)
    filings = [MadeUp(new_number(), (MARBLE,), moss, filing_date=FIRST) for _ in range(missing)]
    for filing in filings:
        site.add(txt(filing))
    put_archives(site, {FIRST: archive(filings)})
    fetching = msgspec.structs.replace(settings, edgar_url=site.url, contact=CONTACT)
    assert await fetch.run_fetch(engine, fetching, options_of(option)) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["listed"], summary["loaded"]) == (missing, missing)
    assert summary["days"] == (["2021-01-05"] if by_archive else [])
    assert len(site.asked("/data/")) == (0 if by_archive else missing)
    # What is listed is asked for once.
    assert all(count == 1 for count in Counter(site.asked("index")).values())
