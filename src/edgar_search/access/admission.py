"""Admission of calls, independent of HTTP: callers, limits, and the settling of calls."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Generic, Literal, NamedTuple, TypeVar

from edgar_search.access.accounts import UNLIMITED, Accounts, Plan
from edgar_search.access.call_log import CallLog, kept_parameters
from edgar_search.access.quota import Month, Quota, QuotaStatus, month_at, seconds_until
from edgar_search.access.rates import Rates
from edgar_search.access.shares import Share, Shares
from edgar_search.errors import (
    EdgarSearchError,
    EngineUnavailable,
    Forbidden,
    QuotaExceeded,
    RateExceeded,
    SearchTimedOut,
    TooManyRequests,
    Unauthorized,
    Unavailable,
)
from edgar_search.metrics.current_request import CURRENT
from edgar_search.metrics.meters import REFUSALS, TURN_SECONDS
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredApiKey, StoredCall

P = TypeVar("P")
TextLists = Mapping[str, Sequence[str]]

# A file that is sent in bulk counts as one call for this many bytes.
BYTES_OF_A_CALL = 10_000_000
FAULT = 500
# How often, in seconds, the caller of an answer that is still being sent is checked again. With
# what a worker caches of keys and accounts, sending stops at most 5 seconds after a key is revoked.
_CHECK_SECONDS = 1.0
_NO_MORE = "the credentials of this request are not valid any more"
_NO_ACCESS = "the API key has no access to this endpoint"
# The secret from which names of visitors are derived.
_NAMING = secrets.token_bytes(32)
_LIMITS = {RateExceeded: "second", QuotaExceeded: "month"}


class Caller(NamedTuple):
    """The caller of a call: the account that is charged, its plan, and the key that was sent.

    `name` is the name of a signed-in user, else "". `visitor` is the address of a visitor if
    several visitors use the account.
    """

    account: str
    plan: Plan
    key: StoredApiKey | None = None
    name: str = ""
    visitor: str = ""

    @property
    def line(self) -> str:
        """The queue in which the caller's searches wait: the account's, or the visitor's own."""
        return f"{self.account}/{self.visitor}" if self.visitor else self.account

    @property
    def owner(self) -> str:
        """The owner of temporarily stored data: the account, or a name for the visitor.

        The name hides the visitor's address, and differs in each process.
        """
        if not self.visitor:
            return self.account
        digest = blake2b(self.visitor.encode(), key=_NAMING, digest_size=12)
        return f"{self.account}/{digest.hexdigest()}"


def pages_rate(settings: Settings) -> int:
    """Return how many pages a second a visitor or a user may read."""
    return settings.pages_rate


def auth_rate(settings: Settings) -> int:
    """Return how many requests a second users may send about their own items."""
    return settings.auth_rate


def own_pages_rate(settings: Settings) -> int:
    """Return how many pages a second users may read of their own items.

    At least as many as a visitor may read.
    """
    return max(settings.pages_rate, settings.auth_rate)


class CallLimits(NamedTuple):
    """The limits for a kind of call.

    A call that `counts` is charged to the rate and the month of its account's plan, and recorded in
    the history unless a visitor makes it. `user_rate` also limits how many requests a second its
    queue may send. A call waits in the queue of searches, in the queue for the account's own items,
    or in none.
    """

    counts: bool = False
    user_rate: Callable[[Settings], int] | None = None
    turn: Literal["search", "own", "none"] = "search"


class Call(Generic[P]):
    """A running call; its handler sets how many results the answer has.

    `name` is the call's name in the history and in the scopes of keys. `raw` are its parameters as
    received, and `kept` is what the history keeps of them. `charged` is how many calls of the month
    it costs, and `quota_status` the state of the quota after them. `share` holds its search slots.
    `identify` finds its caller again.
    """

    __slots__ = (
        *("at", "began", "caller", "charged", "checked", "identify", "kept", "limits", "name"),
        *("quota_status", "raw", "result_count", "share"),
    )

    raw: P
    share: Share

    def __init__(
        self,
        name: str,
        limits: CallLimits,
        caller: Caller,
        identify: Callable[[], Awaitable[Caller]],
    ) -> None:
        self.name = name
        self.limits = limits
        self.caller = caller
        self.at = datetime.now(UTC)
        self.began = time.perf_counter()
        self.identify = identify
        self.checked = time.monotonic()
        self.kept: TextLists = {}
        self.charged = 0
        self.quota_status: QuotaStatus | None = None
        self.result_count: int | None = None

    @property
    def account(self) -> str:
        """The account that is charged."""
        return self.caller.account

    @property
    def plan(self) -> Plan:
        """The account's plan."""
        return self.caller.plan

    async def check_again(self) -> None:
        """Check the caller again, at most once a second, while the answer is being sent.

        Raises Unauthorized for a revoked key, an expired token or an ended session, and Forbidden
        for a suspended account.
        """
        now = time.monotonic()
        if now - self.checked < _CHECK_SECONDS:
            return
        self.checked = now
        with suppress(Unavailable):  # The next check is in a second.
            caller = await self.identify()
            if caller.account != self.account:
                raise Unauthorized(_NO_MORE)

    @property
    def is_kept(self) -> bool:
        """True if the call is recorded in the history; visitors' calls are not."""
        return self.limits.counts and (self.caller.key is not None or self.caller.name != "")

    @property
    def milliseconds(self) -> int:
        """Milliseconds since the call began, at least one."""
        return max(1, round((time.perf_counter() - self.began) * 1000))


class Admission(NamedTuple):
    """The limits that one worker enforces for calls, and the history of calls."""

    accounts: Accounts
    quota: Quota
    rates: Rates
    shares: Shares
    history: CallLog
    settings: Settings

    async def admit(self, call: Call[P]) -> None:
        """Count a call against its limits.

        Raises Forbidden, RateExceeded or QuotaExceeded, or EngineUnavailable without counting the
        call against the quota. If both limits of a plan refuse it, the error names the limit with
        the longer wait.
        """
        limits, caller, key = call.limits, call.caller, call.caller.key
        if key is not None and key.scopes is not None and call.name not in key.scopes:
            raise Forbidden(_NO_ACCESS)
        if limits.user_rate is not None:
            await self.rates.check_user(caller.line, limits.user_rate(self.settings))
        if limits.counts:
            call.quota_status = await self._spend(caller.account, caller.plan)
            call.charged = 1

    async def _spend(self, account: str, plan: Plan) -> QuotaStatus:
        try:
            await self.rates.check(account, plan)
        except RateExceeded:
            # A client that must wait a month, but is told to wait a second, would retry for
            # nothing.
            with suppress(EngineUnavailable):
                await self.quota.check(account, plan)
            raise
        return await self.quota.spend(account, plan)

    async def reserve(self, call: Call[P], calls: int) -> None:
        """Charge a call as `calls` calls of the month, or as none.

        If the client disconnects meanwhile, they are returned. Raises as `Quota.reserve`.
        """
        reserving = asyncio.create_task(self.quota.reserve(call.account, call.plan, calls))
        try:
            call.quota_status = await asyncio.shield(reserving)
        except asyncio.CancelledError:
            with suppress(EdgarSearchError):
                await self.quota.return_calls(call.account, await reserving, calls)
            raise
        call.charged += calls

    async def charge_bytes(self, call: Call[P], sent: int) -> None:
        """Charge a call once for each 10 MB sent so far; raises as `Quota.reserve`."""
        calls = -(-sent // BYTES_OF_A_CALL)
        if calls > call.charged:
            await self.reserve(call, calls - call.charged)

    @asynccontextmanager
    async def turn(self, call: Call[P]) -> AsyncIterator[None]:
        """Hold the slots that a call needs, for as long as the context is open.

        A search has them as `call.share`. Raises as `Shares.share`.
        """
        match call.limits.turn:
            case "none":
                yield
            case "own":
                async with self.own_share(call.account):
                    yield
            case "search":
                started = time.perf_counter()
                async with self.shares.share(call.caller.line, call.plan) as call.share:
                    TURN_SECONDS.observe(time.perf_counter() - started)
                    yield

    def own_share(self, account: str) -> AbstractAsyncContextManager[Share]:
        """Hold a slot for a request about an account's own items while the context is open.

        These requests have their own queue on any plan: an account that searches too much can still
        revoke a key. They also wait for refreshes, so their time does not count as the time of a
        search. Raises as `Shares.share`.
        """
        return self.shares.share(f"own/{account}", UNLIMITED, paced=False)

    def settle(self, call: Call[P], status: int, error: EdgarSearchError | None) -> None:
        """End a call: keep or return its charges, count a refusal, and write it to log and history.

        A call that failed through no fault of the caller is not charged.
        """
        if isinstance(error, TooManyRequests):
            REFUSALS.labels(call.plan.name, _LIMITS.get(type(error), "other")).inc()
        refused = status >= FAULT or status == TooManyRequests.status
        if refused and not isinstance(error, SearchTimedOut) and call.quota_status is not None:
            self.quota.refund(call.account, call.quota_status, call.charged)
        if not call.limits.counts:
            return
        current = CURRENT.get()
        if current is not None:
            current.account, current.results = call.account, call.result_count
        if not call.is_kept:
            return
        self.history.record(
            StoredCall(
                id=self.history.new_id(),
                account=call.account,
                at=call.at,
                endpoint=call.name,
                parameters=kept_parameters(call.kept),
                status=status,
                duration_ms=round((time.perf_counter() - call.began) * 1000, 1),
                key_prefix=call.caller.key.prefix if call.caller.key is not None else "",
                result_count=call.result_count,
            )
        )


def limit_headers(
    plan: Plan, status: QuotaStatus | None, error: Exception | None
) -> dict[str, str]:
    """Return the headers `RateLimit-Policy` and `RateLimit` (IETF draft 10) for an answer.

    Empty for a plan without limits. `status` is None if no call was counted.
    """
    now = datetime.now(UTC)
    month = status.month if status else month_at(now)
    policy, state = _policy(plan, month), _state(plan, status, error, now)
    return {
        **({"RateLimit-Policy": policy} if policy else {}),
        **({"RateLimit": state} if state else {}),
    }


@lru_cache(maxsize=64)
def _policy(plan: Plan, month: Month) -> str:
    seconds = int((month.end - month.start).total_seconds())
    monthly = [f'"month";q={plan.calls};w={seconds}'] if plan.calls is not None else []
    return ", ".join(monthly + ([f'"second";q={plan.rate};w=1'] if plan.rate is not None else []))


def _state(
    plan: Plan, status: QuotaStatus | None, error: Exception | None, now: datetime
) -> str | None:
    if isinstance(error, RateExceeded):
        return f'"second";r=0;t={error.retry_after}'
    if isinstance(error, QuotaExceeded):
        return f'"month";r=0;t={error.retry_after}'
    if plan.calls is None or status is None:
        return None
    return f'"month";r={status.remaining};t={seconds_until(status.month.end, now)}'
