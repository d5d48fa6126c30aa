"""/v2/document and /v2/filing_sections: documents from the archive, and parts of them."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime
from typing import Literal

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.filed_sections import document_of, sections_html
from edgar_search.document.original import (
    OriginalDocument,
    find_original,
    open_original,
    require_document,
)
from edgar_search.document.reading_room import ReadingOf
from edgar_search.document.text import retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of, split_document_id
from edgar_search.edgar.media_type import named_content_type
from edgar_search.errors import BadRequest
from edgar_search.search.filings import filing_of, sections_of_document
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection, section_id
from edgar_search.web.calls import V2Call
from edgar_search.web.responses import encoded_response, is_known, json_response
from edgar_search.web.service import service
from edgar_search.web.v2.document_json import DocumentReply, document_reply
from edgar_search.web.v2.finding import DOCUMENT_ID, data_endpoint

OUTPUT_FORMATS = ("raw", "json")
REPORT_FORMS = ("10-K", "10-Q")
# JSON is built in memory and takes several times the document's size; XML becomes objects first.
MAX_JSON_BYTES = 33_554_432
MAX_XML_BYTES = 8_388_608
# A filed page was written by a stranger: browsers must not run it as ours.
_AS_FILED = {"Content-Security-Policy": "sandbox"}


class ListedDocument(Struct, rename="camel", gc=False):
    id: str
    accession_number: str
    sequence: int
    document_type: str | None
    file_name: str | None
    description: str | None
    size: int
    content_type: str | None


class Section(Struct, rename="camel"):
    """`content` is HTML; it is null if a filing only lists its sections.

    `document_id` is the document that has the content. If that is what an item of the report points
    at, `followed_from` is the report, otherwise it is null.
    """

    id: str
    document_id: str
    item_label: str
    item_description: str
    content: str | None
    followed_from: str | None


class SectionsReply(Struct):
    sections: list[Section]


DOCUMENT = data_endpoint(
    "/v2/document",
    "returns a document as filed",
    DOCUMENT_ID,
    Parameter(
        "output_format",
        "choice",
        "`raw`: the bytes. `json`: an object with `data`",
        default="raw",
        choices=OUTPUT_FORMATS,
    ),
    Parameter(
        "convert_xml_to_json",
        "flag",
        "true, with `json`: XML becomes an object; text that is not well-formed XML stays text",
        default=False,
    ),
    answer=DocumentReply,
    media=("*/*",),
    statuses=(200, 304),
)
FILING_SECTIONS = data_endpoint(
    "/v2/filing_sections",
    "returns items of annual and quarterly reports, with their content",
    DOCUMENT_ID,
    Parameter("form_type", "choice", "the filing's form", default="10-K", choices=REPORT_FORMS),
    answer=SectionsReply,
)


class DocumentParams(Struct, frozen=True):
    """A filed document, raw or inside JSON."""

    document_id: str
    output_format: Literal["raw", "json"] = "raw"
    convert_xml: bool = False


class SectionParams(Struct, frozen=True):
    """The sections of a document on this form."""

    document_id: str
    form_type: str = "10-K"


def document_params(given: RequestFields) -> DocumentParams:
    """Read the parameters of `/v2/document`."""
    fields = Parameters.of_request(given, DOCUMENT.declared)
    as_json = fields.choice("output_format") == "json"
    convert = fields.flag("convert_xml_to_json")
    if convert and not as_json:
        raise fields.refusal("convert_xml_to_json", "needs `output_format` json")
    return DocumentParams(
        fields.required_value("document_id"),
        "json" if as_json else "raw",
        convert,
    )


def section_params(given: RequestFields) -> SectionParams:
    """Read the parameters of `/v2/filing_sections`."""
    fields = Parameters.of_request(given, FILING_SECTIONS.declared)
    form_type = fields.choice("form_type")
    return SectionParams(fields.required_value("document_id"), form_type)


async def document(request: Request, call: V2Call) -> Response:
    """/v2/document"""
    params = document_params(call.raw)
    state = service(request)
    number = accession_of(params.document_id)
    filed = find_original(await filing_of(state.engine, number), params.document_id)
    headers = _validators(filed, params)
    call.result_count = 1
    if is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    _require_size_for_json(params, filed.document)
    opened = await asyncio.to_thread(open_original, state.archive, filed)
    if params.output_format == "json":
        content = await asyncio.to_thread(b"".join, opened.chunks)
        convert = params.convert_xml
        of = ReadingOf(params.document_id, call.account, f"{filed.archived.path} {convert}")
        kind = opened.content_type
        body = state.room.run(of, document_reply, filed.document, content, kind, convert)
        return encoded_response(await body, headers)
    headers |= {**_AS_FILED, "Content-Length": str(filed.document.size)}
    # A header of its own, because Starlette would add a charset that nobody declared.
    headers["Content-Type"] = opened.content_type
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(opened.chunks, headers=headers)


async def filing_sections(request: Request, call: V2Call) -> Response:
    """/v2/filing_sections"""
    params = section_params(call.raw)
    state = service(request)
    account = call.account
    filing = await filing_of(state.engine, accession_of(params.document_id))
    require_document(filing, params.document_id)
    _require_form(filing, params.form_type)
    stored = await sections_of_document(state.engine, params.document_id)
    sections = with_small_targets(filing, stored)
    call.result_count = len(sections)
    if not sections:
        return json_response(SectionsReply([]))
    filed = find_original(filing, params.document_id)
    if filed.document.size > MAX_JSON_BYTES:
        raise BadRequest(f"`document_id`: {_too_large(filed.document, MAX_JSON_BYTES)}")
    engine = state.engine

    async def work_of_contents() -> list[str | None]:
        return await sections_html(engine, state.archive, state.room, filing, sections, account)

    contents = await retry_if_reloaded(engine, work_of_contents)
    reply = SectionsReply([_section(*pair) for pair in zip(sections, contents, strict=True)])
    return encoded_response(await asyncio.to_thread(msgspec.json.encode, reply))


def _require_form(filing: StoredFiling, form_type: str) -> None:
    """Refuse the sections of one form if the filing is on another."""
    for form in REPORT_FORMS:
        if form != form_type and filing.form_type.startswith(form):
            raise BadRequest(f"`form_type` must be {form}, as of the filing, not {form_type}")


def _too_large(document: FilingDocument, most: int) -> str:
    return f"the document has {document.size} bytes, of at most {most}; ask for raw"


def _validators(filed: OriginalDocument, params: DocumentParams) -> dict[str, str]:
    """Return caching headers; a version of a document never changes."""
    # The file's name ends with a part of the submission's hash.
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


def listed_document(document: FilingDocument) -> ListedDocument:
    """Convert a document to the API's list entry."""
    number, sequence = split_document_id(document.document_id)
    # Arguments by position are faster: a window has thousands of documents.
    return ListedDocument(
        document.document_id,
        number,
        sequence,
        document.form_type or None,
        document.file_name or None,
        document.description or None,
        document.size,
        named_content_type(document.file_name),
    )


def with_small_targets(
    filing: StoredFiling, sections: Sequence[StoredSection]
) -> list[StoredSection]:
    """Return the sections, without following any to a document that is too large for JSON."""
    sizes = {document.document_id: document.size for document in filing.documents}
    return [
        section
        if sizes.get(document_of(section), 0) <= MAX_JSON_BYTES
        else msgspec.structs.replace(section, followed=None)
        for section in sections
    ]


def listed_sections(found: Sequence[StoredSection]) -> list[Section]:
    """Convert sections, leaving out their content."""
    return [_section(section, None) for section in found]


def _section(section: StoredSection, content: str | None) -> Section:
    return Section(
        id=section_id(section.document_id, section.item),
        document_id=document_of(section),
        item_label=section.label,
        item_description=section.description,
        content=content,
        followed_from=section.document_id if section.followed else None,
    )
