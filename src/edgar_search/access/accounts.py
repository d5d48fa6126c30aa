"""Accounts, which own keys and items, and their plans."""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from cachetools import LRUCache, TTLCache
from msgspec import Struct, structs

from edgar_search.engine.changes import Tries, change
from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.freshness import FreshValues
from edgar_search.errors import BadRequest, Conflict, Forbidden, SettingsError
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredAccount

_log = logging.getLogger(__name__)

# Accounts on an unknown plan are logged at most once in this many seconds, for at most this many
# names.
_REPORT_SECONDS, _MOST_REPORTED = 3_600.0, 1_000
# Means "no limit" in the setting.
NO_LIMIT = "-"
# The value of a list setting that is empty on purpose.
NOTHING = "none"
# More digits than any limit needs, and few enough for the counter.
MAX_DIGITS = 15
_FORM = (
    "NAME=CALLS A MONTH/CALLS A SECOND, or that and /SEARCHES AT ONCE, or that and /STREAMS,"
    " as in pro=50000/50/4; - means no limit"
)


class Plan(Struct, frozen=True):
    """The limits of a plan: `calls` a month (UTC) and `rate` calls a second; None means unlimited.

    `searches` may run at once in each worker, and `streams` may be open.
    """

    name: str
    calls: int | None
    rate: int | None
    searches: int | None = None
    streams: int | None = None

    def widened(self, other: "Plan") -> "Plan":
        """Return this plan, with another's limits on calls and searches where they are larger."""
        names = ("calls", "rate", "searches")
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in names}
        limits = {name: None if None in pair else max(pair) for name, pair in pairs.items()}
        return structs.replace(self, **limits)


FREE = Plan("free", calls=1_000, rate=10, searches=2, streams=2)
UNLIMITED = Plan("unlimited", calls=None, rate=None)


class Plans:
    """The plans of an installation, by name."""

    def __init__(self, plans: Mapping[str, Plan], default: Plan, changes: tuple[str, ...]) -> None:
        self._plans = plans
        self._reported: TTLCache[str, None] = TTLCache(_MOST_REPORTED, _REPORT_SECONDS, monotonic)
        self.default = default
        # Users may put their own account on these plans.
        self.changes = changes

    @classmethod
    def from_settings(cls, settings: Settings) -> "Plans":
        """Read the built-in plans and the operator's; SettingsError names a wrong variable."""
        plans = {plan.name: plan for plan in (FREE, UNLIMITED)}
        operator_plans = [_parse_plan(text) for text in _items(settings.plans)]
        for plan in operator_plans:
            if [other.name for other in operator_plans].count(plan.name) > 1:
                raise SettingsError(f"EDGAR_SEARCH_PLANS: {plan.name} is given twice")
        plans |= {plan.name: plan for plan in operator_plans}
        changes = () if settings.plan_changes == NOTHING else tuple(_items(settings.plan_changes))
        for name, variable in [
            (settings.default_plan, "DEFAULT_PLAN"),
            (settings.pages_plan, "PAGES_PLAN"),
            *((name, "PLAN_CHANGES") for name in changes),
        ]:
            if name not in plans:
                raise SettingsError(
                    f"EDGAR_SEARCH_{variable}: {name} is not a plan; plans are {', '.join(plans)}"
                )
        return cls(plans, plans[settings.default_plan], changes)

    def __contains__(self, name: str) -> bool:
        return name in self._plans

    def check(self, name: str) -> None:
        """Raise BadRequest if no plan has this name."""
        if name not in self:
            raise BadRequest(f"plan: {name} is not a plan; plans are {', '.join(self._plans)}")

    def named(self, name: str) -> Plan:
        """Return the plan of this name; for an unknown name, log it and return the default plan."""
        plan = self._plans.get(name)
        if plan is None:
            self._report(name)
            return self.default
        return plan

    def all(self) -> list[Plan]:
        """Return all plans, the built-in ones first."""
        return list(self._plans.values())

    def _report(self, name: str) -> None:
        if name not in self._reported:
            self._reported[name] = None
            _log.warning(
                "accounts are on the plan %s, which EDGAR_SEARCH_PLANS does not define: they get"
                " the limits of %s",
                name,
                self.default.name,
            )


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _parse_plan(text: str) -> Plan:
    name, equals, limits = text.partition("=")
    numbers = limits.split("/")
    named = name.strip() and name.strip().isprintable()
    if not (named and equals and len(numbers) in (2, 3, 4)):
        raise SettingsError(f"EDGAR_SEARCH_PLANS: `{text}` is not a plan; expected {_FORM}")
    return Plan(name.strip(), *(_parse_limit(text, number.strip()) for number in numbers))


def _parse_limit(text: str, number: str) -> int | None:
    if number == NO_LIMIT:
        return None
    if not (number.isascii() and number.isdecimal()) or len(number) > MAX_DIGITS or int(number) < 1:
        raise SettingsError(f"EDGAR_SEARCH_PLANS: `{text}` is not a plan; expected {_FORM}")
    return int(number)


# Accounts remembered in a worker.
MAX_REMEMBERED = 10_000
_TRIES = Tries(20, 0, "too many requests are changing this account at once; try again later")

SUSPENDED = "this account is suspended; ask the operator of this service"
# Since this template version accounts can have an e-mail address and be suspended.
_DETAILS = 2

_PAGE = 1_000

Changed = Callable[[StoredAccount], StoredAccount]


class Accounts:
    """The accounts of an installation.

    An account without a record is on the default plan: a key can be older than its account.
    """

    def __init__(self, engine: Engine, plans: Plans) -> None:
        self._engine = engine
        self.plans = plans
        self._remembered = FreshValues(self.read, MAX_REMEMBERED)
        # Accounts known to have a record; nothing else about them is cached.
        self._stored: LRUCache[str, None] = LRUCache(MAX_REMEMBERED)

    async def plan(self, account: str) -> Plan:
        """Return the plan of an account, cached for at most `freshness.MAX_AGE`.

        Raises Forbidden for a suspended account.
        """
        record = await self._remembered.value(account)
        if record.suspended_at is not None:
            raise Forbidden(SUSPENDED)
        return self.plans.named(record.plan)

    async def admit(self, account: str, plan: str | None, email: str | None) -> None:
        """Admit a user of an issuer, and create their account if it is new.

        The account takes its plan and e-mail address from the issuer's claims; None leaves them
        unchanged. Raises Forbidden for a suspended account.
        """
        await self.ensure(account)
        record = await self._remembered.value(account)
        if record.suspended_at is not None:
            raise Forbidden(SUSPENDED)
        if plan is not None and plan != record.plan:
            record = await self.set_plan(account, plan)
        if email is not None and email != record.email and await have_details(self._engine):
            await self._change(account, lambda stored: structs.replace(stored, email=email))

    async def suspend(self, account: str) -> StoredAccount:
        """Suspend the account; does nothing if it is already suspended."""
        now = datetime.now(UTC)
        return await self._change(
            account,
            lambda stored: (
                stored if stored.suspended_at else structs.replace(stored, suspended_at=now)
            ),
        )

    async def resume(self, account: str) -> StoredAccount:
        """Let a suspended account be used again."""
        return await self._change(
            account, lambda stored: structs.replace(stored, suspended_at=None)
        )

    async def read(self, account: str) -> StoredAccount:
        """Read the account's record from the engine, past the cache."""
        stored = await self._engine.get("accounts", account, StoredAccount)
        return stored.source if stored and stored.source else self._new(account)

    async def on_unknown_plans(self, accounts: Iterable[str]) -> dict[str, str]:
        """Return the unknown plans by account; each has the limits of the default plan."""
        records = await self._engine.multi_get("accounts", sorted(set(accounts)), StoredAccount)
        plans = {record.id: record.source.plan for record in records if record.source}
        return {account: plan for account, plan in plans.items() if plan not in self.plans}

    async def ensure(self, account: str) -> None:
        """Store the account, on the default plan, unless it exists."""
        if account in self._stored:
            return
        try:
            await self._engine.create("accounts", account, self._new(account))
        except Conflict:
            pass  # The account has a record already.
        self._stored[account] = None

    async def set_plan(self, account: str, plan: str) -> StoredAccount:
        """Put the account on a plan; its usage is kept. Raises BadRequest for an unknown plan."""
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
        """Hide the calls made so far from the account's history."""
        now = datetime.now(UTC)
        return await self._change(
            account, lambda stored: structs.replace(stored, history_cleared_at=now)
        )

    async def _change(self, account: str, changed: Changed) -> StoredAccount:
        """Change an account's record, and apply the change again if another writer came first."""
        _, changed_account = await change(
            self._engine,
            "accounts",
            account,
            StoredAccount,
            lambda stored: changed(stored or self._new(account)),
            _TRIES,
        )
        assert changed_account is not None
        self._remembered.forget(account)
        return changed_account

    def _new(self, account: str) -> StoredAccount:
        now = datetime.now(UTC)
        return StoredAccount(account, self.plans.default.name, created_at=now, plan_since=now)


async def have_details(engine: Engine) -> bool:
    """Return True if accounts can have an e-mail address and be suspended.

    They cannot until `edgar-ingest templates put` after an upgrade.
    """
    return await engine.mapping_version("accounts") >= _DETAILS


async def find_accounts(
    engine: Engine, *, email: str | None = None, suspended: bool = False
) -> list[StoredAccount]:
    """Find all accounts, or only suspended accounts or owners of an address, sorted by id."""
    clauses: list[dict[str, Any]] = []
    if email is not None:
        clauses.append({"term": {"email": email.strip().lower()}})
    if suspended:
        clauses.append({"exists": {"field": "suspended_at"}})
    await engine.refresh("accounts")
    accounts: list[StoredAccount] = []
    while True:
        body: dict[str, Any] = {
            "query": {"bool": {"filter": clauses}},
            "size": _PAGE,
            "sort": [{"id": "asc"}],
            "track_total_hits": False,
        }
        if accounts:
            body["search_after"] = [accounts[-1].id]
        hits = (await engine.search("accounts", body, Stored[StoredAccount])).hits.hits
        accounts += [hit.source for hit in hits if hit.source is not None]
        if len(hits) < _PAGE:
            return accounts
