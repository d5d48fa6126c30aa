"""/account/usage: the plan, and what of it is used."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.web.pages.account.pages import account_page
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.state import service

USAGE = "/account/usage"


async def usage(request: Request, call: PageCall) -> Response:
    """The month that is under way."""
    admission, account = service(request).admission, call.reader.account
    stored = await admission.accounts.read(account)
    month = await admission.quota.month()
    return account_page(
        "usage.html",
        request,
        call,
        plan=admission.accounts.plans.named(stored.plan),
        since=stored.plan_since,
        used=await admission.quota.used(account),
        month=month,
        days=(month.end - datetime.now(UTC)).days,
    )
