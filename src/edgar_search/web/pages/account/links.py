"""/account/links: addresses that the user keeps, and searches among them."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.accounts.saved_links import SavedLinks
from edgar_search.errors import BadRequest
from edgar_search.stored.saved_link import StoredSavedLink
from edgar_search.web.auth.endpoints import ADD_LINK, ID
from edgar_search.web.auth.saved_links import checked_url
from edgar_search.web.pages.account.pages import (
    SIZE,
    action_of,
    fields_of,
    list_page,
    offset_of,
)
from edgar_search.web.pages.browser import form_of
from edgar_search.web.pages.calls import PageCall, see_other
from edgar_search.web.state import service

LINKS = "/account/links"


async def links(request: Request, call: PageCall) -> Response:
    """The links, newest first, and what adds and removes them."""
    if request.method != "POST":
        return await _shown(request, call)
    kept, account = SavedLinks(service(request).engine), call.reader.account
    form = await form_of(request)
    if action_of(form, ("add", "remove")) == "remove":
        await kept.remove(account, fields_of(form, (ID,)).needed("id"))
        return see_other(LINKS)
    try:
        fields = fields_of(form, ADD_LINK.parameters)
        content = StoredSavedLink(
            checked_url(fields.needed("url")),
            fields.text("title"),
            fields.text("note"),
            fields.texts("tags") or [],
        )
        await kept.add(account, content)
    except BadRequest as error:
        return await _shown(request, call, wrong=str(error))
    return see_other(LINKS)


async def _shown(request: Request, call: PageCall, wrong: str | None = None) -> Response:
    offset = offset_of(request)
    found = await SavedLinks(service(request).engine).page(call.reader.account, SIZE, offset)
    return list_page(
        "links.html",
        request,
        call,
        offset,
        found.total,
        400 if wrong else 200,
        items=found.items,
        wrong=wrong,
    )
