"""/auth/saved-links: addresses that a user keeps."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import BadRequest
from edgar_search.stored.user_items import StoredSavedLink, StoredUserItem
from edgar_search.user_data.addresses import split_address
from edgar_search.user_data.saved_links import AREA, SavedLinks
from edgar_search.web.auth.lists import (
    CREATED,
    ID,
    UserCall,
    UserEndpoint,
    change_endpoint,
    changed_response,
    changes,
    list_endpoint,
    list_response,
    optional,
    read_change,
    read_id,
    read_listing,
    removal_endpoints,
)
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

# A length that all browsers and proxies accept.
MAX_URL = 2_000
MAX_TITLE = 300
MAX_NOTE = 5_000
MAX_TAGS, MAX_TAG = 20, 50
_URL_FORM = f"`url` must be an address with http or https and a host, of up to {MAX_URL} characters"


class SavedLink(Struct):
    id: str
    url: str
    title: str | None
    note: str | None
    tags: list[str]
    created_at: datetime
    updated_at: datetime


_LINK = (
    Parameter(
        "url",
        "text",
        'http or https, with a host; no blanks, no `\\`, `<`, `>` or `"`',
        required=True,
        longest=MAX_URL,
        of="address",
    ),
    Parameter("title", "text", "the user's own title, or null", longest=MAX_TITLE),
    Parameter("note", "lines", "the user's own note, or null", longest=MAX_NOTE),
    Parameter(
        "tags", "list", "each once; null clears them", most=MAX_TAGS, longest=MAX_TAG, of="texts"
    ),
)
SAVED_LINKS = list_endpoint("/auth/saved-links/get", "lists links", SavedLink)
ADD_LINK = change_endpoint(
    "/auth/saved-links/add", "saves an address", *_LINK, answer=SavedLink, statuses=CREATED
)
UPDATE_LINK = change_endpoint(
    "/auth/saved-links/update", "changes a link", ID, *optional(_LINK), answer=SavedLink
)
REMOVE_LINK = removal_endpoints("/auth/saved-links/remove", "removes a link")


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/saved-links/get"""
    account, _, page = read_listing(call, SAVED_LINKS.declared)
    stored = await _links(request).page(account, *page)
    return list_response(AREA, [saved_link(item) for item in stored.items], stored.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/saved-links/add"""
    account, fields = read_change(call, ADD_LINK.declared)
    content = StoredSavedLink(**{name: read() for name, read in _readers(fields).items()})
    return json_response(saved_link(await _links(request).add(account, content)), 201)


async def update(request: Request, call: UserCall) -> Response:
    """POST /auth/saved-links/update"""
    account, fields = read_change(call, UPDATE_LINK.declared)
    link_id = fields.required_own_text("id")
    changed = changes(fields, _readers(fields))
    return json_response(saved_link(await _links(request).update(account, link_id, changed)))


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/saved-links/remove"""
    account, link_id = read_id(request, call)
    await _links(request).remove(account, link_id)
    return changed_response(1)


def _readers(fields: Parameters) -> dict[str, Callable[[], Any]]:
    return {
        "url": lambda: checked_url(fields.required_own_text("url")),
        "title": lambda: fields.own_text("title"),
        "note": lambda: fields.own_text("note"),
        "tags": lambda: fields.own_texts("tags") or [],
    }


def checked_url(url: str) -> str:
    """Return an address that a page may link to; raises BadRequest for any other."""
    parts = split_address(url)
    if parts is None or parts.scheme not in ("http", "https"):
        raise BadRequest(_URL_FORM)
    return url


def saved_link(item: StoredUserItem[StoredSavedLink]) -> SavedLink:
    """Convert a stored link; one never changed counts as updated when it was made."""
    content = item.content
    return SavedLink(
        id=item.id,
        url=content.url,
        title=content.title,
        note=content.note,
        tags=content.tags,
        created_at=item.created_at,
        updated_at=content.updated_at or item.created_at,
    )


def _links(request: Request) -> SavedLinks:
    return SavedLinks(service(request).engine)


ENDPOINTS = (
    UserEndpoint(get, (SAVED_LINKS,)),
    UserEndpoint(add, (ADD_LINK,)),
    UserEndpoint(update, (UPDATE_LINK,)),
    UserEndpoint(remove, REMOVE_LINK),
)
