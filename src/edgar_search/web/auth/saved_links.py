"""/auth/saved-links: addresses that a user keeps."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.accounts.saved_links import AREA, SavedLinks
from edgar_search.errors import BadRequest
from edgar_search.stored.saved_link import StoredSavedLink
from edgar_search.web.auth.answers import saved_link
from edgar_search.web.auth.parameters import Fields
from edgar_search.web.auth.requests import (
    MAX_ID,
    changed_response,
    changes,
    changing,
    list_response,
    listing,
    naming,
)
from edgar_search.web.responses import json_response
from edgar_search.web.state import service

# As long as browsers and proxies surely take.
MAX_URL = 2_000
MAX_TITLE = 300
MAX_NOTE = 5_000
MAX_TAGS, MAX_TAG = 20, 50
FIELDS = ["url", "title", "note", "tags"]
_URL_FORM = f"url: must be an address with http or https and a host, of up to {MAX_URL} characters"


async def get(request: Request) -> Response:
    """GET /auth/saved-links/get"""
    account, _, page = await listing(request)
    found = await _links(request).page(account, *page)
    return list_response(AREA, [saved_link(item) for item in found.items], found.total)


async def add(request: Request) -> Response:
    """POST /auth/saved-links/add"""
    account, fields = await changing(request, FIELDS)
    content = StoredSavedLink(**{name: read() for name, read in _readers(fields).items()})
    return json_response(saved_link(await _links(request).add(account, content)), 201)


async def update(request: Request) -> Response:
    """POST /auth/saved-links/update"""
    account, fields = await changing(request, ["id", *FIELDS])
    link_id = fields.needed("id", MAX_ID)
    changed = changes(fields, _readers(fields))
    return json_response(saved_link(await _links(request).update(account, link_id, changed)))


async def remove(request: Request) -> Response:
    """POST or DELETE /auth/saved-links/remove"""
    account, link_id = await naming(request)
    await _links(request).remove(account, link_id)
    return changed_response(1)


def _readers(fields: Fields) -> dict[str, Callable[[], Any]]:
    return {
        "url": lambda: checked_url(fields.needed("url", MAX_URL)),
        "title": lambda: fields.text("title", MAX_TITLE),
        "note": lambda: fields.text("note", MAX_NOTE, lines=True),
        "tags": lambda: fields.texts("tags", MAX_TAGS, MAX_TAG) or [],
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
    Route("/auth/saved-links/get", get),
    Route("/auth/saved-links/add", add, methods=["POST"]),
    Route("/auth/saved-links/update", update, methods=["POST"]),
    Route("/auth/saved-links/remove", remove, methods=["POST", "DELETE"]),
]
