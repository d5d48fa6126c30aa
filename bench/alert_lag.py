"""The time from an arrival to its notifications, while filings arrive at an even rate."""

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from bench.alert_costs import Bench
from edgar_search.alerts.arrivals import Arrival, Arrivals
from edgar_search.alerts.matcher import Alerts
from edgar_search.alerts.triggers import AlertTriggers
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.tasks import PreparedSubmission

RATE = 10  # filings a second
_PAGE = 1_000


async def measure_lag(bench: Bench, prepared: Sequence[PreparedSubmission]) -> None:
    """Print the lag while filings arrive at an even rate, beside a matcher of this process."""
    arrivals = Arrivals(bench.engine)
    await arrivals.matched(await all_waiting(arrivals), datetime.now(UTC))
    triggers = len(await AlertTriggers(bench.engine).enabled())
    matching = asyncio.create_task(
        Alerts(bench.engine, bench.settings, bench.tickers).run_forever()
    )
    began = datetime.now(UTC)
    with Owner(bench.settings.absolute_home) as owner:
        writer = SubmissionWriter(bench.engine, bench.settings, owner)
        start = time.monotonic()
        for number in range(0, len(prepared), RATE):
            await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
            await writer.write(list(prepared[number : number + RATE]))
        seconds = time.monotonic() - start
    await _until_nothing_waits(arrivals)
    lags = await _lags(bench, began)
    matching.cancel()
    await asyncio.gather(matching, return_exceptions=True)
    rate = len(prepared) / seconds
    print(
        f"{len(prepared)} filings, {len(lags)} documents at {rate:.1f} filings/s,"
        f" {triggers} triggers: lag p50 {_at(lags, 50):.2f} s, p90 {_at(lags, 90):.2f} s,"
        f" p99 {_at(lags, 99):.2f} s, most {lags[-1]:.2f} s"
    )


async def _until_nothing_waits(arrivals: Arrivals) -> None:
    while True:
        if not (await arrivals.lag(datetime.now(UTC))).waiting:
            return
        await asyncio.sleep(0.2)


async def _lags(bench: Bench, since: datetime) -> list[float]:
    class Source(msgspec.Struct):
        lag: float

    class Hit(msgspec.Struct):
        source: Source = msgspec.field(name="_source")

    await bench.engine.refresh("arrivals")
    query = {"range": {"arrived_at": {"gte": since.isoformat(timespec="milliseconds")}}}
    body = {"query": {"bool": {"filter": [query, {"term": {"state": "matched"}}]}}, "size": 10_000}
    hits = (await bench.engine.search("arrivals", body, Hit)).hits.hits
    return sorted(hit.source.lag for hit in hits)


def _at(lags: Sequence[float], percent: int) -> float:
    return lags[min(len(lags) - 1, len(lags) * percent // 100)]


async def all_waiting(arrivals: Arrivals) -> list[Arrival]:
    """Every arrival that waits, in order."""
    await arrivals.refresh()
    found: list[Arrival] = []
    while more := await arrivals.waiting(_PAGE, found[-1] if found else None):
        found += more
    return found
