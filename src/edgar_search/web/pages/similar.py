"""/similar: passages like a selected or pasted text, each with its differences marked.

A position is in the address, but a text is sent in the body of a form: it appears in no address,
history or log.
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
# Fields of the form besides the text, which the answer keeps.
_FIELDS = ("form_type", "company", "sort", "group_by")


class ShownPassage(NamedTuple):
    """A passage similar to the given text, and that text."""

    item: SimilarItem
    given: str

    @property
    def redline(self) -> Markup:
        """The passage, marking the words that only one of the texts contains."""
        item = self.item
        changes = [
            Change(
                change.kind,
                change.start,
                change.end,
                change.found_start - item.start,
                change.found_end - item.start,
            )
            for change in item.changes
        ]
        return inline(self.given, item.text, 0, len(item.text), changes)

    @property
    def place(self) -> str:
        """The address at which the passage is marked in its document."""
        item = self.item
        return cited_address(item.document_id, item.start, item.end, item.text_sha256)

    @property
    def like_it(self) -> str:
        """The address that searches for passages like this one."""
        item = self.item
        place = {"document_id": [item.document_id], "start": [str(item.start)]}
        return address(PATH, place, length=item.end - item.start)


async def similar(request: Request, call: PageCall) -> Response:
    """Show the form, and below it the passages like the submitted text or position."""
    lists = {name: values for name, values in page_parameters(request).items() if any(values)}
    body: dict[str, str] = {}
    if request.method == "POST":
        form = form_of(call.raw.body)
        # Forms send network line ends.
        body = {"text": form.get("text", [""])[-1].replace("\r\n", "\n")}
        lists = {name: form[name] for name in _FIELDS if any(form.get(name, ()))}
    reply: SimilarReply | None = None
    wrong, status = "", 200
    if body or lists.keys() & {"document_id", "text"}:
        try:
            params = read_similar(RequestFields(lists, body))
            reply = await find_passages(context_of(request, call), params)
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
        passages=[ShownPassage(passage, text) for passage in reply.items] if reply else [],
        wrong=wrong,
        milliseconds=call.milliseconds,
        **head(call, lists),
    )
