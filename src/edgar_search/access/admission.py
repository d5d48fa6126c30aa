"""Admission of a key's call: scope, then rate, then quota."""

from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from edgar_search.access.accounts import UNLIMITED, Accounts, Plan
from edgar_search.access.quota import Month, Quota, QuotaStatus, month_at, seconds_until
from edgar_search.access.rates import Rates
from edgar_search.access.shares import Share, Shares
from edgar_search.errors import EngineUnavailable, Forbidden, QuotaExceeded, RateExceeded
from edgar_search.stored.accounts import StoredApiKey

_NO_ACCESS = "the API key has no access to this endpoint"


class Admission(NamedTuple):
    """What decides about the calls of one worker."""

    accounts: Accounts
    quota: Quota
    rates: Rates
    shares: Shares

    async def admit(self, key: StoredApiKey, scope: str, plan: Plan) -> QuotaStatus:
        """Count the call of a valid key.

        Raises Forbidden, RateExceeded, QuotaExceeded, or EngineUnavailable, and has then counted
        nothing against the quota. Of several limits the one with the longest wait counts.
        """
        if key.scopes is not None and scope not in key.scopes:
            raise Forbidden(_NO_ACCESS)
        try:
            await self.rates.check(key.account, plan)
        except RateExceeded:
            # Whoever is told of a second, and has a month to wait, would try again for nothing.
            with suppress(EngineUnavailable):
                await self.quota.check(key.account, plan)
            raise
        return await self.quota.spend(key.account, plan)

    def own_share(self, account: str) -> AbstractAsyncContextManager[Share]:
        """Room for a request of an account to what belongs to it, for as long as this is open.

        In a line of its own, whatever the plan: whoever searches too much can still revoke a key.
        Such requests wait for refreshes, so that their time says nothing of what searches cost.
        Raises as `Shares.share`.
        """
        return self.shares.share(f"own/{account}", UNLIMITED, paced=False)


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
