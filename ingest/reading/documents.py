"""The searchable documents of one submission, worked on one at a time, as operations."""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from resiliparse.parse.html import HTMLParserException

from edgar_search.edgar.content import give_back
from edgar_search.edgar.submission import Document, Submission
from edgar_search.engine.index_names import Kind, partition_of
from edgar_search.errors import EdgarSearchError
from edgar_search.stored.document import StoredDocument
from edgar_search.stored.filing import FilingItem
from edgar_search.stored.passage import StoredPassage, passage_id
from edgar_search.stored.section import StoredSection, section_id
from ingest.reading.document_kind import may_be_searched, searched_kind
from ingest.reading.eight_k import current_report, eight_k_items
from ingest.reading.memory_budget import LARGE_BYTES, Supervisor
from ingest.reading.operations import operation
from ingest.reading.pieces import OperationCollector
from ingest.reading.text.document_text import searchable_text
from ingest.reading.transform import stored_document, stored_passages, stored_sections
from ingest.reading.workers.task import Task

_log = logging.getLogger(__name__)

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
        day = submission.header.filing_date
        self.partition = partition_of(task.partition, day, task.partition_from)
        self.documents = OperationCollector(task.spool)
        self.passages = OperationCollector(task.spool)
        self.parts: dict[str, int] = {}
        self.sections: list[str] = []
        self.first: str | None = None
        self.characters = 0
        self.too_large: list[str] = []
        self._items: list[str] = []
        ids = {document.document_id for document in submission.documents}
        self.unread = {each: reason for each, reason in task.unread.items() if each in ids}

    def operation(self, kind: Kind, key: str, stored: Struct) -> bytes:
        """What stores one document of the submission's partition."""
        return operation(kind, self._task.prefix, self.partition, key, stored, self.epoch)

    def add_all(self, items: Sequence[FilingItem] = ()) -> None:
        """Take all documents of a filing with these items.

        Raises MemoryError where one takes more than there is.
        """
        self._items = [item.number for item in items]
        for place, document in enumerate(self._submission.documents):
            self._supervisor.at(document.document_id, document.body_size)
            if document.document_id not in self.unread and may_be_searched(document):
                self._take(document, first=place == 0)
            give_back(document.content, document.start, document.end)
        self._supervisor.at(None)

    def items(self) -> list[FilingItem]:
        """The items of a current report; without what its text says of them if that is not read.

        They come before the documents: a report that cannot be read for them is not searched.
        """
        report = current_report(self._submission)
        if report is None:
            return []
        self._supervisor.at(report.document_id, report.body_size)
        if not self._is_too_large(report) and report.document_id not in self.unread:
            with self._reserve(report), self._faults_of(report):
                return eight_k_items(self._submission, report)
        return eight_k_items(self._submission, report.alone(0))

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
        made: _Searchable | None = None
        with self._faults_of(document):
            made = self._made(document, first=first)
        if made is not None:
            self._add(made, first=first)

    @contextmanager
    def _faults_of(self, document: Document) -> Iterator[None]:
        """Take a fault of the readers as the document's: it must not keep others from loading."""
        try:
            yield
        except HTMLParserException:
            # The parser takes any HTML; it fails only for want of memory.
            raise MemoryError from None
        except (EdgarSearchError, MemoryError, OSError):
            raise
        except Exception as error:
            _log.exception("%s shows a fault of this program", document.document_id)
            self.unread[document.document_id] = f"reader failed: {type(error).__name__}"

    def _made(self, document: Document, *, first: bool) -> "_Searchable | None":
        text = searchable_text(document)
        if text and len(text) > self._task.max_text_chars:
            self.too_large.append(document.document_id)
            return None
        if not text:
            return None
        passages = stored_passages(document, text)
        stored = stored_document(
            self._header,
            document,
            text,
            self._loaded_at,
            passages=len(passages),
            first=first,
            archived=self._task.archive is not None,
            items=self._items,
        )
        return _Searchable(stored, passages, stored_sections(self._header, document, text))

    def _add(self, made: "_Searchable", *, first: bool) -> None:
        stored, passages, sections = made
        self.characters += len(stored.text)
        self.parts[stored.document_id] = len(passages)
        if first:
            self.first = stored.document_id
        self.documents.add(self.operation("documents", stored.document_id, stored))
        for p in passages:
            key = passage_id(p.document_id, p.number)
            self.passages.add(self.operation("passages", key, p))
        for section in sections:
            key = section_id(section.document_id, section.item)
            self.sections.append(key)
            # With the passages: like these they are of use only once their document is there.
            self.passages.add(self.operation("sections", key, section))


class _Searchable(NamedTuple):
    """What is stored of a document that is searched."""

    stored: StoredDocument
    passages: list[StoredPassage]
    sections: list[StoredSection]
