"""One submission from a file to operations for Elasticsearch: what a worker process does."""

import errno
import hashlib
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, date, datetime
from functools import cache

import msgspec
from msgspec import Struct

from edgar_search.archive import submissions
from edgar_search.archive.opening import open_archive
from edgar_search.edgar.submission import (
    Header,
    Submission,
    accession_number,
    header_in,
    parse_submission,
)
from edgar_search.engine.bulk_lines import with_version
from edgar_search.errors import ArchiveUnavailable, EdgarSearchError, MalformedSubmission
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.filing import ArchivedFile, FilingItem
from edgar_search.stored.ledger import Variant
from ingest.reading import operations
from ingest.reading.documents import DocumentOperations
from ingest.reading.entity_facts import header_facts
from ingest.reading.memory_budget import LARGE_BYTES, NoSupervisor, Supervisor
from ingest.reading.pieces import Pieces, discard, redated, size, under
from ingest.reading.transform import stored_filing
from ingest.reading.workers.task import Task
from ingest.sources.filing_filter import FilingFilter
from ingest.sources.source import ReadSubmission, opened, read_head

__all__ = [
    "FilteredFile",
    "KnownFile",
    "Outcome",
    "PreparedSubmission",
    "RefusedFile",
    "Task",
    "prepare",
    "unread",
]

_log = logging.getLogger(__name__)

# Nothing is wrong with a submission that cannot be unpacked for these.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
# All but a few headers, and what stands before them, end in the first so many bytes.
_HEAD_BYTES = 65_536
_ALONE = NoSupervisor()


class FilteredFile(Struct, frozen=True, tag=True):
    """A submission that the command was not asked for."""

    source: str


class KnownFile(Struct, frozen=True, tag=True):
    """A file whose content has been dealt with before; `sha256` is "" where it was not read."""

    source: str
    sha256: str


class RefusedFile(Struct, frozen=True, tag=True):
    """A file that is no complete submission."""

    source: str
    sha256: str
    accession_number: str | None
    reason: str


class PreparedSubmission(Struct, frozen=True, tag=True):
    """A submission as NDJSON operations, in the order of writing, under one epoch.

    Documents that are listed and not searched are `too_large`, or `unread` with the reason.
    `first` is the document that the submission begins with, None where that is not searchable.
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
    first: str | None
    characters: int
    too_large: list[str]
    unread: dict[str, str]
    unknown_fields: tuple[str, ...]
    epoch: int
    archived: str | None
    fetched_at: datetime | None = None

    def under(self, epoch: int) -> "PreparedSubmission":
        """The same under another epoch, which is rarely another than it has."""
        if epoch == self.epoch:
            return self
        return msgspec.structs.replace(
            self,
            epoch=epoch,
            passages=under(self.passages, self.epoch, epoch),
            documents=under(self.documents, self.epoch, epoch),
            filing=with_version(self.filing, self.epoch, epoch),
        )

    def since(self, loaded: Mapping[str, datetime]) -> "PreparedSubmission":
        """The same, where what was loaded before keeps the time of that.

        `loaded` has the times by the id of a document, or of the filing.
        """
        if loaded.keys().isdisjoint({*self.parts, self.accession_number}):
            return self
        return msgspec.structs.replace(
            self,
            documents=redated(self.documents, self.loaded_at, loaded),
            filing=operations.redated(self.filing, self.loaded_at, loaded),
        )

    @property
    def bytes(self) -> int:
        """The size of all operations."""
        return size(self.passages) + size(self.documents) + len(self.filing)

    def discard(self) -> None:
        """Remove what is of no use once the submission has been dealt with."""
        discard(self.passages)
        discard(self.documents)


Outcome = KnownFile | FilteredFile | RefusedFile | PreparedSubmission


def prepare(task: Task, supervisor: Supervisor = _ALONE) -> Outcome:
    """Read, parse, archive and transform one file; what the file holds raises nothing.

    The supervisor is told what it is once the file is read. Raises EdgarSearchError where the
    archive or the spool cannot be written, MemoryError where a bound on memory is reached.
    """
    source = task.source.name
    if task.done:
        return KnownFile(source, "")
    if task.source.refusal is not None:
        return unread(task, task.source.refusal, None)
    with ExitStack() as stack:
        try:
            if _is_filtered(task):
                return FilteredFile(source)
            read = stack.enter_context(opened(task.source, task.spool, task.submission_bytes))
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise EdgarSearchError(f"{task.spool}: the disk is full: {error}") from error
            name = getattr(error, "strerror", None) or str(error)
            return unread(task, f"cannot be read: {name}", None)
        if read.sha256 in task.known:
            return KnownFile(source, read.sha256)
        return _outcome(task, read, supervisor)


def _outcome(task: Task, read: ReadSubmission, supervisor: Supervisor) -> Outcome:
    number = accession_number(read.content[:_HEAD_BYTES])
    supervisor.begun(read.sha256, number, len(read.content))
    try:
        submission = parse_submission(read.content)
        if not _takes(task.wanted, submission.header):
            return FilteredFile(task.source.name)
        return _prepared(task, read, submission, supervisor)
    except MalformedSubmission as error:
        reason = str(error)
    except (ArchiveUnavailable, OSError) as error:
        raise EdgarSearchError(f"the archive cannot be written: {error}") from error
    except (EdgarSearchError, MemoryError):
        raise
    except Exception as error:
        # One file that shows a fault of this code must not keep the others from loading.
        _log.exception("%s shows a fault of this program", task.source.name)
        reason = f"a fault of this program: {type(error).__name__}"
    return RefusedFile(task.source.name, read.sha256, number, reason)


def unread(task: Task, reason: str, accession_number: str | None) -> RefusedFile:
    """A refusal of a file whose content is not known; the hash of its name stands for it."""
    name = task.source.name
    return RefusedFile(name, _sha256(name.encode()), accession_number, reason)


def _is_filtered(task: Task) -> bool:
    """Whether the beginning of the submission is enough to leave it out."""
    if task.wanted.everything:
        return False
    header = header_in(read_head(task.source, _HEAD_BYTES))
    return header is not None and not _takes(task.wanted, header)


def _takes(wanted: FilingFilter, header: Header) -> bool:
    ciks = [entity.cik for entity in header.entities]
    return wanted.takes(header.form_type, ciks, header.filing_date)


def _prepared(
    task: Task, read: ReadSubmission, submission: Submission, supervisor: Supervisor
) -> PreparedSubmission:
    header = submission.header
    loaded_at = datetime.now(UTC)
    made = DocumentOperations(task, submission, loaded_at, supervisor)
    items, archived = _made_and_archived(made, task, read, submission)
    filing = stored_filing(submission, items, loaded_at, archived)
    return PreparedSubmission(
        source=task.source.name,
        sha256=read.sha256,
        accession_number=header.accession_number,
        variant=submission.variant,
        form_type=header.form_type,
        filing_date=header.filing_date,
        accepted_at=header.accepted_at,
        loaded_at=loaded_at,
        partition=made.partition,
        passages=made.passages.pieces(),
        documents=made.documents.pieces(),
        filing=made.operation("filings", header.accession_number, filing),
        facts=list(header_facts(header)),
        parts=made.parts,
        sections=made.sections,
        first=made.first,
        characters=made.characters,
        too_large=made.too_large,
        unread=made.unread,
        unknown_fields=submission.unknown_fields,
        epoch=made.epoch,
        archived=archived.path if archived else None,
        fetched_at=task.source.fetched_at,
    )


def _made_and_archived(
    made: DocumentOperations, task: Task, read: ReadSubmission, submission: Submission
) -> tuple[list[FilingItem], ArchivedFile | None]:
    # The disk takes its time for each file; meanwhile the text is made.
    with ThreadPoolExecutor(1) as disk:
        archiving = disk.submit(_archived, task, read, submission)
        if len(read.content) > LARGE_BYTES:
            # What takes too much memory then is the document that is just worked on.
            archiving.result()
        items = made.items()
        made.add_all(items)
    return items, archiving.result()


# A worker process has one client, with its connections, for all that it archives.
_opened = cache(open_archive)


def _archived(task: Task, read: ReadSubmission, submission: Submission) -> ArchivedFile | None:
    if task.archive is None:
        return None
    starts = [document.start for document in submission.documents]
    accession = submission.header.accession_number
    store = _opened(task.archive)
    kept = submissions.write(store, accession, read.sha256, read.content, starts)
    return ArchivedFile(kept.path, kept.members)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
