"""GET /cite: a pasted citation, checked and shown in the text."""

from typing import NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.checked_citations import (
    CheckedCitation,
    check_citation,
)
from edgar_search.document.citations import CITED
from edgar_search.document.original import require_document
from edgar_search.document.pasted_citations import MOST_PASTED, Pasted, read_pasted
from edgar_search.document.sections import section_name, text_sections
from edgar_search.document.text import Passages, document_text, retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.filings import filing_of
from edgar_search.stored.filings import FilingDocument, StoredFiling
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.citation_texts import CitedText, Copies, copies_of, lasting_place
from edgar_search.web.pages.compared import differing_words
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service

PATH = "/cite"
_DECLARED = by_spelling((Parameter("citation", "text", "the citation to check"),))
# Characters of the text that are shown before and after the words, and of the words themselves.
_AROUND, _MOST_SHOWN = 300, 4_000
# Characters of white space that a citation's words may lack.
_SLACK = 40


class ShownCitation(NamedTuple):
    """A checked citation; `cited` is the text now at its position, None if its words are gone.

    `same_text` is true if the document still has the cited text, None if the citation does not
    identify its text.
    """

    pasted: Pasted
    filing: StoredFiling
    document: FilingDocument
    checked: CheckedCitation
    same_text: bool | None
    cited: CitedText | None
    copies: Copies | None

    @property
    def place(self) -> str:
        """The address of the words in the document."""
        return lasting_place(self.cited) if self.cited else ""

    @property
    def as_filed(self) -> str:
        """The address of the words in the document's own layout."""
        return self.place.replace("?", "/as-filed?", 1)

    @property
    def difference(self) -> Markup | None:
        """The cited words compared with today's; None if either is unknown."""
        given, cited = self.pasted.given, self.cited
        if cited is None or not (given.words or given.quote):
            return None
        if not given.words:
            return differing_words(given.quote, cited.text)
        around = max(0, len(given.words) - len(cited.text)) + _SLACK
        # A word cut off by the window does not count.
        before = cited.before[-around:].partition(" ")[2] if cited.before else ""
        after = cited.after[:around].rpartition(" ")[0]
        near = f"{before}{cited.text}{after}"
        return differing_words(given.words, near)


async def cite(request: Request, call: PageCall) -> Response:
    """Return the form, with the result for the submitted citation."""
    lists = page_parameters(request)
    text = Parameters(lists, _DECLARED).text("citation")
    shown, wrong, status = None, "", 200
    if text is not None:
        try:
            pasted = read_pasted(text)
            shown = await retry_if_reloaded(
                service(request).engine, lambda: _check(request, pasted)
            )
        except (BadRequest, NotFound) as error:
            wrong, status = str(error), error.status
    call.result_count = int(shown is not None and shown.cited is not None)
    return render(
        "cite.html",
        status,
        text=(text or "")[:MOST_PASTED],
        most=MOST_PASTED,
        shown=shown,
        wrong=wrong,
        other_host=_other_host(request, shown),
        milliseconds=call.milliseconds,
        **head(call),
    )


async def _check(request: Request, pasted: Pasted) -> ShownCitation:
    engine, citation = service(request).engine, pasted.given
    filing = await filing_of(engine, accession_of(citation.document_id))
    document = filing.documents[require_document(filing, citation.document_id)]
    text = await document_text(engine, citation.document_id)
    passages = Passages(engine, text)
    checked = await check_citation(passages, citation)
    cited = await _cited_text(passages, checked)
    return ShownCitation(
        pasted,
        filing,
        document,
        checked,
        citation.sha256 == text.sha256 if citation.sha256 else None,
        cited,
        copies_of(cited, filing, document, str(request.base_url)[:-1]) if cited else None,
    )


async def _cited_text(passages: Passages, checked: CheckedCitation) -> CitedText | None:
    if checked.start is None or checked.end is None:
        return None
    start, end = checked.start, min(checked.end, checked.start + _MOST_SHOWN)
    first = max(0, start - _AROUND)
    near = await passages.piece(first, min(passages.text.length, end + _AROUND))
    before, text, after = (
        near[: start - first],
        near[start - first : end - first],
        near[end - first :],
    )
    section = (await text_sections(passages)).at(start)
    return CitedText(
        passages.text.document_id,
        passages.text.sha256,
        start,
        end,
        before,
        text,
        after,
        section_name(section) if section else "",
        before[-CITED:],
        after[:CITED],
    )


def _other_host(request: Request, shown: ShownCitation | None) -> str:
    """Return the host in the citation's address, if it is not this one."""
    host = shown.pasted.host if shown else ""
    return "" if host == request.url.netloc else host
