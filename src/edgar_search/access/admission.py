"""Calls without HTTP: the caller, the limits that admit a call, and how it is settled."""

import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
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
)
from edgar_search.metrics.current_request import CURRENT
from edgar_search.metrics.meters import REFUSALS, TURN_SECONDS
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredApiKey, StoredCall

P = TypeVar("P")
TextLists = Mapping[str, Sequence[str]]

FAULT = 500
_NO_ACCESS = "the API key has no access to this endpoint"
_LIMITS = {RateExceeded: "second", QuotaExceeded: "month"}


class Caller(NamedTuple):
    """The caller of a call: the account that it counts for, with its plan, and the key it sent."""

    account: str
    plan: Plan
    key: StoredApiKey | None = None


class CallLimits(NamedTuple):
    """The limits of the calls of a kind.

    A call that `counts` does so against the rate and the month of its account's plan, and goes
    into the history. `user_rate` is how many requests a second a user may send beside that. A
    call has its turn among the searches of its account, or in the line of what it owns.
    """

    counts: bool = False
    user_rate: Callable[[Settings], int] | None = None
    turn: Literal["search", "own"] = "search"


class Call(Generic[P]):
    """A call under way; the handler says how many results its answer counts.

    `name` is that of the call in the history and among the scopes of keys. `raw` are its
    parameters as received, and `kept` the same for the history. `charged` calls of the month were
    counted for it, and `standing` is the state of the quota after that. `share` is its room among
    the searches.
    """

    __slots__ = (
        *("at", "began", "caller", "charged", "kept", "limits", "name", "raw", "result_count"),
        *("share", "standing"),
    )

    raw: P
    share: Share

    def __init__(self, name: str, limits: CallLimits, caller: Caller) -> None:
        self.name = name
        self.limits = limits
        self.caller = caller
        self.at = datetime.now(UTC)
        self.began = time.perf_counter()
        self.kept: TextLists = {}
        self.charged = 0
        self.standing: QuotaStatus | None = None
        self.result_count: int | None = None

    @property
    def account(self) -> str:
        """The account that it counts for."""
        return self.caller.account

    @property
    def plan(self) -> Plan:
        """The plan of the account."""
        return self.caller.plan


class Admission(NamedTuple):
    """The counters of one worker behind the limits of calls, and the history of these."""

    accounts: Accounts
    quota: Quota
    rates: Rates
    shares: Shares
    history: CallLog
    settings: Settings

    async def admit(self, call: Call[P]) -> None:
        """Count a call.

        Raises Forbidden, RateExceeded, QuotaExceeded, or EngineUnavailable, and has then counted
        nothing against the quota. Of the limits of a plan the one with the longest wait is told.
        """
        limits, (account, plan, key) = call.limits, call.caller
        if key is not None and key.scopes is not None and call.name not in key.scopes:
            raise Forbidden(_NO_ACCESS)
        if limits.user_rate is not None:
            await self.rates.check_user(account, limits.user_rate(self.settings))
        if limits.counts:
            call.standing = await self._spend(account, plan)
            call.charged = 1

    async def _spend(self, account: str, plan: Plan) -> QuotaStatus:
        try:
            await self.rates.check(account, plan)
        except RateExceeded:
            # Whoever is told of a second, and has a month to wait, would try again for nothing.
            with suppress(EngineUnavailable):
                await self.quota.check(account, plan)
            raise
        return await self.quota.spend(account, plan)

    @asynccontextmanager
    async def turn(self, call: Call[P]) -> AsyncIterator[None]:
        """Room for what a call does, for as long as this is open; of a search it is `call.share`.

        Raises as `Shares.share`.
        """
        if call.limits.turn == "own":
            async with self.own_share(call.account):
                yield
            return
        asked = time.perf_counter()
        async with self.shares.share(call.account, call.plan) as call.share:
            TURN_SECONDS.observe(time.perf_counter() - asked)
            yield

    def own_share(self, account: str) -> AbstractAsyncContextManager[Share]:
        """Room for a request of an account to what belongs to it, for as long as this is open.

        In a line of its own, whatever the plan: whoever searches too much can still revoke a key.
        Such requests wait for refreshes, so that their time says nothing of what searches cost.
        Raises as `Shares.share`.
        """
        return self.shares.share(f"own/{account}", UNLIMITED, paced=False)

    def settle(self, call: Call[P], status: int, error: EdgarSearchError | None) -> None:
        """Give back its charges or keep them, count a refusal, tell log and history of the call.

        A call that failed through no fault of the caller's does not count.
        """
        if isinstance(error, TooManyRequests):
            REFUSALS.labels(call.plan.name, _LIMITS.get(type(error), "other")).inc()
        refused = status >= FAULT or status == TooManyRequests.status
        if refused and not isinstance(error, SearchTimedOut) and call.standing is not None:
            self.quota.refund(call.account, call.standing, call.charged)
        if not call.limits.counts:
            return
        current = CURRENT.get()
        if current is not None:
            current.account, current.results = call.account, call.result_count
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
    plan: Plan, standing: QuotaStatus | None, error: Exception | None
) -> dict[str, str]:
    """The headers `RateLimit-Policy` and `RateLimit` (IETF draft 10) of an answer.

    Empty for a plan without limits. `standing` is None where no call was counted.
    """
    now = datetime.now(UTC)
    month = standing.month if standing else month_at(now)
    policy, state = _policy(plan, month), _state(plan, standing, error, now)
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
    plan: Plan, standing: QuotaStatus | None, error: Exception | None, now: datetime
) -> str | None:
    if isinstance(error, RateExceeded):
        return f'"second";r=0;t={error.retry_after}'
    if isinstance(error, QuotaExceeded):
        return f'"month";r=0;t={error.retry_after}'
    if plan.calls is None or standing is None:
        return None
    return f'"month";r={standing.remaining};t={seconds_until(standing.month.end, now)}'
