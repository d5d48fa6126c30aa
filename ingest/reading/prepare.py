"""Prepares a submission: from a file to operations for Elasticsearch, in a worker."""

import errno
import logging
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache

from edgar_search.archive import archive
from edgar_search.archive.archive import open_archive
from edgar_search.edgar.submission import (
    Document,
    Header,
    Submission,
    accession_number,
    header_in,
    parse_submission,
)
from edgar_search.engine.contents import UNREAD, contents_made
from edgar_search.errors import ArchiveUnavailable, EdgarSearchError, MalformedSubmission
from edgar_search.stored.filings import ArchivedFile, StoredFiling
from ingest.reading.collected import Collected
from ingest.reading.documents import Bounds, DocumentsRead, read_documents
from ingest.reading.entity_facts import header_facts
from ingest.reading.financials import (
    NO_FINANCIALS,
    Financials,
    financial_documents,
    read_financials,
)
from ingest.reading.memory_budget import LARGE_BYTES, NoSupervisor, Supervisor
from ingest.reading.tasks import (
    FilteredFile,
    KnownFile,
    Outcome,
    PreparedSubmission,
    RefusedFile,
    Task,
    refuse_unread,
)
from ingest.reading.transform import stored_filing, with_financials
from ingest.sources.paths import FilingFilter
from ingest.sources.source import ReadSubmission, open_submission, read_head

_log = logging.getLogger(__name__)

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
    collected = Collected(task, submission)
    filing = _collect_and_archive(task, read, submission, loaded_at, supervisor, collected)
    archived = filing.archive
    return PreparedSubmission(
        source=task.source.name,
        sha256=read.sha256,
        accession_number=header.accession_number,
        variant=submission.variant,
        form_type=header.form_type,
        filing_date=header.filing_date,
        accepted_at=header.accepted_at,
        loaded_at=loaded_at,
        partition=collected.partition,
        passages=collected.passages.pieces(),
        documents=collected.documents.pieces(),
        filing=collected.operation("filings", header.accession_number, filing),
        facts=list(header_facts(header)),
        parts=collected.parts,
        sections=collected.sections,
        rows=collected.rows,
        first=collected.first,
        characters=collected.characters,
        too_large=collected.too_large,
        unread=collected.unread,
        problems=collected.problems,
        unknown_fields=submission.unknown_fields,
        epoch=collected.epoch,
        archived=archived.path if archived else None,
        contents=contents_made(collected.kinds),
        fetched_at=task.source.fetched_at,
    )


def _collect_and_archive(
    task: Task,
    read: ReadSubmission,
    submission: Submission,
    loaded_at: datetime,
    supervisor: Supervisor,
    collected: Collected,
) -> StoredFiling:
    """Collect what a submission contains while it is archived, and return its filing."""
    # Writing to the archive takes time; the text is made meanwhile.
    archiving = _disk().submit(_archive, task, read, submission)
    try:
        if len(read.content) > LARGE_BYTES:
            # Then only the current document can be the one that takes too much memory.
            archiving.result()
        bounds = Bounds(task, supervisor, collected)
        financial = financial_documents(submission)
        documents = read_documents(
            task, submission, loaded_at, bounds, collected, has_financials=bool(financial)
        )
        financials = NO_FINANCIALS
        if financial:
            financials = _collect_financials(
                task, submission, financial, documents, bounds, collected
            )
        if documents.main is not None:
            collected.add_document(
                with_financials(documents.main, financials.figures, financials.auditor)
            )
    finally:
        # The content is closed behind this.
        wait([archiving])
    archived = archiving.result()
    return stored_filing(submission, documents.items, loaded_at, archived, financials.auditor)


def _collect_financials(
    task: Task,
    submission: Submission,
    financial: list[Document],
    documents: DocumentsRead,
    bounds: Bounds,
    collected: Collected,
) -> Financials:
    """Collect statements and facts, and return what the main document and the filing store of them.

    Unreadable parts become problems. Raises MemoryError if they take more memory than there is.
    """
    collected.kinds.add("financials")
    # All are processed at once, under the name of the largest.
    largest = max(financial, key=lambda each: each.body_size)
    size = sum(document.body_size for document in financial)
    failed = {*collected.unread, *task.too_large}
    unreadable = any(document.document_id in failed for document in financial)
    if unreadable or size > task.document_bytes:
        collected.problems.append("financials: too large, or not readable before")
        return NO_FINANCIALS
    financials, main = NO_FINANCIALS, documents.main
    texts = {} if main is None else {main.document_id: main.text}
    bounds.supervisor.at(largest.document_id, size)
    with bounds.reserve(largest.document_id, size):
        try:
            found = read_financials(submission, task.document_bytes, documents.places, texts)
            _add_financials(found, collected)
            # Facts are collected by now, and their memory is no longer reserved behind this.
            financials = found._replace(statements=None, facts=[])
        except (EdgarSearchError, MemoryError, OSError):
            raise
        except Exception as error:
            number = submission.header.accession_number
            _log.exception("the financials of %s show a fault of this program", number)
            collected.problems.append(f"financials: reader failed: {type(error).__name__}")
            collected.kinds.add(UNREAD)
    bounds.supervisor.at(None)
    return financials


def _add_financials(found: Financials, collected: Collected) -> None:
    if found.problem:
        collected.problems.append(found.problem)
    if found.statements is not None:
        statements = found.statements
        collected.add_row("financials", statements.document_id, 0, statements)
    for number, fact in enumerate(found.facts):
        collected.add_row("facts", fact.document_id, number, fact)


@cache
def _disk() -> ThreadPoolExecutor:
    """Return the thread that archives; to start one for each small form took 3 % of its time."""
    return ThreadPoolExecutor(1, thread_name_prefix="archive")


# A worker process uses one client, with its connections, for everything that it archives.
_opened = cache(open_archive)


def _archive(task: Task, read: ReadSubmission, submission: Submission) -> ArchivedFile | None:
    if task.archive is None:
        return None
    starts = [document.start for document in submission.documents]
    accession = submission.header.accession_number
    store = _opened(task.archive)
    kept = archive.write(store, accession, read.sha256, read.content, starts)
    return ArchivedFile(kept.path, kept.members)
