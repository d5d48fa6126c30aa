"""/account: the user's API keys."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.api_keys import NewKey, ends_at, is_valid
from edgar_search.access.scopes import SCOPES
from edgar_search.accounts.api_keys import AccountKeys
from edgar_search.errors import BadRequest
from edgar_search.web.auth.endpoints import CREATE_KEY, DEFAULT_OVERLAP, ID
from edgar_search.web.pages.account.pages import account_page, action_of, fields_of
from edgar_search.web.pages.browser import form_of
from edgar_search.web.pages.calls import PageCall, see_other
from edgar_search.web.pages.links import curl
from edgar_search.web.state import service

KEYS = "/account"
# More than anybody has; the API lists all.
_MOST = 200
_FIRST_CALL = "/v1/search?query=revenue"


async def keys(request: Request, call: PageCall) -> Response:
    """The keys, and what makes, rotates and revokes them."""
    if request.method != "POST":
        return await _shown(request, call)
    form = await form_of(request)
    action = action_of(form, ("create", "rotate", "revoke"))
    try:
        new = await _changed(request, call.reader.account, action, form)
    except BadRequest as error:
        return await _shown(request, call, wrong=str(error))
    # A new key is in this answer and never again, so this one is no way to another page.
    return see_other(KEYS) if new is None else await _shown(request, call, new=new)


async def _changed(
    request: Request, account: str, action: str, form: Mapping[str, list[str]]
) -> NewKey | None:
    owned = AccountKeys(service(request).keys)
    if action == "create":
        fields = fields_of(form, CREATE_KEY.parameters)
        name, scopes = fields.needed("name"), fields.texts("scopes")
        return await owned.create(account, name, scopes, fields.moment("expires_at"))
    key_id = fields_of(form, (ID,)).needed("id")
    if action == "rotate":
        return await owned.rotate(account, key_id, timedelta(seconds=DEFAULT_OVERLAP))
    await owned.revoke(account, key_id)
    return None


async def _shown(
    request: Request, call: PageCall, *, new: NewKey | None = None, wrong: str | None = None
) -> Response:
    found = await AccountKeys(service(request).keys).page(call.reader.account, _MOST, 0)
    now = datetime.now(UTC)
    return account_page(
        "keys.html",
        request,
        call,
        400 if wrong else 200,
        keys=[(key, is_valid(key, now), ends_at(key)) for key in found.keys],
        scopes=SCOPES,
        new=new,
        first_call=curl(_FIRST_CALL, str(request.base_url)[:-1]),
        wrong=wrong,
    )
