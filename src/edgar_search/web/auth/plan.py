"""/auth/subscription and /auth/usage_limits: the plan of an account, and its usage."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.accounts import Plan, Plans
from edgar_search.errors import Forbidden
from edgar_search.stored.accounts import StoredAccount
from edgar_search.web.auth.answers import CallsOfMonth, PlanOffer, Rate, Subscription, UsageLimits
from edgar_search.web.auth.endpoints import CHANGE_PLAN, PLANS, SUBSCRIPTION, USAGE_LIMITS
from edgar_search.web.auth.lists import UserCall, changing, list_response, reading, route
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

_NO_CHANGES = "the plan can be changed by the operator only"


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/subscription/get"""
    account, _ = reading(call, SUBSCRIPTION.parameters)
    accounts = service(request).admission.accounts
    return json_response(_subscription(await accounts.read(account), accounts.plans))


async def plans(request: Request, call: UserCall) -> Response:
    """GET /auth/subscription/plans"""
    reading(call, PLANS.parameters)
    known = service(request).admission.accounts.plans
    return list_response("plans", [_plan(plan, known) for plan in known.all()], len(known.all()))


async def change(request: Request, call: UserCall) -> Response:
    """POST /auth/subscription/change"""
    account, fields = changing(call, CHANGE_PLAN.parameters)
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


subscription_routes = [
    route(get, SUBSCRIPTION),
    route(plans, PLANS),
    route(change, CHANGE_PLAN, check=_check_changes),
]


RATE_WINDOW_SECONDS = 1


async def usage_limits(request: Request, call: UserCall) -> Response:
    """GET /auth/usage_limits"""
    state = service(request)
    account, _ = reading(call, USAGE_LIMITS.parameters)
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


usage_routes = [route(usage_limits, USAGE_LIMITS)]
