"""/auth/api_keys: an account's own API keys."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.api_keys import SCOPES, AccountKeys
from edgar_search.errors import BadRequest
from edgar_search.web.auth.answers import full_key, key
from edgar_search.web.auth.endpoints import CREATE_KEY, KEYS, REMOVE_KEY, REVOKE_KEY, ROTATE_KEY
from edgar_search.web.auth.lists import (
    UserCall,
    changed_response,
    changing,
    list_response,
    listing,
    naming,
    route,
)
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.responses import json_response
from edgar_search.web.service import service


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/api_keys/get"""
    account, _, page = listing(call, KEYS.parameters)
    found = await _keys(request).page(account, *page)
    return list_response("api_keys", [key(each) for each in found.keys], found.total)


async def create(request: Request, call: UserCall) -> Response:
    """POST /auth/api_keys/create"""
    account, fields = changing(call, CREATE_KEY.parameters)
    new = await _keys(request).create(
        account, fields.required_own_text("name"), _scopes(fields), fields.moment("expires_at")
    )
    return json_response(full_key(new), 201)


async def rotate(request: Request, call: UserCall) -> Response:
    """POST /auth/api_keys/rotate"""
    account, fields = changing(call, ROTATE_KEY.parameters)
    key_id = fields.required_own_text("id")
    overlap = fields.integer("overlap_seconds")
    new = await _keys(request).rotate(account, key_id, timedelta(seconds=overlap))
    return json_response(full_key(new), 201)


async def revoke(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/api_keys/revoke, and the same under /auth/api_keys/remove"""
    account, key_id = naming(request, call)
    return changed_response(await _keys(request).revoke(account, key_id))


def _scopes(fields: Parameters) -> list[str] | None:
    scopes = fields.own_texts("scopes")
    if scopes is not None and not scopes:
        raise BadRequest(f"`scopes` must have at least one; scopes are {', '.join(SCOPES)}")
    return scopes


def _keys(request: Request) -> AccountKeys:
    return AccountKeys(service(request).keys)


routes = [
    route(get, KEYS),
    route(create, CREATE_KEY),
    route(rotate, ROTATE_KEY),
    route(revoke, *REVOKE_KEY),
    route(revoke, *REMOVE_KEY),
]
