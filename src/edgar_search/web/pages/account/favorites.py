"""/account/favorites: filings, companies and documents that the user marked."""

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.accounts.favorites import Favorites
from edgar_search.stored.favorite import StoredFavorite
from edgar_search.web.auth.endpoints import ADD_FAVORITE, ID, TARGET_TYPES
from edgar_search.web.pages.account.pages import (
    SIZE,
    action_of,
    fields_of,
    list_page,
    offset_of,
)
from edgar_search.web.pages.browser import form_of, own_path
from edgar_search.web.pages.calls import PageCall, see_other
from edgar_search.web.state import service

FAVORITES = "/account/favorites"


async def favorites(request: Request, call: PageCall) -> Response:
    """The favorites, newest first, and what adds and removes them."""
    kept, account = Favorites(service(request).engine), call.reader.account
    if request.method == "POST":
        return await _change(request, kept, account)
    offset = offset_of(request)
    found = await kept.page(account, SIZE, offset)
    return list_page(
        "favorites.html",
        request,
        call,
        offset,
        found.total,
        items=[(item, place_of(item.content)) for item in found.items],
    )


def place_of(favorite: StoredFavorite) -> str:
    """The page of what was marked."""
    if favorite.type == "entity":
        return f"/company/{favorite.target_id}"
    if favorite.type == "filing":
        return f"/filing/{favorite.target_id}"
    return f"/filing/{favorite.target_id.rpartition('-')[0]}"


async def _change(request: Request, kept: Favorites, account: str) -> Response:
    form = await form_of(request)
    if action_of(form, ("add", "remove")) == "remove":
        await kept.remove(account, fields_of(form, (ID,)).needed("id"))
        return see_other(FAVORITES)
    fields = fields_of(form, ADD_FAVORITE.parameters)
    kind = fields.choice("type", TARGET_TYPES)
    label = fields.text("label") if "label" in fields else UNSET
    await kept.add(account, kind, fields.needed("target_id"), label)
    return see_other(own_path("".join(form.get("next", (FAVORITES,)))))
