"""A document in its own layout, in a frame that runs no scripts, with its matches marked.

The document is a page that a stranger wrote. What the frame gets is made of the filed bytes:
cleaned, and with marks (`edgar_search.document.filed_layout`). It has an address of its own, which
is signed and expires: a sandboxed frame has no origin, and its requests have no cookies. The
document may load images of the same submission below that address, and nothing else.
"""

import asyncio
import hashlib
import hmac
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from edgar_search.api.finding import names_of
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.filed_view import Anchored, FiledView, Marked
from edgar_search.document.kept_views import read_body, view_of
from edgar_search.document.original import (
    OriginalDocument,
    find_original,
    open_original,
    require_document,
)
from edgar_search.document.reading_room import ReadingOf
from edgar_search.document.sections import places_in
from edgar_search.document.text import retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import EdgarSearchError, Forbidden, NotFound, TooCostlyToRead
from edgar_search.search.filings import filer_cik, filing_of
from edgar_search.search.language import query_slots
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection
from edgar_search.web.callers import OPEN_ACCOUNT
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.browser import (
    PageCall,
    page_parameters,
    refuse_other_hosts,
)
from edgar_search.web.pages.document import (
    PARAMETERS,
    PLACES,
    Listed,
    Reading,
    TextRequest,
    call_of,
    document_id_of,
    read_text,
    shown_document,
    steps,
    text_request,
)
from edgar_search.web.pages.frame_html import Look, frame_bytes
from edgar_search.web.pages.links import Lists, address, as_asked, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.search_results import FORMER
from edgar_search.web.pages.templates import render
from edgar_search.web.responses import on_error
from edgar_search.web.service import service

PAGE = "/document/{document_id}/as-filed"
CONTENT = "/as-filed/{until}/{signature}/{accession_number}/{name}"
# The lifetime of an address in seconds. It ends at a multiple of the step, so that browsers can
# cache it.
_LIFETIME, _STEP = 900, 300
# Bytes of a signature, and hexadecimal digits of a nonce.
_DIGEST, _NONCE = 16, 16
# A report has a hundred images, and each is a request.
_RATE = 100
# Files that a frame shows; anything else would be a download, which EDGAR offers.
_IMAGES = (".jpg", ".jpeg", ".gif", ".png", ".svg")
_SHOWN = (".htm", ".html", ".txt", ".xml", *_IMAGES)
# The parameters of a page that decide what is marked in the frame, and what its links keep.
_MARKING = (
    "query",
    "word_forms",
    "operands",
    "reading",
    "cited",
    "length",
    "text_sha256",
    "prefix",
    "quote",
    "suffix",
    FORMER,
)
_DECLARED = by_spelling(
    [
        *PARAMETERS,
        Parameter("part", "integer", "the number of a part, to show it", least=1, default=1),
        Parameter("anchor", "text", "a name that the document has for a place", longest=200),
    ]
)
_IN_FRAME = by_spelling(
    [
        Parameter("asked", "text", "parameters of the page", longest=20_000),
        Parameter("key", "text", "the signature of `asked`", longest=100),
        Parameter("part", "integer", "the number of a part", least=1, default=1),
    ]
)
# As long as a text may be in which the first character with a place is looked for.
_LOOKED_AT = 500
# A document with more is shown as text only.
_MOST_BYTES = 33_554_432


class _Opened(NamedTuple):
    """A document with the reading of its text, if it has one, and its layout.

    `unshown` says why no layout can be shown, if that is because of its cost.
    """

    filing: StoredFiling
    reading: Reading | None = None
    view: FiledView | None = None
    unshown: str = ""


class Shown(NamedTuple):
    """The part to show, from 0, and the name of the place in it, "" for its beginning.

    `ours` is false if the document has the name.
    """

    part: int
    name: str
    ours: bool = True


async def as_filed(request: Request, call: PageCall) -> Response:
    """GET /document/DOCUMENT_ID/as-filed: the page with the frame."""
    document_id = document_id_of(request)
    lists = page_parameters(request)
    parameters = Parameters(lists, _DECLARED)
    names = await names_of(service(request).context, as_asked(lists))
    asked, wrong = text_request(parameters, names)
    await call.share.weigh(query_slots(asked.query))
    state = service(request)
    number = accession_of(document_id)

    async def work() -> _Opened:
        filing = await filing_of(state.engine, number)
        found = find_original(filing, document_id)
        if not _has_layout(found.document):
            return _Opened(filing)
        reading = await _reading(request, found.document, asked)
        places = _needs_places(asked, lists)
        try:
            _, view = await _view(request, call.account, found, reading, places)
        except TooCostlyToRead as error:
            return _Opened(filing, reading, unshown=str(error))
        return _Opened(filing, reading, view)

    filing, reading, view, unshown = await work()
    document = filing.documents[require_document(filing, document_id)]
    call.result_count = len(reading.matches) if reading else 0
    shown = _choose_part(parameters, asked, reading, view)
    secret = await state.frames.value()
    frame = None
    if not unshown:
        frame = frame_address(secret, number, document, time.time(), lists, shown)
    now = _section_now(asked, reading, view, shown)
    here, base = f"/document/{document_id}/as-filed", str(request.base_url)[:-1]
    return render(
        "as_filed.html",
        400 if wrong else 200,
        wrong=wrong,
        frame=frame,
        unshown=unshown,
        listed=_list_sections(here, reading, view, now, lists),
        steps=steps(here, reading, lists),
        in_part=_matches_of_part(reading, view, shown.part),
        parts_of=_parts(here, view, shown.part, lists),
        api=curl(call_of(document_id, lists), base),
        milliseconds=call.milliseconds,
        **shown_document(request, filing, document_id, reading, lists, now),
        **head(call, lists),
    )


async def content(request: Request) -> Response:
    """GET /as-filed/...: the document in the frame, and its images."""
    try:
        refuse_other_hosts(request)
        return await _content(request)
    except EdgarSearchError as error:
        return await on_error(request, error)


async def _content(request: Request) -> Response:
    # The address is the credential: no caller is identified, so this is whose engine it is.
    state, path = service(request).for_account(OPEN_ACCOUNT), request.path_params
    request.state.service = state
    number, until = path["accession_number"], path["until"]
    secret = await state.frames.value()
    wanted = signature(secret, number, until)
    given = path["signature"].encode()
    # A signed `until` is a number.
    if not hmac.compare_digest(wanted.encode(), given) or int(until) <= time.time():
        raise Forbidden("this address has expired; open the document again")
    client = request.client.host if request.client else ""
    admission, turn = state.admission, f"as-filed/{client}"
    await admission.rates.check_user(turn, _RATE)
    plan = admission.accounts.plans.named(state.settings.pages_plan)
    base = f"{str(request.base_url)[:-1]}/as-filed/{until}/{wanted}/{number}/"
    headers = {
        "Content-Security-Policy": policy(base),
        "Cache-Control": f"private, max-age={_STEP}",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-Content-Type-Options": "nosniff",
    }
    async with admission.shares.share(turn, plan) as share:
        filing = await while_connected(request, filing_of(state.engine, number))
        found = find_original(filing, _find_document(filing, path["name"]).document_id)
        if _has_layout(found.document):
            lists, part = _read_page_parameters(request, secret, f"{until} {number} {path['name']}")
            names = await names_of(state.context, as_asked(lists))
            asked, _ = text_request(Parameters(lists, by_spelling(PARAMETERS)), names)
            await share.weigh(query_slots(asked.query))
            nonce = _nonce(secret, until, number)
            work = _frame_html(request, turn, filing, found, asked, lists, part, nonce)
            try:
                html = await while_connected(request, work)
            except TooCostlyToRead as error:
                page = _unshown(found.document.document_id, str(error))
                return HTMLResponse(page, 503, headers | {"Cache-Control": "no-store"})
            return _html_response(request, html, headers)
    opened = await asyncio.to_thread(open_original, state.archive, found)
    headers |= {"Content-Type": opened.content_type, "Content-Length": str(found.document.size)}
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(opened.chunks, headers=headers)


def _read_page_parameters(request: Request, secret: bytes, of: str) -> tuple[Lists, int]:
    """The parameters of the page, which it has signed, and the part; Forbidden if it has not."""
    parameters = Parameters(page_parameters(request), _IN_FRAME)
    asked, key = parameters.text("asked") or "", parameters.text("key") or ""
    if asked and not hmac.compare_digest(_hex(secret, f"{of} {asked}").encode(), key.encode()):
        raise Forbidden("this address was changed; open the document again")
    return parse_qs(asked), parameters.integer("part") - 1


def _unshown(document_id: str, reason: str) -> str:
    """The page of a part that is too costly, with a link to its text."""
    return (
        f"<!doctype html><title>Not shown</title><p>{escape(reason)}."
        f' Its <a target="_top" href="/document/{document_id}">plain text</a> can be read.'
    )


async def _frame_html(
    request: Request,
    account: str,
    filing: StoredFiling,
    found: OriginalDocument,
    asked: TextRequest,
    lists: Lists,
    number: int,
    nonce: str,
) -> bytes:
    reading = await _reading(request, found.document, asked)
    places = _needs_places(asked, lists)
    body, view = await _view(request, account, found, reading, places)
    if number >= len(view.parts):
        raise NotFound(f"the document has {len(view.parts)} parts")
    span = view.text_span(number)
    marks = reading.marks_between(*span) if reading and span else []
    sections = [
        Anchored(place, each.item)
        for each in (reading.sections.all if reading else ())
        if reading and (place := _filed_place(reading, view, each)) is not None
    ]
    here = address(f"/document/{found.document.document_id}/as-filed", lists)

    of = ReadingOf(found.document.document_id, account, f"{found.archived.path} part {number}")
    marked = [Marked(each.start, each.end, f"m{each.number}") for each in marks]
    look, packed = Look(nonce, filer_cik(filing), here), _takes_gzip(request)
    room = service(request).room
    return await room.run(of, frame_bytes, view, body, number, marked, sections, look, packed)


def _html_response(request: Request, html: bytes, headers: Mapping[str, str]) -> Response:
    sent = {**headers, "Content-Type": "text/html; charset=utf-8", "Vary": "Accept-Encoding"}
    if _takes_gzip(request):
        sent["Content-Encoding"] = "gzip"
    return Response(html, headers=sent)


def _takes_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


async def _reading(request: Request, listed: FilingDocument, asked: TextRequest) -> Reading | None:
    """The reading of the document's text; None if it has no text."""
    try:
        return await retry_if_reloaded(
            service(request).engine, lambda: read_text(request, listed.document_id, asked)
        )
    except NotFound:
        return None


async def _view(
    request: Request, account: str, found: OriginalDocument, reading: Reading | None, places: bool
) -> tuple[bytes, FiledView]:
    """The bytes of a document and the view of it; raises as the reading room does."""
    state, listed = service(request), found.document
    if listed.size > _MOST_BYTES:
        raise TooCostlyToRead(
            f"{listed.document_id} has {listed.size:,} bytes, and a layout of at most"
            f" {_MOST_BYTES:,} is shown"
        )
    body = await asyncio.to_thread(lambda: read_body(open_original(state.archive, found)))
    if reading is None:
        path = found.archived.path
        return body, await view_of(state.room, account, listed, path, body, None)
    passages = reading.passages
    read_all = (lambda: passages.whole(0, passages.text.length)) if places else None
    version = passages.text.sha256
    return body, await view_of(state.room, account, listed, version, body, read_all)


def _needs_places(asked: TextRequest, lists: Lists) -> bool:
    """True if places of the text are asked for, which have to be found in the bytes."""
    place = asked.query or asked.cited or asked.at or asked.start
    return place is not None or any(lists.get("section", ()))


def _filed_place(reading: Reading, view: FiledView, section: StoredSection) -> int | None:
    """The byte at which a section begins in the document, None if it is not known."""
    for span in places_in(section, reading.text.document_id)[:1]:
        for start, _ in view.places.filed_runs(*span) if view.places else ():
            return start
    return None


def _choose_part(
    parameters: Parameters, asked: TextRequest, reading: Reading | None, view: FiledView | None
) -> Shown:
    """The part asked for, or that of the section, the match or the place."""
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
        return Shown(view.part_at(_filed_place(reading, view, section) or 0), f"s{section.item}")
    place = reading.place(asked)
    part = view.part_of_text(place, place + _LOOKED_AT) or 0
    if asked.start is None and reading.quoted:
        return Shown(part, f"m{reading.quoted.number}")
    cited = asked.start is None and reading.cited and reading.cited.start is not None
    return Shown(part, "m0" if cited else "")


def _matches_of_part(
    reading: Reading | None, view: FiledView | None, part: int
) -> tuple[int, int] | None:
    """The numbers of the first and the last match that begin in a part."""
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
    """The sections in the margin; the one that is shown is marked."""
    if reading is None or view is None:
        return []
    none = dict.fromkeys(PLACES)
    return [
        reading.list_section(
            each, address(here, lists, **{**none, "section": each.item}), each is now
        )
        for each in reading.sections.all
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
    """The parts of the document with their addresses, None for this one's."""
    count = len(view.parts) if view else 0
    none = dict.fromkeys(PLACES)
    return [
        (number, None if number == part + 1 else address(here, lists, **{**none, "part": number}))
        for number in range(1, count + 1)
        if count > 1
    ]


def policy(base: str) -> str:
    """The policy of a document, which allows its own styles and images below this address.

    The links of numbers lead the whole page on, if a reader clicks them.
    """
    rules = (
        "sandbox allow-top-navigation-by-user-activation",
        "default-src 'none'",
        f"img-src {base}",
        "style-src 'unsafe-inline'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    )
    return "; ".join(rules)


class Frame(NamedTuple):
    """The address of a frame, without the place in it, and the names of places."""

    address: str
    place: str
    names: str


def frame_address(
    secret: bytes,
    number: str,
    document: FilingDocument,
    now: float,
    lists: Lists,
    shown: Shown,
) -> Frame | None:
    """The address of a part of a document for some minutes; None if no frame shows it."""
    # A name with a slash is no single segment of a path, and browsers resolve one of dots.
    name = document.file_name
    if "/" in name or not name.strip("."):
        name = document.document_id
    if not _is_shown(document):
        return None
    until = str((int(now) + _LIFETIME) // _STEP * _STEP)
    path = f"/as-filed/{until}/{signature(secret, number, until)}/{number}/{name}"
    if not _has_layout(document):
        return Frame(address(path), "", "")
    asked = urlencode([(key, value) for key in _MARKING for value in lists.get(key, ()) if value])
    key = _hex(secret, f"{until} {number} {name} {asked}") if asked else None
    nonce = _nonce(secret, until, number)
    place = (f"#{nonce}-{shown.name}" if shown.ours else f"#{shown.name}") if shown.name else ""
    return Frame(address(path, part=shown.part + 1, asked=asked, key=key), place, f"#{nonce}-m")


def _is_shown(document: FilingDocument) -> bool:
    # Documents without a name are from EDGAR's first years, and plain text.
    return _has_suffix(document, _SHOWN)


def _has_layout(document: FilingDocument) -> bool:
    """True if the document is shown in parts with marks, and not as the file that it is."""
    return _is_shown(document) and not (document.file_name and _has_suffix(document, _IMAGES))


def _has_suffix(document: FilingDocument, suffixes: Iterable[str]) -> bool:
    name = document.file_name
    return not name or PurePosixPath(name).suffix.lower() in suffixes


def signature(secret: bytes, number: str, until: str) -> str:
    """The signature that shows that this service made the address."""
    digest = hmac.digest(secret, f"{until} {number}".encode(), hashlib.sha256)[:_DIGEST]
    return urlsafe_b64encode(digest).decode().rstrip("=")


def _hex(secret: bytes, signed: str) -> str:
    return hmac.digest(secret, signed.encode(), hashlib.sha256)[:_DIGEST].hex()


def _nonce(secret: bytes, until: str, number: str) -> str:
    """A name that no filing can know."""
    # A name of a class begins with a letter.
    return f"n{_hex(secret, f'nonce {until} {number}')[:_NONCE]}"


def _find_document(filing: StoredFiling, name: str) -> FilingDocument:
    for document in filing.documents:
        if name in (document.file_name, document.document_id) and _is_shown(document):
            return document
    raise NotFound("there is no such document")
