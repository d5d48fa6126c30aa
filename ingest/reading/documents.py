"""Reads the documents of a submission one by one, so that only one body at a time is in memory."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import NamedTuple

from resiliparse.parse.html import HTMLParserException

from edgar_search.edgar.envelope import release_memory
from edgar_search.edgar.items import has_sections
from edgar_search.edgar.submission import Document, Header, Submission
from edgar_search.engine.contents import UNREAD
from edgar_search.errors import EdgarSearchError
from edgar_search.stored.filings import FilingItem, StoredDocument, StoredPassage
from edgar_search.stored.financials import StoredPlace
from edgar_search.text.document_text import (
    may_be_searched,
    searchable_text,
    searched_kind,
    text_version,
)
from edgar_search.text.versions import DocumentKind
from ingest.reading.collected import Collected
from ingest.reading.eight_k import current_report, eight_k_items
from ingest.reading.headings import headings
from ingest.reading.memory_budget import LARGE_BYTES, Supervisor
from ingest.reading.ownership.form_13f import ManagerReport, manager_report
from ingest.reading.ownership.rows import ownership_rows, unread_form
from ingest.reading.sections.followed import Following
from ingest.reading.sections.report_text import ReportText, report_text
from ingest.reading.tasks import Task
from ingest.reading.transform import stored_document, stored_passages, stored_sections
from ingest.reading.xbrl.places import fact_places

_log = logging.getLogger(__name__)

# Bytes by which an unread document is judged searchable or not.
_BEGINNING_BYTES = 1_000_000


class DocumentsRead(NamedTuple):
    """Findings in documents that concern the filing as a whole.

    `main` is the main document of a filing with financials: it is stored with its figures. `places`
    are the positions of numbers in the texts, by the ids of their inline XBRL elements.
    """

    items: list[FilingItem]
    main: StoredDocument | None
    places: dict[str, StoredPlace]


class _Searchable(NamedTuple):
    """The stored entries of a searchable document."""

    stored: StoredDocument
    passages: list[StoredPassage]


class _Items(NamedTuple):
    """A filing's items, and the current report's text that was read for them, by its id.

    A text is taken out when its document is read.
    """

    items: list[FilingItem]
    texts: dict[str, str]


class Bounds:
    """Bounds on memory, and reader errors, by document."""

    def __init__(self, task: Task, supervisor: Supervisor, collected: Collected) -> None:
        self._task, self._collected = task, collected
        self.supervisor = supervisor

    def is_too_large(self, document: Document) -> bool:
        """Return True if a document is not read, because of its size or its memory last time."""
        was_too_large = document.document_id in self._task.too_large
        return was_too_large or document.body_size > self._task.document_bytes

    def reserve(self, document_id: str, size: int) -> AbstractContextManager[None]:
        """Return a context that waits for memory to read a body; small ones need not wait."""
        if size <= LARGE_BYTES:
            return nullcontext()
        return self.supervisor.reserve(document_id, size)

    @contextmanager
    def faults_of(self, document: Document) -> Iterator[None]:
        """Attribute an error of the readers to the document, so that the others are loaded."""
        try:
            yield
        except HTMLParserException:
            # The parser accepts any HTML; it fails only for lack of memory.
            raise MemoryError from None
        except (EdgarSearchError, MemoryError, OSError):
            raise
        except Exception as error:
            _log.exception("%s shows a fault of this program", document.document_id)
            self._collected.unread[document.document_id] = f"reader failed: {type(error).__name__}"
            self._collected.kinds.add(UNREAD)


def read_documents(
    task: Task,
    submission: Submission,
    loaded_at: datetime,
    bounds: Bounds,
    collected: Collected,
    *,
    has_financials: bool,
) -> DocumentsRead:
    """Collect the documents of a submission, their passages, sections and rows.

    The main document of a filing with financials is returned instead of collected. Raises
    MemoryError if one takes more memory than there is.
    """
    items = _read_items(submission, bounds, collected)
    report: ManagerReport | None = None
    for document in submission.documents[:1]:
        with bounds.faults_of(document):
            report = manager_report(submission)
    reader = _DocumentReader(
        task, submission.header, loaded_at, bounds, collected, items, report, has_financials
    )
    for place, document in enumerate(submission.documents):
        bounds.supervisor.at(document.document_id, document.body_size)
        if document.document_id not in collected.unread and may_be_searched(document):
            reader.take(document, first=place == 0)
        release_memory(document.content, document.start, document.end)
    bounds.supervisor.at(None)
    # Everything that sections may refer to has been read by now.
    for section in reader.following.sections():
        collected.add_section(section)
    if report is not None:
        _add_report(report, collected)
    return DocumentsRead(items.items, reader.main, reader.places)


def _read_items(submission: Submission, bounds: Bounds, collected: Collected) -> _Items:
    """Return the items of a current report, or only the header's if its text cannot be read.

    A report that cannot be read for its items is not searchable.
    """
    report = current_report(submission)
    if report is None:
        return _Items([], {})
    bounds.supervisor.at(report.document_id, report.body_size)
    if not bounds.is_too_large(report) and report.document_id not in collected.unread:
        reserved = bounds.reserve(report.document_id, report.body_size)
        with reserved, bounds.faults_of(report):
            read = report_text(report)
            items = eight_k_items(submission, report, read)
            return _Items(items, {report.document_id: read.text})
    return _Items(eight_k_items(submission, report, ReportText("", is_plain=True)), {})


def _add_report(report: ManagerReport, collected: Collected) -> None:
    """Collect the row of a manager's report, which counts the rows of its tables."""
    row = report.stored()
    collected.add_row("manager_reports", row.document_id, row.number, row)
    collected.kinds.add("portfolios")
    collected.problems += report.problems()


class _DocumentReader:
    """Reads one document after the other, in their order in the submission."""

    def __init__(
        self,
        task: Task,
        header: Header,
        loaded_at: datetime,
        bounds: Bounds,
        collected: Collected,
        items: _Items,
        report: ManagerReport | None,
        has_financials: bool,
    ) -> None:
        self._task = task
        self._header = header
        self._loaded_at = loaded_at
        self._bounds = bounds
        self._collected = collected
        self._items = items
        self._report = report
        self._has_financials = has_financials
        self.following = Following()
        self.main: StoredDocument | None = None
        self.places: dict[str, StoredPlace] = {}

    def take(self, document: Document, *, first: bool) -> None:
        """Collect a document with its passages and rows, unless it is too large."""
        if self._bounds.is_too_large(document):
            kind = searched_kind(document.alone(_BEGINNING_BYTES))
            if kind is not None:
                self._collected.kinds.add(kind.value)
                self._collected.too_large.append(document.document_id)
            return
        with self._bounds.reserve(document.document_id, document.body_size):
            # The body of a large document is read again for each purpose, and not kept.
            large = document.body_size > LARGE_BYTES
            self._read(document if large else document.alone(), first=first)

    def _read(self, document: Document, *, first: bool) -> None:
        searchable: _Searchable | None = None
        with self._bounds.faults_of(document):
            searchable = self._make_searchable(document, first=first)
        if searchable is not None:
            self._add(searchable, first=first)
        with self._bounds.faults_of(document):
            self._add_rows(document)

    def _make_searchable(self, document: Document, *, first: bool) -> _Searchable | None:
        kinds = self._collected.kinds
        kind = searched_kind(document)
        if kind is not None:
            kinds.add(kind.value)
        if has_sections(document.form_type.upper()):
            kinds.add("sections")
        text = self._items.texts.pop(document.document_id, None) or searchable_text(document)
        if text and len(text) > self._task.max_text_chars:
            self._collected.too_large.append(document.document_id)
            return None
        if not text:
            return None
        passages = stored_passages(document, text)
        sections = stored_sections(self._header, document, text)
        located = [*sections, *self.following.look_in(document, text, sections)]
        version = text_version(document)
        stored = stored_document(
            self._header,
            document,
            text,
            self._loaded_at,
            passages=len(passages),
            first=first,
            archived=self._task.archive is not None,
            items=[item.number for item in self._items.items],
            headings=headings(document, text, located, self._named_items(first=first)),
            text_version=f"{version.kind.value}:{version.number}" if version else "",
        )
        if self._has_financials and kind is DocumentKind.HTML:
            for name, (start, end) in fact_places(document.body, text).items():
                place = StoredPlace(document.document_id, stored.text_sha256, start, end)
                self.places.setdefault(name, place)
        return _Searchable(stored, passages)

    def _named_items(self, *, first: bool) -> Sequence[str]:
        items = self._items.items if first else []
        return [f"Item {item.number} {item.name}" for item in items]

    def _add(self, made: _Searchable, *, first: bool) -> None:
        stored, passages = made
        if first:
            self._collected.first = stored.document_id
        if first and self._has_financials:
            self.main = stored
        else:
            self._collected.add_document(stored)
        self._collected.add_passages(stored, passages)

    def _add_rows(self, document: Document) -> None:
        rows = ownership_rows(self._header, document, self._report)
        if rows is None:
            self._collected.problems += filter(None, [unread_form(document)])
            return
        for row in rows.rows:
            self._collected.add_row(rows.kind, row.document_id, row.number, row)
            self._collected.kinds.add("ownership")
