"""Documents and filings as PDF, from the archive, each printed in a process of its own.

The library is optional; `Printer.require` says how to install it.
"""

import asyncio
from collections.abc import AsyncIterator, Set
from contextlib import asynccontextmanager

import msgspec
from cachetools import TTLCache

from edgar_search.archive.store import ArchiveStore
from edgar_search.document.account_turns import AccountTurns
from edgar_search.document.child_process import run_module
from edgar_search.document.original import find_original, open_original, require_document
from edgar_search.document.print_process import (
    CPU_SECONDS,
    MOST_PDF_BYTES,
    Copy,
    Ending,
    Join,
    Page,
    PrintJob,
)
from edgar_search.document.process_bounds import MEMORY_BYTES
from edgar_search.document.reading_room import ReadingOf, ReadingRoom
from edgar_search.edgar.identifiers import accession_of
from edgar_search.edgar.media_type import named_content_type
from edgar_search.engine.engine import Engine
from edgar_search.errors import (
    BadRequest,
    NotFound,
    PrintsAtOnce,
    PrintTimedOut,
    TooCostlyToRead,
)
from edgar_search.search.filings import filing_of, searched_documents
from edgar_search.settings.extras import PACKAGE, install_command, is_installed
from edgar_search.stored.filings import FilingDocument, StoredFiling

PDF = "application/pdf"
_MODULE = "edgar_search.document.print_process"
# A client waits up to a minute. One core lays out 3 MB of a report in half a second.
SECONDS = 50
# Documents that are printed at once, and the seconds that one may wait for a free printer. In the
# PDF of a filing, each document waits for itself.
_AT_ONCE, WAIT = 2, 15.0
# Documents that could recently not be printed.
_MOST_REMEMBERED = 10_000
# Bytes of a document with its images, and of all documents of a filing.
MOST_BYTES = 33_554_432
# Each document takes a process and some tenths of a second.
MOST_DOCUMENTS = 100
# Printing this needs a font, if the machine has one.
_PROBE = Page(b"", "probe.png", "", "image/png", "", "A")
_FONT = b"/FontFile"
_PRINTED = ("text/html", "text/plain", PDF)
_IMAGES = ("image/gif", "image/jpeg", "image/png")
_BOUNDS = f"it needs more than {CPU_SECONDS} s of a core or {MEMORY_BYTES >> 30} GB of memory"
_ENDINGS: dict[int, str] = {
    Ending.UNREADABLE: "it cannot be read",
    Ending.TOO_LARGE: f"it needs more than {MEMORY_BYTES >> 30} GB of memory, or its PDF has more"
    f" than {MOST_PDF_BYTES >> 20} MB",
}


class NotPrintableError(Exception):
    """A document that cannot be printed; the message is the reason."""


class Printer:
    """Makes a worker's PDFs, two at a time and one for each account; accounts take turns."""

    def __init__(self, engine: Engine, store: ArchiveStore, room: ReadingRoom) -> None:
        self._engine = engine
        self._store = store
        self._room = room
        self._turns = AccountTurns(_AT_ONCE)
        self._costly: TTLCache[str, str] = TTLCache(_MOST_REMEMBERED, TooCostlyToRead.retry_after)
        self._has_fonts: bool | None = None

    async def require(self) -> None:
        """Raise NotFound, with the remedy, if no PDF can be made here."""
        if reason := missing_parts():
            raise NotFound(f"this service cannot make PDFs: {reason}")
        if self._has_fonts is None:
            self._has_fonts = await has_fonts()
        if not self._has_fonts:
            raise NotFound(f"this service cannot make PDFs: {NO_FONTS}")

    async def document(self, document_id: str, account: str = "") -> bytes:
        """Return a document as PDF; a document that was filed as PDF is not changed.

        Raises NotFound, BadRequest if it cannot be printed, PrintsAtOnce and PrintTimedOut.
        """
        await self.require()
        filing = await filing_of(self._engine.for_account(account), accession_of(document_id))
        document = filing.documents[require_document(filing, document_id)]
        async with _time_limit():
            try:
                job = await self._job(filing, document, account)
                if isinstance(job, Copy):
                    return job.body
                return await self._print(job, filing, document, account)
            except NotPrintableError as error:
                raise BadRequest(
                    f"`document_id` {document_id} cannot be printed: {error}"
                ) from None

    async def filing(self, number: str, account: str = "") -> bytes:
        """Return a filing as PDF: its readable documents, in order, each with a bookmark.

        A page says so in place of a document that cannot be printed. Raises as `document`.
        """
        await self.require()
        engine = self._engine.for_account(account)
        filing = await filing_of(engine, number)
        searched = await searched_documents(engine, number)
        documents = printed_documents(filing, searched)
        async with _time_limit():
            parts: list[tuple[str, bytes]] = []
            for document in documents:
                try:
                    job = await self._job(filing, document, account)
                    printed = await self._print(job, filing, document, account)
                except NotPrintableError as error:
                    notice = _notice(filing, document, str(error))
                    printed = await self._run(notice, account)
                parts.append((_bookmark(document), printed))
            try:
                return await self._run(Join(title_of(filing), parts), account)
            except NotPrintableError as error:
                raise BadRequest(
                    f"`accession_number` {number} cannot be printed as one: {error};"
                    " ask for its documents"
                ) from None

    async def _print(
        self, job: PrintJob, filing: StoredFiling, document: FilingDocument, account: str
    ) -> bytes:
        key = f"{document.document_id} {filing.archive.path if filing.archive else ''}"
        if (reason := self._costly.get(key)) is not None:
            raise NotPrintableError(reason)
        try:
            return await self._run(job, account)
        except NotPrintableError as error:
            self._costly[key] = str(error)
            raise

    async def _run(self, job: PrintJob, account: str) -> bytes:
        async with self._turns.turn(account, WAIT, PrintsAtOnce()):
            return await run_job(job)

    async def _job(
        self, filing: StoredFiling, document: FilingDocument, account: str
    ) -> Page | Copy:
        """Build the job of printing a document, with its content and images from the archive."""
        body, content_type = await asyncio.to_thread(_read, self._store, filing, document)
        if content_type == PDF:
            return Copy(body)
        images = {}
        if content_type in _IMAGES:
            images[document.file_name.lower()] = body
        elif not content_type.startswith("text/") and content_type != "application/xml":
            raise NotPrintableError(f"it is {content_type}")
        elif listed := _images_of(filing):
            reading = ReadingOf(document.document_id, account, filing.accession_number)
            names = [image_file.file_name for image_file in listed]
            named = set(await self._room.run(reading, named_in, body, names))
            left = MOST_BYTES - len(body)
            for image in listed:
                name = image.file_name
                if name not in named:
                    continue
                left -= image.size
                if left < 0:
                    raise NotPrintableError(
                        f"it has more than {MOST_BYTES >> 20} MB with its images"
                    )
                read, _ = await asyncio.to_thread(_read, self._store, filing, image)
                images[name.lower()] = read
        return Page(
            body,
            document.file_name,
            document.form_type,
            content_type,
            f"{_bookmark(document)}, {title_of(filing)}",
            title_of(filing),
            images,
        )


@asynccontextmanager
async def _time_limit() -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(SECONDS):
            yield
    except TimeoutError:
        raise PrintTimedOut(SECONDS) from None


FONTS_REMEDY = "install some, such as the package fonts-liberation, and start the service again"
NO_FONTS = f"there are no fonts on its machine; {FONTS_REMEDY}"


def missing_parts() -> str:
    """Name a missing package, with the command that installs it; "" if none is missing."""
    if is_installed("plutoprint") and is_installed("pypdf"):
        return ""
    return f"it needs the extra {PACKAGE}[pdf]; run `{install_command('pdf')}`"


async def has_fonts() -> bool:
    """Return True if printing finds a font: on a machine without fonts all pages are empty."""
    try:
        return _FONT in await run_job(_PROBE)
    except NotPrintableError:
        return False


def title_of(filing: StoredFiling) -> str:
    """Return the title of a filing's PDF, shown in each page's footer."""
    name = filing.entity_name or filing.accession_number
    return f"{name}, {filing.form_type} of {filing.filing_date}, {filing.accession_number}"


def printed_documents(filing: StoredFiling, searched: Set[str]) -> list[FilingDocument]:
    """Return the documents that people read: no graphics, data, or pages of EDGAR's viewer.

    Raises BadRequest if there are none, or if they are too many or too large.
    """
    documents = [
        document
        for document in filing.documents
        if document.document_id in searched
        or (
            document.form_type.upper() != "XML"
            and named_content_type(document.file_name) in _PRINTED
        )
    ]
    number = filing.accession_number
    if not documents:
        raise BadRequest(f"`accession_number` {number} has no document that can be printed")
    if (
        len(documents) > MOST_DOCUMENTS
        or sum(candidate.size for candidate in documents) > MOST_BYTES
    ):
        raise BadRequest(
            f"`accession_number` {number} has more than {MOST_DOCUMENTS} documents or"
            f" {MOST_BYTES >> 20} MB to print; ask for its documents by `document_id`"
        )
    return documents


def _bookmark(document: FilingDocument) -> str:
    words = (document.form_type, document.description or document.file_name)
    return " ".join(dict.fromkeys(filter(None, words))) or document.document_id


def _notice(filing: StoredFiling, document: FilingDocument, reason: str) -> Page:
    text = f"{_bookmark(document)} ({document.document_id}) is not in this PDF: {reason}."
    return Page(text.encode(), "notice.txt", "", "text/plain", "", title_of(filing))


def _read(store: ArchiveStore, filing: StoredFiling, document: FilingDocument) -> tuple[bytes, str]:
    if document.size > MOST_BYTES:
        raise NotPrintableError(f"it has {document.size} bytes, of at most {MOST_BYTES}")
    opened = open_original(store, find_original(filing, document.document_id))
    return b"".join(opened.chunks), opened.content_type


def _images_of(filing: StoredFiling) -> list[FilingDocument]:
    """Return the images of a submission."""
    return [
        document
        for document in filing.documents
        if named_content_type(document.file_name) in _IMAGES
    ]


def named_in(body: bytes, names: list[str]) -> list[str]:
    """Return those file names that a document contains, in any case.

    Runs in a reading room only.
    """
    text = body.lower()
    return [name for name in names if name.lower().encode() in text]


async def run_job(job: PrintJob) -> bytes:
    """Make the PDF of a job; raises NotPrintableError, whose message is the reason."""
    status, pdf = await run_module(_MODULE, msgspec.msgpack.encode(job))
    if status:
        raise NotPrintableError(_ENDINGS.get(status, _BOUNDS))
    return pdf
