"""Rates: how many calls a second an account makes, counted by this worker or in a shared Redis."""

import asyncio
import logging
import time

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage, RedisStorage
from limits.aio.storage.redis.redispy import RedispyBridge
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from limits.errors import ConfigurationError, StorageError

from edgar_search.access.accounts import Plan
from edgar_search.errors import RateExceeded, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.extras import require_package

_log = logging.getLogger(__name__)

IN_MEMORY = "memory"
RETRY_SECONDS = 1
# Pages of an application send several requests at once, so users' requests are counted over two
# seconds.
USER_SECONDS = 2
# A Redis that does not answer must not delay calls for long, nor fill the log.
_REDIS_SECONDS = 0.25
_PAUSE_SECONDS = 5.0
_SWEEP_SECONDS = 1.0


class Rates:
    """The rates of all accounts.

    In memory each worker counts for itself. It also does so while Redis is unavailable: the service
    must not stop because a limit cannot be checked.
    """

    def __init__(self, storage: str, prefix: str) -> None:
        self._prefix = prefix
        self._memory = MemoryStorage()
        self._local = SlidingWindowCounterRateLimiter(self._memory)
        self._redis: RedisStorage | None = None if storage == IN_MEMORY else _redis(storage)
        self._shared = SlidingWindowCounterRateLimiter(self._redis) if self._redis else None
        self._paused_until = float("-inf")

    @classmethod
    def from_settings(cls, settings: Settings) -> "Rates":
        """Create the rates with the configured storage; SettingsError if it cannot be used."""
        return cls(settings.rate_storage, settings.prefix)

    async def check(self, account: str, plan: Plan) -> None:
        """Count one call; RateExceeded if the account has none left this second."""
        if plan.rate is None:
            return
        if not await self._hit(RateLimitItemPerSecond(plan.rate), account):
            raise RateExceeded(
                f"more than {plan.rate} calls a second; try again later, after {RETRY_SECONDS} s",
                RETRY_SECONDS,
            )

    async def check_user(self, account: str, rate: int, *, count: bool = True) -> None:
        """Count a user's request about their own items; RateExceeded above `rate` a second.

        Without `count` it only checks; the request may be counted later.
        """
        item = RateLimitItemPerSecond(rate * USER_SECONDS, USER_SECONDS)
        if not await self._hit(item, f"user/{account}", count=count):
            raise RateExceeded(
                f"more than {rate} requests a second; try again later, after {USER_SECONDS} s",
                USER_SECONDS,
            )

    async def check_address(self, address: str, rate: int) -> None:
        """Count a request from an address, in this worker; RateExceeded above `rate` a second."""
        item = RateLimitItemPerSecond(rate * USER_SECONDS, USER_SECONDS)
        if not await self._local.hit(item, f"address/{address}"):
            raise RateExceeded(
                f"more than {rate} requests a second without a key come from this address; try"
                f" again later, after {USER_SECONDS} s",
                USER_SECONDS,
            )

    async def run_forever(self) -> None:
        """Forget past seconds periodically, until the worker stops."""
        # Without this timer the storage would clear all accounts' past seconds at each call.
        self._memory.timer = asyncio.current_task()
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            now = time.time()
            for key in [key for key, ends in self._memory.expirations.items() if ends <= now]:
                self._memory.storage.pop(key, None)
                self._memory.expirations.pop(key, None)
                self._memory.locks.pop(key, None)

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self._redis is not None:
            bridge = self._redis.bridge
            assert isinstance(bridge, RedispyBridge)
            await bridge.storage.aclose()

    async def _hit(self, item: RateLimitItemPerSecond, account: str, *, count: bool = True) -> bool:
        if self._shared is not None and time.monotonic() >= self._paused_until:
            strategy = self._shared.hit if count else self._shared.test
            try:
                return await strategy(item, self._prefix, account)
            except StorageError as error:
                self._paused_until = time.monotonic() + _PAUSE_SECONDS
                # Without the error's text, which may contain the password from the address.
                _log.warning("Redis is away (%s): rates count per worker", type(error).__name__)
        strategy = self._local.hit if count else self._local.test
        return await strategy(item, account)


def _redis(address: str) -> RedisStorage:
    require_package("redis", "redis", "EDGAR_SEARCH_RATE_STORAGE: a Redis")
    try:
        return RedisStorage(
            f"async+{address}",
            implementation="redispy",
            wrap_exceptions=True,
            socket_timeout=_REDIS_SECONDS,
            socket_connect_timeout=_REDIS_SECONDS,
        )
    # Without the errors' text, which may contain the password from the address.
    except (ConfigurationError, ValueError):
        raise SettingsError(
            "EDGAR_SEARCH_RATE_STORAGE: must be memory, or an address such as redis://HOST:PORT/DB"
        ) from None
