"""/auth/favorites: filings, entities and documents that a user marks."""

from datetime import datetime
from typing import get_args

from msgspec import UNSET, Struct
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, CIK, DOCUMENT_ID
from edgar_search.stored.user_items import StoredFavorite, StoredUserItem, TargetType
from edgar_search.user_data.favorites import AREA, Favorites
from edgar_search.web.auth.lists import (
    CREATED,
    UserCall,
    UserEndpoint,
    change_endpoint,
    changed_response,
    list_endpoint,
    list_response,
    read_change,
    read_id,
    read_listing,
    removal_endpoints,
)
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

TARGET_TYPES: tuple[TargetType, ...] = get_args(TargetType)
MAX_TARGET = 100
MAX_LABEL = 200


class Favorite(Struct):
    id: str
    type: str
    target_id: str
    label: str | None
    created_at: datetime


FAVORITES = list_endpoint("/auth/favorites/get", "lists favorites", Favorite)
ADD_FAVORITE = change_endpoint(
    "/auth/favorites/add",
    "marks a filing, entity or document",
    Parameter("type", "choice", "the kind of target", required=True, choices=TARGET_TYPES),
    Parameter(
        "target_id",
        "text",
        "the target; it must exist in this service",
        required=True,
        longest=MAX_TARGET,
        of="accession number, CIK of 1 to 10 digits, or document id",
        pattern="|".join((ACCESSION_NUMBER, CIK, DOCUMENT_ID)),
    ),
    Parameter("label", "text", "the user's own label, or null", longest=MAX_LABEL),
    answer=Favorite,
    # Marking again returns the existing favorite.
    statuses=(*CREATED, 200),
)
REMOVE_FAVORITE = removal_endpoints("/auth/favorites/remove", "removes a favorite")


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/favorites/get"""
    account, _, page = read_listing(call, FAVORITES.declared)
    stored = await _favorites(request).page(account, *page)
    return list_response(AREA, [favorite(item) for item in stored.items], stored.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/favorites/add"""
    account, fields = read_change(call, ADD_FAVORITE.declared)
    item, new = await _favorites(request).add(
        account,
        fields.exact_choice("type", TARGET_TYPES),
        fields.required_own_text("target_id"),
        fields.own_text("label") if "label" in fields else UNSET,
    )
    return json_response(favorite(item), 201 if new else 200)


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/favorites/remove"""
    account, favorite_id = read_id(request, call)
    await _favorites(request).remove(account, favorite_id)
    return changed_response(1)


def favorite(item: StoredUserItem[StoredFavorite]) -> Favorite:
    """Convert a stored favorite to the API's."""
    content = item.content
    return Favorite(item.id, content.type, content.target_id, content.label, item.created_at)


def _favorites(request: Request) -> Favorites:
    return Favorites(service(request).engine)


ENDPOINTS = (
    UserEndpoint(get, (FAVORITES,)),
    UserEndpoint(add, (ADD_FAVORITE,)),
    UserEndpoint(remove, REMOVE_FAVORITE),
)
