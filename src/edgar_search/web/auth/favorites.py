"""/auth/favorites: filings, entities and documents that a user marks."""

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.user_data.favorites import AREA, Favorites
from edgar_search.web.auth.answers import favorite
from edgar_search.web.auth.endpoints import ADD_FAVORITE, FAVORITES, REMOVE_FAVORITE, TARGET_TYPES
from edgar_search.web.auth.lists import (
    UserCall,
    changed_response,
    changing,
    list_response,
    listing,
    naming,
    route,
)
from edgar_search.web.responses import json_response
from edgar_search.web.service import service


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/favorites/get"""
    account, _, page = listing(call, FAVORITES.parameters)
    found = await _favorites(request).page(account, *page)
    return list_response(AREA, [favorite(item) for item in found.items], found.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/favorites/add"""
    account, fields = changing(call, ADD_FAVORITE.parameters)
    item, new = await _favorites(request).add(
        account,
        fields.exact_choice("type", TARGET_TYPES),
        fields.required_own_text("target_id"),
        fields.own_text("label") if "label" in fields else UNSET,
    )
    return json_response(favorite(item), 201 if new else 200)


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/favorites/remove"""
    account, favorite_id = naming(request, call)
    await _favorites(request).remove(account, favorite_id)
    return changed_response(1)


def _favorites(request: Request) -> Favorites:
    return Favorites(service(request).engine)


routes = [
    route(get, FAVORITES),
    route(add, ADD_FAVORITE),
    route(remove, *REMOVE_FAVORITE),
]
