"""/auth/subscription and /auth/usage_limits: the plan of an account, and its usage."""

from datetime import datetime

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.accounts import Plan, Plans
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.errors import Forbidden
from edgar_search.stored.accounts import StoredAccount
from edgar_search.web.auth.lists import (
    UserCall,
    UserEndpoint,
    change_endpoint,
    list_of,
    list_response,
    read_change,
    read_endpoint,
    read_query,
)
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

_NO_CHANGES = "the plan can be changed by the operator only"


MAX_PLAN = 100
RATE_WINDOW_SECONDS = 1


class CallsOfMonth(Struct):
    """Calls of the month; `limit` and `remaining` are null if the plan has no limit."""

    limit: int | None
    used: int
    remaining: int | None


class Rate(Struct):
    """Calls within `window_seconds`; `limit` is null if there is none."""

    limit: int | None
    window_seconds: int


class UsageLimits(Struct):
    """Calls of an account in a calendar month (UTC); the next one begins at `period_end`."""

    plan: str
    period_start: datetime
    period_end: datetime
    calls: CallsOfMonth
    rate: Rate


class Subscription(Struct):
    plan: str
    since: datetime
    status: str


class PlanOffer(Struct):
    """Calls a month and a second, and searches at once in a worker; null is without limit."""

    name: str
    calls: int | None
    rate: int | None
    searches: int | None
    can_change_to: bool


USAGE_LIMITS = read_endpoint(
    "/auth/usage_limits", "the limits and the usage of the account", UsageLimits
)
SUBSCRIPTION = read_endpoint("/auth/subscription/get", "the account's plan", Subscription)
PLANS = read_endpoint("/auth/subscription/plans", "lists the plans", list_of("plans", PlanOffer))
CHANGE_PLAN = change_endpoint(
    "/auth/subscription/change",
    "puts the account on another plan, if the operator allows it",
    Parameter("plan", "text", "one of `/auth/subscription/plans`", required=True, longest=MAX_PLAN),
    answer=Subscription,
)


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/subscription/get"""
    account, _ = read_query(call, SUBSCRIPTION.declared)
    accounts = service(request).admission.accounts
    return json_response(_subscription(await accounts.read(account), accounts.plans))


async def plans(request: Request, call: UserCall) -> Response:
    """GET /auth/subscription/plans"""
    read_query(call, PLANS.declared)
    known = service(request).admission.accounts.plans
    return list_response("plans", [_plan(plan, known) for plan in known.all()], len(known.all()))


async def change(request: Request, call: UserCall) -> Response:
    """POST /auth/subscription/change"""
    account, fields = read_change(call, CHANGE_PLAN.declared)
    accounts = service(request).admission.accounts
    name = fields.required_own_text("plan")
    if name in accounts.plans and name not in accounts.plans.changes:
        raise Forbidden(_NO_CHANGES)
    return json_response(_subscription(await accounts.set_plan(account, name), accounts.plans))


def _check_changes(request: Request) -> None:
    if not service(request).admission.accounts.plans.changes:
        raise Forbidden(_NO_CHANGES)


def _subscription(account: StoredAccount, plans: Plans) -> Subscription:
    plan = plans.named(account.plan)
    return Subscription(plan.name, account.plan_since, "active")


def _plan(plan: Plan, plans: Plans) -> PlanOffer:
    return PlanOffer(plan.name, plan.calls, plan.rate, plan.searches, plan.name in plans.changes)


async def usage_limits(request: Request, call: UserCall) -> Response:
    """GET /auth/usage_limits"""
    state = service(request)
    account, _ = read_query(call, USAGE_LIMITS.declared)
    plan = state.admission.accounts.plans.named((await state.admission.accounts.read(account)).plan)
    month = await state.admission.quota.month()
    used = await state.admission.quota.used(account)
    remaining = None if plan.calls is None else max(0, plan.calls - used)
    return json_response(
        UsageLimits(
            plan.name,
            month.start,
            month.end,
            CallsOfMonth(plan.calls, used, remaining),
            Rate(plan.rate, RATE_WINDOW_SECONDS),
        )
    )


ENDPOINTS = (
    UserEndpoint(usage_limits, (USAGE_LIMITS,)),
    UserEndpoint(get, (SUBSCRIPTION,)),
    UserEndpoint(plans, (PLANS,)),
    UserEndpoint(change, (CHANGE_PLAN,), check=_check_changes),
)
