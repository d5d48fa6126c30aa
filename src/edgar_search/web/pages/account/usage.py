"""/account/usage: the plan, and what of it is used."""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.accounts.history import History
from edgar_search.search.warnings.searches import or_none
from edgar_search.web.pages.account.pages import account_page
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.state import service

USAGE = "/account/usage"


class Bar(NamedTuple):
    """The calls of a day, and their share of those of the busiest day."""

    day: date
    calls: int
    share: float


async def usage(request: Request, call: PageCall) -> Response:
    """The month that is under way."""
    state, account = service(request), call.reader.account
    admission = state.admission
    stored = await admission.accounts.read(account)
    month = await admission.quota.month()
    history = History(state.engine, admission.accounts, state.calls.show)
    made = await or_none({}, history.days, account, month.start)
    return account_page(
        "usage.html",
        request,
        call,
        plan=admission.accounts.plans.named(stored.plan),
        since=stored.plan_since,
        used=await admission.quota.used(account),
        month=month,
        account=account,
        bars=bars(made, month.start.date(), datetime.now(UTC).date()),
        days=(month.end - datetime.now(UTC)).days,
    )


def bars(made: dict[date, int], first: date, last: date) -> list[Bar]:
    """Every day of a month until now; none where no call was made."""
    most = max(made.values(), default=0)
    if not most:
        return []
    days = [first + timedelta(number) for number in range((last - first).days + 1)]
    return [Bar(day, made.get(day, 0), round(made.get(day, 0) / most, 3)) for day in days]
