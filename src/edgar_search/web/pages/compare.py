"""GET /compare: a section, or the whole, of two filings, side by side or in one column."""

import asyncio
from collections.abc import Sequence
from itertools import chain, islice
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.compared_documents import (
    Side,
    compare_sides,
    comparison_slots,
    read_side,
)
from edgar_search.document.comparison import ChangedPassage
from edgar_search.document.original import require_document
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import BadRequest, NoSuchSection, NotFound
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria, FilingSearch, Window
from edgar_search.search.filings import (
    ListedFiling,
    filing_of,
    look_up_filings,
    sections_of_document,
)
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.compared import (
    MOST_NUMBERS,
    ChangedNumber,
    ShownPassage,
    changed_numbers,
    shown_passages,
)
from edgar_search.web.pages.links import Lists, address, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import day, render
from edgar_search.web.service import service

PATH = "/compare"
VIEWS = ("side by side", "in one column")
# Passages on one page, and how many of the company's filings to choose from.
_SIZE, _CHOICES = 50, 100
_DECLARED = by_spelling(
    [
        Parameter("from", "text", "the earlier document", type=types.DOCUMENT_ID),
        Parameter("to", "text", "the later document", type=types.DOCUMENT_ID),
        Parameter("section", "text", "only this section of both", longest=60),
        Parameter("view", "choice", "the arrangement", default=VIEWS[0], choices=VIEWS),
        Parameter("offset", "integer", "passages to skip", least=0, default=0),
    ]
)


class Choice(NamedTuple):
    """A document of a filing by the same company on the same form, and its label."""

    document_id: str
    name: str


class Compared(NamedTuple):
    """Two sides and their differences; `wrong` says why there are none.

    `lacks` is true if one of them does not contain the section.
    """

    sides: tuple[Side, Side] | None
    passages: list[ChangedPassage]
    wrong: str = ""
    status: int = 200
    lacks: bool = False


async def compare(request: Request, call: PageCall) -> Response:
    """Compare two documents; by default with the previous filing's."""
    lists = page_parameters(request)
    parameters = Parameters(lists, _DECLARED)
    to, section = parameters.value("to"), (parameters.text("section") or "").strip()
    view, offset = parameters.choice("view"), parameters.integer("offset")
    if to is None:
        raise BadRequest("`to` is missing; give the id of the later document")
    context = service(request).context
    filing = await filing_of(context.engine, accession_of(to))
    document = filing.documents[require_document(filing, to)]
    before, choices = await _choices(context, filing, document)
    chosen = parameters.value("from") or before
    names = {choice.document_id: choice.name for choice in choices}
    for side in (chosen, to):
        if side and side not in names:
            names[side] = side
            choices.insert(0, Choice(side, side))
    kept = await _sections_of(context, [side for side in (to, chosen) if side])

    async def read(name: str, document_id: str) -> Side:
        try:
            return await read_side(context, name, document_id, section)
        except NoSuchSection:
            item = kept.get(section)
            raise NoSuchSection(
                f"The {names[document_id]} has no section"
                f" {_heading(item) if item else section}."
                " Choose another section or another filing."
            ) from None

    async def work() -> Compared:
        if chosen is None:
            missing = f"No earlier {filing.form_type} of this company is here."
            return Compared(None, [], missing)
        try:
            first, second = await read("from", chosen), await read("to", to)
            await call.share.weigh(comparison_slots(first, second))
            return Compared((first, second), await compare_sides(first, second))
        except (BadRequest, NotFound) as error:
            lacks = isinstance(error, NoSuchSection)
            return Compared(None, [], str(error), error.status, lacks)

    compared = await work()
    section = compared.sides[1].section if compared.sides else section
    call.result_count = len(compared.passages)
    passages, numbers = await asyncio.to_thread(_shown, compared, offset)
    here = {"from": [chosen or ""], "to": [to], "section": [section], "view": [view]}
    return render(
        "compare.html",
        compared.status,
        filing=filing,
        document=document,
        company=filing.entity_name or filing.accession_number,
        chosen=chosen,
        names=names,
        places=[_place_of(side) for side in compared.sides or ()],
        choices=choices,
        sections=kept,
        section=section,
        whole=address(PATH, here, section=None),
        view=view,
        views=[(side, address(PATH, here, view=side)) for side in VIEWS],
        found=compared,
        counts=_counts(compared.passages),
        shown=passages,
        numbers=numbers,
        passage_address=lambda number: _address_of(here, number, offset),
        pager=_pager(here, len(compared.passages), offset),
        api=curl(_call(here), str(request.base_url)[:-1]),
        milliseconds=call.milliseconds,
        **head(call),
    )


async def _choices(
    context: SearchContext, filing: StoredFiling, document: FilingDocument
) -> tuple[str | None, list[Choice]]:
    """Return the previous filing's document, and the choices among all filings on the form."""
    if not filing.entities:
        return None, []
    cik = filing.entities[filing.primary].cik
    criteria = FilingCriteria(cik=(cik,), form_type=(filing.form_type,))
    filings = await look_up_filings(context, FilingSearch(criteria, Window(0, _CHOICES)))
    previous, choices = None, []
    for other in filings.filings:
        counterpart = _counterpart(other, document.form_type)
        if other.accession_number == filing.accession_number:
            counterpart = document.document_id
        if counterpart is None:
            continue
        period = f" for {day(other.period)}" if other.period else ""
        name = f"{other.form_type}{period}, filed {day(other.filing_date)}"
        choices.append(Choice(counterpart, name))
        earlier = (other.filing_date, other.accession_number) < (
            filing.filing_date,
            filing.accession_number,
        )
        if previous is None and earlier:
            previous = counterpart
    return previous, choices


async def _sections_of(
    context: SearchContext, document_ids: Sequence[str]
) -> dict[str, StoredSection]:
    """Return the sections of these documents by item; if two share one, the first."""
    lists = [
        await sections_of_document(context.engine, document_id) for document_id in document_ids
    ]
    sections: dict[str, StoredSection] = {}
    for section in chain.from_iterable(lists):
        if section.text_start is not None or section.followed:
            sections.setdefault(section.item, section)
    return sections


def _place_of(side: Side) -> str:
    """Return the address of the compared text in its document."""
    here = address(f"/document/{side.document_id}", section=side.section)
    return f"{here}#{side.section}" if side.section else here


def _heading(section: StoredSection) -> str:
    return f"{section.label} {section.description}".strip()


def _counterpart(filing: ListedFiling, document_type: str) -> str | None:
    """Return the first document of this type in a filing."""
    same = (document for document in filing.documents if document.form_type == document_type)
    return next((match.document_id for match in same), None)


def _shown(found: Compared, offset: int) -> tuple[list[ShownPassage], list[ChangedNumber]]:
    if found.sides is None:
        return [], []
    numbers = changed_numbers(*found.sides, found.passages)
    passages = shown_passages(*found.sides, found.passages, offset, offset + _SIZE)
    return passages, list(islice(numbers, MOST_NUMBERS))


def _counts(passages: list[ChangedPassage]) -> list[tuple[int, str]]:
    kinds = [passage.change.kind for passage in passages]
    return [
        (kinds.count(kind), kind)
        for kind in ("changed", "added", "removed", "moved")
        if kind in kinds
    ]


def _pager(here: Lists, total: int, offset: int) -> list[tuple[int, str | None]]:
    """Return the pages with their addresses, None for this one; [] if there is only one."""
    if total <= _SIZE:
        return []
    return [
        (start // _SIZE + 1, None if start == offset else address(PATH, here, offset=start or None))
        for start in range(0, total, _SIZE)
    ]


def _address_of(here: Lists, number: int, offset: int) -> str:
    """Return the address of a passage, which may be on another page."""
    start = (number - 1) // _SIZE * _SIZE
    page = "" if start == offset else address(PATH, here, offset=start or None)
    return f"{page}#c{number}"


def _call(here: Lists) -> str:
    return address("/v1/compare", {name: here[name] for name in ("from", "to", "section")})
