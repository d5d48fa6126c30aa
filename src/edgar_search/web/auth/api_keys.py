"""/auth/api_keys: an account's own API keys."""

from datetime import datetime, timedelta

from msgspec import Struct, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.api_keys import AccountKeys, NewKey, ends_at
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.scopes import SCOPES, check_scopes
from edgar_search.errors import BadRequest
from edgar_search.stored.accounts import StoredApiKey
from edgar_search.web.auth.lists import (
    CREATED,
    ID,
    NAME,
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

MAX_SCOPE = 50
# How long a rotated key still works, in seconds: a day by default.
DEFAULT_OVERLAP, MAX_OVERLAP = 86_400, 30 * 86_400


class Key(Struct):
    """An API key; `prefix` is its visible beginning."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class FullKey(Key):
    """A newly created key: the only time that the key itself is shown."""

    key: str


KEYS = list_endpoint("/auth/api_keys/get", "lists the user's API keys", Key)
CREATE_KEY = change_endpoint(
    "/auth/api_keys/create",
    "makes a key",
    NAME,
    Parameter(
        "scopes",
        "list",
        "the endpoints that the key may call; null means all",
        most=len(SCOPES),
        longest=MAX_SCOPE,
        of="endpoints such as `v1/search`",
    ),
    Parameter("expires_at", "moment", "the end of the key; null means never"),
    answer=FullKey,
    statuses=CREATED,
)
ROTATE_KEY = change_endpoint(
    "/auth/api_keys/rotate",
    "makes a key that replaces another",
    ID,
    Parameter(
        "overlap_seconds",
        "integer",
        "the number of seconds for which the old key still works",
        least=0,
        most=MAX_OVERLAP,
        default=DEFAULT_OVERLAP,
    ),
    answer=FullKey,
    statuses=CREATED,
)
REVOKE_KEY = removal_endpoints(
    "/auth/api_keys/revoke",
    "revokes a key",
)
REMOVE_KEY = removal_endpoints(
    "/auth/api_keys/remove",
    "revokes a key",
)


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/api_keys/get"""
    account, _, page = read_listing(call, KEYS.declared)
    stored = await _keys(request).page(account, *page)
    return list_response("api_keys", [key(stored_key) for stored_key in stored.keys], stored.total)


async def create(request: Request, call: UserCall) -> Response:
    """POST /auth/api_keys/create"""
    account, fields = read_change(call, CREATE_KEY.declared)
    new = await _keys(request).create(
        account, fields.required_own_text("name"), _scopes(fields), fields.moment("expires_at")
    )
    return json_response(full_key(new), 201)


async def rotate(request: Request, call: UserCall) -> Response:
    """POST /auth/api_keys/rotate"""
    account, fields = read_change(call, ROTATE_KEY.declared)
    key_id = fields.required_own_text("id")
    overlap = fields.integer("overlap_seconds")
    new = await _keys(request).rotate(account, key_id, timedelta(seconds=overlap))
    return json_response(full_key(new), 201)


async def revoke(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/api_keys/revoke, and the same under /auth/api_keys/remove"""
    account, key_id = read_id(request, call)
    return changed_response(await _keys(request).revoke(account, key_id))


def _scopes(fields: Parameters) -> list[str] | None:
    scopes = fields.own_texts("scopes")
    if scopes is not None and not scopes:
        raise BadRequest(f"`scopes` must have at least one; scopes are {', '.join(SCOPES)}")
    return check_scopes(scopes)


def key(stored: StoredApiKey) -> Key:
    """Convert a stored key; a key without scopes has all of them."""
    return Key(
        id=stored.id,
        name=stored.name,
        prefix=stored.prefix,
        scopes=stored.scopes or list(SCOPES),
        created_at=stored.created_at,
        expires_at=ends_at(stored),
        last_used_at=stored.last_used_at,
        revoked_at=stored.revoked_at,
    )


def full_key(new: NewKey) -> FullKey:
    """Convert a newly created key, including its secret."""
    return FullKey(**structs.asdict(key(new.stored)), key=new.key)


def _keys(request: Request) -> AccountKeys:
    return AccountKeys(service(request).keys)


ENDPOINTS = (
    UserEndpoint(get, (KEYS,)),
    UserEndpoint(create, (CREATE_KEY,)),
    UserEndpoint(rotate, (ROTATE_KEY,)),
    UserEndpoint(revoke, REVOKE_KEY),
    UserEndpoint(revoke, REMOVE_KEY),
)
