"""/Archives/edgar/data/: submissions and their documents as filed, and the pages that list them."""

import asyncio
import html
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.document.original import find_original, open_original, open_submission
from edgar_search.edgar.identifiers import parse_accession_number
from edgar_search.errors import NotFound
from edgar_search.search.filings import filing_of
from edgar_search.stored.filings import FilingDocument, StoredFiling
from edgar_search.web.calls import V1Call
from edgar_search.web.edgar.mirror import mirrored, mirrored_json, page_of, routes_at
from edgar_search.web.ranges import Part, asked_part, part_response
from edgar_search.web.responses import is_known
from edgar_search.web.service import service

_DATA = "/Archives/edgar/data/{cik}"
_NUMBER = re.compile(r"(\d{10}-\d{2}-\d{6})(.*)", re.ASCII)
_TEXT, _HTML = "text/plain", "text/html; charset=utf-8"
_INDEXES = ("-index.html", "-index.htm")
_HEADERS = ("-index-headers.html", "-index-headers.htm")
# Headers take some kilobytes; a longer one is cut on the page.
_MOST_HEADER = 1_000_000
# What filed pages may do in a browser: nothing with the pages of this service.
_SANDBOX = {"Content-Security-Policy": "sandbox", "Cache-Control": "private, no-cache"}


async def submission(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/data/{cik}/{name}: a whole submission, or the page that lists it."""
    match = _NUMBER.fullmatch(request.path_params["name"])
    if match is None:
        return await folder(request, call)
    filing = await _filing(request, match[1])
    return await _of_submission(request, filing, match[2])


async def folder(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/data/{cik}/{number}/: the files of a filing as a page."""
    filing = await _filing(request, request.path_params["name"])
    return await mirrored(request, folder_page(filing).encode(), _HTML)


async def filed(request: Request, call: V1Call) -> Response:
    """GET /Archives/edgar/data/{cik}/{name}/{file}: a document, byte for byte, or a list of all."""
    filing, name = await _filing(request, request.path_params["name"]), request.path_params["file"]
    if name == "index.json":
        return await mirrored_json(request, lambda: folder_json(filing))
    if name == "":
        return await folder(request, call)
    own = _NUMBER.fullmatch(name)
    if own is not None and own[1] == filing.accession_number:
        return await _of_submission(request, filing, own[2])
    for document in filing.documents:
        if document.file_name == name:
            return await _document(request, filing, document)
    raise NotFound(f"{filing.accession_number} has no file {name[:100]}")


async def _filing(request: Request, text: str) -> StoredFiling:
    """Return the filing with a number, with or without dashes, below one of its entities."""
    number = parse_accession_number(text)
    if number is None:
        raise NotFound(f"{text[:40]} is not an accession number")
    filing = await filing_of(service(request).engine, number)
    cik = request.path_params["cik"]
    if not cik.isascii() or not cik.isdigit() or cik.zfill(10) not in filing.ciks:
        raise NotFound(f"{number} is not a filing of {cik[:20]}; it is of {', '.join(filing.ciks)}")
    return filing


async def _of_submission(request: Request, filing: StoredFiling, ending: str) -> Response:
    if ending == ".txt":
        return await _whole(request, filing)
    if ending in _INDEXES:
        return await mirrored(request, index_page(filing).encode(), _HTML)
    if ending in _HEADERS:
        return await _headers(request, filing)
    endings = ", ".join((".txt", *_INDEXES, *_HEADERS))
    raise NotFound(f"{filing.accession_number} has {endings}")


async def _headers(request: Request, filing: StoredFiling) -> Response:
    """Return a page with the header of a submission as filed, and the names of its documents."""

    def read() -> bytes:
        opened = open_submission(service(request).archive, filing)
        head = b""
        for chunk in opened.chunks:
            head += chunk
            if b"<DOCUMENT>" in head or len(head) > _MOST_HEADER:
                break
        text = head.partition(b"<DOCUMENT>")[0][:_MOST_HEADER].decode("latin-1")
        return headers_page(filing, text).encode()

    return await mirrored(request, await asyncio.to_thread(read), _HTML)


async def _whole(request: Request, filing: StoredFiling) -> Response:
    if filing.archive is None:
        raise NotFound(f"{filing.accession_number} is not kept as filed")
    etag = f'"{filing.archive.path.split(".")[-2]}"'
    size = sum(member[3] for member in filing.archive.members)

    def read(part: Part) -> Iterator[bytes]:
        opened = open_submission(service(request).archive, filing, part.start)
        return part.of(opened.chunks, opened.start)

    headers = {"Content-Type": _TEXT, **_SANDBOX}
    return await part_response(request, etag, asked_part(request, etag, size), headers, read)


async def _document(request: Request, filing: StoredFiling, document: FilingDocument) -> Response:
    original = find_original(filing, document.document_id)
    etag = f'"{original.archived.path.split(".")[-2]}-{document.document_id}"'
    if is_known(request, etag):
        return Response(status_code=304, headers={"ETag": etag, **_SANDBOX})
    opened = await asyncio.to_thread(open_original, service(request).archive, original)
    headers = {"Content-Type": opened.content_type, **_SANDBOX}
    part = asked_part(request, etag, document.size)
    return await part_response(request, etag, part, headers, lambda part: part.of(opened.chunks))


def _files(filing: StoredFiling) -> Iterator[tuple[str, str, int]]:
    """Yield the names of a folder's files with their types and sizes, the submission first."""
    yield f"{filing.accession_number}.txt", "", filing.size
    for document in filing.documents:
        if document.file_name:
            yield document.file_name, document.form_type, document.size


def folder_json(filing: StoredFiling) -> dict[str, Any]:
    """List a folder in the form of EDGAR's `index.json`; `type` names an icon."""
    modified = _modified(filing)
    items = [
        {
            "last-modified": modified,
            "name": name,
            "type": "text.gif",
            "size": str(size) if size else "",
        }
        for name, _, size in _files(filing)
    ]
    folder = f"/Archives/edgar/data/{int(filing.ciks[0])}/{_plain(filing)}"
    parent = f"/Archives/edgar/data/{int(filing.ciks[0])}"
    return {"directory": {"item": items, "name": folder, "parent-dir": parent}}


def folder_page(filing: StoredFiling) -> str:
    """List a folder as a page."""
    rows = "".join(
        f'<tr><td><a href="{html.escape(_href(filing, name))}">{html.escape(name)}</a></td>'
        f"<td>{size}</td><td>{_modified(filing)}</td></tr>\n"
        for name, _, size in _files(filing)
    )
    title = f"Directory Listing for {filing.accession_number}"
    head = "<tr><th>Name</th><th>Size</th><th>Last Modified</th></tr>\n"
    return page_of(title, f'<table id="main-content" summary="{title}">\n{head}{rows}</table>')


def index_page(filing: StoredFiling) -> str:
    """Render a filing's page, with the tables of documents that programs read."""
    rows = "".join(
        f'<tr><td scope="row">{place}</td>'
        f'<td scope="row">{html.escape(document.description)}</td>'
        f'<td scope="row"><a href="{html.escape(_href(filing, document.file_name))}">'
        f"{html.escape(document.file_name)}</a></td>"
        f'<td scope="row">{html.escape(document.form_type)}</td>'
        f'<td scope="row">{document.size}</td></tr>\n'
        for place, document in enumerate(filing.documents, start=1)
        if document.file_name
    )
    submission_name = f"{filing.accession_number}.txt"
    last = (
        '<tr><td scope="row">&nbsp;</td><td scope="row">Complete submission text file</td>'
        f'<td scope="row"><a href="{_href(filing, submission_name)}">{submission_name}</a></td>'
        f'<td scope="row">&nbsp;</td><td scope="row">{filing.size}</td></tr>\n'
    )
    head = "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS) + "</tr>\n"
    facts: list[tuple[str, object]] = [("Filing Date", filing.filing_date)]
    facts += [("Accepted", filing.accepted_at)]
    facts += [("Documents", len(filing.documents)), ("Period of Report", filing.period)]
    table_rows = "".join(
        f'<div class="infoHead">{name}</div><div class="info">{value}</div>\n'
        for name, value in facts
        if value
    )
    entities = "".join(
        f'<div class="companyInfo"><span class="companyName">{html.escape(entity.name)}'
        f" ({html.escape(entity.role.title())}) <acronym>CIK</acronym>: {entity.cik}</span></div>\n"
        for entity in filing.entities
    )
    form = html.escape(filing.form_type)
    body = (
        f'<div id="formHeader"><div id="formName"><strong>Form {form}</strong></div>'
        f'<div id="secNum"><strong><acronym>SEC</acronym> Accession No.</strong>'
        f" {filing.accession_number}</div></div>\n{table_rows}"
        '<table class="tableFile" summary="Document Format Files">\n'
        f"{head}{rows}{last}</table>\n{entities}"
    )
    return page_of(f"EDGAR Filing Documents for {filing.accession_number}", body)


def headers_page(filing: StoredFiling, header: str) -> str:
    """Render a submission's header with the tags of its documents, each with its address."""
    documents = "".join(
        f"&lt;DOCUMENT&gt;\n&lt;TYPE&gt;{html.escape(document.form_type)}\n"
        f"&lt;SEQUENCE&gt;{place}\n"
        f'&lt;FILENAME&gt;<a href="{html.escape(_href(filing, document.file_name))}">'
        f"{html.escape(document.file_name)}</a>\n"
        f"&lt;DESCRIPTION&gt;{html.escape(document.description)}\n&lt;/DOCUMENT&gt;\n"
        for place, document in enumerate(filing.documents, start=1)
        if document.file_name
    )
    body = f"<pre>{html.escape(header)}{documents}&lt;/SEC-DOCUMENT&gt;</pre>"
    return page_of(f"EDGAR Filing Headers for {filing.accession_number}", body)


_COLUMNS = ("Seq", "Description", "Document", "Type", "Size")


def _href(filing: StoredFiling, name: str) -> str:
    return f"/Archives/edgar/data/{int(filing.ciks[0])}/{_plain(filing)}/{quote(name)}"


def _plain(filing: StoredFiling) -> str:
    return filing.accession_number.replace("-", "")


def _modified(filing: StoredFiling) -> str:
    moment = filing.accepted_at
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else f"{filing.filing_date} 00:00:00"


routes = [
    *routes_at(f"{_DATA}/{{name}}", submission),
    *routes_at(f"{_DATA}/{{name}}/{{file:path}}", filed),
]
