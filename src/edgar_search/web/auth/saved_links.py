"""/auth/saved-links: addresses that a user keeps."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.errors import BadRequest
from edgar_search.stored.user_items import StoredSavedLink
from edgar_search.user_data.saved_links import AREA, SavedLinks
from edgar_search.web.auth.answers import saved_link
from edgar_search.web.auth.endpoints import ADD_LINK, MAX_URL, REMOVE_LINK, SAVED_LINKS, UPDATE_LINK
from edgar_search.web.auth.lists import (
    UserCall,
    changed_response,
    changes,
    changing,
    list_response,
    listing,
    naming,
    route,
)
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

_URL_FORM = f"`url` must be an address with http or https and a host, of up to {MAX_URL} characters"


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/saved-links/get"""
    account, _, page = listing(call, SAVED_LINKS.parameters)
    found = await _links(request).page(account, *page)
    return list_response(AREA, [saved_link(item) for item in found.items], found.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/saved-links/add"""
    account, fields = changing(call, ADD_LINK.parameters)
    content = StoredSavedLink(**{name: read() for name, read in _readers(fields).items()})
    return json_response(saved_link(await _links(request).add(account, content)), 201)


async def update(request: Request, call: UserCall) -> Response:
    """POST /auth/saved-links/update"""
    account, fields = changing(call, UPDATE_LINK.parameters)
    link_id = fields.required_own_text("id")
    changed = changes(fields, _readers(fields))
    return json_response(saved_link(await _links(request).update(account, link_id, changed)))


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/saved-links/remove"""
    account, link_id = naming(request, call)
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
    """An address that a page may link to; BadRequest for any other."""
    try:
        parts = urlsplit(url)
        # The port is read, and refused, only when it is asked for.
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    # Browsers take a backslash for a slash, and so another host for the host.
    if not usable or any(character.isspace() or character in '\\<>"' for character in url):
        raise BadRequest(_URL_FORM)
    return url


def _links(request: Request) -> SavedLinks:
    return SavedLinks(service(request).engine)


routes = [
    route(get, SAVED_LINKS),
    route(add, ADD_LINK),
    route(update, UPDATE_LINK),
    route(remove, *REMOVE_LINK),
]
