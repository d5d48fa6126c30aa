"""The service as one account sees it: what operations need apart from their parameters."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from edgar_search.document.reading_room import ReadingRoom
from edgar_search.engine.engine import Engine
from edgar_search.search.context import SearchContext
from edgar_search.search.pagination import Pagination
from edgar_search.settings import Settings


async def no_slots(number: int) -> None:
    """Take no search slots: commands have no limits."""


class Context(NamedTuple):
    """The service as one account sees it.

    Cursors and snapshots belong to the `account`, and `search` searches for it. `offset` and
    `limit` add up to at most `max_window`. Filed bytes are parsed only in `room`. `weigh` takes the
    search slots that an operation needs.
    """

    search: SearchContext
    pagination: Pagination
    account: str
    max_window: int
    room: ReadingRoom
    weigh: Callable[[int], Awaitable[None]] = no_slots

    @property
    def engine(self) -> Engine:
        """The engine, set to search the account's shard copies."""
        return self.search.engine

    @classmethod
    def of_command(cls, engine: Engine, settings: Settings, account: str = "") -> "Context":
        """Create the context of a command, which has no limits.

        Raises SettingsError as `SearchContext.from_settings` does.
        """
        search = SearchContext.from_settings(engine, settings).for_account(account)
        pagination = Pagination.of(engine).for_account(account)
        return cls(search, pagination, account, settings.max_window, ReadingRoom())
