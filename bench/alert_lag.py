"""The time from an arrival to its notifications, while filings arrive at an even rate."""

import asyncio
import time
from collections.abc import Sequence

from bench.alert_costs import Bench
from edgar_search.alerts.arrivals import arrivals_of
from edgar_search.alerts.matcher import READER, Alerts, status
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.engine.engine import Engine
from edgar_search.events.log import EventLog
from edgar_search.events.readers import LogReader
from edgar_search.stored.events import FILING_EVENTS, PendingArrival, ReaderState
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.tasks import PreparedSubmission

RATE = 10  # filings a second
_PAGE = 1_000


async def measure_lag(bench: Bench, prepared: Sequence[PreparedSubmission]) -> None:
    """Print the lag while filings arrive at an even rate, beside a matcher of this process."""
    reader, log = LogReader(bench.engine, READER), EventLog(bench.engine)
    await reader.read()
    await reader.write(ReaderState(await log.end()))
    triggers = len(await AlertTriggers(bench.engine).enabled())
    matching = asyncio.create_task(
        Alerts(bench.engine, bench.settings, bench.tickers).run_forever()
    )
    with Owner(bench.settings.absolute_home) as owner:
        writer = SubmissionWriter(bench.engine, bench.settings, owner)
        start = time.monotonic()
        for number in range(0, len(prepared), RATE):
            await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
            await writer.write(list(prepared[number : number + RATE]))
        seconds = time.monotonic() - start
    while (ended := await status(bench.engine)).waiting:  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    matching.cancel()
    await asyncio.gather(matching, return_exceptions=True)
    rate = len(prepared) / seconds
    print(
        f"{len(prepared)} filings, {ended.matched_last_24_hours} documents at {rate:.1f} filings/s,"
        f" {triggers} triggers: lag in seconds {ended.lag_seconds}"
    )


async def all_waiting(engine: Engine) -> list[PendingArrival]:
    """Return every document of the log, in order."""
    found: list[PendingArrival] = []
    log, position, more = EventLog(engine), 0, True
    while more:
        page = await log.page(position, _PAGE, kinds=FILING_EVENTS)
        found += arrivals_of(page.events)
        position, more = page.position, page.more
    return found
