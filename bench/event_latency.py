"""The time from a load to its event, on each way out of the event log.

`python -m bench.event_latency` writes filings at an even rate into an installation of its own,
beside a matcher and a service that is a process of its own. For each filing it takes the time from
the beginning of its write to its event at a client of `/v1/stream`, of one with a query, of
`/auth/notifications/stream`, and of `edgar-search listen` beside Elasticsearch.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from bench.alerts import prepared_submissions
from bench.corpus import CORPUS
from bench.installation import engine_running, installed
from bench.service import running_service
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER, LocalIssuer
from edgar_search.alerts.matcher import Alerts
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.commands.listen import USER_AGENT, local_events, service_events
from edgar_search.engine.engine import Engine
from edgar_search.http_client import HttpClient
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from ingest.indices.indices import Indices
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import SubmissionWriter
from ingest.reading.tasks import PreparedSubmission

FILINGS, RATE = 300, 5
# A word that most filings have, so that every way reports enough of them.
WORD = "date"
USER = "bench"
WAIT_SECONDS = 60.0

Events = AsyncIterator[Mapping[str, Any]]


class Way:
    """One way out, and when it reported each filing first."""

    def __init__(self, name: str, events: Events) -> None:
        self.name = name
        self.heard: dict[str, float] = {}
        self._events = events

    async def listen(self) -> None:
        """Note the time of each event."""
        async for event in self._events:
            about = event.get("filing") or event["document"]
            number = about.get("accnum") or about["accession_number"]
            self.heard.setdefault(number, time.monotonic())


async def run(settings: Settings, filings: Sequence[PreparedSubmission]) -> None:
    """Write the filings, and print the percentiles of each way."""
    async with AsyncExitStack() as stack:
        place = await stack.enter_async_context(installed(settings, baseline=False))
        engine = place.engine
        await Indices(engine, settings).set_up()
        account = account_id(ISSUER, USER)
        await AlertTriggers(engine).add(account, {"name": USER, "query": WORD})
        service = running_service(settings)
        url = (await asyncio.to_thread(service.__enter__)).url
        stack.callback(service.__exit__, None, None, None)
        http = await stack.enter_async_context(HttpClient(USER_AGENT, 45.0))
        key = {"X-API-Key": await place.key()}
        bearer = {"Authorization": f"Bearer {LocalIssuer(settings.absolute_home).token(USER)}"}
        stream, own = f"{url}/v1/stream", f"{url}/auth/notifications/stream"
        ways = [
            Way("/v1/stream", service_events(http, stream, key, {})),
            Way("/v1/stream?query=", service_events(http, stream, key, {"query": [WORD]})),
            Way("/auth/notifications/stream", service_events(http, own, bearer, {})),
            Way("edgar-search listen", local_events(engine, settings, {})),
        ]
        matcher = Alerts(engine, settings, Tickers(engine))
        running = [asyncio.create_task(way.listen()) for way in ways]
        running.append(asyncio.create_task(matcher.run_forever()))
        await asyncio.sleep(3)
        written = await write_at_rate(settings, engine, filings)
        until = time.monotonic() + WAIT_SECONDS
        while len(ways[0].heard) < len(written) and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        await asyncio.sleep(3)
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for way in ways:
            _print(way, written)


async def write_at_rate(
    settings: Settings, engine: Engine, filings: Sequence[PreparedSubmission]
) -> dict[str, float]:
    """Write one filing after the other at the rate; return when each write began."""
    began: dict[str, float] = {}
    with Owner(settings.absolute_home) as owner:
        writer = SubmissionWriter(engine, settings, owner)
        start = time.monotonic()
        for number, each in enumerate(filings):
            await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
            began[each.accession_number] = time.monotonic()
            await writer.write([each])
    return began


def _print(way: Way, written: Mapping[str, float]) -> None:
    taken = sorted(heard - written[number] for number, heard in way.heard.items())
    middle, late = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
    print(f"{way.name}: {len(taken)} of {len(written)}, p50 {middle:.2f} s, p99 {late:.2f} s")


def main() -> None:
    """Measure, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS, help="a folder of submissions")
    options = parser.parse_args()
    with engine_running("bench-events-") as settings, tempfile.TemporaryDirectory() as folder:
        own = msgspec.structs.replace(
            settings, home=Path(folder), archive=False, local_issuer=True, alerts=False
        )
        files = sorted(path for path in options.corpus.iterdir() if path.suffix != ".jsonl")
        asyncio.run(run(own, prepared_submissions(own, list(islice(files, FILINGS)))))


if __name__ == "__main__":
    main()
