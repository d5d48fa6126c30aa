"""Turns by account: few jobs run at once, and the account that has waited longest is next."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from edgar_search.errors import EdgarSearchError


class AccountTurns:
    """Runs at most `most` jobs at once, one for each account; accounts that wait take turns."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running: Counter[str] = Counter()
        # The accounts that wait, next one first.
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(
        self, account: str, wait: float, refusal: EdgarSearchError
    ) -> AsyncIterator[None]:
        """Hold an account's turn while the context is open; `refusal` after `wait` seconds."""
        if account in self._waiting or not self._has_room(account):
            await self._await_turn(account, wait, refusal)
        else:
            self._running[account] += 1
        try:
            yield
        finally:
            self._end(account)

    def _has_room(self, account: str) -> bool:
        return not self._running[account] and self._running.total() < self._most

    async def _await_turn(self, account: str, wait: float, refusal: EdgarSearchError) -> None:
        begun = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(account, deque()).append(begun)
        try:
            async with asyncio.timeout(wait):
                await begun
        except BaseException as error:
            if begun.done() and not begun.cancelled():
                self._end(account)  # the turn was given at the moment of the timeout
            else:
                self._forget(account, begun)
            if isinstance(error, TimeoutError):
                raise refusal from None
            raise

    def _end(self, account: str) -> None:
        self._running[account] -= 1
        if not self._running[account]:
            del self._running[account]
        if account in self._waiting:
            # The account's next job waits behind the other accounts.
            self._waiting[account] = self._waiting.pop(account)
        for waiting, turns in list(self._waiting.items()):
            # The queue may still hold a job that no longer waits.
            begun = next((turn for turn in turns if not turn.done()), None)
            if begun is not None and self._has_room(waiting):
                self._forget(waiting, begun)
                self._running[waiting] += 1
                begun.set_result(None)

    def _forget(self, account: str, begun: "asyncio.Future[None]") -> None:
        self._waiting[account].remove(begun)
        if not self._waiting[account]:
            del self._waiting[account]
