"""/auth/api_keys: an account's own API keys."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.scopes import SCOPES
from edgar_search.accounts.api_keys import AREA, AccountKeys
from edgar_search.errors import BadRequest
from edgar_search.web.auth.answers import full_key, key
from edgar_search.web.auth.parameters import Fields
from edgar_search.web.auth.requests import (
    MAX_ID,
    changed_response,
    changing,
    list_response,
    listing,
    naming,
)
from edgar_search.web.responses import json_response
from edgar_search.web.state import service

MAX_NAME = 100
MAX_SCOPE = 50
# How long a rotated key works on, in seconds: a day where nothing else is asked for.
DEFAULT_OVERLAP, MAX_OVERLAP = 86_400, 30 * 86_400


async def get(request: Request) -> Response:
    """GET /auth/api_keys/get"""
    account, _, page = await listing(request)
    found = await _keys(request).page(account, *page)
    return list_response(AREA, [key(each) for each in found.keys], found.total)


async def create(request: Request) -> Response:
    """POST /auth/api_keys/create"""
    account, fields = await changing(request, ["name", "scopes", "expires_at"])
    new = await _keys(request).create(
        account, fields.needed("name", MAX_NAME), _scopes(fields), fields.moment("expires_at")
    )
    return json_response(full_key(new), 201)


async def rotate(request: Request) -> Response:
    """POST /auth/api_keys/rotate"""
    account, fields = await changing(request, ["id", "overlap_seconds"])
    key_id = fields.needed("id", MAX_ID)
    overlap = fields.integer("overlap_seconds", DEFAULT_OVERLAP, 0, MAX_OVERLAP)
    new = await _keys(request).rotate(account, key_id, timedelta(seconds=overlap))
    return json_response(full_key(new), 201)


async def revoke(request: Request) -> Response:
    """POST or DELETE /auth/api_keys/revoke, and the same under /auth/api_keys/remove"""
    account, key_id = await naming(request)
    return changed_response(await _keys(request).revoke(account, key_id))


def _scopes(fields: Fields) -> list[str] | None:
    scopes = fields.texts("scopes", len(SCOPES), MAX_SCOPE)
    if scopes is not None and not scopes:
        raise BadRequest(f"scopes: at least one is needed; scopes are {', '.join(SCOPES)}")
    return scopes


def _keys(request: Request) -> AccountKeys:
    return AccountKeys(service(request).keys)


routes = [
    Route("/auth/api_keys/get", get),
    Route("/auth/api_keys/create", create, methods=["POST"]),
    Route("/auth/api_keys/rotate", rotate, methods=["POST"]),
    Route("/auth/api_keys/revoke", revoke, methods=["POST", "DELETE"]),
    Route("/auth/api_keys/remove", revoke, methods=["POST", "DELETE"]),
]
