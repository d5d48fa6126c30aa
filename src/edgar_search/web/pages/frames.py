"""A filed document in a frame without scripts: its signed address and its content.

The document is a page that a stranger wrote. The frame shows the filed bytes after cleaning, and
with marks (`edgar_search.document.filed_layout`). A sandboxed frame has no origin, and its requests
carry no cookies, so its address is the credential: it is signed and expires. The document may load
images of the same submission below that address, and nothing else.
"""

import asyncio
import hashlib
import time
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode

from itsdangerous import Signer
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
)
from edgar_search.document.reading_room import ReadingOf
from edgar_search.document.sections import places_in
from edgar_search.document.text import retry_if_reloaded
from edgar_search.errors import EdgarSearchError, Forbidden, NotFound, TooCostlyToRead
from edgar_search.search.filings import filer_cik, filing_of
from edgar_search.search.language import query_slots
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection
from edgar_search.web.callers import OPEN_ACCOUNT
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.browser import (
    page_parameters,
    refuse_other_hosts,
)
from edgar_search.web.pages.document import (
    PARAMETERS,
    Reading,
    TextRequest,
    read_text,
    text_request,
)
from edgar_search.web.pages.frame_html import Look, frame_bytes
from edgar_search.web.pages.links import Lists, address, as_asked
from edgar_search.web.pages.search_results import FORMER
from edgar_search.web.pages.templates import environment
from edgar_search.web.responses import on_error
from edgar_search.web.service import service

CONTENT = "/as-filed/{until}/{signature}/{accession_number}/{name}"
# An address lives for this many seconds. It ends at a multiple of the step, so that browsers can
# cache it.
_LIFETIME, _STEP = 900, 300
# Bytes of a nonce.
_NONCE = 8
# A report contains a hundred images, each of which is a request.
_RATE = 100
# Files that a frame shows; anything else would be a download, which EDGAR offers.
_IMAGES = (".jpg", ".jpeg", ".gif", ".png", ".svg")
_SHOWN = (".htm", ".html", ".txt", ".xml", *_IMAGES)
# The page's parameters that decide what is marked in the frame, and what its links keep.
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
_IN_FRAME = by_spelling(
    [
        Parameter("asked", "text", "parameters of the page", longest=20_000),
        Parameter("key", "text", "the signature of `asked`", longest=100),
        Parameter("part", "integer", "the number of a part", least=1, default=1),
    ]
)
# A larger document is shown as text only.
_MOST_BYTES = 33_554_432


async def content(request: Request) -> Response:
    """GET /as-filed/...: the document in the frame, and its images."""
    try:
        refuse_other_hosts(request)
        return await _content(request)
    except EdgarSearchError as error:
        return await on_error(request, error)


async def _content(request: Request) -> Response:
    # The address is the credential: no caller is identified, so the engine is the visitors'.
    state, path = service(request).for_account(OPEN_ACCOUNT), request.path_params
    request.state.service = state
    number, until = path["accession_number"], path["until"]
    secret = await state.frames.value()
    signed = path["signature"]
    is_ours = _signer(secret, "address").verify_signature(f"{until} {number}", signed)
    # A signed `until` is a number.
    if not is_ours or int(until) <= time.time():
        raise Forbidden("this address has expired; open the document again")
    client = request.client.host if request.client else ""
    admission, turn = state.admission, f"as-filed/{client}"
    await admission.rates.check_user(turn, _RATE)
    plan = admission.accounts.plans.named(state.settings.pages_plan)
    base = f"{str(request.base_url)[:-1]}/as-filed/{until}/{signed}/{number}/"
    headers = {
        "Content-Security-Policy": policy(base),
        "Cache-Control": f"private, max-age={_STEP}",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-Content-Type-Options": "nosniff",
    }
    async with admission.shares.share(turn, plan) as share:
        filing = await while_connected(request, filing_of(state.engine, number))
        original = find_original(filing, _find_document(filing, path["name"]).document_id)
        if has_layout(original.document):
            lists, part = _read_page_parameters(request, secret, f"{until} {number} {path['name']}")
            names = await names_of(state.context, as_asked(lists))
            text_asked, _ = text_request(Parameters(lists, by_spelling(PARAMETERS)), names)
            await share.weigh(query_slots(text_asked.query))
            nonce = _nonce(secret, until, number)
            work = _frame_html(request, turn, filing, original, text_asked, lists, part, nonce)
            try:
                html = await while_connected(request, work)
            except TooCostlyToRead as error:
                template = environment().get_template("not_shown.html")
                page = template.render(reason=error, document_id=original.document.document_id)
                return HTMLResponse(page, 503, headers | {"Cache-Control": "no-store"})
            return _html_response(request, html, headers)
    opened = await asyncio.to_thread(open_original, state.archive, original)
    headers |= {"Content-Type": opened.content_type, "Content-Length": str(original.document.size)}
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(opened.chunks, headers=headers)


def _read_page_parameters(request: Request, secret: bytes, of: str) -> tuple[Lists, int]:
    """Return the page's parameters, which it has signed, and the part.

    Raises Forbidden if it has not signed them.
    """
    parameters = Parameters(page_parameters(request), _IN_FRAME)
    query, key = parameters.text("asked") or "", parameters.text("key") or ""
    if query and not _signer(secret, "parameters").verify_signature(f"{of} {query}", key):
        raise Forbidden("this address was changed; open the document again")
    return parse_qs(query), parameters.integer("part") - 1


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
    reading = await reading_of(request, found.document, asked)
    places = needs_places(asked, lists)
    body, view = await view_of_document(request, account, found, reading, places)
    if number >= len(view.parts):
        raise NotFound(f"the document has {len(view.parts)} parts")
    span = view.text_span(number)
    marks = reading.marks_between(*span) if reading and span else []
    sections = [
        Anchored(place, section.item)
        for section in (reading.sections.all if reading else ())
        if reading and (place := filed_place(reading, view, section)) is not None
    ]
    here = address(f"/document/{found.document.document_id}/as-filed", lists)

    of = ReadingOf(found.document.document_id, account, f"{found.archived.path} part {number}")
    marked = [Marked(mark.start, mark.end, f"m{mark.number}") for mark in marks]
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


async def reading_of(
    request: Request, listed: FilingDocument, asked: TextRequest
) -> Reading | None:
    """Return the reading of the document's text; None if it has no text."""
    try:
        return await retry_if_reloaded(
            service(request).engine, lambda: read_text(request, listed.document_id, asked)
        )
    except NotFound:
        return None


async def view_of_document(
    request: Request, account: str, found: OriginalDocument, reading: Reading | None, places: bool
) -> tuple[bytes, FiledView]:
    """Return a document's bytes and its view; raises as the reading room does."""
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


def needs_places(asked: TextRequest, lists: Lists) -> bool:
    """Return True if text positions are requested that must be mapped to bytes."""
    place = asked.query or asked.cited or asked.at or asked.start
    return place is not None or any(lists.get("section", ()))


def filed_place(reading: Reading, view: FiledView, section: StoredSection) -> int | None:
    """Return the byte at which a section begins in the document, or None if unknown."""
    for span in places_in(section, reading.text.document_id)[:1]:
        for start, _ in view.places.filed_runs(*span) if view.places else ():
            return start
    return None


class Shown(NamedTuple):
    """The part to show, from 0, and the name of the position in it, or "" for its beginning.

    `ours` is false if the name comes from the document.
    """

    part: int
    name: str
    ours: bool = True


def policy(base: str) -> str:
    """Return the policy of a document, which allows its own styles and images below this address.

    Clicking the link of a number navigates the whole page.
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
    """The address of a frame, without the position in it, and the names of positions."""

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
    """Return the address of a document's part for some minutes; None if no frame shows it."""
    # A name with a slash spans several segments of a path, and browsers resolve one of dots.
    name = document.file_name
    if "/" in name or not name.strip("."):
        name = document.document_id
    if not _is_shown(document):
        return None
    until = str((int(now) + _LIFETIME) // _STEP * _STEP)
    path = f"/as-filed/{until}/{signature(secret, number, until)}/{number}/{name}"
    if not has_layout(document):
        return Frame(address(path), "", "")
    query = urlencode([(key, value) for key in _MARKING for value in lists.get(key, ()) if value])
    key = None
    if query:
        of = f"{until} {number} {name}"
        key = _signer(secret, "parameters").get_signature(f"{of} {query}").decode()
    nonce = _nonce(secret, until, number)
    place = (f"#{nonce}-{shown.name}" if shown.ours else f"#{shown.name}") if shown.name else ""
    return Frame(address(path, part=shown.part + 1, asked=query, key=key), place, f"#{nonce}-m")


def _is_shown(document: FilingDocument) -> bool:
    # Documents without a name are from EDGAR's first years, and plain text.
    return _has_suffix(document, _SHOWN)


def has_layout(document: FilingDocument) -> bool:
    """Return True if the document is shown in parts with marks, and not as a plain file."""
    return _is_shown(document) and not (document.file_name and _has_suffix(document, _IMAGES))


def _has_suffix(document: FilingDocument, suffixes: Iterable[str]) -> bool:
    name = document.file_name
    return not name or PurePosixPath(name).suffix.lower() in suffixes


def signature(secret: bytes, number: str, until: str) -> str:
    """Return the signature that proves that this service made the address."""
    return _signer(secret, "address").get_signature(f"{until} {number}").decode()


def _signer(secret: bytes, what: str) -> Signer:
    return Signer(secret, f"as-filed {what}", digest_method=hashlib.sha256)


def _nonce(secret: bytes, until: str, number: str) -> str:
    """Return a name that no filing can guess."""
    key = secret[: hashlib.blake2b.MAX_KEY_SIZE]
    digest = hashlib.blake2b(f"{until} {number}".encode(), digest_size=_NONCE, key=key)
    # A class name begins with a letter.
    return f"n{digest.hexdigest()}"


def _find_document(filing: StoredFiling, name: str) -> FilingDocument:
    for document in filing.documents:
        if name in (document.file_name, document.document_id) and _is_shown(document):
            return document
    raise NotFound("there is no such document")
