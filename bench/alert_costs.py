"""An installation with alert triggers, and what some work on it costs."""

import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from bench.installation import engine_cpu
from edgar_search.engine.engine import Engine
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.stored.user_items import StoredAlertTrigger, StoredUserItem, item_key

_ACCOUNTS = 500


class Cost(NamedTuple):
    """Seconds: on the clock, and of CPU in this process and in Elasticsearch."""

    wall: float
    ours: float
    engine: float

    def __str__(self) -> str:
        cpu = self.ours + self.engine
        return f"{self.wall:.2f} s, CPU {cpu:.2f} s ({self.ours:.2f} here, {self.engine:.2f} there)"


class Bench:
    """One installation with the corpus and the triggers."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self.engine = engine
        self.settings = settings
        self.tickers = Tickers(engine)

    async def cost(self, work: Callable[[], Awaitable[Any]]) -> tuple[Cost, Any]:
        """Return the cost of some work, and its result."""
        there = await engine_cpu(self.engine)
        ours, began = time.process_time(), time.monotonic()
        result = await work()
        wall, ours = time.monotonic() - began, time.process_time() - ours
        return Cost(wall, ours, await engine_cpu(self.engine) - there), result

    async def add_triggers(self, params: Sequence[StoredAlertTrigger]) -> None:
        """Store triggers at once; making them one by one by the API would take minutes."""
        now = datetime.now(UTC)
        rows = []
        for number, content in enumerate(params):
            item_id = f"{number:024x}"
            account = f"bench-{number % _ACCOUNTS}"
            item = StoredUserItem(account, "alert_triggers", item_id, now, content, "enabled")
            rows.append((item_key(account, "alert_triggers", item_id), item))
        await self.engine.create_many("user_items", rows)
        await self.engine.refresh("user_items")
