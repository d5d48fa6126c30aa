"""/similar: passages like a selected or pasted text, each with its redline beside the text.

A position is in the address, and a text comes in the body of a form: no address, history or log has
it.
"""

from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.similar import (
    MAX_CLAUSE,
    SimilarItem,
    SimilarReply,
    find_passages,
    read_similar,
)
from edgar_search.document.comparison import Change
from edgar_search.errors import BadRequest, NotFound
from edgar_search.web.calls import context_of
from edgar_search.web.pages.browser import PageCall, form_of, page_parameters
from edgar_search.web.pages.compared import inline
from edgar_search.web.pages.links import address, cited_address
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import render

PATH = "/similar"
# The fields of the form beside the text, which its answer keeps.
_FIELDS = ("form_type", "company", "sort", "group_by")


class ShownPassage(NamedTuple):
    """A passage that is like the given text, and the text itself."""

    item: SimilarItem
    given: str

    @property
    def redline(self) -> Markup:
        """The passage, with the words that only one of both texts has marked."""
        item = self.item
        changes = [
            Change(
                each.kind,
                each.start,
                each.end,
                each.found_start - item.start,
                each.found_end - item.start,
            )
            for each in item.changes
        ]
        return inline(self.given, item.text, 0, len(item.text), changes)

    @property
    def place(self) -> str:
        """The address at which the passage is marked in its document."""
        item = self.item
        return cited_address(item.document_id, item.start, item.end, item.text_sha256)

    @property
    def like_it(self) -> str:
        """The address of passages like this one."""
        item = self.item
        place = {"document_id": [item.document_id], "start": [str(item.start)]}
        return address(PATH, place, length=item.end - item.start)


async def similar(request: Request, call: PageCall) -> Response:
    """The form, and beneath it the passages like the text or the position that was sent."""
    lists = {name: values for name, values in page_parameters(request).items() if any(values)}
    body: dict[str, str] = {}
    if request.method == "POST":
        form = form_of(call.raw.body)
        # A form has the ends of lines of the network.
        body = {"text": form.get("text", [""])[-1].replace("\r\n", "\n")}
        lists = {name: form[name] for name in _FIELDS if any(form.get(name, ()))}
    reply: SimilarReply | None = None
    wrong, status = "", 200
    if body or lists.keys() & {"document_id", "text"}:
        try:
            asked = read_similar(RequestFields(lists, body))
            reply = await find_passages(context_of(request, call), asked)
            call.result_count = reply.result_count
        except (BadRequest, NotFound) as error:
            wrong, status = str(error), error.status
    text = reply.given.text if reply else body.get("text", "")
    return render(
        "similar.html",
        status,
        text=text,
        most=MAX_CLAUSE,
        reply=reply,
        passages=[ShownPassage(each, text) for each in reply.items] if reply else [],
        wrong=wrong,
        milliseconds=call.milliseconds,
        **head(call, lists),
    )
