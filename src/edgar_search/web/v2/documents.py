"""Documents as filed, out of the archive."""

import asyncio
from datetime import datetime
from email.utils import format_datetime
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from edgar_search import searching_v2 as searching
from edgar_search.edgar import archive
from edgar_search.edgar.archived_document import ArchivedDocument, open_document
from edgar_search.errors import BadRequest, EdgarSearchError, NotFound
from edgar_search.query.v2.filings import DocumentParams, document_params, number_of
from edgar_search.replies.v2.documents import document_reply
from edgar_search.settings import Settings
from edgar_search.stored.filing import Archived, FilingDocument, StoredFiling
from edgar_search.web.data import V2Call
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import encoded_response
from edgar_search.web.state import service
from edgar_search.web.v2.routing import route

# JSON is made in memory, of several times the document's size; XML becomes objects before.
MAX_JSON_BYTES = 33_554_432
MAX_XML_BYTES = 8_388_608
# A page of a filing is somebody else's: browsers must neither run it as ours nor guess its type.
_AS_FILED = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox"}


class _Filed(NamedTuple):
    filing: StoredFiling
    place: int
    archived: Archived

    @property
    def document(self) -> FilingDocument:
        return self.filing.documents[self.place]


async def document(request: Request, call: V2Call) -> Response:
    """/v2/document"""
    params = document_params(call.raw)
    engine, settings = service(request).engine, service(request).settings
    number = number_of(params.document_id)
    work = searching.filing_of(engine, number, call.key.account)
    filed = _filed(await while_connected(request, work), params.document_id)
    headers = _validators(filed, params)
    call.result_count = 1
    if _is_known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    _require_size_for_json(params, filed.document)
    opened = await asyncio.to_thread(_opened, settings, filed)
    if params.output_format == "json":
        body = await asyncio.to_thread(_json, params, filed.document, opened)
        return encoded_response(body, headers)
    headers |= {**_AS_FILED, "Content-Length": str(filed.document.size)}
    # A header of its own, since Starlette would add a charset that nobody declared.
    headers["Content-Type"] = opened.content_type
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(opened.chunks, headers=headers)


def _filed(filing: StoredFiling, document_id: str) -> _Filed:
    """The document; NotFound where the filing has none of this id, or nothing is archived."""
    ids = [document.document_id for document in filing.documents]
    if document_id not in ids:
        raise NotFound(f"there is no document {document_id}")
    place = ids.index(document_id)
    if filing.archive is None or len(filing.archive.members) <= place + 1:
        raise NotFound(
            f"{document_id} is not kept as filed: the archive was switched off when it was loaded"
        )
    return _Filed(filing, place, filing.archive)


def _validators(filed: _Filed, params: DocumentParams) -> dict[str, str]:
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


def _is_known(request: Request, etag: str) -> bool:
    """Whether the client has this version; of a POST nobody keeps the answer."""
    if request.method == "POST":
        return False
    header = ",".join(request.headers.getlist("if-none-match"))
    known = [each.strip().removeprefix("W/") for each in header.split(",")]
    return etag in known or known == ["*"]


def _require_size_for_json(params: DocumentParams, document: FilingDocument) -> None:
    most = MAX_XML_BYTES if params.convert_xml else MAX_JSON_BYTES
    if params.output_format == "json" and document.size > most:
        name = "convert_xml_to_json" if params.convert_xml else "output_format"
        raise BadRequest(
            f"{name}: the document has {document.size} bytes, of at most {most}; ask for raw"
        )


def _opened(settings: Settings, filed: _Filed) -> ArchivedDocument:
    path = archive.locate(settings.absolute_home, filed.archived.path)
    member = filed.archived.members[filed.place + 1]
    document = filed.document
    try:
        return open_document(path, member, document.file_name, document.size)
    except FileNotFoundError:
        raise NotFound(
            f"{document.document_id} is not kept as filed: its file is not in the archive"
        ) from None
    except OSError as error:
        raise EdgarSearchError(f"the archive of {document.document_id}: {error}") from error


def _json(params: DocumentParams, document: FilingDocument, opened: ArchivedDocument) -> bytes:
    content = b"".join(opened.chunks)
    return document_reply(document, content, opened.content_type, convert_xml=params.convert_xml)


routes = [route("v2/document", document)]
