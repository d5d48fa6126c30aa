"""Accounts: whose keys and things these are, and on which plan."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import msgspec

from edgar_search.access.limits.plans import Plan, Plans
from edgar_search.engine.changes import Tries, change
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import FreshValues
from edgar_search.errors import Conflict
from edgar_search.stored.account import StoredAccount

# Accounts remembered in a worker.
MAX_REMEMBERED = 10_000
_TRIES = Tries(20, 0, "the account is being changed by too many at once; try again later")

Changed = Callable[[StoredAccount], StoredAccount]


class Accounts:
    """The accounts of an installation.

    An account that nothing is stored of is on the default plan: keys may be older than accounts.
    """

    def __init__(self, engine: Engine, plans: Plans) -> None:
        self._engine = engine
        self.plans = plans
        self._remembered = FreshValues(self.read, MAX_REMEMBERED)
        self._stored: set[str] = set()

    async def plan(self, account: str) -> Plan:
        """The plan of an account as it was at most `freshness.MAX_AGE` ago, from memory."""
        return self.plans.named((await self._remembered.value(account)).plan)

    async def read(self, account: str) -> StoredAccount:
        """The account as it is stored now."""
        stored = await self._engine.get("accounts", account, StoredAccount)
        return stored.source if stored and stored.source else self._new(account)

    async def on_unknown_plans(self, accounts: Iterable[str]) -> dict[str, str]:
        """The plans, by account, that are not known here; the default counts instead of each."""
        found = await self._engine.multi_get("accounts", sorted(set(accounts)), StoredAccount)
        plans = {stored.id: stored.source.plan for stored in found if stored.source}
        return {account: plan for account, plan in plans.items() if plan not in self.plans}

    async def ensure(self, account: str) -> None:
        """Store the account, on the default plan, unless it is there."""
        if account in self._stored:
            return
        try:
            await self._engine.create("accounts", account, self._new(account))
        except Conflict:
            pass  # It is there.
        if len(self._stored) >= MAX_REMEMBERED:
            self._stored.clear()
        self._stored.add(account)

    async def set_plan(self, account: str, plan: str) -> StoredAccount:
        """Put the account on a plan; its usage stays. BadRequest for an unknown plan."""
        self.plans.check(plan)
        now = datetime.now(UTC)
        return await self._change(
            account,
            lambda stored: (
                stored
                if stored.plan == plan
                else msgspec.structs.replace(stored, plan=plan, plan_since=now)
            ),
        )

    async def clear_history(self, account: str) -> StoredAccount:
        """Show nothing any more of what the account's keys have called until now."""
        now = datetime.now(UTC)
        return await self._change(
            account, lambda stored: msgspec.structs.replace(stored, history_cleared_at=now)
        )

    async def _change(self, account: str, changed: Changed) -> StoredAccount:
        """Change an account; whoever else changes it meanwhile loses nothing."""
        _, after = await change(
            self._engine,
            "accounts",
            account,
            StoredAccount,
            lambda stored: changed(stored or self._new(account)),
            _TRIES,
        )
        assert after is not None
        self._remembered.forget(account)
        return after

    def _new(self, account: str) -> StoredAccount:
        now = datetime.now(UTC)
        return StoredAccount(account, self.plans.default.name, created_at=now, plan_since=now)
