"""`edgar-search engine`, for the embedded Elasticsearch; and the connection of other commands."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable

from edgar_search.engine import embedded
from edgar_search.engine.embedded.install import choose
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings


def with_engine(settings: Settings, action: Callable[[Engine], Awaitable[None]]) -> int:
    """Run an action with an engine of these settings, then close it; return the exit status."""

    async def act() -> None:
        engine = Engine.from_settings(embedded.resolve(settings))
        try:
            await action(engine)
        finally:
            await engine.close()

    asyncio.run(act())
    return 0


def up(settings: Settings, options: argparse.Namespace) -> int:
    """Install and start the embedded engine, and print its URL."""
    running = embedded.up(settings, lambda line: print(line, file=sys.stderr))
    print(running.url)
    return 0


def down(settings: Settings, options: argparse.Namespace) -> int:
    """Stop the embedded engine if it is running."""
    print("stopped" if embedded.down(settings) else "no embedded engine was running")
    return 0


def status(settings: Settings, options: argparse.Namespace) -> int:
    """Print the URL of the embedded engine; return 1 if it is not running."""
    running = embedded.status(settings)
    if running is None:
        print("the embedded engine is not running", file=sys.stderr)
        return 1
    print(running.url)
    return 0


def java(settings: Settings, options: argparse.Namespace) -> int:
    """Print the folder of the engine's Java; SettingsError if none is installed."""
    print(choose(settings).java)
    return 0
