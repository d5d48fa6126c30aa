"""Shares of the search engine: searches at once, bounded for each account and in all.

A search that finds no room waits a moment in its account's queue; whenever one ends, the accounts
that wait take turns. An account begins with a third of the room; each quick search gives it one
place more, and a slow one takes it back. Accounts whose searches are slow, and much slower than
somebody else's, have a twelfth of the room, all of them together: those of others find a core of
Elasticsearch's. What would have to wait for too long, as its account's last searches were, is
refused at once. All bounds are those of one worker.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import islice
from typing import NamedTuple

from edgar_search.access.limits.plans import Plan
from edgar_search.errors import SearchesAtOnce
from edgar_search.settings import Settings

# How long a search may wait for its turn, in seconds: longer than most searches take.
WAIT_SECONDS = 1.0
# Searches that take so many seconds are slow: others must not wait for them.
SLOW_SECONDS = 0.05
# On a busy machine all searches are slow; an account is held back for others that are so much
# quicker, and have searched within so many seconds. So many of the latest accounts are looked at.
_QUICKER = 2.0
_LATELY_SECONDS = 10.0
_LATEST_ACCOUNTS = 50
# How much the latest search counts in what an account's searches take on average, where it took
# longer and where it did not: dear searches are not made good by cheap ones between them.
_LONGER, _SHORTER = 0.5, 0.1
# What is known of so many accounts is kept, the latest ones.
_MOST_KNOWN = 10_000


class _Pace(NamedTuple):
    """An account's searches: seconds of one on average, its places by that, when the last ended."""

    average: float
    places: int
    ended: float


class Shares:
    """The searches of one worker that run and that wait; `most` is how many run at once."""

    def __init__(self, most: int, wait: float = WAIT_SECONDS) -> None:
        self._most = most
        # No account has all of it, whatever its plan: the last one is for the others.
        self._most_of_one = max(1, most - 1)
        # Nothing is known of an account at first; two let one search beside another.
        self._new = _Pace(0.0, min(self._most_of_one, max(2, most // 3)), 0.0)
        self._most_of_slow = max(1, most // 12)
        self._wait = wait
        self._running: Counter[str] = Counter()
        # The accounts that wait, the one whose turn it is first.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._bounds: dict[str, int] = {}
        self._paces: dict[str, _Pace] = {}

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
            # What is known now decides whose turn it is.
            self._note(account, time.monotonic() - began)
            self._leave(account)

    def _bound(self, plan: Plan) -> int:
        most = self._most_of_one
        return most if plan.searches is None else min(most, plan.searches)

    def _room(self, account: str, bound: int) -> bool:
        if self._running[account] >= min(bound, self._pace(account).places):
            return False
        if self._running.total() >= self._most:
            return False
        if not self._is_slow(account):
            return True
        slow = sum(count for each, count in self._running.items() if self._is_slow(each))
        return slow < self._most_of_slow

    def _is_slow(self, account: str) -> bool:
        average = self._pace(account).average
        if average < SLOW_SECONDS:
            return False
        since = time.monotonic() - _LATELY_SECONDS
        return any(
            pace.ended >= since and pace.average * _QUICKER <= average
            for pace in islice(reversed(self._paces.values()), _LATEST_ACCOUNTS)
        )

    def _pace(self, account: str) -> _Pace:
        return self._paces.get(account, self._new)

    async def _turn(self, account: str, bound: int) -> None:
        pace = self._pace(account)
        at_once = min(bound, pace.places, self._most_of_slow if self._is_slow(account) else bound)
        before = len(self._waiting.get(account, ()))
        if before and before / at_once * pace.average >= self._wait:
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
        before = self._paces.pop(account, self._new._replace(average=seconds))
        latest = _LONGER if seconds > before.average else _SHORTER
        self._paces[account] = _Pace(
            average=before.average + latest * (seconds - before.average),
            places=min(self._most_of_one, before.places + 1)
            if seconds < SLOW_SECONDS
            else max(self._new.places, before.places - 1),
            ended=time.monotonic(),
        )
        if len(self._paces) > _MOST_KNOWN:
            del self._paces[next(iter(self._paces))]

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
