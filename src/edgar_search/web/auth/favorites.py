"""/auth/favorites: filings, entities and documents that a user marks."""

from typing import get_args

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.accounts.favorites import AREA, Favorites
from edgar_search.stored.favorite import TargetType
from edgar_search.web.auth.answers import favorite
from edgar_search.web.auth.requests import (
    changed_response,
    changing,
    list_response,
    listing,
    naming,
)
from edgar_search.web.responses import json_response
from edgar_search.web.state import service

MAX_LABEL = 200
MAX_TARGET = 100
TYPES: tuple[TargetType, ...] = get_args(TargetType)


async def get(request: Request) -> Response:
    """GET /auth/favorites/get"""
    account, _, page = await listing(request)
    found = await _favorites(request).page(account, *page)
    return list_response(AREA, [favorite(item) for item in found.items], found.total)


async def add(request: Request) -> Response:
    """POST /auth/favorites/add"""
    account, fields = await changing(request, ["type", "target_id", "label"])
    item, new = await _favorites(request).add(
        account,
        fields.choice("type", TYPES),
        fields.needed("target_id", MAX_TARGET),
        fields.text("label", MAX_LABEL) if "label" in fields else UNSET,
    )
    return json_response(favorite(item), 201 if new else 200)


async def remove(request: Request) -> Response:
    """POST or DELETE /auth/favorites/remove"""
    account, favorite_id = await naming(request)
    await _favorites(request).remove(account, favorite_id)
    return changed_response(1)


def _favorites(request: Request) -> Favorites:
    return Favorites(service(request).engine)


routes = [
    Route("/auth/favorites/get", get),
    Route("/auth/favorites/add", add, methods=["POST"]),
    Route("/auth/favorites/remove", remove, methods=["POST", "DELETE"]),
]
