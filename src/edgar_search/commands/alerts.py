"""`edgar-search alerts`"""

import argparse
import asyncio
import json
import signal
from contextlib import suppress
from logging.config import dictConfig

import msgspec

from edgar_search.alerts.matcher import Alerts, status
from edgar_search.commands.engine import with_engine
from edgar_search.engine.engine import Engine
from edgar_search.metrics.log_format import log_config
from edgar_search.metrics.spans import export_spans
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Match arrivals until a signal, or only once, or print the state of alerts."""

    async def show(engine: Engine) -> None:
        print(msgspec.json.encode(await status(engine)).decode())

    async def once(engine: Engine) -> None:
        counts = await Alerts(engine, settings, Tickers(engine)).once()
        print(json.dumps(counts._asdict()))

    async def run_forever(engine: Engine) -> None:
        work = asyncio.create_task(Alerts(engine, settings, Tickers(engine)).run_forever())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, work.cancel)
        with suppress(asyncio.CancelledError):
            await work

    export_spans()
    dictConfig(log_config(json_logs=settings.logs == "json"))
    return with_engine(settings, show if options.status else once if options.once else run_forever)
