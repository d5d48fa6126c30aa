"""Accounts: whose keys and things these are, and on which plan."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from msgspec import structs

from edgar_search.access.limits.plans import Plan, Plans
from edgar_search.engine.changes import Tries, change
from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.freshness import FreshValues
from edgar_search.errors import Conflict, Forbidden
from edgar_search.stored.account import StoredAccount

# Accounts remembered in a worker.
MAX_REMEMBERED = 10_000
_TRIES = Tries(20, 0, "the account is being changed by too many at once; try again later")

SUSPENDED = "this account is suspended; ask the operator of this service"
# The version of the template from which on accounts have an e-mail address and can be suspended.
_DETAILS = 2

_PAGE = 1_000

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
        """The plan of an account as it was at most `freshness.MAX_AGE` ago, from memory.

        Raises Forbidden for an account that is suspended.
        """
        known = await self._remembered.value(account)
        if known.suspended_at is not None:
            raise Forbidden(SUSPENDED)
        return self.plans.named(known.plan)

    async def admit(self, account: str, plan: str | None, email: str | None) -> None:
        """Let in a user of an issuer, whose account is stored if it is not.

        It is put on the plan, and gets the e-mail address, that the issuer's claims give; None
        leaves them as they are. Raises Forbidden for an account that is suspended.
        """
        await self.ensure(account)
        known = await self._remembered.value(account)
        if known.suspended_at is not None:
            raise Forbidden(SUSPENDED)
        if plan is not None and plan != known.plan:
            known = await self.set_plan(account, plan)
        if email is not None and email != known.email and await have_details(self._engine):
            await self._change(account, lambda stored: structs.replace(stored, email=email))

    async def suspend(self, account: str) -> StoredAccount:
        """Let nobody use the account from now on; one that is suspended stays so."""
        now = datetime.now(UTC)
        return await self._change(
            account,
            lambda stored: (
                stored if stored.suspended_at else structs.replace(stored, suspended_at=now)
            ),
        )

    async def resume(self, account: str) -> StoredAccount:
        """Let the account be used again."""
        return await self._change(
            account, lambda stored: structs.replace(stored, suspended_at=None)
        )

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
                else structs.replace(stored, plan=plan, plan_since=now)
            ),
        )

    async def clear_history(self, account: str) -> StoredAccount:
        """Show nothing any more of what the account's keys have called until now."""
        now = datetime.now(UTC)
        return await self._change(
            account, lambda stored: structs.replace(stored, history_cleared_at=now)
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


async def have_details(engine: Engine) -> bool:
    """Say whether accounts can have an e-mail address and be suspended.

    They cannot until `edgar-ingest templates put` after an upgrade.
    """
    return await engine.mapping_version("accounts") >= _DETAILS


async def find_accounts(
    engine: Engine, *, email: str | None = None, suspended: bool = False
) -> list[StoredAccount]:
    """All accounts, or those with an e-mail address, or those that are suspended, by their id."""
    clauses: list[dict[str, Any]] = []
    if email is not None:
        clauses.append({"term": {"email": email.strip().lower()}})
    if suspended:
        clauses.append({"exists": {"field": "suspended_at"}})
    await engine.refresh("accounts")
    found: list[StoredAccount] = []
    while True:
        body: dict[str, Any] = {
            "query": {"bool": {"filter": clauses}},
            "size": _PAGE,
            "sort": [{"id": "asc"}],
            "track_total_hits": False,
        }
        if found:
            body["search_after"] = [found[-1].id]
        hits = (await engine.search("accounts", body, Stored[StoredAccount])).hits.hits
        found += [hit.source for hit in hits if hit.source is not None]
        if len(hits) < _PAGE:
            return found
