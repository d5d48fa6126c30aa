"""`edgar-ingest fetch` against an imitation of EDGAR: complete, or it says what is missing."""

import asyncio
import hashlib
import json
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarUnavailable
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredTickers, TickerRow
from edgar_search.stored.installation import LedgerEntry
from ingest.commands import check as check_command
from ingest.commands import fetch as fetch_command
from ingest.commands import load as load_command
from ingest.commands.arguments import WrongArguments
from ingest.loading.ledger import read_entries
from ingest.sources.paths import FilingFilter
from tests.support.alerting import events_of
from tests.support.asking import Client
from tests.support.edgar_site import EdgarSite
from tests.support.fetching import CONTACT, Command, fetch, real_submissions
from tests.support.loading import stored
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
MARBLE, GRAVEL = MadeUpEntity("0009990181", "MARBLE"), MadeUpEntity("0009990182", "GRAVEL")
JANUARY = FilingFilter(from_date=date(2021, 1, 1), to_date=date(2021, 1, 31))
Publish = Callable[..., str]


@pytest.fixture
def site() -> Iterator[EdgarSite]:
    with EdgarSite().serving() as site:
        yield site


@pytest.fixture
def fetching(settings: Settings, site: EdgarSite) -> Settings:
    return msgspec.structs.replace(settings, edgar_url=site.url, contact=CONTACT)


@pytest.fixture
def publish(site: EdgarSite, new_number: Callable[[], str]) -> Publish:
    """Puts a submission that is made up on the site; its number."""

    def published(*entities: MadeUpEntity, **other: object) -> str:
        made_up = MadeUp(new_number(), entities or (MARBLE,), (MadeUpDocument("Moss.\n"),))
        return site.add(txt(msgspec.structs.replace(made_up, **other))).number

    return published


async def test_listed_submissions_are_fetched_loaded_and_known_afterwards(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    numbers = [publish(), publish(MARBLE, GRAVEL)]
    publish(filing_date=date(2021, 2, 1))
    first = await fetch(engine, fetching, JANUARY)
    assert (first.listed, first.known, first.fetched, first.load.loaded) == (2, 0, 2, 2)
    assert first.complete
    entries = await read_entries(engine, numbers)
    path = f"/Archives/edgar/data/9990181/{numbers[0]}.txt"
    assert entries[numbers[0]].source == site.url + path
    content = site.filed[numbers[0]].content
    assert entries[numbers[0]].loaded_hash == hashlib.sha256(content).hexdigest()
    assert list((fetching.absolute_home / "fetched").iterdir()) == []
    second = await fetch(engine, fetching, JANUARY)
    assert (second.listed, second.known, second.fetched) == (2, 2, 0)
    assert len(site.asked("/data/")) == 2


async def test_forms_and_ciks_choose(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    publish(), publish(GRAVEL)
    report = publish(GRAVEL, form_type="10-K")
    chosen = msgspec.structs.replace(
        JANUARY, forms=frozenset({"10-K"}), ciks=frozenset({GRAVEL.cik})
    )
    summary = await fetch(engine, fetching, chosen)
    assert (summary.listed, summary.load.loaded) == (1, 1)
    assert site.asked("/data/") == [f"/Archives/edgar/data/9990182/{report}.txt"]


async def test_submission_that_is_not_there_yet_is_pending_and_tried_again(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    late = publish()
    site.absent = {late}
    first = await fetch(engine, fetching, JANUARY)
    assert (first.pending, first.complete, first.load.loaded) == ([late], False, 0)
    (entry,) = (await read_entries(engine, [late])).values()
    assert (entry.status, entry.fetched_at) == ("listed", None)
    site.absent = set()
    second = await fetch(engine, fetching, JANUARY)
    assert (second.pending, second.complete, second.load.loaded) == ([], True, 1)
    (entry,) = (await read_entries(engine, [late])).values()
    assert entry.status == "loaded"
    assert entry.listed_at and entry.fetched_at and entry.searchable_at
    assert entry.listed_at < entry.fetched_at < entry.searchable_at


async def test_file_that_edgar_does_not_give_keeps_no_other_from_loading(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    bad, good = publish(), publish()
    site.faults[f"/Archives/edgar/data/9990181/{bad}.txt"] = ["500"] * 3
    summary = await fetch(engine, fetching, JANUARY)
    assert [failure["accession_number"] for failure in summary.failed] == [bad]
    assert (summary.load.loaded, summary.complete) == (1, False)
    assert len(await stored(engine, "filings", good)) == 1
    assert (await fetch(engine, fetching, JANUARY)).complete


async def test_edgar_that_gives_nothing_ends_the_run(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    for _ in range(6):
        number = publish()
        site.faults[f"/Archives/edgar/data/9990181/{number}.txt"] = ["500"] * 3
    with pytest.raises(EdgarUnavailable):
        await fetch(engine, fetching, JANUARY)
    assert (await fetch(engine, fetching, JANUARY)).complete


async def test_refused_submission_is_no_success(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    number = publish()
    filed = site.filed[number]
    broken = filed.content.replace(b"</DOCUMENT>", b"")
    site.filed[number] = filed._replace(content=broken)
    summary = await fetch(engine, fetching, JANUARY)
    assert (summary.fetched, summary.complete) == (1, False)
    (refusal,) = summary.load.refusals
    assert refusal["reason"] == "document 1 is not terminated"


def options_of(first: date, last: date) -> Namespace:
    """Return the options of `fetch` and of `check` for a range of days."""
    return Namespace(
        forms=None,
        ciks=None,
        from_date=first,
        to_date=last,
        workers=1,
        company=None,
        last=None,
        feed=False,
        files=True,
        deep=False,
        index_files=[],
    )


async def test_business_day_without_an_index_is_named_until_there_is_one(
    engine: Engine,
    fetching: Settings,
    site: EdgarSite,
    publish: Publish,
    client: Client,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    site.quarterly_until = date(2020, 12, 31)
    days = [date(2021, 3, 8), date(2021, 3, 9), date(2021, 3, 10)]
    publish(filing_date=days[0]), publish(filing_date=days[2])
    # The range begins with a weekend.
    options = options_of(date(2021, 3, 6), days[2])

    async def named() -> list[str]:
        reply = await client.get("/v1/coverage", from_date="2021-03-01", to_date="2021-03-31")
        return list(reply.get("missing_days", []))

    assert await fetch_command.run_fetch(engine, fetching, options) == 3
    assert json.loads(capsys.readouterr().out)["missing_days"] == ["2021-03-09"]
    assert "2021-03-09 is a business day of EDGAR" in caplog.text
    assert await named() == ["2021-03-09"]
    assert await check_command.run(engine, fetching, options) == 3
    assert json.loads(capsys.readouterr().out)["missing_days"] == ["2021-03-09"]
    publish(filing_date=days[1])
    assert await fetch_command.run_fetch(engine, fetching, options) == 0
    assert await named() == []
    assert await check_command.run(engine, fetching, options) == 0


def month(settings: Settings, site: EdgarSite, *dates: str) -> Command:
    with_site = msgspec.structs.replace(settings, edgar_url=site.url)
    first, last = dates
    return Command(with_site, "fetch", "--from", first, "--to", last, "--workers", "1")


@pytest.fixture
def installation(emptied_settings: Settings) -> Settings:
    """An installation with nothing in it."""
    return emptied_settings


def ledger_hashes(settings: Settings, numbers: list[str]) -> dict[str, str | None]:
    async def run() -> dict[str, str | None]:
        engine = Engine.from_settings(settings)
        try:
            entries = await read_entries(engine, numbers)
            return {key: entry.loaded_hash for key, entry in entries.items()}
        finally:
            await engine.close()

    return asyncio.run(run())


def test_month_that_is_killed_and_started_again_is_complete(
    corpus: Path, site: EdgarSite, installation: Settings
) -> None:
    submissions = real_submissions(corpus, "2020-03")
    assert len(submissions) > 50
    for content in submissions.values():
        site.add(content)
    for kill_after in (3, 25):
        command = month(installation, site, "2020-03-01", "2020-03-31")
        asked = len(site.asked("/data/"))
        while len(site.asked("/data/")) < asked + kill_after:
            assert command.process.poll() is None, command.ended()
            time.sleep(0.01)
        command.kill()
    status, summary = month(installation, site, "2020-03-01", "2020-03-31").ended()
    assert (status, summary["listed"], summary["pending"]) == (0, len(submissions), [])
    expected = {key: hashlib.sha256(data).hexdigest() for key, data in submissions.items()}
    assert ledger_hashes(installation, list(submissions)) == expected
    assert list((installation.absolute_home / "fetched").iterdir()) == []


@pytest.mark.long
def test_two_processes_hold_the_rate_together(
    corpus: Path, site: EdgarSite, installation: Settings
) -> None:
    count = 0
    for each in ("2020-01", "2020-02"):
        for content in real_submissions(corpus, each).values():
            site.add(content)
            count += 1
    commands = [
        month(installation, site, "2020-01-01", "2020-01-31"),
        month(installation, site, "2020-02-01", "2020-02-29"),
    ]
    results = [command.ended() for command in commands]
    assert [status for status, _ in results] == [0, 0]
    assert sum(summary["loaded"] for _, summary in results) == count
    times = sorted(asked.time for asked in site.log)
    busiest = max(sum(begin <= t < begin + 1 for t in times) for begin in times)
    span = times[-1] - times[0]
    print(f"{len(times)} requests in {span:.1f} s, {busiest} in the busiest second")
    assert len(times) - 1 <= 10 * span
    # Requests leave 0.1 s apart; what the way to the site takes may move one into a second.
    assert busiest <= 11


async def test_update_fetches_what_is_outdated_where_nothing_is_archived(
    engine: Engine, fetching: Settings, site: EdgarSite, publish: Publish
) -> None:
    bare = msgspec.structs.replace(fetching, archive=False)
    outdated, current = publish(), publish()
    await fetch(engine, bare, JANUARY)
    (entry,) = await engine.multi_get("ledger", [outdated], LedgerEntry)
    assert entry.source is not None
    await engine.replace("ledger", entry, msgspec.structs.replace(entry.source, contents=[]))
    asked = len(site.asked("/data/"))
    options = options_of(date(2021, 1, 1), date(2021, 1, 31))
    options.paths, options.fetch, options.order = [], True, "newest"
    assert await load_command.run_update(engine, bare, options) == 0
    assert site.asked("/data/")[asked:] == [f"/Archives/edgar/data/9990181/{outdated}.txt"]
    entries = await read_entries(engine, [outdated, current])
    assert entries[outdated].contents == entries[current].contents != []
    assert [event.kind for event in await events_of(engine, outdated)] == ["loaded"]


async def run_company(
    engine: Engine, fetching: Settings, capsys: pytest.CaptureFixture[str], **options: object
) -> dict[str, object]:
    given = {
        "company": "MRBL",
        "last": None,
        "forms": None,
        "ciks": None,
        "from_date": None,
        "to_date": None,
        "workers": 1,
    }
    status = await fetch_command.run_fetch(engine, fetching, Namespace(**given | options))
    assert status == 0
    summary: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return summary


async def test_filings_of_a_company_are_fetched_with_its_ticker(
    engine: Engine,
    client: Client,
    fetching: Settings,
    site: EdgarSite,
    publish: Publish,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fetching = msgspec.structs.replace(fetching, edgar_data_url=site.url)
    site.companies["BSLT"] = ("0009990183", "BASALT")
    # Other tests load filings of the other companies.
    basalt = MadeUpEntity("0009990183", "BASALT")
    publish(basalt, filing_date=date(2020, 1, 2))
    newest = publish(basalt, GRAVEL, filing_date=date(2021, 1, 5))
    publish(GRAVEL)
    summary = await run_company(engine, fetching, capsys, company="BSLT", last=1)
    assert (summary["cik"], summary["listed"], summary["loaded"]) == ("0009990183", 1, 1)
    found = await client.get("/v1/lookup", cik="0009990183")
    assert [each["accnum"] for each in found["filings"]] == [newest]
    tickers = await engine.get("tickers", "company_tickers", StoredTickers)
    assert tickers and tickers.source and tickers.source.rows == [TickerRow("BSLT", "0009990183")]
    again = await run_company(engine, fetching, capsys, company="basalt", last=2)
    assert (again["listed"], again["known"], again["loaded"]) == (2, 1, 1)


async def test_days_without_a_company_must_be_given(
    engine: Engine, fetching: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WrongArguments, match="give --from and --to, or --company"):
        await run_company(engine, fetching, capsys, company=None)
