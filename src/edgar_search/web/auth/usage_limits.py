"""/auth/usage_limits: what an account may use, and has used."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.web.auth.answers import CallsOfMonth, Rate, UsageLimits
from edgar_search.web.auth.endpoints import USAGE_LIMITS
from edgar_search.web.auth.requests import reading, route
from edgar_search.web.responses import json_response
from edgar_search.web.state import service

RATE_WINDOW_SECONDS = 1


async def usage_limits(request: Request) -> Response:
    """GET /auth/usage_limits"""
    state = service(request)
    account, _ = await reading(request, USAGE_LIMITS.parameters)
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


routes = [route(usage_limits, USAGE_LIMITS)]
