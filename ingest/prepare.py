"""One submission from a file to operations for Elasticsearch: what a worker process does."""

import hashlib
import logging
import os
from datetime import UTC, date, datetime
from pathlib import Path

from msgspec import Struct

from edgar_search.edgar import archive
from edgar_search.edgar.submission import (
    Document,
    Submission,
    accession_number,
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
from ingest.operations import chunks, operation
from ingest.transform import stored_document, stored_filing, stored_sections

_log = logging.getLogger(__name__)

_GZIP_MAGIC = b"\x1f\x8b"


class Task(Struct, frozen=True):
    """One file to prepare; `known` are the hashes that need not be loaded again."""

    path: str
    known: list[str]
    prefix: str
    partition: Partition
    max_text_chars: int
    archive_home: str | None


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
    """A submission as NDJSON operations, in the order of writing."""

    source: str
    sha256: str
    accession_number: str
    variant: Variant
    form_type: str
    filing_date: date
    accepted_at: datetime | None
    loaded_at: datetime
    partition: str
    passages: list[bytes]
    sections: list[bytes]
    documents: list[bytes]
    filing: bytes
    facts: list[StoredEntity]
    parts: dict[str, int]
    section_ids: list[str]
    characters: int
    too_large: list[str]
    unknown_fields: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """The size of all operations."""
        chunks = (*self.passages, *self.sections, *self.documents, self.filing)
        return sum(map(len, chunks))


Outcome = Known | Refused | Prepared


def prepare(task: Task) -> Outcome:
    """Read, parse, archive and transform one file; what the file holds raises nothing.

    Raises EdgarSearchError where the archive cannot be written.
    """
    source = _printable(task.path)
    try:
        data = read_submission(Path(task.path))
    except OSError as error:
        name = getattr(error, "strerror", None) or str(error)
        return Refused(source, _sha256(source.encode()), None, f"cannot be read: {name}")
    sha256 = _sha256(data)
    if sha256 in task.known:
        return Known(source, sha256)
    try:
        return _prepared(task, sha256, data, parse_submission(data))
    except MalformedSubmission as error:
        reason = str(error)
    except OSError as error:
        raise EdgarSearchError(f"the archive cannot be written: {error}") from error
    except Exception as error:
        # One file that shows a fault of this code must not keep the others from loading.
        _log.exception("%s shows a fault of this program", source)
        reason = f"a fault of this program: {type(error).__name__}"
    return Refused(source, sha256, accession_number(data[:16_384]), reason)


def read_submission(path: Path) -> bytes:
    """A file's content, decompressed where it is gzip by its first bytes."""
    data = path.read_bytes()
    return archive.gunzip(data) if data.startswith(_GZIP_MAGIC) else data


class _Operations:
    """The searchable documents of one submission, as operations and counts."""

    def __init__(self, task: Task, submission: Submission, loaded_at: datetime) -> None:
        self._task = task
        self._loaded_at = loaded_at
        self._header = submission.header
        self.partition = partition_of(task.partition, submission.header.filing_date)
        self.documents: list[bytes] = []
        self.passages: list[bytes] = []
        self.sections: dict[str, bytes] = {}
        self.parts: dict[str, int] = {}
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
        return operation(kind, self._task.prefix, self.partition, key, stored)

    def _add(self, document: Document, text: str, *, first: bool) -> None:
        stored, passages = stored_document(
            self._header, document, text, self._loaded_at, first=first
        )
        self.characters += len(text)
        self.parts[stored.document_id] = len(passages)
        self.documents.append(self.operation("documents", stored.document_id, stored))
        self.passages += (
            self.operation("passages", passage_id(p.document_id, p.number), p) for p in passages
        )
        for section in stored_sections(self._header, document):
            key = section_id(section.document_id, section.item)
            self.sections[key] = self.operation("sections", key, section)


def _prepared(task: Task, sha256: str, data: bytes, submission: Submission) -> Prepared:
    header = submission.header
    loaded_at = datetime.now(UTC)
    made = _Operations(task, submission, loaded_at)
    filing = stored_filing(submission, loaded_at, _archived(task, sha256, data, submission))
    return Prepared(
        source=_printable(task.path),
        sha256=sha256,
        accession_number=header.accession_number,
        variant=submission.variant,
        form_type=header.form_type,
        filing_date=header.filing_date,
        accepted_at=header.accepted_at,
        loaded_at=loaded_at,
        partition=made.partition,
        passages=list(chunks(made.passages)),
        sections=list(chunks(made.sections.values())),
        documents=list(chunks(made.documents)),
        filing=made.operation("filings", header.accession_number, filing),
        facts=list(header_facts(header)),
        parts=made.parts,
        section_ids=list(made.sections),
        characters=made.characters,
        too_large=made.too_large,
        unknown_fields=submission.unknown_fields,
    )


def _archived(task: Task, sha256: str, data: bytes, submission: Submission) -> Archived | None:
    if task.archive_home is None:
        return None
    starts = [document.start for document in submission.documents]
    accession = submission.header.accession_number
    kept = archive.write(Path(task.archive_home), accession, sha256, data, starts)
    return Archived(kept.path, kept.members)


def _printable(path: str) -> str:
    """A path as text; the name of a file may be any bytes."""
    return os.fsencode(path).decode(errors="replace")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
