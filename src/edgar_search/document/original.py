"""Documents as filed, from the archive."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from edgar_search.archive.archive import ArchivedDocument, open_document
from edgar_search.archive.members import member_chunks
from edgar_search.archive.store import ArchiveStore
from edgar_search.errors import EdgarSearchError, NotFound
from edgar_search.stored.filings import ArchivedFile, FilingDocument, StoredFiling


class OriginalDocument(NamedTuple):
    """A document of a filing by its position, and the location of its submission in the archive."""

    filing: StoredFiling
    place: int
    archived: ArchivedFile

    @property
    def document(self) -> FilingDocument:
        """The document as its filing lists it."""
        return self.filing.documents[self.place]


def require_document(filing: StoredFiling, document_id: str) -> int:
    """Return the document's position in the filing; NotFound if it has none of this id."""
    ids = [document.document_id for document in filing.documents]
    if document_id not in ids:
        raise NotFound(f"there is no document {document_id}")
    return ids.index(document_id)


def find_original(filing: StoredFiling, document_id: str) -> OriginalDocument:
    """Return the document; NotFound if the filing has none of this id, or nothing is archived."""
    place = require_document(filing, document_id)
    if filing.archive is None or len(filing.archive.members) <= place + 1:
        raise NotFound(
            f"{document_id} is not kept as filed: the archive was switched off when it was loaded"
        )
    return OriginalDocument(filing, place, filing.archive)


def open_original(store: ArchiveStore, found: OriginalDocument) -> ArchivedDocument:
    """Return the document's content, to be read once; NotFound if its file is gone.

    It reads the store, so call it in a thread.
    """
    path = found.archived.path
    member = found.archived.members[found.place + 1]
    document = found.document
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
    """Return a whole submission, from near its byte `first` on; NotFound if it is not kept.

    It reads the store, so call it in a thread.
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
