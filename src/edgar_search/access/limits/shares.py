"""Shares of the search engine: searches at once, bounded for each account and in all.

A search that finds no room waits a moment in its account's queue; whenever one ends, the accounts
that wait take turns. Accounts whose searches are slow have half of the room at most, all of them
together: those of others always find a thread of Elasticsearch's. What would have to wait for too
long, as its account's last searches were, is refused at once. All bounds are those of one worker.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from edgar_search.access.limits.plans import Plan
from edgar_search.errors import SearchesAtOnce
from edgar_search.settings import Settings

# How long a search may wait for its turn, in seconds: longer than most searches take.
WAIT_SECONDS = 1.0
# Searches that take so many seconds on average are slow: others must not wait for them.
SLOW_SECONDS = 0.25
# How much the latest search counts in what an account's searches take on average.
_LATEST = 0.3
# Averages of so many accounts are kept, the latest ones.
_MOST_AVERAGES = 10_000


class Shares:
    """The searches of one worker that run and that wait; `most` is how many run at once."""

    def __init__(self, most: int, wait: float = WAIT_SECONDS) -> None:
        self._most = most
        self._wait = wait
        self._running: Counter[str] = Counter()
        # The accounts that wait, the one whose turn it is first.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._bounds: dict[str, int] = {}
        # How long an account's searches take, in seconds.
        self._averages: dict[str, float] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> "Shares":
        """The shares of one worker of `settings`."""
        return cls(settings.searches_of_a_worker)

    @asynccontextmanager
    async def share(self, account: str, plan: Plan) -> AsyncIterator[None]:
        """Room for one search of an account for as long as the context is open.

        Raises SearchesAtOnce where it cannot begin within the time that searches wait.
        """
        bound = self._bound(plan)
        if account in self._waiting or not self._room(account, bound):
            await self._turn(account, bound)
        else:
            self._running[account] += 1
        began = time.monotonic()
        try:
            yield
        finally:
            self._leave(account)
            self._note(account, time.monotonic() - began)

    def _bound(self, plan: Plan) -> int:
        # No account may have all of it, whatever its plan: the last one is for the others.
        most = max(1, self._most - 1)
        return most if plan.searches is None else min(most, plan.searches)

    def _room(self, account: str, bound: int) -> bool:
        if self._running[account] >= bound or self._running.total() >= self._most:
            return False
        if not self._is_slow(account):
            return True
        slow = sum(count for each, count in self._running.items() if self._is_slow(each))
        return slow < max(1, self._most // 2)

    def _is_slow(self, account: str) -> bool:
        return self._averages.get(account, 0.0) >= SLOW_SECONDS

    async def _turn(self, account: str, bound: int) -> None:
        before = len(self._waiting.get(account, ()))
        if before and before / bound * self._averages.get(account, 0.0) >= self._wait:
            raise SearchesAtOnce(bound)
        waiting = self._waiting.setdefault(account, deque())
        self._bounds[account] = bound
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            async with asyncio.timeout(self._wait):
                await turn
        except BaseException as error:
            self._forget(account, turn)
            # The turn may have come at the same moment.
            if not turn.cancelled() and turn.done():
                self._leave(account)
            if isinstance(error, TimeoutError):
                raise SearchesAtOnce(bound) from None
            raise

    def _leave(self, account: str) -> None:
        self._running[account] -= 1
        if not self._running[account]:
            del self._running[account]
        while self._running.total() < self._most and self._give_turn():
            pass

    def _note(self, account: str, seconds: float) -> None:
        before = self._averages.pop(account, seconds)
        self._averages[account] = before + _LATEST * (seconds - before)
        if len(self._averages) > _MOST_AVERAGES:
            del self._averages[next(iter(self._averages))]

    def _give_turn(self) -> bool:
        """Let the next account that may begin one of its searches; false where none may."""
        for account, waiting in self._waiting.items():
            # One that was given up has not left its queue yet.
            turn = next((turn for turn in waiting if not turn.done()), None)
            if turn is not None and self._room(account, self._bounds[account]):
                self._waiting[account] = self._waiting.pop(account)
                self._forget(account, turn)
                self._running[account] += 1
                turn.set_result(None)
                return True
        return False

    def _forget(self, account: str, turn: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(account, deque())
        if turn in waiting:
            waiting.remove(turn)
            if not waiting:
                del self._waiting[account], self._bounds[account]
