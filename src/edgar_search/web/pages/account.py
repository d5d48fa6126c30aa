"""/account: the user's keys, plan, usage and calls."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.api_keys import AccountKeys, NewKey, ends_at, is_valid
from edgar_search.api.parameters.declaration import Declared, Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.scopes import FEED, SCOPES, check_scopes
from edgar_search.errors import BadRequest
from edgar_search.search.warnings.warnings import or_default
from edgar_search.user_data.history import CallFilters, History
from edgar_search.web.auth.api_keys import CREATE_KEY, DEFAULT_OVERLAP
from edgar_search.web.auth.lists import ONLY_ID
from edgar_search.web.callers import KEY_PARAMETER
from edgar_search.web.pages.browser import (
    PageCall,
    forget_handed_over,
    form_of,
    hand_over,
    handed_over,
    page_parameters,
    see_other,
)
from edgar_search.web.pages.links import address, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service

SIZE = 50
_OFFSET = by_spelling(
    [Parameter("offset", "integer", "rows to skip", least=0, most=9_950, default=0)]
)
PAGES = (
    ("/account", "API keys"),
    ("/account/usage", "Usage and plan"),
    ("/account/alerts", "Alerts"),
    ("/account/notifications", "Notifications"),
    ("/account/mail", "Mail"),
    ("/account/webhooks", "Webhooks"),
    ("/account/favorites", "Favorites"),
    ("/account/links", "Saved links"),
    ("/account/history", "History"),
)


def account_page(
    template: str, request: Request, call: PageCall, status: int = 200, /, **content: Any
) -> Response:
    """Return a page of an account, with links to the others."""
    return render(
        f"account/{template}",
        status,
        pages=PAGES,
        here=request.url.path,
        **{"wrong": None, **content},
        **head(call),
    )


def list_page(
    template: str,
    request: Request,
    call: PageCall,
    offset: int,
    total: int,
    status: int = 200,
    /,
    **content: Any,
) -> Response:
    """Return a page of an account's list, with links to the neighbouring pages."""
    beside = _neighbours(request, offset, total)
    return account_page(template, request, call, status, total=total, **content, **beside)


def offset_of(request: Request, others: Sequence[str] = ()) -> int:
    """Return the number of rows of a list to skip.

    `others` are further parameters of the page. Raises BadRequest if there is no such page.
    """
    parameters = Parameters(page_parameters(request, without=others), _OFFSET)
    return parameters.integer("offset")


def _neighbours(request: Request, offset: int, total: int) -> dict[str, str | None]:
    """Return the addresses of the pages before and after this one in a list."""
    here = request.url.path
    more = offset + SIZE < min(total, 10_000)
    return {
        "newer": address(here, {}, offset=offset - SIZE or None) if offset >= SIZE else None,
        "older": address(here, {}, offset=offset + SIZE) if more else None,
    }


def fields_of(form: Mapping[str, Sequence[str]], declared: Declared) -> Parameters:
    """Return the non-blank fields of a form as an endpoint's parameters."""
    body: dict[str, Any] = {}
    for name, values in form.items():
        parameter = declared.get(name)
        filled = [value.strip() for value in values if value.strip()]
        if parameter is None or not filled:
            continue
        body[name] = _field_value(parameter, filled)
    return Parameters.of_body(body, declared)


def action_of(form: Mapping[str, Sequence[str]], known: Sequence[str]) -> str:
    """Return the action of a form; raises BadRequest for an unknown one."""
    action = "".join(form.get("do", ()))
    if action not in known:
        raise BadRequest(f"`do` must be one of {', '.join(known)}")
    return action


def _field_value(parameter: Parameter, filled: list[str]) -> Any:
    match parameter.kind:
        case "list":
            return [item.strip() for text in filled for item in text.split(",") if item.strip()]
        case "flag":
            return filled[-1] == "true"
        case "integer":
            return int(filled[-1]) if filled[-1].isdecimal() else filled[-1]
        case "moment":
            # A day in a form means its last moment.
            return filled[-1] if "T" in filled[-1] else f"{filled[-1]}T23:59:59Z"
        case _:
            return filled[-1]


KEYS = "/account"
# More than any account really has; the API lists all.
_MOST = 200
_FIRST_CALL = "/v1/search?query=revenue"


async def keys(request: Request, call: PageCall) -> Response:
    """List the keys, with forms that make, rotate and revoke them."""
    if request.method != "POST":
        return await _keys_page(request, call)
    form = form_of(call.raw.body)
    action = action_of(form, ("create", "subscribe", "rotate", "revoke"))
    try:
        new = await _change_keys(request, call.account, action, form)
    except BadRequest as error:
        return await _keys_page(request, call, wrong=str(error))
    response = see_other(KEYS)
    if new is not None:
        hand_over(request, response, f"{new.stored.id} {new.key}")
    return response


async def _change_keys(
    request: Request, account: str, action: str, form: Mapping[str, list[str]]
) -> NewKey | None:
    owned = AccountKeys(service(request).keys)
    if action == "create":
        fields = fields_of(form, CREATE_KEY.declared)
        name = fields.required_own_text("name")
        scopes = check_scopes(fields.own_texts("scopes"))
        return await owned.create(account, name, scopes, fields.moment("expires_at"))
    if action == "subscribe":
        name = fields_of(form, CREATE_KEY.declared).required_own_text("name")
        scopes = check_scopes(["".join(form.get("scope", ()))])
        return await owned.create(account, name, scopes, None)
    key_id = fields_of(form, ONLY_ID).required_own_text("id")
    if action == "rotate":
        return await owned.rotate(account, key_id, timedelta(seconds=DEFAULT_OVERLAP))
    await owned.revoke(account, key_id)
    return None


async def _keys_page(request: Request, call: PageCall, *, wrong: str | None = None) -> Response:
    """Render the keys page, with a new key if a form has just made one; it is not shown again."""
    key_id, _, secret = handed_over(request).partition(" ")
    page_of_keys = await AccountKeys(service(request).keys).page(call.account, _MOST, 0)
    now, base = datetime.now(UTC), str(request.base_url)[:-1]
    new = next((key for key in page_of_keys.keys if key.id == key_id), None)
    feeds = [scope for scope in (new.scopes if new else None) or () if scope.startswith(f"{FEED}?")]
    response = account_page(
        "keys.html",
        request,
        call,
        400 if wrong else 200,
        keys=[(key, is_valid(key, now), ends_at(key)) for key in page_of_keys.keys],
        scopes=SCOPES,
        new_name=new.name if new else "",
        new_feed=f"{base}/{feeds[0]}&{KEY_PARAMETER}={secret}" if feeds else "",
        new_key=secret if new else "",
        first_call=curl(_FIRST_CALL, base),
        wrong=wrong,
    )
    if new is not None:
        forget_handed_over(request, response)
    return response


USAGE = "/account/usage"


class Bar(NamedTuple):
    """The calls of a day, as a number and as a share of the busiest day's."""

    day: date
    calls: int
    share: float


async def usage(request: Request, call: PageCall) -> Response:
    """Show the plan, and the usage of the current month."""
    state, account = service(request), call.account
    admission = state.admission
    stored = await admission.accounts.read(account)
    month = await admission.quota.month()
    history = History(state.engine, admission.accounts, admission.history.show)
    calls_by_day = await or_default({}, history.days, account, month.start)
    return account_page(
        "usage.html",
        request,
        call,
        plan=call.plan,
        keys_plan=admission.accounts.plans.named(stored.plan),
        since=stored.plan_since,
        used=await admission.quota.used(account),
        month=month,
        account=account,
        bars=bars(calls_by_day, month.start.date(), datetime.now(UTC).date()),
        days=(month.end - datetime.now(UTC)).days,
    )


def bars(made: dict[date, int], first: date, last: date) -> list[Bar]:
    """Return a bar for every day of a month until now; [] if there were no calls."""
    most = max(made.values(), default=0)
    if not most:
        return []
    days = [first + timedelta(number) for number in range((last - first).days + 1)]
    return [Bar(day, made.get(day, 0), round(made.get(day, 0) / most, 3)) for day in days]


HISTORY = "/account/history"


async def history(request: Request, call: PageCall) -> Response:
    """List the calls, newest first; a POST clears them."""
    state, account = service(request), call.account
    kept = History(state.engine, state.admission.accounts, state.admission.history.show)
    if request.method == "POST":
        await kept.clear(account)
        return see_other(HISTORY)
    offset = offset_of(request)
    calls = await kept.page(account, CallFilters(), SIZE, offset)
    return list_page(
        "history.html",
        request,
        call,
        offset,
        calls.total,
        calls=calls.calls,
    )
