"""/drafts: a pasted draft, shown as written with each claim underlined by its verdict.

The draft is sent in the body of a form and appears only on the page: never in an address, the
history or a log.
"""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.draft import MAX_DRAFT, CheckedClaim, DraftReply, read_draft
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.errors import BadRequest, BodyTooLarge
from edgar_search.web.drafts import checked_draft
from edgar_search.web.pages.browser import PageCall, form_of
from edgar_search.web.pages.compared import differing_words
from edgar_search.web.pages.links import address, cited_address
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import render

PATH = "/drafts"
# Verdicts by appearance; any other is uncertain.
_LOOKS = {
    **dict.fromkeys(("exact", "normalised", "same", "supported"), "good"),
    **dict.fromkeys(("altered", "absent", "contradicted", "unknown"), "bad"),
}
_MEANINGS = {
    "exact": "as filed",
    "normalised": "as filed, but for white space and quotation marks",
    "altered": "altered: the filed words are others",
    "elsewhere": "elsewhere: not in what is cited, but in another document",
    "absent": "absent: no document has anything like it",
    "same": "the filing is here",
    "unknown": "unknown: no such filing is here",
    "supported": "supported by the filed number",
    "contradicted": "contradicted by the filed number",
    "ambiguous": "ambiguous",
    "not_found": "not found: no filing here has it",
    "unchecked": "unchecked",
}
# Filed words that an address has, by which its place is found again.
_MOST_QUOTED = 500


class ShownClaim(NamedTuple):
    """A claim with its number on the page, from 1, and how it is displayed."""

    number: int
    claim: CheckedClaim

    @property
    def look(self) -> str:
        """The class of its verdict: `good`, `bad` or `unsure`."""
        return _LOOKS.get(self.claim.verdict, "unsure")

    @property
    def meaning(self) -> str:
        """The verdict in words."""
        return _MEANINGS[self.claim.verdict]

    @property
    def difference(self) -> Markup | None:
        """The filed words of an altered quote, with the differences in the draft."""
        if self.claim.verdict != "altered" or not self.claim.found:
            return None
        return differing_words(self.claim.text.strip(" >\"'“”„«»‘’‚‹›"), self.claim.found)

    @property
    def place(self) -> str:
        """The address of the filed text; "" without one."""
        claim = self.claim
        if claim.document_id is None:
            return address(f"/filing/{claim.cited}") if claim.cited and self.look == "good" else ""
        if claim.found_start is None or claim.found_end is None:
            return address(f"/document/{claim.document_id}")
        return cited_address(
            claim.document_id,
            claim.found_start,
            claim.found_end,
            claim.text_sha256,
            quote=claim.found[:_MOST_QUOTED] if claim.kind == "quote" else None,
        )


class Piece(NamedTuple):
    """A piece of the draft: a claim, or the text between claims."""

    text: str
    claim: ShownClaim | None = None


async def drafts(request: Request, call: PageCall) -> Response:
    """Return the form, with the submitted draft and its claims."""
    text, wrong, status = "", "", 200
    reply: DraftReply | None = None
    if request.method == "POST":
        form = form_of(call.raw.body)
        # Forms send network line ends.
        text = form.get("text", [""])[-1].replace("\r\n", "\n")
        cursor = form.get("cursor", [""])[-1]
        try:
            fields = {"text": text} | ({"cursor": cursor} if cursor else {})
            asked = await read_draft(RequestFields({}, fields))
            reply = await checked_draft(request, call, asked)
        except (BadRequest, BodyTooLarge) as error:
            wrong, status = str(error), error.status
    shown = [ShownClaim(*each) for each in enumerate(reply.claims, 1)] if reply else []
    return render(
        "drafts.html",
        status,
        text=text,
        most=MAX_DRAFT,
        reply=reply,
        claims=shown,
        pieces=_pieces(text, shown),
        wrong=wrong,
        milliseconds=call.milliseconds,
        **head(call),
    )


def _pieces(text: str, claims: Sequence[ShownClaim]) -> list[Piece]:
    """Split the draft into pieces; where claims overlap, the words belong to the first."""
    found: list[Piece] = []
    place = 0
    for claim in claims:
        if claim.claim.start < place:
            continue
        found.append(Piece(text[place : claim.claim.start]))
        found.append(Piece(text[claim.claim.start : claim.claim.end], claim))
        place = claim.claim.end
    return [*found, Piece(text[place:])]
