"""The searchable documents of one submission, worked on one at a time, as operations."""

import time
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from msgspec import Struct
from resiliparse.parse.html import HTMLParserException

from edgar_search.edgar.content import give_back
from edgar_search.edgar.submission import Document, Submission
from edgar_search.engine.index_names import Kind, partition_of
from edgar_search.stored.filing import FilingItem
from edgar_search.stored.passage import passage_id
from edgar_search.stored.section import section_id
from ingest.reading.document_kind import may_be_searched, searched_kind
from ingest.reading.eight_k import current_report, eight_k_items
from ingest.reading.memory_budget import LARGE_BYTES, Supervisor
from ingest.reading.operations import operation
from ingest.reading.pieces import OperationCollector
from ingest.reading.text.document_text import searchable_text
from ingest.reading.transform import stored_document, stored_sections
from ingest.reading.workers.task import Task

# What tells of a document that is not read whether it would be searched.
_BEGINNING_BYTES = 1_000_000


class DocumentOperations:
    """Operations and counts; the body of no document is held longer than it is worked on."""

    def __init__(
        self, task: Task, submission: Submission, loaded_at: datetime, supervisor: Supervisor
    ) -> None:
        self._task = task
        self._submission = submission
        self._loaded_at = loaded_at
        self._supervisor = supervisor
        # Milliseconds since 1970: later than every load before, also where the ledger was lost.
        self.epoch = time.time_ns() // 1_000_000
        self._header = submission.header
        self.partition = partition_of(task.partition, submission.header.filing_date)
        self.documents = OperationCollector(task.spool)
        self.passages = OperationCollector(task.spool)
        self.parts: dict[str, int] = {}
        self.sections: list[str] = []
        self.first: str | None = None
        self.characters = 0
        self.too_large: list[str] = []

    def operation(self, kind: Kind, key: str, stored: Struct) -> bytes:
        """What stores one document of the submission's partition."""
        return operation(kind, self._task.prefix, self.partition, key, stored, self.epoch)

    def add_all(self) -> None:
        """Take all documents; raises MemoryError where one takes more than there is."""
        for place, document in enumerate(self._submission.documents):
            if may_be_searched(document):
                self._take(document, first=place == 0)
            give_back(document.content, document.start, document.end)

    def items(self) -> list[FilingItem]:
        """The items of a current report; without what its text says of them if it is too large."""
        report = current_report(self._submission)
        if report is None:
            return []
        if self._is_too_large(report):
            report = report.alone(0)
        with self._reserve(report):
            return eight_k_items(self._submission, report)

    def _is_too_large(self, document: Document) -> bool:
        known = document.document_id in self._task.too_large
        return known or document.body_size > self._task.document_bytes

    def _take(self, document: Document, *, first: bool) -> None:
        if self._is_too_large(document):
            if searched_kind(document.alone(_BEGINNING_BYTES)) is not None:
                self.too_large.append(document.document_id)
        else:
            with self._reserve(document):
                # The body of a large one is read anew for each purpose, and not held between them.
                large = document.body_size > LARGE_BYTES
                self._read(document if large else document.alone(), first=first)

    def _reserve(self, document: Document) -> AbstractContextManager[None]:
        """What has to be entered before a body is read; small ones wait for nobody."""
        if document.body_size <= LARGE_BYTES:
            return nullcontext()
        return self._supervisor.reserve(document.document_id, document.body_size)

    def _read(self, document: Document, *, first: bool) -> None:
        try:
            text = searchable_text(document)
        except HTMLParserException:
            # The parser takes any HTML; it fails only for want of memory.
            raise MemoryError from None
        if text and len(text) > self._task.max_text_chars:
            self.too_large.append(document.document_id)
        elif text:
            self._add(document, text, first=first)

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
