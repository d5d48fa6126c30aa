"""GET /search.atom: the newest documents of a search, for feed readers.

A feed reader has no session, and its address is copied into other services. So each address
contains a key of its own, whose only scope is this one feed.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import CallLimits, pages_rate
from edgar_search.api.finding import FINDING, OPERANDS_PARAMETER, names_of
from edgar_search.api.parameters.declaration import by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.scopes import FEED, feed_scope
from edgar_search.api.search import SearchItem, find_documents, search_params
from edgar_search.errors import BadRequest
from edgar_search.web.callers import (
    KEY_PARAMETER,
    IdentifiedRequest,
    RawLists,
    has_key,
    identify_v1,
    query_parameters,
)
from edgar_search.web.calls import CallKind, V1Call, call_endpoint, context_of
from edgar_search.web.pages.browser import identify_reader, page_parameters, refuse_strangers
from edgar_search.web.pages.links import (
    Lists,
    address,
    as_asked,
    by_names,
    read_forms,
)
from edgar_search.web.pages.search_results import (
    asks_nothing,
    chips,
    document_address,
    reading_lists,
)
from edgar_search.web.pages.templates import day, describe_document, form_name
from edgar_search.web.responses import is_known

PATH = f"/{FEED}"
MEDIA_TYPE = "application/atom+xml"
# Documents of a feed.
SIZE = 50
# The name of a feed's call in the history, and the scope of keys that may read every feed.
_SEARCH = "v1/search"
_DECLARED = by_spelling((*FINDING, OPERANDS_PARAMETER))
_DETAILS = ("accepted_at", "document_type", "description", "primary")
_NAMESPACE = "http://www.w3.org/2005/Atom"
# Characters that XML 1.0 cannot contain, not even as a reference.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# A feed must have an update time, even if it has never had an entry.
_NEVER = "1970-01-01T00:00:00Z"


class FeedLink(NamedTuple):
    """A feed that a page offers: its address, its title, and the scope of its key."""

    address: str
    title: str
    scope: str


def feed_link(lists: Lists, names: Mapping[str, str]) -> FeedLink | None:
    """Return the feed of a search; None for an empty search.

    `names` gives the names of companies.
    """
    kept = {
        name: [value for value in values if value.strip()]
        for name, values in lists.items()
        if name in _DECLARED
    }
    if asks_nothing(by_names(kept, _DECLARED)):
        return None
    return FeedLink(address(PATH, kept), _title(kept, names), feed_scope(kept))


async def identify_subscriber(request: Request) -> IdentifiedRequest[RawLists]:
    """Identify a request with a key, or else one by a reader of the pages.

    A key of this feed becomes a search key, for this request only. Raises the errors of
    `identify_v1` and `identify_reader`.
    """
    refuse_strangers(request)
    caller = (await (identify_v1 if has_key(request) else identify_reader)(request)).caller
    key = caller.key
    if key is not None and key.scopes and feed_scope(query_parameters(request)) in key.scopes:
        caller = caller._replace(key=structs.replace(key, scopes=[_SEARCH]))
    return IdentifiedRequest(caller, lambda: query_parameters(request), lambda lists: lists)


async def feed(request: Request, call: V1Call) -> Response:
    """GET /search.atom"""
    lists = page_parameters(request, without=(KEY_PARAMETER,))
    Parameters(lists, _DECLARED)
    lists = read_forms(by_names(lists, _DECLARED))
    if asks_nothing(lists):
        raise BadRequest("a feed needs a query or a filter, such as cik or form_type")
    context = context_of(request, call)
    parameters = as_asked({**lists, "sort": ["newest"]})
    names = await names_of(context.search, parameters)
    params = search_params(
        {**parameters, "limit": [str(SIZE)]}, context.max_window, names, needs_query=False
    )
    reply = (await find_documents(context, structs.replace(params, details=_DETAILS))).answer
    call.result_count = reply.result_count
    body = atom(str(request.base_url).rstrip("/"), lists, reply.items)
    headers = {
        "ETag": f'"{sha256(body).hexdigest()[:20]}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Cookie, X-API-Key",
    }
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=MEDIA_TYPE)


def atom(base: str, lists: Lists, items: Sequence[SearchItem]) -> bytes:
    """Return a feed (RFC 4287) of documents, the newest first.

    `base` is the service's address. Ids depend on the search and on the document only, so that a
    reader shows each document once, whatever the address.
    """
    # If names differ, the newest filing's counts; an address may omit the zeros of a CIK.
    companies = {
        spelling: name
        for search_item in reversed(items)
        for cik, name in zip(search_item.ciks, search_item.related_company_names, strict=True)
        for spelling in (cik, cik.lstrip("0"))
    }
    root = Element("feed", {"xmlns": _NAMESPACE})
    _add(root, "id", _urn(feed_scope(lists)))
    _add(root, "title", _title(lists, companies))
    _add(root, "updated", max(map(_updated, items), default=_NEVER))
    _add(_add(root, "author"), "name", "edgar-search")
    _add(root, "link", rel="self", type=MEDIA_TYPE, href=base + address(PATH, lists))
    _add(root, "link", rel="alternate", type="text/html", href=base + address("/search", lists))
    for item in items:
        _add_entry(root, base, lists, item)
    body: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return body


def _add_entry(root: Element, base: str, lists: Lists, item: SearchItem) -> None:
    entry = SubElement(root, "entry")
    company = (item.related_company_names or ["no company named"])[0]
    _add(entry, "id", _urn(item.document_id))
    _add(entry, "title", f"{company}: {_kind(item, company)}, filed {day(item.filing_date)}")
    _add(entry, "updated", _updated(item))
    for name in dict.fromkeys(item.related_company_names or [company]):
        _add(_add(entry, "author"), "name", name)
    place = document_address(item.document_id, (), reading_lists(lists))
    _add(entry, "link", rel="alternate", type="text/html", href=base + place)
    _add(entry, "category", term=item.form_type)
    _add(entry, "summary", item.snippet or "", type="html")


def _kind(item: SearchItem, company: str) -> str:
    """Return the form, and for any document but the first also its type and description."""
    form = form_name(item.form_type)
    if item.primary:
        return form
    kind = item.document_type or "document"
    described = describe_document(item.description or "", kind, [company])
    return f"{form}, {kind}{f' {described}' if described else ''}"


def _updated(item: SearchItem) -> str:
    """Return the time of acceptance by EDGAR; for old filings only the day is known."""
    return item.accepted_at or f"{item.filing_date}T00:00:00Z"


def _title(lists: Lists, names: Mapping[str, str]) -> str:
    query = next((text.strip() for text in lists.get("query", ()) if text.strip()), "")
    parts = [query, *(chip.text for chip in chips(PATH, lists, names))]
    return "".join(filter(str.isprintable, ", ".join(part for part in parts if part)))


def _urn(name: str) -> str:
    return uuid5(NAMESPACE_URL, f"edgar-search {name}").urn


def _add(parent: Element, name: str, text: str = "", **attributes: str) -> Element:
    clean = {key: _NOT_XML.sub("", value) for key, value in attributes.items()}
    child = SubElement(parent, name, clean)
    child.text = _NOT_XML.sub("", text) or None
    return child


_SUBSCRIBED = CallKind(CallLimits(counts=True, user_rate=pages_rate), identify_subscriber)
endpoint = call_endpoint(_SUBSCRIBED, _SEARCH, feed)
