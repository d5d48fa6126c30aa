"""GET /document/DOCUMENT_ID/as-filed: a document in its own layout, with its matches marked."""

import time
from typing import NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import names_of
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.filed_view import FiledView
from edgar_search.document.original import (
    find_original,
    require_document,
)
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import TooCostlyToRead
from edgar_search.search.filings import filing_of
from edgar_search.search.language import query_slots
from edgar_search.stored.filings import StoredFiling, StoredSection
from edgar_search.web.pages.browser import (
    PageCall,
    page_parameters,
)
from edgar_search.web.pages.document import (
    PARAMETERS,
    PLACES,
    Listed,
    Reading,
    TextRequest,
    call_of,
    document_id_of,
    shown_document,
    steps,
    text_request,
)
from edgar_search.web.pages.frames import (
    Shown,
    filed_place,
    frame_address,
    has_layout,
    needs_places,
    reading_of,
    view_of_document,
)
from edgar_search.web.pages.links import Lists, address, as_asked, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service

PAGE = "/document/{document_id}/as-filed"
_DECLARED = by_spelling(
    [
        *PARAMETERS,
        Parameter("part", "integer", "the number of a part, to show it", least=1, default=1),
        Parameter("anchor", "text", "a name that the document has for a place", longest=200),
    ]
)
# The longest text that is searched for its first mapped character.
_LOOKED_AT = 500


class _Opened(NamedTuple):
    """A document with the reading of its text, if it has one, and its layout.

    `unshown` says why no layout can be shown, if it would cost too much.
    """

    filing: StoredFiling
    reading: Reading | None = None
    view: FiledView | None = None
    unshown: str = ""


async def as_filed(request: Request, call: PageCall) -> Response:
    """GET /document/DOCUMENT_ID/as-filed: the page with the frame."""
    document_id = document_id_of(request)
    lists = page_parameters(request)
    parameters = Parameters(lists, _DECLARED)
    names = await names_of(service(request).context, as_asked(lists))
    text_asked, wrong = text_request(parameters, names)
    await call.share.weigh(query_slots(text_asked.query))
    state = service(request)
    number = accession_of(document_id)

    async def work() -> _Opened:
        filing = await filing_of(state.engine, number)
        original = find_original(filing, document_id)
        if not has_layout(original.document):
            return _Opened(filing)
        reading = await reading_of(request, original.document, text_asked)
        places = needs_places(text_asked, lists)
        try:
            _, view = await view_of_document(request, call.account, original, reading, places)
        except TooCostlyToRead as error:
            return _Opened(filing, reading, unshown=str(error))
        return _Opened(filing, reading, view)

    filing, reading, view, unshown = await work()
    document = filing.documents[require_document(filing, document_id)]
    call.result_count = len(reading.matches) if reading else 0
    position = _choose_part(parameters, text_asked, reading, view)
    secret = await state.frames.value()
    frame = None
    if not unshown:
        frame = frame_address(secret, number, document, time.time(), lists, position)
    now = _section_now(text_asked, reading, view, position)
    here, base = f"/document/{document_id}/as-filed", str(request.base_url)[:-1]
    return render(
        "as_filed.html",
        400 if wrong else 200,
        wrong=wrong,
        frame=frame,
        unshown=unshown,
        listed=_list_sections(here, reading, view, now, lists),
        steps=steps(here, reading, lists),
        in_part=_matches_of_part(reading, view, position.part),
        parts_of=_parts(here, view, position.part, lists),
        api=curl(call_of(document_id, lists), base),
        milliseconds=call.milliseconds,
        **shown_document(request, filing, document_id, reading, lists, now),
        **head(call, lists),
    )


def _choose_part(
    parameters: Parameters, asked: TextRequest, reading: Reading | None, view: FiledView | None
) -> Shown:
    """Return the requested part, or the part that contains the section, match or position."""
    anchor = parameters.text("anchor") or ""
    if view is None:
        return Shown(0, "")
    if parameters.text("part"):
        part = min(parameters.integer("part"), len(view.parts)) - 1
        return Shown(part, quote(anchor), ours=False)
    if reading is None:
        return Shown(0, "")
    if asked.section:
        section = reading.sections.named(asked.section)
        return Shown(view.part_at(filed_place(reading, view, section) or 0), f"s{section.item}")
    place = reading.place(asked)
    part = view.part_of_text(place, place + _LOOKED_AT) or 0
    if asked.start is None and reading.quoted:
        return Shown(part, f"m{reading.quoted.number}")
    cited = asked.start is None and reading.cited and reading.cited.start is not None
    return Shown(part, "m0" if cited else "")


def _matches_of_part(
    reading: Reading | None, view: FiledView | None, part: int
) -> tuple[int, int] | None:
    """Return the numbers of the first and the last match that begin in a part."""
    span = view.text_span(part) if view else None
    if reading is None or span is None:
        return None
    numbers = [
        number for number, match in reading.matches.touching(*span) if span[0] <= match.start
    ]
    return (numbers[0], numbers[-1]) if numbers else None


def _list_sections(
    here: str,
    reading: Reading | None,
    view: FiledView | None,
    now: StoredSection | None,
    lists: Lists,
) -> list[Listed]:
    """Return the sections for the margin, with the current one marked."""
    if reading is None or view is None:
        return []
    none = dict.fromkeys(PLACES)
    return [
        reading.list_section(
            section, address(here, lists, **{**none, "section": section.item}), section is now
        )
        for section in reading.sections.all
    ]


def _section_now(
    asked: TextRequest, reading: Reading | None, view: FiledView | None, shown: Shown
) -> StoredSection | None:
    if reading is None or view is None:
        return None
    if asked.section and shown.name and shown.ours:
        return reading.sections.named(asked.section)
    if shown.name.startswith("m") and shown.ours and reading.quoted:
        return reading.sections.at(reading.quoted.cited.start)
    if shown.name == "m0" and reading.cited and reading.cited.start is not None:
        return reading.sections.at(reading.cited.start)
    span = view.text_span(shown.part)
    return reading.sections.at(span[0]) if span else None


def _parts(
    here: str, view: FiledView | None, part: int, lists: Lists
) -> list[tuple[int, str | None]]:
    """Return the parts of the document with their addresses, None for the current one."""
    count = len(view.parts) if view else 0
    none = dict.fromkeys(PLACES)
    return [
        (number, None if number == part + 1 else address(here, lists, **{**none, "part": number}))
        for number in range(1, count + 1)
        if count > 1
    ]
