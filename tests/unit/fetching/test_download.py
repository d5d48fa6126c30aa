"""Submissions fetched from an imitation of EDGAR over a socket, through all its faults."""

import hashlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from filelock import lock_descriptor

from edgar_search.errors import EdgarSearchError, EdgarUnavailable, SettingsError
from edgar_search.settings import Settings
from ingest.fetching import client
from ingest.fetching import download as module
from ingest.fetching.client import Edgar, http_client, user_agent
from ingest.fetching.download import (
    Download,
    DownloadInProgress,
    PartFile,
    discard,
    download,
    read_record,
)
from ingest.fetching.index_files import IndexCache
from ingest.loading.owner import Owner
from tests.support.edgar_site import EdgarSite
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = pytest.mark.anyio
NUMBER = "0009990180-21-000001"
BODY = "".join(f"Line {number} of moss.\n" for number in range(20_000))
CONTENT = txt(MadeUp(NUMBER, (MadeUpEntity("0009990180", "MARBLE"),), (MadeUpDocument(BODY),)))
PATH = f"/Archives/edgar/data/9990180/{NUMBER}.txt"
CONTACT = "edgar-search tests mail@example.org"

# The rate is kept in the home, and nothing else is asked of Elasticsearch.


@pytest.fixture
def site() -> Iterator[EdgarSite]:
    with EdgarSite([CONTENT]).serving() as site:
        yield site


@pytest.fixture
def settings(site: EdgarSite, tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, edgar_url=site.url, contact=CONTACT)


@pytest.fixture
async def edgar(settings: Settings) -> AsyncIterator[Edgar]:
    async with http_client(settings) as http:
        yield Edgar(settings, http, back_off=(0.01, 0.01, 0.01))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "fetched" / f"{NUMBER}.txt"


def is_whole(target: Path, got: Download | None) -> bool:
    assert got is not None
    assert got.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert got.size == len(CONTENT)
    names = sorted(path.name for path in target.parent.iterdir())
    return target.read_bytes() == CONTENT and names == [target.name, f"{target.name}.json"]


def is_there(target: Path) -> bool:
    return target.exists()


def damage(target: Path) -> None:
    target.write_bytes(CONTENT[:100])


async def test_submission_lands_with_its_record(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    got = await download(edgar, PATH, target)
    assert is_whole(target, got)
    assert read_record(target) == got
    assert site.log[0].agent == CONTACT


async def test_file_that_is_there_is_not_fetched_again(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    first = await download(edgar, PATH, target)
    assert await download(edgar, PATH, target) == first
    assert len(site.log) == 1


async def test_file_that_is_not_as_recorded_is_fetched_again(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    await download(edgar, PATH, target)
    damage(target)
    assert is_whole(target, await download(edgar, PATH, target))


@pytest.mark.parametrize("fault", ["429", "403", "page", "500", "503", "short"])
async def test_fault_is_waited_out(edgar: Edgar, site: EdgarSite, target: Path, fault: str) -> None:
    site.faults[PATH] = [fault]
    assert is_whole(target, await download(edgar, PATH, target))
    assert len(site.log) == 2


async def test_slow_answer_is_waited_for(edgar: Edgar, site: EdgarSite, target: Path) -> None:
    site.faults[PATH] = ["drip"]
    assert is_whole(target, await download(edgar, PATH, target))
    assert len(site.log) == 1


async def test_rest_of_a_cut_file_is_asked_for(edgar: Edgar, site: EdgarSite, target: Path) -> None:
    site.faults[PATH] = ["cut"]
    assert is_whole(target, await download(edgar, PATH, target))
    first, second = site.log
    assert (first.range, first.status, second.status) == (None, 200, 206)
    assert second.range is not None and second.range != "bytes=0-"


async def test_server_that_ignores_range_sends_all_again(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    site.faults[PATH], site.ranges = ["cut"], False
    assert is_whole(target, await download(edgar, PATH, target))
    assert [asked.status for asked in site.log] == [200, 200]


async def test_rest_of_a_file_that_changed_is_not_taken(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    site.faults[PATH] = ["cut"]
    site.filed[NUMBER] = site.filed[NUMBER]._replace(content=b"<SEC-DOCUMENT>" + CONTENT)
    site.faults[PATH] += ["500"] * 3
    with pytest.raises(EdgarUnavailable):
        await download(edgar, PATH, target)
    assert target.with_name(f"{target.name}.part").stat().st_size > 0
    site.add(CONTENT)
    assert is_whole(target, await download(edgar, PATH, target))
    assert (site.log[-1].range is not None, site.log[-1].status) == (True, 200)


async def test_length_that_is_never_reached_is_given_up(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    site.faults[PATH] = ["long"] * 20
    with pytest.raises(EdgarUnavailable):
        await download(edgar, PATH, target)
    assert not is_there(target)


async def test_cuts_do_not_count_as_long_as_it_goes_on(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    site.faults[PATH] = ["cut"] * 6  # more than there are waits
    assert is_whole(target, await download(edgar, PATH, target))
    assert len(site.log) == 7


async def test_submission_that_has_no_end_at_edgar_is_taken_after_some_tries(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    endless = CONTENT.replace(b"</SEC-DOCUMENT>", b"")
    site.add(endless)
    got = await download(edgar, PATH, target)
    assert got is not None and got.sha256 == hashlib.sha256(endless).hexdigest()
    assert len(site.log) == 3


async def test_what_edgar_does_not_have_leaves_nothing_behind(
    edgar: Edgar, site: EdgarSite, target: Path
) -> None:
    site.absent = {NUMBER}
    assert await download(edgar, PATH, target) is None
    assert list(target.parent.iterdir()) == []
    site.absent = set()
    assert is_whole(target, await download(edgar, PATH, target))


async def test_server_that_stays_away_is_named(edgar: Edgar, site: EdgarSite, target: Path) -> None:
    site.faults[PATH] = ["page"] * 4
    with pytest.raises(EdgarUnavailable) as caught:
        await download(edgar, PATH, target)
    assert str(caught.value) == (
        f"EDGAR gave no {PATH} in 4 tries: status 200, 'SEC.gov | Request Rate Threshold Exceeded'"
    )


async def test_long_waits_are_told_of_and_short_ones_are_not(
    edgar: Edgar,
    site: EdgarSite,
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    site.faults[PATH] = ["503"]
    await download(edgar, PATH, target)
    assert caplog.messages == []
    discard(target)
    monkeypatch.setattr(client, "NOTICED", 0.01)
    site.faults[PATH] = ["503"]
    await download(edgar, PATH, target)
    assert caplog.messages == [f"EDGAR gave no {PATH}: status 503; waiting 0 s"]


async def test_file_that_is_too_large_is_given_up(edgar: Edgar, target: Path) -> None:
    edgar.submission_bytes = 10_000
    with pytest.raises(EdgarUnavailable, match="has more than 10000 bytes$"):
        await download(edgar, PATH, target)
    assert not is_there(target.with_name(f"{target.name}.part"))


async def test_one_process_at_a_time_fetches_a_file(edgar: Edgar, target: Path) -> None:
    target.parent.mkdir()
    with PartFile(target):
        with pytest.raises(DownloadInProgress):
            await download(edgar, PATH, target)


async def test_fetched_file_is_its_loads_until_that_ends(
    edgar: Edgar, target: Path, site: EdgarSite, tmp_path: Path
) -> None:
    other = Owner(tmp_path)
    with Owner(tmp_path) as owner:
        first = await download(edgar, PATH, target, owner=owner)
        assert await download(edgar, PATH, target, owner=owner) == first
        with other, pytest.raises(DownloadInProgress):
            await download(edgar, PATH, target, owner=other)
    with other:
        taken = await download(edgar, PATH, target, owner=other)
        assert is_whole(target, taken)
        assert taken == read_record(target)
        assert taken is not None and taken.owner == other.name
        with Owner(tmp_path) as third, pytest.raises(DownloadInProgress):
            await download(edgar, PATH, target, owner=third)
    assert len(site.asked(PATH)) == 1


def test_part_that_was_finished_meanwhile_is_not_written_to(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.parent.mkdir()
    first = PartFile(target)
    first.begin("an address", {})
    first.write(CONTENT)
    lock = lock_descriptor

    def finish_before(file: int, *, blocking: bool) -> bool:
        # Between the opening of the part by a second process and its lock the first one ends.
        monkeypatch.setattr(module, "lock_descriptor", lock)
        first.finish(target, "an address")
        first.__exit__()
        return lock(file, blocking=blocking)

    monkeypatch.setattr(module, "lock_descriptor", finish_before)
    with PartFile(target) as second:
        assert second.size == 0
        second.clear()
    assert target.read_bytes() == CONTENT


async def test_full_disk_is_named(edgar: Edgar, target: Path) -> None:
    target.parent.write_text("in the way")
    with pytest.raises(EdgarSearchError, match="cannot be written"):
        await download(edgar, PATH, target)


async def test_discarded_file_is_gone(edgar: Edgar, target: Path) -> None:
    await download(edgar, PATH, target)
    discard(target)
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("contact", [None, "", "Example Ltd", "Jérôme mail@example.org"])
def test_contact_is_asked_for(contact: str | None) -> None:
    with pytest.raises(SettingsError, match="^EDGAR_SEARCH_CONTACT: "):
        user_agent(Settings(contact=contact))


async def test_index_file_is_asked_for_again_only_if_it_changed(
    edgar: Edgar, site: EdgarSite, tmp_path: Path
) -> None:
    cache = IndexCache(edgar, tmp_path)
    path = "full-index/2021/QTR1/master.gz"
    first = await cache.read(path)
    assert (first is not None, cache.changed) == (True, True)
    cache.changed = False
    assert (await cache.read(path), cache.changed) == (first, False)
    assert [asked.status for asked in site.log] == [200, 304]
    other = MadeUp("0009990180-21-000002", (MadeUpEntity("0009990180", "MARBLE"),), ())
    site.add(txt(other))
    second = await cache.read(path)
    assert (second != first, cache.changed) == (True, True)


async def test_damaged_copy_of_an_index_is_fetched_again(
    edgar: Edgar, site: EdgarSite, tmp_path: Path
) -> None:
    path = "full-index/2021/QTR1/master.gz"
    first = await IndexCache(edgar, tmp_path).read(path)
    (kept,) = [p for p in (tmp_path / "edgar" / "index").iterdir() if p.suffix == ".gz"]
    kept.write_bytes(b"damaged")
    assert await IndexCache(edgar, tmp_path).read(path) == first
    assert [asked.status for asked in site.log] == [200, 200]


async def test_index_that_is_not_there_is_none(edgar: Edgar, tmp_path: Path) -> None:
    assert await IndexCache(edgar, tmp_path).read("full-index/1990/QTR1/master.gz") is None
