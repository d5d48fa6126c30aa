"""Operations and counts made from one submission, for Elasticsearch and the ledger."""

import time
from collections.abc import Sequence

from msgspec import Struct

from edgar_search.edgar.items import has_sections
from edgar_search.edgar.submission import Submission
from edgar_search.engine.contents import UNREAD
from edgar_search.engine.index_names import Kind, partition_of
from edgar_search.stored.filings import (
    StoredDocument,
    StoredPassage,
    StoredSection,
    passage_id,
    section_id,
)
from edgar_search.stored.ownership import row_id
from ingest.reading.operations import OperationCollector, operation, rows_key
from ingest.reading.tasks import Task


class Collected:
    """Operations and counts, added to while documents are read.

    Operations of `passages` are sent before those of `documents`: passages, sections and rows are
    useful only once their document is stored. `kinds` are the kinds of results that have versions,
    `unread` maps documents that could not be read to the reason.
    """

    def __init__(self, task: Task, submission: Submission) -> None:
        self._prefix = task.prefix
        # Milliseconds since 1970: above every earlier load, even if the ledger was lost.
        self.epoch = time.time_ns() // 1_000_000
        day = submission.header.filing_date
        self.partition = partition_of(task.partition, day, task.partition_from)
        self.documents = OperationCollector(task.spool)
        self.passages = OperationCollector(task.spool)
        self.parts: dict[str, int] = {}
        self.sections: list[str] = []
        self.rows: dict[str, int] = {}
        self.problems: list[str] = []
        self.first: str | None = None
        self.characters = 0
        self.too_large: list[str] = []
        ids = {document.document_id for document in submission.documents}
        self.unread = {
            document_id: reason for document_id, reason in task.unread.items() if document_id in ids
        }
        self.kinds = {"entries"}
        if has_sections(submission.header.form_type.upper()):
            self.kinds.add("sections")
        if self.unread:
            self.kinds.add(UNREAD)

    def operation(self, kind: Kind, key: str, stored: Struct) -> bytes:
        """Make the operation that stores an entry in the submission's partition."""
        return operation(kind, self._prefix, self.partition, key, stored, self.epoch)

    def add_document(self, stored: StoredDocument) -> None:
        """Add a document, whose passages are added by `add_passages`."""
        self.documents.add(self.operation("documents", stored.document_id, stored))

    def add_passages(self, stored: StoredDocument, passages: Sequence[StoredPassage]) -> None:
        """Add the passages of a document, and count the document."""
        self.characters += len(stored.text)
        self.parts[stored.document_id] = len(passages)
        for passage in passages:
            key = passage_id(passage.document_id, passage.number)
            self.passages.add(self.operation("passages", key, passage))

    def add_section(self, section: StoredSection) -> None:
        """Add a section of a report."""
        key = section_id(section.document_id, section.item)
        self.sections.append(key)
        self.passages.add(self.operation("sections", key, section))

    def add_row(self, kind: Kind, document_id: str, number: int, row: Struct) -> None:
        """Add a row of a document; `number` counts its rows of the kind from 0.

        They are counted row by row, so that the ledger has all of them even if the next one fails.
        """
        # Statements are not shown before all their facts are stored.
        stage = self.documents if kind == "financials" else self.passages
        stage.add(self.operation(kind, row_id(document_id, number), row))
        self.rows[rows_key(kind, document_id)] = number + 1
