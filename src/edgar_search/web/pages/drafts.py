"""/drafts: a pasted draft or a file, with each claim underlined by its verdict.

The draft is sent in the body of a form and appears only on the page and in the file made from it:
never in an address, the history, a log or a temporary file.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.draft import MAX_DRAFT, DraftReply, read_draft
from edgar_search.api.draft_claims import CheckedClaim
from edgar_search.api.files.word_documents import WORD, Run, Underline, word_document
from edgar_search.api.number import FiledNumber
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.errors import BadRequest, BodyTooLarge
from edgar_search.text.word_documents import NotWord, file_text
from edgar_search.web.drafts import checked_draft
from edgar_search.web.pages.browser import PageCall, form_with_file
from edgar_search.web.pages.compared import differing_words
from edgar_search.web.pages.links import address, cited_address
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import HEADERS, day, render
from edgar_search.web.responses import file_response

PATH = "/drafts"
# The appearance of verdicts; any other verdict is uncertain.
_LOOKS = {
    **dict.fromkeys(("exact", "normalised", "same", "moved", "supported"), "good"),
    **dict.fromkeys(("altered", "absent", "contradicted", "changed", "gone", "unknown"), "bad"),
}
_MEANINGS = {
    "exact": "as filed",
    "normalised": "as filed, but for white space and quotation marks",
    "altered": "altered: the filed words are others",
    "elsewhere": "elsewhere: not in what is cited, but in another document",
    "absent": "absent: no document has anything like it",
    "same": "what is cited is here",
    "moved": "moved: the cited words are at another position now",
    "changed": "changed: the cited position has other words now",
    "gone": "gone: what is cited is not here any more",
    "unknown": "unknown: no such filing is here",
    "supported": "supported by the filed number",
    "contradicted": "contradicted by the filed number",
    "ambiguous": "ambiguous",
    "not_found": "not found: no filing here has it",
    "unchecked": "unchecked",
}
_UNDERLINES: dict[str, tuple[Underline, str]] = {
    "good": ("single", "2C6E49"),
    "bad": ("wave", "A1260D"),
    "unsure": ("dotted", "6B6558"),
}
# The file formats in which a browser may save the checked draft.
FILES = {"html": "HTML", "docx": "Word"}
# How many filed words an address may contain, to find their position again.
_MOST_QUOTED = 500


class ShownClaim(NamedTuple):
    """A claim with its number on the page, from 1, and its appearance."""

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
        if self.claim.kind != "quote" or not self.claim.differences:
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

    @property
    def note(self) -> list[str]:
        """The lines of its footnote in a file: verdict, reason, and filed text."""
        claim = self.claim
        lines = [self.meaning]
        if claim.reason and claim.reason not in self.meaning:
            lines.append(claim.reason)
        if claim.number:
            filed = [claim.number.filed] if claim.number.filed else []
            lines += [
                f"Filed: {_in_words(number)}" for number in [*filed, *claim.number.candidates]
            ]
        elif claim.found and self.look != "good":
            lines.append(f"Filed: {' '.join(claim.found.split())}")
        for number in claim.candidates:
            period = f" for {day(number.period)}" if number.period else ""
            lines.append(f"{number.accnum}, Form {number.form_type} of {number.name}{period}")
        return lines


def _in_words(filed: FiledNumber) -> str:
    when = f"from {day(filed.start)} to {day(filed.end)}" if filed.start else f"on {day(filed.end)}"
    item = filed.item.replace("_", " ")
    part = f" ({', '.join(filed.dimensions)})" if filed.dimensions else ""
    return f"{filed.value:,f} {filed.unit}, {item}{part} of {filed.name} {when}, in {filed.accnum}"


class Piece(NamedTuple):
    """A piece of the draft: a claim, or the text between claims."""

    text: str
    claim: ShownClaim | None = None


class Sent(NamedTuple):
    """The submitted form: the draft's text, or its file's, and the output to make."""

    text: str = ""
    cursor: str = ""
    form: str = ""


async def _sent(request: Request, call: PageCall) -> Sent:
    """Read the form of a request; raises BadRequest, also for a file without text."""
    fields, file = await form_with_file(request, call.raw.body)
    form = {name: fields.get(name, [""])[-1] for name in ("text", "cursor", "as")}
    text = form["text"]
    if file:
        try:
            text = await asyncio.to_thread(file_text, file, MAX_DRAFT)
        except NotWord as error:
            raise BadRequest(f"the file cannot be read: {error}") from None
    if not text.strip():
        raise BadRequest("a draft is needed: paste its text, or choose a file that has some")
    if form["as"] not in ("", *FILES):
        raise BadRequest(f"a checked draft is made as {' or '.join(FILES)}")
    # Forms send network line ends.
    return Sent(text.replace("\r\n", "\n"), form["cursor"], form["as"])


async def drafts(request: Request, call: PageCall) -> Response:
    """Show the form, with the submitted draft and its claims, or return the draft as a file."""
    sent, wrong, status = Sent(), "", 200
    reply: DraftReply | None = None
    if request.method == "POST":
        try:
            sent = await _sent(request, call)
            fields = {"text": sent.text} | ({"cursor": sent.cursor} if sent.cursor else {})
            params = await read_draft(RequestFields({}, fields))
            reply = await checked_draft(request, call, params)
        except (BadRequest, BodyTooLarge) as error:
            wrong, status = str(error), error.status
    shown_claims = (
        [ShownClaim(*numbered) for numbered in enumerate(reply.claims, 1)] if reply else []
    )
    pieces = _pieces(sent.text, shown_claims)
    if reply and sent.form:
        return _file(sent.form, pieces, reply, str(request.base_url).rstrip("/"))
    return render(
        "drafts.html",
        status,
        text=sent.text,
        cursor=sent.cursor,
        most=MAX_DRAFT,
        files=FILES,
        reply=reply,
        claims=shown_claims,
        pieces=pieces,
        wrong=wrong,
        milliseconds=call.milliseconds,
        **head(call),
    )


def _file(form: str, pieces: Sequence[Piece], reply: DraftReply, here: str) -> Response:
    """Return a checked draft as a file, whose links lead to the service at the address `here`."""
    if form == "docx":
        response = file_response(word_document(_runs(pieces, here)), WORD, "draft.docx")
    else:
        response = render("draft_file.html", pieces=pieces, reply=reply, here=here)
        response.headers["Content-Disposition"] = 'attachment; filename="draft.html"'
    response.headers["Cache-Control"] = HEADERS["Cache-Control"]
    return response


def _runs(pieces: Sequence[Piece], here: str) -> Iterator[Run]:
    for text, claim in pieces:
        if claim is None:
            yield Run(text)
        else:
            place = [f"{here}{claim.place}"] if claim.place else []
            yield Run(text, *_UNDERLINES[claim.look], [*claim.note, *place])


def _pieces(text: str, claims: Sequence[ShownClaim]) -> list[Piece]:
    """Split the draft into pieces; where claims overlap, the words belong to the first.

    The others follow it, without words.
    """
    pieces: list[Piece] = []
    place = 0
    for claim in claims:
        if claim.claim.start < place:
            pieces.append(Piece("", claim))
            continue
        pieces.append(Piece(text[place : claim.claim.start]))
        pieces.append(Piece(text[claim.claim.start : claim.claim.end], claim))
        place = claim.claim.end
    return [*pieces, Piece(text[place:])]
