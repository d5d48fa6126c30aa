"""The Elasticsearch of one command, from its start to its end."""

import asyncio
from collections.abc import Awaitable, Callable

from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings


def with_engine(settings: Settings, action: Callable[[Engine], Awaitable[None]]) -> int:
    """Do something with the engine of these settings, and close it; the exit status."""

    async def act() -> None:
        engine = Engine.from_settings(embedded.resolve(settings))
        try:
            await action(engine)
        finally:
            await engine.close()

    asyncio.run(act())
    return 0
