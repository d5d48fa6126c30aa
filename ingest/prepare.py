"""One submission from a file to operations for Elasticsearch: what a worker process does."""

import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from edgar_search.edgar import archive
from edgar_search.edgar.submission import (
    Document,
    Header,
    Submission,
    accession_number,
    header_in,
    parse_submission,
)
from edgar_search.errors import EdgarSearchError, MalformedSubmission
from edgar_search.index_names import Kind, Partition, partition_of
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.filing import Archived
from edgar_search.stored.ledger import Variant
from edgar_search.stored.passage import passage_id
from edgar_search.stored.section import section_id
from ingest.document_text import searchable_text
from ingest.entities import header_facts
from ingest.operations import operation, renumbered
from ingest.pieces import Collector, Pieces, discard, redated, size, under
from ingest.source import Source, read, read_head
from ingest.transform import stored_document, stored_filing, stored_sections
from ingest.wanted import EVERYTHING, Wanted

_log = logging.getLogger(__name__)

# All but a few headers, and what stands before them, end in the first so many bytes.
_HEAD_BYTES = 65_536


class Task(Struct, frozen=True):
    """One submission to prepare; `known` are the hashes that need not be loaded again."""

    source: Source
    known: list[str]
    prefix: str
    partition: Partition
    max_text_chars: int
    archive_home: str | None
    wanted: Wanted = EVERYTHING
    spool: str | None = None


class Filtered(Struct, frozen=True, tag=True):
    """A submission that the command was not asked for."""

    source: str


class Known(Struct, frozen=True, tag=True):
    """A file whose content has been dealt with before."""

    source: str
    sha256: str


class Refused(Struct, frozen=True, tag=True):
    """A file that is no complete submission."""

    source: str
    sha256: str
    accession_number: str | None
    reason: str


class Prepared(Struct, frozen=True, tag=True):
    """A submission as NDJSON operations, in the order of writing, under one epoch.

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
    unknown_fields: tuple[str, ...]
    epoch: int
    archived: str | None

    def under(self, epoch: int) -> "Prepared":
        """The same under another epoch; it hardly ever is another."""
        if epoch == self.epoch:
            return self
        return msgspec.structs.replace(
            self,
            epoch=epoch,
            passages=under(self.passages, self.epoch, epoch),
            documents=under(self.documents, self.epoch, epoch),
            filing=renumbered(self.filing, self.epoch, epoch),
        )

    def since(self, loaded: Mapping[str, datetime]) -> "Prepared":
        """The same, where documents that were loaded before keep the time of that."""
        if loaded.keys().isdisjoint(self.parts):
            return self
        documents = redated(self.documents, self.loaded_at, loaded)
        return msgspec.structs.replace(self, documents=documents)

    @property
    def bytes(self) -> int:
        """The size of all operations."""
        return size(self.passages) + size(self.documents) + len(self.filing)

    def discard(self) -> None:
        """Remove what is of no use once the submission has been dealt with."""
        discard(self.passages)
        discard(self.documents)


Outcome = Known | Filtered | Refused | Prepared


def prepare(
    task: Task, begun: Callable[[str, str | None], None] = lambda sha256, number: None
) -> Outcome:
    """Read, parse, archive and transform one file; what the file holds raises nothing.

    `begun` is told hash and accession number once the file is read. Raises EdgarSearchError where
    the archive cannot be written, MemoryError where a bound on memory is reached.
    """
    source = task.source.name
    if task.source.refusal is not None:
        return unread(task, task.source.refusal, None)
    try:
        if _is_filtered(task):
            return Filtered(source)
        data = read(task.source)
    except OSError as error:
        name = getattr(error, "strerror", None) or str(error)
        return unread(task, f"cannot be read: {name}", None)
    sha256 = _sha256(data)
    if sha256 in task.known:
        return Known(source, sha256)
    begun(sha256, accession_number(data[:_HEAD_BYTES]))
    try:
        submission = parse_submission(data)
        if not _takes(task.wanted, submission.header):
            return Filtered(source)
        return _prepared(task, sha256, data, submission)
    except MalformedSubmission as error:
        reason = str(error)
    except (EdgarSearchError, MemoryError):
        raise
    except OSError as error:
        raise EdgarSearchError(f"the archive cannot be written: {error}") from error
    except Exception as error:
        # One file that shows a fault of this code must not keep the others from loading.
        _log.exception("%s shows a fault of this program", source)
        reason = f"a fault of this program: {type(error).__name__}"
    return Refused(source, sha256, accession_number(data[:_HEAD_BYTES]), reason)


def unread(task: Task, reason: str, accession_number: str | None) -> Refused:
    """A refusal of a file whose content is not known; the hash of its name stands for it."""
    name = task.source.name
    return Refused(name, _sha256(name.encode()), accession_number, reason)


def _is_filtered(task: Task) -> bool:
    """Whether the beginning of the submission is enough to leave it out."""
    if task.wanted.everything:
        return False
    header = header_in(read_head(task.source, _HEAD_BYTES))
    return header is not None and not _takes(task.wanted, header)


def _takes(wanted: Wanted, header: Header) -> bool:
    ciks = [entity.cik for entity in header.entities]
    return wanted.takes(header.form_type, ciks, header.filing_date)


class _Operations:
    """The searchable documents of one submission, as operations and counts."""

    def __init__(self, task: Task, submission: Submission, loaded_at: datetime) -> None:
        self._task = task
        self._loaded_at = loaded_at
        # Milliseconds since 1970: later than every load before, also where the ledger was lost.
        self.epoch = time.time_ns() // 1_000_000
        self._header = submission.header
        self.partition = partition_of(task.partition, submission.header.filing_date)
        self.documents = Collector(task.spool)
        self.passages = Collector(task.spool)
        self.parts: dict[str, int] = {}
        self.sections: list[str] = []
        self.first: str | None = None
        self.characters = 0
        self.too_large: list[str] = []
        for place, document in enumerate(submission.documents):
            text = searchable_text(document)
            if text and len(text) > task.max_text_chars:
                self.too_large.append(document.document_id)
            elif text:
                self._add(document, text, first=place == 0)

    def operation(self, kind: Kind, key: str, stored: Struct) -> bytes:
        """What stores one document of the submission's partition."""
        return operation(kind, self._task.prefix, self.partition, key, stored, self.epoch)

    def _add(self, document: Document, text: str, *, first: bool) -> None:
        stored, passages = stored_document(
            self._header, document, text, self._loaded_at, first=first
        )
        self.characters += len(text)
        self.parts[stored.document_id] = len(passages)
        if first:
            self.first = stored.document_id
        self.documents.add(self.operation("documents", stored.document_id, stored))
        for p in passages:
            key = passage_id(p.document_id, p.number)
            self.passages.add(self.operation("passages", key, p))
        for section in stored_sections(self._header, document):
            key = section_id(section.document_id, section.item)
            self.sections.append(key)
            # With the passages: like these they are of use only once their document is there.
            self.passages.add(self.operation("sections", key, section))


def _prepared(task: Task, sha256: str, data: bytes, submission: Submission) -> Prepared:
    header = submission.header
    loaded_at = datetime.now(UTC)
    # The disk takes its time for each file; meanwhile the text is made.
    with ThreadPoolExecutor(1) as disk:
        archiving = disk.submit(_archived, task, sha256, data, submission)
        made = _Operations(task, submission, loaded_at)
    archived = archiving.result()
    filing = stored_filing(submission, loaded_at, archived)
    return Prepared(
        source=task.source.name,
        sha256=sha256,
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
        unknown_fields=submission.unknown_fields,
        epoch=made.epoch,
        archived=archived.path if archived else None,
    )


def _archived(task: Task, sha256: str, data: bytes, submission: Submission) -> Archived | None:
    if task.archive_home is None:
        return None
    starts = [document.start for document in submission.documents]
    accession = submission.header.accession_number
    kept = archive.write(Path(task.archive_home), accession, sha256, data, starts)
    return Archived(kept.path, kept.members)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
