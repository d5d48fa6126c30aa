"""`edgar-ingest reconcile` against an imitation of EDGAR that changes its mind."""

import gzip
from argparse import Namespace
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from typing import Any

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarUnavailable
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry
from ingest.commands.check import run as run_check
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import Fetcher
from ingest.fetching.reconcile import Reconciler, ReconcileSummary
from ingest.loading.ledger import read_entries
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.loading.session import LoadSession
from ingest.sources.paths import EVERYTHING, FilingFilter
from ingest.upkeep.delete import Deleter
from tests.support.alerting import events_of
from tests.support.asking import Client
from tests.support.edgar_site import EdgarSite
from tests.support.fetching import CONTACT, TODAY, fetch
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE = MadeUpEntity("0009990197", "MARBLE")
DAY = date(2021, 1, 5)
INDEX = "/Archives/edgar/full-index/2021/QTR1/master.gz"
MONTH = FilingFilter(from_date=DAY.replace(day=1), to_date=DAY.replace(day=31))
Publish = Callable[..., str]
Fetch = Callable[..., Awaitable[list[str]]]
Compare = Callable[..., Any]


@pytest.fixture
def site() -> Iterator[EdgarSite]:
    with EdgarSite().serving() as site:
        yield site


@pytest.fixture
def settings(emptied_settings: Settings) -> Settings:
    """An installation for each test: what EDGAR lacks depends on all that is loaded."""
    return emptied_settings


@pytest.fixture
def fetching(settings: Settings, site: EdgarSite) -> Settings:
    return msgspec.structs.replace(settings, edgar_url=site.url, contact=CONTACT)


@pytest.fixture
def publish(site: EdgarSite, new_number: Callable[[], str]) -> Publish:
    """Puts a submission that is made up on the site, also in the place of one; its number."""

    def published(text: str, number: str = "") -> str:
        documents = (MadeUpDocument(f"{text}\n"),)
        return site.add(txt(MadeUp(number or new_number(), (MARBLE,), documents))).number

    return published


@pytest.fixture
def fetched(engine: Engine, fetching: Settings, publish: Publish) -> Fetch:
    """Puts submissions with these texts on the site and loads all that is there; their numbers."""

    async def fetched(*texts: str) -> list[str]:
        numbers = [publish(text) for text in texts]
        assert (await fetch(engine, fetching, MONTH)).complete
        return numbers

    return fetched


@pytest.fixture
def reconcile(engine: Engine, fetching: Settings) -> Compare:
    """Compares all that is loaded with the site, with short waits."""

    async def compared(wanted: FilingFilter = EVERYTHING, **bounds: int) -> ReconcileSummary:
        home = fetching.absolute_home
        async with http_client(fetching) as http:
            edgar = Edgar(fetching, http, back_off=(0.01,))
            with LoadSession(engine, fetching, 1) as session:
                fetcher = Fetcher(edgar, session, home, 0.01)
                reconciler = Reconciler(engine, edgar, fetcher, home, Retry(5), **bounds)
                return await reconciler.run(wanted, TODAY)

    return compared


async def entry_of(engine: Engine, number: str) -> LedgerEntry:
    return (await read_entries(engine, [number]))[number]


async def test_changed_bytes_are_loaded_once_and_what_is_the_same_costs_a_304(
    engine: Engine,
    fetched: Fetch,
    site: EdgarSite,
    publish: Publish,
    reconcile: Compare,
    client: Client,
) -> None:
    first, second = await fetched("Moss.", "Lichen.")
    before = await events_of(engine, second)
    site.log.clear()
    summary = await reconcile()
    assert (summary.checked, summary.unchanged, summary.fetched.load.loaded) == (2, 2, 0)
    assert [asked.status for asked in site.log if "/data/" in asked.path] == [304, 304]
    publish("Fern.", first)
    summary = await reconcile()
    assert (summary.unchanged, summary.fetched.load.loaded) == (1, 1)
    assert await client.found("fern") == [f"{first}-1"]
    assert await client.found("moss") == []
    # EDGAR may go back to what it had before.
    publish("Moss.", first)
    assert (await reconcile()).fetched.load.loaded == 1
    assert await client.found("moss") == [f"{first}-1"]
    again = await reconcile()
    assert (again.unchanged, again.fetched.load.loaded, again.complete) == (2, 0, True)
    # Each change is an event, and no user is reported a document again.
    found = [(event.kind, event.arrived) for event in await events_of(engine, first)]
    assert found == [("loaded", [f"{first}-1"]), ("changed", []), ("changed", [])]
    assert await events_of(engine, second) == before


@pytest.mark.long
async def test_bytes_tell_where_edgar_has_no_validators(
    fetching: Settings, site: EdgarSite, publish: Publish, reconcile: Compare, loads: Loads
) -> None:
    site.validators = False
    numbers = [publish("Moss."), publish("Lichen.")]
    files = {f"{number}.txt": site.filed[number].content for number in numbers}
    await loads(files)
    publish("Fern.", numbers[1])
    summary = await reconcile()
    assert (summary.fetched.load.unchanged, summary.fetched.load.loaded) == (1, 1)
    summary = await reconcile()
    assert (summary.fetched.load.unchanged, summary.fetched.load.loaded) == (2, 0)


async def test_filing_is_withdrawn_by_two_complete_indices_and_a_404_and_may_return(
    engine: Engine, fetched: Fetch, site: EdgarSite, reconcile: Compare, client: Client
) -> None:
    kept, number = await fetched("Moss. Quarry.", "Lichen. Quarry.")
    site.removed = {number}
    summary = await reconcile()
    assert (summary.absent, summary.withdrawn) == ([number], [])
    assert (await entry_of(engine, number)).withdrawn_at is None
    summary = await reconcile()
    assert (summary.absent, summary.withdrawn, summary.complete) == ([], [number], True)
    entry = await entry_of(engine, number)
    assert entry.withdrawn_at == entry.absent_since
    assert entry.withdrawn_at is not None
    # It stays searchable, and says since when it is withdrawn where that is requested.
    reply = await client.search("quarry", include="withdrawn", sort="oldest")
    since = {item["accnum"]: item["withdrawn"] for item in reply["items"]}
    moment = f"{entry.withdrawn_at:%Y-%m-%dT%H:%M:%SZ}"
    assert since == {number: moment, kept: None}
    found = (await client.lookup(cik=MARBLE.cik, include="withdrawn"))["filings"]
    assert {filing["accnum"]: filing["withdrawn"] for filing in found} == since
    (day,) = (await client.get("/v1/coverage", from_date=DAY, to_date=DAY))["days"]
    assert (day["searchable"], day["withdrawn"]) == (2, 1)
    # Nothing new: it is neither marked again nor asked to be loaded.
    summary = await reconcile()
    assert (summary.withdrawn, summary.returned, summary.complete) == ([], [], True)
    site.removed = set()
    summary = await reconcile()
    assert (summary.returned, summary.absent) == ([number], [])
    reply = await client.search("quarry", include="withdrawn")
    assert [item["withdrawn"] for item in reply["items"]] == [None, None]


@pytest.mark.long
@pytest.mark.parametrize("fault", ["403", "429", "500", "page", "cut"])
async def test_fault_at_the_address_marks_nothing(
    engine: Engine, fetched: Fetch, site: EdgarSite, reconcile: Compare, fault: str
) -> None:
    number, _ = await fetched("Moss.", "Lichen.")
    # Listed no more, and still there.
    (path,) = (f"/Archives/{each}" for each in site.filed[number].paths)
    site.files[path] = site.filed.pop(number).content
    for _ in range(2):
        site.faults[path] = [fault] * 2
        summary = await reconcile()
        assert (summary.absent, summary.withdrawn) == ([number], [])
    assert (await entry_of(engine, number)).withdrawn_at is None


@pytest.mark.long
@pytest.mark.parametrize("index", ["cut", "empty", "half", "page", "unfinished"])
async def test_index_that_is_not_whole_marks_nothing(
    engine: Engine, fetched: Fetch, site: EdgarSite, reconcile: Compare, index: str
) -> None:
    numbers = await fetched(*["Moss."] * 6)
    whole = gzip.decompress(site.published(INDEX) or b"")
    lines = whole.splitlines(keepends=True)
    site.files[INDEX] = {
        "cut": gzip.compress(whole)[:-20],
        "empty": gzip.compress(b"".join(lines[:-6])),
        "half": gzip.compress(b"".join(lines[:-4])),
        "page": b"<!DOCTYPE html><html><title>Maintenance</title></html>",
        "unfinished": gzip.compress(whole[:-1]),
    }[index]
    site.removed = set(numbers)
    for _ in range(2):
        summary = await reconcile()
        assert list(summary.incomplete) == ["2021/QTR1"]
        assert not summary.complete
    entries = await read_entries(engine, numbers)
    assert {entry.absent_since for entry in entries.values()} == {None}


@pytest.mark.long
async def test_deleted_filing_is_neither_missing_nor_withdrawn(
    engine: Engine, fetched: Fetch, fetching: Settings, reconcile: Compare
) -> None:
    number, _ = await fetched("Moss.", "Lichen.")
    with Owner(fetching.absolute_home) as owner:
        await Deleter(engine, fetching, owner).delete(number)
    for _ in range(2):
        summary = await reconcile()
        assert (summary.compared, summary.checked, summary.complete) == (1, 1, True)
    assert (await entry_of(engine, number)).status == "deleted"


@pytest.mark.long
async def test_run_that_is_bounded_or_stopped_goes_on_with_the_rest(
    fetched: Fetch, site: EdgarSite, reconcile: Compare
) -> None:
    numbers = await fetched(*["Moss."] * 5)
    for _ in range(2):
        site.log.clear()
        summary = await reconcile(most=3)
        assert (summary.checked, summary.left) == (3, 2)
    # EDGAR stays away after what was asked for first: the next run begins with the others.
    asked = {path.rpartition("/")[2].removesuffix(".txt") for path in site.asked("/data/")}
    for number in set(numbers) - asked:
        for path in site.filed[number].paths:
            site.faults[f"/Archives/{path}"] = ["500"] * 2
    summary = await reconcile()
    assert len(summary.failed) == 2
    assert not summary.complete
    site.log.clear()
    await reconcile(most=2)
    first = {path.rpartition("/")[2].removesuffix(".txt") for path in site.asked("/data/")}
    assert first == {each["accession_number"] for each in summary.failed}


@pytest.mark.long
async def test_edgar_that_answers_for_nothing_ends_the_run(
    fetched: Fetch, site: EdgarSite, reconcile: Compare
) -> None:
    await fetched(*["Moss."] * 7)
    for filed in site.filed.values():
        site.faults[f"/Archives/{filed.paths[0]}"] = ["500"] * 2
    with pytest.raises(EdgarUnavailable, match="files in a row"):
        await reconcile()


@pytest.mark.long
async def test_check_counts_what_is_withdrawn(
    engine: Engine,
    fetched: Fetch,
    fetching: Settings,
    site: EdgarSite,
    reconcile: Compare,
    capsys: pytest.CaptureFixture[str],
) -> None:
    number, _ = await fetched("Moss.", "Lichen.")
    site.removed = {number}
    await reconcile(), await reconcile()
    capsys.readouterr()
    options = Namespace(
        forms=None, ciks=None, from_date=DAY, to_date=DAY, index_files=[], deep=False
    )
    assert await run_check(engine, fetching, options) == 0
    summary = msgspec.json.decode(capsys.readouterr().out)
    assert (summary["listed"], summary["missing"], summary["withdrawn"]) == (1, 0, [number])
