"""A document as filed, in a frame that runs no scripts.

The document is a page by somebody else. The archive serves it at an address of its own, which is
signed and expires: a sandboxed frame has no origin, and its requests have no cookies. The document
may load images of the same submission below that address, and nothing else.
"""

import asyncio
import hashlib
import hmac
import time
from base64 import urlsafe_b64encode
from pathlib import PurePosixPath
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from edgar_search.document.original import find_original, open_original, require_document
from edgar_search.edgar.identifiers import accession_of, is_document_id
from edgar_search.errors import EdgarSearchError, Forbidden, NotFound
from edgar_search.search.filings import filing_of
from edgar_search.stored.filings import FilingDocument, StoredFiling
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.browser import OPEN_ACCOUNT, PageCall, refuse_other_hosts
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import rendered
from edgar_search.web.responses import on_error
from edgar_search.web.service import service

PAGE = "/document/{document_id}/as-filed"
CONTENT = "/as-filed/{until}/{signature}/{accession_number}/{name}"
# The lifetime of an address in seconds. It ends at a multiple of the step, so that browsers can
# cache it.
_LIFETIME, _STEP = 900, 300
_DIGEST = 16
# A report has a hundred images, and each is a request.
_RATE = 100
# Files that a frame shows; anything else would be a download, which EDGAR offers.
_SHOWN = (".htm", ".html", ".txt", ".xml", ".jpg", ".jpeg", ".gif", ".png", ".svg")


async def as_filed(request: Request, call: PageCall) -> Response:
    """GET /document/DOCUMENT_ID/as-filed: the page with the frame."""
    document_id = request.path_params["document_id"]
    if not is_document_id(document_id):
        raise NotFound("this is not a document id")
    state = service(request)
    number = accession_of(document_id)
    filing = await while_connected(request, filing_of(state.engine, number, call.account))
    document = filing.documents[require_document(filing, document_id)]
    find_original(filing, document_id)
    return rendered(
        "as_filed.html",
        filing=filing,
        document=document,
        company=filing.entity_name or number,
        frame=frame_address(await state.frames.value(), number, document, time.time()),
        **head(call),
    )


async def content(request: Request) -> Response:
    """GET /as-filed/...: the document in the frame, and its images."""
    try:
        refuse_other_hosts(request)
        return await _content(request)
    except EdgarSearchError as error:
        return await on_error(request, error)


async def _content(request: Request) -> Response:
    state, path = service(request), request.path_params
    number, until = path["accession_number"], path["until"]
    wanted = signature(await state.frames.value(), number, until)
    given = path["signature"].encode()
    # A signed `until` is a number.
    if not hmac.compare_digest(wanted.encode(), given) or int(until) <= time.time():
        raise Forbidden("this address has expired; open the document again")
    client = request.client.host if request.client else ""
    admission, turn = state.admission, f"as-filed/{client}"
    await admission.rates.check_user(turn, _RATE)
    plan = admission.accounts.plans.named(state.settings.pages_plan)
    async with admission.shares.share(turn, plan):
        filing = await while_connected(request, filing_of(state.engine, number, OPEN_ACCOUNT))
    found = find_original(filing, _find_document(filing, path["name"]).document_id)
    opened = await asyncio.to_thread(open_original, state.archive, found)
    base = f"{str(request.base_url)[:-1]}/as-filed/{until}/{wanted}/{number}/"
    headers = {
        "Content-Type": opened.content_type,
        "Content-Length": str(found.document.size),
        "Content-Security-Policy": policy(base),
        "Cache-Control": f"private, max-age={_STEP}",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(opened.chunks, headers=headers)


def policy(base: str) -> str:
    """The policy of a document, which allows its own styles and images below this address."""
    rules = (
        "sandbox",
        "default-src 'none'",
        f"img-src {base}",
        "style-src 'unsafe-inline'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'self'",
    )
    return "; ".join(rules)


def frame_address(secret: bytes, number: str, document: FilingDocument, now: float) -> str | None:
    """The address of a document for some minutes; None if no frame shows it."""
    name = document.file_name or document.document_id
    if not _is_shown(document):
        return None
    until = str((int(now) + _LIFETIME) // _STEP * _STEP)
    return f"/as-filed/{until}/{signature(secret, number, until)}/{number}/{quote(name, safe='')}"


def _is_shown(document: FilingDocument) -> bool:
    # Documents without a name are from EDGAR's first years, and plain text.
    name = document.file_name
    return not name or PurePosixPath(name).suffix.lower() in _SHOWN


def signature(secret: bytes, number: str, until: str) -> str:
    """The signature that shows that this service made the address."""
    digest = hmac.digest(secret, f"{until} {number}".encode(), hashlib.sha256)[:_DIGEST]
    return urlsafe_b64encode(digest).decode().rstrip("=")


def _find_document(filing: StoredFiling, name: str) -> FilingDocument:
    for document in filing.documents:
        if name in (document.file_name, document.document_id) and _is_shown(document):
            return document
    raise NotFound("there is no such document")
