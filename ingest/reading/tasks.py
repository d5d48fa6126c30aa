"""Tasks of the workers that prepare submissions, and their outcomes and messages.

The loader imports this module and none of the readers behind `prepare`, which cost memory that only
workers need.
"""

import hashlib
import sys
from collections.abc import Mapping
from datetime import date, datetime
from typing import NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.engine.bulk_lines import with_version
from edgar_search.engine.index_names import Partition
from edgar_search.settings.values import ArchivePlace
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.installation import Variant
from ingest.reading import operations
from ingest.reading.operations import Pieces, discard, size, with_epoch, with_load_times
from ingest.sources.paths import EVERYTHING, FilingFilter
from ingest.sources.source import SUBMISSION_BYTES, Source


class Task(Struct, frozen=True):
    """One submission to prepare; `known` are the hashes that need not be loaded again.

    A `done` submission is not read. `submission_bytes` and `document_bytes` limit what is read of
    an unpacked submission and of a document's body. `too_large` are documents that took more memory
    than there is, `unread` documents that cannot be read, with the reason.
    """

    source: Source
    known: list[str]
    prefix: str
    partition: Partition
    max_text_chars: int
    archive: ArchivePlace | None
    wanted: FilingFilter = EVERYTHING
    spool: str | None = None
    submission_bytes: int = SUBMISSION_BYTES
    document_bytes: int = sys.maxsize
    too_large: tuple[str, ...] = ()
    unread: dict[str, str] = {}
    done: bool = False
    partition_from: int = 0


class FilteredFile(Struct, frozen=True, tag=True):
    """A submission that the command's filter leaves out."""

    source: str


class KnownFile(Struct, frozen=True, tag=True):
    """A file whose content was handled before; `sha256` is "" if it was not read."""

    source: str
    sha256: str


class RefusedFile(Struct, frozen=True, tag=True):
    """A file that is not a complete submission."""

    source: str
    sha256: str
    accession_number: str | None
    reason: str


class PreparedSubmission(Struct, frozen=True, tag=True):
    """A submission as NDJSON operations, in the order of writing, under one epoch.

    Documents that are listed but not searched are `too_large`, or `unread` with the reason. `first`
    is the first document of the submission, None if it is not searchable. `contents` are the kinds
    of extracted content, with their versions. `problems` describe what else cannot be read.
    """

    source: str
    sha256: str
    accession_number: str
    variant: Variant
    form_type: str
    filing_date: date
    accepted_at: datetime | None
    loaded_at: datetime
    partition: str
    passages: Pieces
    documents: Pieces
    filing: bytes
    facts: list[StoredEntity]
    parts: dict[str, int]
    sections: list[str]
    rows: dict[str, int]
    first: str | None
    characters: int
    too_large: list[str]
    unread: dict[str, str]
    problems: list[str]
    unknown_fields: tuple[str, ...]
    epoch: int
    archived: str | None
    contents: list[str] = []
    fetched_at: datetime | None = None

    def with_epoch(self, epoch: int) -> "PreparedSubmission":
        """Return the submission under another epoch, which mostly is its own."""
        if epoch == self.epoch:
            return self
        return msgspec.structs.replace(
            self,
            epoch=epoch,
            passages=with_epoch(self.passages, self.epoch, epoch),
            documents=with_epoch(self.documents, self.epoch, epoch),
            filing=with_version(self.filing, self.epoch, epoch),
        )

    def with_load_times(self, loaded: Mapping[str, datetime]) -> "PreparedSubmission":
        """Return the submission with the earlier times of parts that were loaded before.

        `loaded` gives the times by the id of a document or of the filing.
        """
        if loaded.keys().isdisjoint({*self.parts, self.accession_number}):
            return self
        return msgspec.structs.replace(
            self,
            documents=with_load_times(self.documents, self.loaded_at, loaded),
            filing=operations.replace_load_times(self.filing, self.loaded_at, loaded),
        )

    @property
    def bytes(self) -> int:
        """The size of all operations."""
        return size(self.passages) + size(self.documents) + len(self.filing)

    def discard(self) -> None:
        """Delete the files that are not needed after the submission is written."""
        discard(self.passages)
        discard(self.documents)


Outcome = KnownFile | FilteredFile | RefusedFile | PreparedSubmission


def refuse_unread(task: Task, reason: str, accession_number: str | None) -> RefusedFile:
    """Refuse a file of unknown content, with the hash of its name instead of its own."""
    name = task.source.name
    return RefusedFile(name, hashlib.sha256(name.encode()).hexdigest(), accession_number, reason)


class SubmissionStart(NamedTuple):
    """A worker has read a submission: its hash, number and size."""

    sha256: str
    accession_number: str | None
    size: int


class DocumentStart(NamedTuple):
    """A worker begins to read a document, whose body has `size` bytes."""

    document_id: str
    size: int


class DocumentsEnd(NamedTuple):
    """A worker has finished all documents."""


class MemoryRequest(NamedTuple):
    """A worker waits for permission to read a large document."""

    document_id: str
    size: int


class MemoryRelease(NamedTuple):
    """A worker has finished a large document."""


class OutOfMemory(NamedTuple):
    """A worker has no memory left for a submission, and ends."""
