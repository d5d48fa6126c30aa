"""`edgar-ingest fetch` and `edgar-ingest follow`"""

import argparse
import asyncio
import json
import logging
import signal
from collections import Counter
from datetime import UTC, date, datetime, timedelta

import msgspec

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands import arguments
from ingest.commands.arguments import DONE, SOME_REFUSED, WrongArguments, filing_filter
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.company import CompanyFiles, find_company, listed
from ingest.fetching.daily_archives import LEAST, LEAST_OF_BACKFILLS, DailyArchives
from ingest.fetching.fetch import FOLLOW_LINGER, Fetcher, FetchProgress, FetchSummary
from ingest.fetching.follow import Follower
from ingest.fetching.index_files import IndexCache
from ingest.fetching.listing import Listing, store_missing_days
from ingest.fetching.reconcile import Reconciler
from ingest.indices.indices import Indices
from ingest.loading.entities import EntityFiles, EntityWriter
from ingest.loading.retry import Retry
from ingest.loading.session import LoadSession
from ingest.loading.tickers import load_tickers
from ingest.sources.paths import FilingFilter

_log = logging.getLogger(__name__)

# How many days of a company's filings are fetched if neither days nor a number are given.
COMPANY_DAYS = 365


async def report_missing_days(
    engine: Engine, settings: Settings, listing: Listing, wanted: FilingFilter
) -> list[date]:
    """Log and store the business days that a complete listing lacks; return them."""
    assert wanted.from_date is not None and wanted.to_date is not None
    missing = listing.missing_days(datetime.now(UTC))
    for day in missing:
        _log.warning("%s is a business day of EDGAR, but no index lists filings of it", day)
    retry = Retry(settings.load_patience)
    await retry(Indices(engine, settings).set_up)
    await store_missing_days(engine, retry, wanted.from_date, wanted.to_date, missing)
    return missing


async def run_fetch(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Fetch and load the filings that EDGAR lists; print the summary as JSON on the last line.

    Raises WrongArguments if neither a range of days nor a company is given.
    """
    wanted = arguments.filing_filter(options)
    if options.company is not None:
        return await _fetch_company(engine, settings, options, wanted)
    if options.last is not None:
        raise WrongArguments("--last needs --company: a range of days is fetched whole")
    if wanted.from_date is None or wanted.to_date is None:
        raise WrongArguments("give --from and --to, or --company")
    async with http_client(settings) as http:
        edgar = Edgar(settings, http)
        index = IndexCache(edgar, settings.absolute_home, once=True)
        listing = Listing(index.read, wanted, datetime.now(UTC).date())
        with (
            LoadSession(engine, settings, options.workers) as session,
            FetchProgress() as progress,
        ):
            least = LEAST_OF_BACKFILLS if options.feed else LEAST
            archives = DailyArchives(
                edgar, session, index.read, settings.absolute_home, least, progress
            )
            days = Listing(index.read, wanted, datetime.now(UTC).date())
            if options.files:
                await session.set_up()
                await archives.count(days)
            else:
                by_archives = await archives.run(days, wanted)
            fetcher = Fetcher(edgar, session, settings.absolute_home, progress=progress)
            summary = await fetcher.run(listing)
            if not options.files:
                summary.load.join(by_archives)
        missing_days = await report_missing_days(engine, settings, listing, wanted)
    _warn(summary)
    read = {
        "index_files": listing.files,
        "unknown_lines": listing.unknown,
        "days": [str(day) for day in archives.loaded],
        "missing_days": list(map(str, missing_days)),
    }
    print(json.dumps({**summary.as_dict(), **read}))
    is_complete = summary.complete and not listing.unknown and not missing_days
    return DONE if is_complete else SOME_REFUSED


async def _fetch_company(
    engine: Engine, settings: Settings, options: argparse.Namespace, wanted: FilingFilter
) -> int:
    """Fetch and load filings of one company, with its tickers and its facts from EDGAR."""
    if wanted.from_date is None and options.last is None:
        first = datetime.now(UTC).date() - timedelta(days=COMPANY_DAYS)
        wanted = msgspec.structs.replace(wanted, from_date=first)
    async with http_client(settings) as http:
        edgar = Edgar(settings, http)
        with CompanyFiles(edgar) as files:
            cik = find_company(options.company, await files.tickers())
            entries = (await files.filings(cik, wanted))[: options.last]
            with LoadSession(engine, settings, options.workers) as session:
                with FetchProgress() as progress:
                    progress.begin(Counter(entry.filing_date for entry in entries))
                    fetcher = Fetcher(edgar, session, settings.absolute_home, progress=progress)
                    summary = await fetcher.run(listed(entries))
            entities = EntityWriter(engine, settings.prefix, Retry(settings.load_patience))
            await load_tickers(engine, entities, [files.tickers_path])
            await entities.write(EntityFiles(files.submissions_paths))
    _warn(summary)
    if not entries:
        _log.warning("EDGAR lists no filing of CIK %s for these forms and days", cik)
    print(json.dumps({"cik": cik, **summary.as_dict()}))
    return DONE if summary.complete else SOME_REFUSED


def _warn(summary: FetchSummary) -> None:
    summary.load.log_unread()
    if summary.elsewhere:
        _log.warning(
            "%d submissions are being fetched or loaded by another process with this home",
            summary.elsewhere,
        )


async def run_follow(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Fetch and load filings as EDGAR publishes them, until a signal; then print the summary."""
    home = settings.absolute_home
    compared = None
    async with http_client(settings) as http:
        with LoadSession(engine, settings, options.workers) as session:
            edgar = Edgar(settings, http)
            fetcher = Fetcher(edgar, session, home, FOLLOW_LINGER)
            retry = Retry(settings.load_patience)
            reconciler = Reconciler(engine, edgar, fetcher, home, retry, at_once=1)
            follower = Follower(
                edgar,
                fetcher,
                home,
                filing_filter(options),
                reconciler=reconciler,
                reconcile_days=settings.reconcile_days,
            )
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, follower.stopping.set)
            if options.once:
                await follower.once()
                compared = await follower.compare()
            else:
                await follower.run_forever(settings.follow_interval)
    print(json.dumps(follower.total.as_dict()))
    is_complete = follower.total.complete and (compared is None or compared.complete)
    return DONE if is_complete or not options.once else SOME_REFUSED
