"""Prepares a submission: from a file to operations for Elasticsearch, in a worker."""

import errno
import logging
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from msgspec import Struct, structs
from resiliparse.parse.html import HTMLParserException

from edgar_search.archive import archive
from edgar_search.archive.archive import open_archive
from edgar_search.edgar.envelope import release_memory
from edgar_search.edgar.items import has_sections
from edgar_search.edgar.submission import (
    Document,
    Header,
    Submission,
    accession_number,
    header_in,
    parse_submission,
)
from edgar_search.engine.contents import UNREAD, contents_made
from edgar_search.engine.index_names import Kind, partition_of
from edgar_search.errors import ArchiveUnavailable, EdgarSearchError, MalformedSubmission
from edgar_search.stored.filings import (
    ArchivedFile,
    FilingItem,
    StoredDocument,
    StoredPassage,
    passage_id,
    section_id,
)
from edgar_search.stored.financials import StoredFact, StoredFinancials, StoredPlace
from edgar_search.stored.ownership import row_id
from edgar_search.text.document_text import (
    may_be_searched,
    searchable_text,
    searched_kind,
    text_version,
)
from edgar_search.text.versions import DocumentKind
from ingest.reading.eight_k import current_report, eight_k_items
from ingest.reading.entity_facts import header_facts
from ingest.reading.figures import NO_FIGURES, Figures
from ingest.reading.financials import Financials, financial_documents, read_financials
from ingest.reading.headings import headings
from ingest.reading.memory_budget import LARGE_BYTES, NoSupervisor, Supervisor
from ingest.reading.operations import OperationCollector, operation, rows_key
from ingest.reading.ownership.form_13f import ManagerReport, manager_report
from ingest.reading.ownership.rows import ownership_rows, unread_form
from ingest.reading.sections.followed import Following
from ingest.reading.sections.report_text import ReportText, report_text
from ingest.reading.tasks import (
    FilteredFile,
    KnownFile,
    Outcome,
    PreparedSubmission,
    RefusedFile,
    Task,
    refuse_unread,
)
from ingest.reading.transform import (
    stored_document,
    stored_filing,
    stored_passages,
    stored_sections,
)
from ingest.reading.xbrl.places import fact_places
from ingest.sources.paths import FilingFilter
from ingest.sources.source import ReadSubmission, open_submission, read_head

_log = logging.getLogger(__name__)

# Bytes by which an unread document is judged to be searchable.
_BEGINNING_BYTES = 1_000_000


class DocumentOperations:
    """Operations and counts of documents, whose bodies are held only while they are worked on."""

    def __init__(
        self, task: Task, submission: Submission, loaded_at: datetime, supervisor: Supervisor
    ) -> None:
        self._task = task
        self._submission = submission
        self._loaded_at = loaded_at
        self._supervisor = supervisor
        # Milliseconds since 1970: above every earlier load, even if the ledger was lost.
        self.epoch = time.time_ns() // 1_000_000
        self._header = submission.header
        day = submission.header.filing_date
        self.partition = partition_of(task.partition, day, task.partition_from)
        self.documents = OperationCollector(task.spool)
        self.passages = OperationCollector(task.spool)
        self.parts: dict[str, int] = {}
        self.sections: list[str] = []
        self.rows: dict[str, int] = {}
        self.problems: list[str] = []
        self.first: str | None = None
        # The main document of a filing with financials: it is stored with its figures.
        self._main: StoredDocument | None = None
        self.characters = 0
        self.too_large: list[str] = []
        self._financial = financial_documents(submission)
        # Positions of numbers in the texts, by the ids of their elements of inline XBRL.
        self._places: dict[str, StoredPlace] = {}
        # Kinds of results that have versions.
        self.kinds = {"entries"}
        if has_sections(self._header.form_type.upper()):
            self.kinds.add("sections")
        self._items: list[str] = []
        self._named_items: list[str] = []
        self._report: ManagerReport | None = None
        # The text of a current report, which is read for its items first.
        self._texts: dict[str, str] = {}
        self._following = Following()
        ids = {document.document_id for document in submission.documents}
        self.unread = {each: reason for each, reason in task.unread.items() if each in ids}
        if self.unread:
            self.kinds.add(UNREAD)

    def operation(self, kind: Kind, key: str, stored: Struct) -> bytes:
        """Make the operation that stores an entry in the submission's partition."""
        return operation(kind, self._task.prefix, self.partition, key, stored, self.epoch)

    def add_all(self, items: Sequence[FilingItem] = ()) -> None:
        """Add all documents of a filing with these items.

        Raises MemoryError if one takes more memory than there is.
        """
        self._items = [item.number for item in items]
        self._named_items = [f"Item {item.number} {item.name}" for item in items]
        for document in self._submission.documents[:1]:
            with self._faults_of(document):
                self._report = manager_report(self._submission)
        for place, document in enumerate(self._submission.documents):
            self._supervisor.at(document.document_id, document.body_size)
            if document.document_id not in self.unread and may_be_searched(document):
                self._take(document, first=place == 0)
            release_memory(document.content, document.start, document.end)
        self._supervisor.at(None)
        self._add_sections()
        self._add_report()

    def _add_sections(self) -> None:
        """Add the sections of the report, once everything that they may refer to is read."""
        for section in self._following.sections():
            key = section_id(section.document_id, section.item)
            self.sections.append(key)
            # With the passages: like these they are useful only once their document is stored.
            self.passages.add(self.operation("sections", key, section))

    def _add_report(self) -> None:
        """Add the row of a manager's report, which counts the rows of its tables."""
        if self._report is None:
            return
        row = self._report.stored()
        key = row_id(row.document_id, row.number)
        self.passages.add(self.operation("manager_reports", key, row))
        self.kinds.add("portfolios")
        self.rows[rows_key("manager_reports", row.document_id)] = 1
        self.problems += self._report.problems()

    def items(self) -> list[FilingItem]:
        """Return the items of a current report, or only the header's if its text cannot be read.

        Called before `add_all`: a report that cannot be read for its items is not searchable.
        """
        report = current_report(self._submission)
        if report is None:
            return []
        self._supervisor.at(report.document_id, report.body_size)
        if not self._is_too_large(report) and report.document_id not in self.unread:
            with self._reserve(report), self._faults_of(report):
                read = report_text(report)
                self._texts[report.document_id] = read.text
                return eight_k_items(self._submission, report, read)
        return eight_k_items(self._submission, report, ReportText("", is_plain=True))

    def add_financials(self) -> None:
        """Add the statements and the facts of the submission; what cannot be read is a problem.

        The main document follows, with its figures. Raises MemoryError if they take more memory
        than there is.
        """
        figures = self._read_financials() if self._financial else NO_FIGURES
        if self._main is not None:
            stored = structs.replace(
                self._main,
                figures=figures.values,
                quotients=figures.quotients,
                currency=figures.currency,
            )
            self.documents.add(self.operation("documents", stored.document_id, stored))

    def _read_financials(self) -> Figures:
        """Add the statements and facts, and return the figures of the main document."""
        documents, figures = self._financial, NO_FIGURES
        self.kinds.add("financials")
        # All are processed at once, in the name of the largest.
        largest = max(documents, key=lambda each: each.body_size)
        size = sum(document.body_size for document in documents)
        failed = {*self.unread, *self._task.too_large}
        unreadable = any(document.document_id in failed for document in documents)
        if unreadable or size > self._task.document_bytes:
            self.problems.append("financials: too large, or not readable before")
            return figures
        self._supervisor.at(largest.document_id, size)
        reserved = self._supervisor.reserve(largest.document_id, size)
        with reserved if size > LARGE_BYTES else nullcontext():
            try:
                most = self._task.document_bytes
                main = self._main
                texts = {} if main is None else {main.document_id: main.text}
                read = read_financials(self._submission, most, self._places, texts)
                self._add_financials(read)
                figures = read.figures
            except (EdgarSearchError, MemoryError, OSError):
                raise
            except Exception as error:
                number = self._header.accession_number
                _log.exception("the financials of %s show a fault of this program", number)
                self.problems.append(f"financials: reader failed: {type(error).__name__}")
                self.kinds.add(UNREAD)
        self._supervisor.at(None)
        return figures

    def _add_financials(self, read: Financials) -> None:
        if read.problem:
            self.problems.append(read.problem)
        statements = [] if read.statements is None else [read.statements]
        rows: dict[Kind, Sequence[StoredFinancials | StoredFact]] = {
            "financials": statements,
            "facts": read.facts,
        }
        for kind, stored in rows.items():
            # With the documents: statements are not shown before all their facts are stored.
            stage = self.documents if kind == "financials" else self.passages
            for number, row in enumerate(stored):
                key = row_id(row.document_id, number)
                stage.add(self.operation(kind, key, row))
                self.rows[rows_key(kind, row.document_id)] = number + 1

    def _is_too_large(self, document: Document) -> bool:
        known = document.document_id in self._task.too_large
        return known or document.body_size > self._task.document_bytes

    def _take(self, document: Document, *, first: bool) -> None:
        if self._is_too_large(document):
            kind = searched_kind(document.alone(_BEGINNING_BYTES))
            if kind is not None:
                self.kinds.add(kind.value)
                self.too_large.append(document.document_id)
        else:
            with self._reserve(document):
                # The body of a large document is read again for each purpose, and not kept.
                large = document.body_size > LARGE_BYTES
                self._read(document if large else document.alone(), first=first)

    def _reserve(self, document: Document) -> AbstractContextManager[None]:
        """Return a context that waits for memory to read a body; small ones need not wait."""
        if document.body_size <= LARGE_BYTES:
            return nullcontext()
        return self._supervisor.reserve(document.document_id, document.body_size)

    def _read(self, document: Document, *, first: bool) -> None:
        made: _Searchable | None = None
        with self._faults_of(document):
            made = self._make_searchable(document, first=first)
        if made is not None:
            self._add(made, first=first)
        with self._faults_of(document):
            self._add_rows(document)

    def _add_rows(self, document: Document) -> None:
        found = ownership_rows(self._header, document, self._report)
        if found is None:
            self.problems += filter(None, [unread_form(document)])
            return
        for number, row in enumerate(found.rows):
            key = row_id(row.document_id, row.number)
            self.passages.add(self.operation(found.kind, key, row))
            # At once, so that the ledger has all of them even if the next one fails.
            self.kinds.add("ownership")
            self.rows[rows_key(found.kind, document.document_id)] = number + 1

    @contextmanager
    def _faults_of(self, document: Document) -> Iterator[None]:
        """Attribute a fault of the readers to the document, so that the others are loaded."""
        try:
            yield
        except HTMLParserException:
            # The parser accepts any HTML; it fails only for lack of memory.
            raise MemoryError from None
        except (EdgarSearchError, MemoryError, OSError):
            raise
        except Exception as error:
            _log.exception("%s shows a fault of this program", document.document_id)
            self.unread[document.document_id] = f"reader failed: {type(error).__name__}"
            self.kinds.add(UNREAD)

    def _make_searchable(self, document: Document, *, first: bool) -> "_Searchable | None":
        kind = searched_kind(document)
        if kind is not None:
            self.kinds.add(kind.value)
        if has_sections(document.form_type.upper()):
            self.kinds.add("sections")
        text = self._texts.pop(document.document_id, None) or searchable_text(document)
        if text and len(text) > self._task.max_text_chars:
            self.too_large.append(document.document_id)
            return None
        if not text:
            return None
        passages = stored_passages(document, text)
        sections = stored_sections(self._header, document, text)
        named = [*sections, *self._following.look_in(document, text, sections)]
        version = text_version(document)
        stored = stored_document(
            self._header,
            document,
            text,
            self._loaded_at,
            passages=len(passages),
            first=first,
            archived=self._task.archive is not None,
            items=self._items,
            headings=headings(document, text, named, self._named_items if first else ()),
            text_version=f"{version.kind.value}:{version.number}" if version else "",
        )
        if self._financial and kind is DocumentKind.HTML:
            for name, (start, end) in fact_places(document.body, text).items():
                place = StoredPlace(document.document_id, stored.text_sha256, start, end)
                self._places.setdefault(name, place)
        return _Searchable(stored, passages)

    def _add(self, made: "_Searchable", *, first: bool) -> None:
        stored, passages = made
        self.characters += len(stored.text)
        self.parts[stored.document_id] = len(passages)
        if first:
            self.first = stored.document_id
        if first and self._financial:
            self._main = stored
        else:
            self.documents.add(self.operation("documents", stored.document_id, stored))
        for p in passages:
            key = passage_id(p.document_id, p.number)
            self.passages.add(self.operation("passages", key, p))


class _Searchable(NamedTuple):
    """The stored entries of a searchable document."""

    stored: StoredDocument
    passages: list[StoredPassage]


# Errors of the disk, not of the submission that is unpacked.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
# Bytes at the beginning in which nearly all headers end.
_HEAD_BYTES = 65_536
_ALONE = NoSupervisor()


def prepare(task: Task, supervisor: Supervisor = _ALONE) -> Outcome:
    """Read, parse, archive and transform one file; no content of a file raises an error.

    Once the file is read, the supervisor gets its hash, number and size. Raises EdgarSearchError if
    the archive or the spool cannot be written, MemoryError if a bound on memory is reached.
    """
    source = task.source.name
    if task.done:
        return KnownFile(source, "")
    if task.source.refusal is not None:
        return refuse_unread(task, task.source.refusal, None)
    with ExitStack() as stack:
        try:
            if _is_filtered(task):
                return FilteredFile(source)
            read = stack.enter_context(
                open_submission(task.source, task.spool, task.submission_bytes)
            )
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise EdgarSearchError(f"{task.spool}: the disk is full: {error}") from error
            name = getattr(error, "strerror", None) or str(error)
            return refuse_unread(task, f"cannot be read: {name}", None)
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
        return _prepare(task, read, submission, supervisor)
    except MalformedSubmission as error:
        reason = str(error)
    except (ArchiveUnavailable, OSError) as error:
        raise EdgarSearchError(f"the archive cannot be written: {error}") from error
    except (EdgarSearchError, MemoryError):
        raise
    except Exception as error:
        # A bug in this code must not keep the other files from loading.
        _log.exception("%s shows a fault of this program", task.source.name)
        reason = f"a fault of this program: {type(error).__name__}"
    return RefusedFile(task.source.name, read.sha256, number, reason)


def _is_filtered(task: Task) -> bool:
    """Return True if the beginning of the submission is enough to filter it out."""
    if task.wanted.everything:
        return False
    header = header_in(read_head(task.source, _HEAD_BYTES))
    return header is not None and not _takes(task.wanted, header)


def _takes(wanted: FilingFilter, header: Header) -> bool:
    ciks = [entity.cik for entity in header.entities]
    return wanted.takes(header.form_type, ciks, header.filing_date)


def _prepare(
    task: Task, read: ReadSubmission, submission: Submission, supervisor: Supervisor
) -> PreparedSubmission:
    header = submission.header
    loaded_at = datetime.now(UTC)
    made = DocumentOperations(task, submission, loaded_at, supervisor)
    items, archived = _make_and_archive(made, task, read, submission)
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
        rows=made.rows,
        first=made.first,
        characters=made.characters,
        too_large=made.too_large,
        unread=made.unread,
        problems=made.problems,
        unknown_fields=submission.unknown_fields,
        epoch=made.epoch,
        archived=archived.path if archived else None,
        contents=contents_made(made.kinds),
        fetched_at=task.source.fetched_at,
    )


def _make_and_archive(
    made: DocumentOperations, task: Task, read: ReadSubmission, submission: Submission
) -> tuple[list[FilingItem], ArchivedFile | None]:
    # Writing to the archive takes time; the text is made meanwhile.
    with ThreadPoolExecutor(1) as disk:
        archiving = disk.submit(_archive, task, read, submission)
        if len(read.content) > LARGE_BYTES:
            # Then only the current document can be the one that takes too much memory.
            archiving.result()
        items = made.items()
        made.add_all(items)
        made.add_financials()
    return items, archiving.result()


# A worker process uses one client, with its connections, for all that it archives.
_opened = cache(open_archive)


def _archive(task: Task, read: ReadSubmission, submission: Submission) -> ArchivedFile | None:
    if task.archive is None:
        return None
    starts = [document.start for document in submission.documents]
    accession = submission.header.accession_number
    store = _opened(task.archive)
    kept = archive.write(store, accession, read.sha256, read.content, starts)
    return ArchivedFile(kept.path, kept.members)
