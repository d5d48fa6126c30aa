"""`edgar-search search`"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator

from edgar_search.commands.connection import with_engine
from edgar_search.commands.search.options import raw_parameters
from edgar_search.commands.search.output import OUTPUTS, Output, Progress
from edgar_search.commands.search.sources import Answer, local_answers, service_answers
from edgar_search.engine.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.http_client import HttpClient
from edgar_search.settings import VARIABLE_PREFIX, Settings

USER_AGENT = "edgar-search"
# An answer may wait for its turn, and for a search of the service's own time-out.
TIMEOUT = 60.0


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print what a search finds, here or at a service; raises EdgarSearchError as they do."""
    raw = raw_parameters(options)
    output = OUTPUTS[options.format](sys.stdout)
    if options.url is None:

        async def search(engine: Engine) -> None:
            await _print(local_answers(engine, settings, raw, options.all), output, options)

        return with_engine(settings, search)

    async def ask() -> None:
        key = options.key or settings.key
        if not key:
            raise SettingsError(f"--url needs a key: --key, or {VARIABLE_PREFIX}KEY")
        async with HttpClient(USER_AGENT, TIMEOUT) as http:
            await _print(service_answers(http, options.url, key, raw, options.all), output, options)

    asyncio.run(ask())
    return 0


async def _print(
    answers: AsyncIterator[Answer], output: Output, options: argparse.Namespace
) -> None:
    """Print the items of answers as they come, and what is to be said of them beside."""
    printed = total = 0
    exact = True
    with Progress(options.all and not output.is_shown) as progress:
        async for answer in answers:
            if not printed:
                total, exact = answer["total_count"], answer.get("total_count_exact", True)
                progress.total(total)
                for warning in answer.get("warnings", ()):
                    _say(warning)
            for item in answer["items"]:
                output.item(item)
            printed += len(answer["items"])
            progress.done(len(answer["items"]))
    output.end()
    least = "" if exact else "at least "
    more = "" if options.all or printed == total else "; --all prints all"
    _say(f"{printed:,} of {least}{total:,}{more}")


def _say(text: str) -> None:
    print(f"edgar-search: {text}", file=sys.stderr, flush=True)
