"""Documents as filed, out of the archive."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from edgar_search.archive.archive import ArchivedDocument
from edgar_search.archive.store import ArchiveStore
from edgar_search.document.original import (
    OriginalDocument,
    find_original,
    open_original,
    require_document,
)
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import BadRequest
from edgar_search.search.filings import filing_of, sections_of_document
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection
from edgar_search.web.calls import V2Call, route, while_connected
from edgar_search.web.responses import encoded_response, is_known, json_response
from edgar_search.web.service import service
from edgar_search.web.v2.document_answers import SectionsReply, document_reply, sections_reply
from edgar_search.web.v2.endpoints import DOCUMENT, FILING_SECTIONS, REPORT_FORMS
from edgar_search.web.v2.filing_parameters import (
    DocumentParams,
    document_params,
    section_params,
)

# JSON is made in memory, of several times the document's size; XML becomes objects before.
MAX_JSON_BYTES = 33_554_432
MAX_XML_BYTES = 8_388_608
# A page of a filing is somebody else's: browsers must not run it as ours.
_AS_FILED = {"Content-Security-Policy": "sandbox"}


async def document(request: Request, call: V2Call) -> Response:
    """/v2/document"""
    params = document_params(call.raw)
    state = service(request)
    number = accession_of(params.document_id)
    work = filing_of(state.engine, number, call.account)
    filed = find_original(await while_connected(request, work), params.document_id)
    headers = _validators(filed, params)
    call.result_count = 1
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    _require_size_for_json(params, filed.document)
    opened = await asyncio.to_thread(open_original, state.archive, filed)
    if params.output_format == "json":
        body = await asyncio.to_thread(_json, params, filed.document, opened)
        return encoded_response(body, headers)
    headers |= {**_AS_FILED, "Content-Length": str(filed.document.size)}
    # A header of its own, since Starlette would add a charset that nobody declared.
    headers["Content-Type"] = opened.content_type
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(opened.chunks, headers=headers)


async def filing_sections(request: Request, call: V2Call) -> Response:
    """/v2/filing_sections"""
    params = section_params(call.raw)
    state = service(request)
    account = call.account
    work = filing_of(state.engine, accession_of(params.document_id), account)
    filing = await while_connected(request, work)
    require_document(filing, params.document_id)
    _require_form(filing, params.form_type)
    sections = await sections_of_document(state.engine, params.document_id, account)
    call.result_count = len(sections)
    if not sections:
        return json_response(SectionsReply([]))
    filed = find_original(filing, params.document_id)
    if filed.document.size > MAX_JSON_BYTES:
        raise BadRequest(f"`document_id`: {_too_large(filed.document, MAX_JSON_BYTES)}")
    return encoded_response(await asyncio.to_thread(_sections, state.archive, filed, sections))


def _require_form(filing: StoredFiling, form_type: str) -> None:
    """Refuse the sections of the one form if the filing is of the other."""
    for form in REPORT_FORMS:
        if form != form_type and filing.form_type.startswith(form):
            raise BadRequest(f"`form_type` must be {form}, as of the filing, not {form_type}")


def _too_large(document: FilingDocument, most: int) -> str:
    return f"the document has {document.size} bytes, of at most {most}; ask for raw"


def _validators(filed: OriginalDocument, params: DocumentParams) -> dict[str, str]:
    """Headers by which a client asks again for what it has: a version of a document is for ever."""
    # The name of the file ends in a part of the submission's hash.
    version = filed.archived.path.split(".")[-2]
    form = {"raw": "", "json": "-json"}[params.output_format] + ("-xml" * params.convert_xml)
    return {
        "ETag": f'"{version}-{params.document_id}{form}"',
        "Last-Modified": _http_date(filed.filing.loaded_at),
        "Cache-Control": "private, no-cache",
    }


def _http_date(moment: datetime) -> str:
    return format_datetime(moment.replace(microsecond=0), usegmt=True)


def _require_size_for_json(params: DocumentParams, document: FilingDocument) -> None:
    most = MAX_XML_BYTES if params.convert_xml else MAX_JSON_BYTES
    if params.output_format == "json" and document.size > most:
        name = "convert_xml_to_json" if params.convert_xml else "output_format"
        raise BadRequest(f"`{name}`: {_too_large(document, most)}")


def _json(params: DocumentParams, document: FilingDocument, opened: ArchivedDocument) -> bytes:
    content = b"".join(opened.chunks)
    return document_reply(document, content, opened.content_type, convert_xml=params.convert_xml)


def _sections(
    store: ArchiveStore, filed: OriginalDocument, sections: Sequence[StoredSection]
) -> bytes:
    body = b"".join(open_original(store, filed).chunks)
    return msgspec.json.encode(sections_reply(sections, body))


routes = [route(DOCUMENT, document), route(FILING_SECTIONS, filing_sections)]
