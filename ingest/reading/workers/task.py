"""What a worker process is given to do."""

import sys

from msgspec import Struct

from edgar_search.engine.index_names import Partition
from edgar_search.settings import SUBMISSION_BYTES
from edgar_search.settings.values import ArchivePlace
from ingest.sources.paths import EVERYTHING, FilingFilter
from ingest.sources.source import Source


class Task(Struct, frozen=True):
    """One submission to prepare; `known` are the hashes that need not be loaded again.

    Of one that is `done` nothing needs to be read. `submission_bytes` and `document_bytes` are the
    most that are read of a submission, unpacked, and of a document's body. `too_large` are
    documents that took more memory than there is, and `unread` those that cannot be read, with the
    reason.
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
