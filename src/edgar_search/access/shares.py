"""Search slots: a limit on concurrent searches, for each account and overall.

A search takes one slot, or more if it is known to be expensive, up to a third of them. If no slot
is free, it waits a moment in its account's queue; when a search ends, the accounts that wait take
turns. A search that would wait too long, judged by its account's last searches, is refused at once.

An account may use a third of the slots. While no one else searches, each quick search gives it one
more. After a slow search it may use a twelfth, a single slot by default, as long as another
account's searches are much quicker; quick searches win the other slots back. All slow accounts
together may use a twelfth, and after each of their searches its slot rests as long as the search
took, so that others find a free core of Elasticsearch. All limits apply to one worker.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice, takewhile
from typing import NamedTuple

from edgar_search.access.accounts import Plan
from edgar_search.errors import SearchesAtOnce
from edgar_search.metrics.current_request import hung_seconds
from edgar_search.settings import Settings

# How long, in seconds, a search may wait for slots: longer than most searches take.
WAIT_SECONDS = 1.0
# A search of at least this many seconds is slow: others must not wait for it.
SLOW_SECONDS = 0.05
# On a busy machine all searches are slow: an account is slowed down only in favour of others that
# are this much quicker and have searched within this many seconds, among this many latest accounts.
_QUICKER = 2.0
_LATELY_SECONDS = 10.0
_LATEST_ACCOUNTS = 50
# The weight of the latest search in an account's average, if it took longer than the average and if
# not: cheap searches between expensive ones do not make up for them.
_LONGER, _SHORTER = 0.5, 0.1
# How many accounts' paces are kept: the most recent ones.
_MOST_KNOWN = 10_000


class _Pace(NamedTuple):
    """An account's average seconds a search, its number of slots, and its last search's end."""

    average: float
    slots: int
    ended: float


class _Waiter(NamedTuple):
    """A search that waits for a number of slots."""

    begun: asyncio.Future[None]
    slots: int


class Share:
    """The slots that a search holds: one, until its cost is known."""

    def __init__(self, shares: "Shares", account: str, bound: int) -> None:
        self._shares = shares
        self._account = account
        self._bound = bound
        self.slots = 0
        self._began = self._hung = 0.0

    @property
    def seconds(self) -> float:
        """Seconds since the search began, without the time lost at nodes that hang."""
        return max(0.0, time.monotonic() - self._began - (hung_seconds() - self._hung))

    async def weigh(self, slots: int) -> None:
        """Hold this many slots instead, waiting for them like a new search.

        Raises SearchesAtOnce if that takes too long; then it holds none.
        """
        slots = min(slots, self._shares.most_of_a_search)
        if slots == self.slots:
            return
        self.leave()
        await self._shares.enter(self._account, self._bound, slots)
        self.slots, self._began, self._hung = slots, time.monotonic(), hung_seconds()

    def leave(self) -> None:
        """Free all slots."""
        if self.slots:
            slots, self.slots = self.slots, 0
            self._shares.leave(self._account, slots)


class Shares:
    """The running and waiting searches of one worker, with `most` slots in all."""

    def __init__(self, most: int, wait: float = WAIT_SECONDS) -> None:
        self._most = most
        # No account gets all of them, on any plan: the last one is for the others.
        self._most_of_one = max(1, most - 1)
        # The pace of a new account; with two slots it can run two searches at once.
        self._new = _Pace(0.0, min(self._most_of_one, max(2, most // 3)), 0.0)
        self.most_of_a_search = self._new.slots
        self._most_of_slow = max(1, most // 12)
        self._wait = wait
        self._running: Counter[str] = Counter()
        # The accounts that wait, next one first.
        self._waiting: dict[str, deque[_Waiter]] = {}
        self._bounds: dict[str, int] = {}
        self._paces: dict[str, _Pace] = {}

    @classmethod
    def from_settings(cls, settings: Settings) -> "Shares":
        """Create the slots of one worker from the settings."""
        return cls(settings.searches_of_a_worker)

    @asynccontextmanager
    async def share(self, account: str, plan: Plan, *, paced: bool = True) -> AsyncIterator[Share]:
        """Hold slots for one search of an account while the context is open.

        The time of a `paced` search decides how many more may run. Raises SearchesAtOnce if no slot
        is free in time.
        """
        share = Share(self, account, self._most_slots(plan))
        await share.weigh(1)
        try:
            yield share
        finally:
            # Recorded first, since it decides who is next. A search that found no free slot has no
            # pace.
            seconds = share.seconds
            if paced and share.slots:
                self._record(account, seconds)
            if paced and self._is_slow(account):
                # A client that retries at once must still leave slots for others.
                asyncio.get_running_loop().call_later(min(seconds, self._wait / 2), share.leave)
            else:
                share.leave()

    async def enter(self, account: str, bound: int, slots: int) -> None:
        """Take this many slots as soon as they are free.

        Raises SearchesAtOnce if that takes too long.
        """
        if account in self._waiting or not self._fits(account, bound, slots):
            await self._wait_for_slots(account, bound, slots)
        else:
            self._running[account] += slots

    def leave(self, account: str, slots: int) -> None:
        """Free this many slots, and begin searches that wait for them."""
        self._running[account] -= slots
        if not self._running[account]:
            del self._running[account]
        while self._running.total() < self._most and self._begin_next():
            pass

    def _most_slots(self, plan: Plan) -> int:
        most = self._most_of_one
        return most if plan.searches is None else min(most, plan.searches)

    def _fits(self, account: str, bound: int, slots: int) -> bool:
        # A search that runs alone always fits.
        running, total = self._running[account], self._running.total()
        if running and running + slots > min(bound, self._slots(account)):
            return False
        if total and total + slots > self._most:
            return False
        if not self._is_slow(account):
            return True
        slow = sum(count for other, count in self._running.items() if self._is_slow(other))
        return not slow or slow + slots <= self._most_of_slow

    def _slots(self, account: str) -> int:
        """Return how many slots an account may use, by its latest searches."""
        pace, third = self._pace(account), self._new.slots
        if self._is_outpaced(pace):
            return min(pace.slots, third)
        alone = all(other == account for other, _ in self._latest())
        return max(pace.slots, third) if alone else third

    def _is_slow(self, account: str) -> bool:
        pace = self._pace(account)
        return pace.average >= SLOW_SECONDS and self._is_outpaced(pace)

    def _is_outpaced(self, pace: _Pace) -> bool:
        """Return True if another account's latest searches were much quicker than this pace."""
        return any(other.average * _QUICKER <= pace.average for _, other in self._latest())

    def _latest(self) -> Iterator[tuple[str, _Pace]]:
        """Yield the accounts that have searched recently, the latest first."""
        since = time.monotonic() - _LATELY_SECONDS
        latest = islice(reversed(self._paces.items()), _LATEST_ACCOUNTS)
        return takewhile(lambda each: each[1].ended >= since, latest)

    def _pace(self, account: str) -> _Pace:
        return self._paces.get(account, self._new)

    async def _wait_for_slots(self, account: str, bound: int, slots: int) -> None:
        at_once, seconds = min(bound, self._slots(account)), self._pace(account).average
        if self._is_slow(account):
            at_once, seconds = min(at_once, self._most_of_slow), 2 * seconds
        ahead = sum(waiter.slots for waiter in self._waiting.get(account, ()))
        if ahead and ahead / at_once * seconds >= self._wait:
            raise self._refusal(account, bound, slots)
        waiting = self._waiting.setdefault(account, deque())
        self._bounds[account] = bound
        waiter = _Waiter(asyncio.get_running_loop().create_future(), slots)
        waiting.append(waiter)
        try:
            async with asyncio.timeout(self._wait):
                await waiter.begun
        except BaseException as error:
            self._forget(account, waiter)
            # The slots may have been given at the moment of the timeout.
            if not waiter.begun.cancelled() and waiter.begun.done():
                self.leave(account, slots)
            if isinstance(error, TimeoutError):
                raise self._refusal(account, bound, slots) from None
            raise

    def _refusal(self, account: str, bound: int, slots: int) -> SearchesAtOnce:
        """Return the error, which says whose searches hold the slots: this account's or others'."""
        at_once, running = min(bound, self._slots(account)), self._running[account]
        if self._is_slow(account):
            at_once = min(at_once, self._most_of_slow)
        waiting = sum(waiter.slots for waiter in self._waiting.get(account, ()))
        is_own = running + waiting + slots > at_once
        return SearchesAtOnce(at_once if running and is_own else None)

    def _record(self, account: str, seconds: float) -> None:
        before = self._paces.pop(account, self._new._replace(average=seconds))
        weight = _LONGER if seconds > before.average else _SHORTER
        self._paces[account] = _Pace(
            average=before.average + weight * (seconds - before.average),
            slots=(
                min(self._most_of_one, before.slots + 1)
                if seconds < SLOW_SECONDS
                else self._most_of_slow
            ),
            ended=time.monotonic(),
        )
        if len(self._paces) > _MOST_KNOWN:
            del self._paces[next(iter(self._paces))]

    def _begin_next(self) -> bool:
        """Begin a search of the next account that may begin one; False if none may."""
        for account, waiting in self._waiting.items():
            # The queue may still hold a search that no longer waits.
            waiter = next((waiter for waiter in waiting if not waiter.begun.done()), None)
            if waiter is not None and self._fits(account, self._bounds[account], waiter.slots):
                self._waiting[account] = self._waiting.pop(account)
                self._forget(account, waiter)
                self._running[account] += waiter.slots
                waiter.begun.set_result(None)
                return True
        return False

    def _forget(self, account: str, waiter: _Waiter) -> None:
        waiting = self._waiting.get(account, deque())
        if waiter in waiting:
            waiting.remove(waiter)
            if not waiting:
                del self._waiting[account], self._bounds[account]
