"""Documents as filed, read from the archive."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from edgar_search.archive.archive import ArchivedDocument, open_document
from edgar_search.archive.members import member_chunks
from edgar_search.archive.store import ArchiveStore
from edgar_search.errors import EdgarSearchError, NotFound
from edgar_search.stored.filings import ArchivedFile, FilingDocument, StoredFiling


class OriginalDocument(NamedTuple):
    """A document by its index in a filing, and where its submission is archived."""

    filing: StoredFiling
    place: int
    archived: ArchivedFile

    @property
    def document(self) -> FilingDocument:
        """The document as its filing lists it."""
        return self.filing.documents[self.place]


def require_document(filing: StoredFiling, document_id: str) -> int:
    """Return the document's index in the filing; NotFound if the filing has no such document."""
    ids = [document.document_id for document in filing.documents]
    if document_id not in ids:
        raise NotFound(f"there is no document {document_id}")
    return ids.index(document_id)


def find_original(filing: StoredFiling, document_id: str) -> OriginalDocument:
    """Return the document; NotFound if the filing has no such document, or is not archived."""
    index = require_document(filing, document_id)
    if filing.archive is None or len(filing.archive.members) <= index + 1:
        raise NotFound(
            f"{document_id} is not kept as filed: the archive was switched off when it was loaded"
        )
    return OriginalDocument(filing, index, filing.archive)


def open_original(store: ArchiveStore, original: OriginalDocument) -> ArchivedDocument:
    """Open the document's content, which can be read once; NotFound if its file is gone.

    Reads the archive, so call it in a thread.
    """
    path = original.archived.path
    member = original.archived.members[original.place + 1]
    document = original.document
    try:
        return open_document(store, path, member, document.file_name, document.size)
    except FileNotFoundError:
        raise NotFound(
            f"{document.document_id} is not kept as filed: its file is not in the archive"
        ) from None
    except OSError as error:
        raise EdgarSearchError(f"the archive of {document.document_id}: {error}") from error


class OpenedSubmission(NamedTuple):
    """The bytes of a submission as received, from the byte `start` on."""

    start: int
    chunks: Iterator[bytes]


def open_submission(store: ArchiveStore, filing: StoredFiling, first: int = 0) -> OpenedSubmission:
    """Open a whole submission near its byte `first`; NotFound if it is not archived.

    Reads the archive, so call it in a thread.
    """
    if filing.archive is None:
        raise NotFound(
            f"{filing.accession_number} is not kept as filed: the archive was switched off when"
            " it was loaded"
        )
    path, start, members = filing.archive.path, 0, sorted(filing.archive.members)
    while len(members) > 1 and start + members[0][3] <= first:
        start += members.pop(0)[3]
    chunks = chain.from_iterable(
        member_chunks(store, path, offset, length) for offset, length, _, _ in members
    )
    try:
        return OpenedSubmission(start, chain([next(chunks, b"")], chunks))
    except FileNotFoundError:
        raise NotFound(
            f"{filing.accession_number} is not kept as filed: its file is not in the archive"
        ) from None
    except OSError as error:
        raise EdgarSearchError(f"the archive of {filing.accession_number}: {error}") from error
