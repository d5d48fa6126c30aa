"""What a load did: counted as it goes, printed as JSON on the last line."""

import logging
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.metrics.meters import SUBMISSIONS
from ingest.loading.submission_writer import Result
from ingest.reading.prepare import PreparedSubmission

_log = logging.getLogger(__name__)


class Summary:
    """Counts of one run; `seen` is the sum of what became of the files."""

    def __init__(self) -> None:
        self.loaded = self.unchanged = self.superseded = self.deleted = self.filtered = 0
        self.refusals: list[dict[str, str]] = []
        self.documents = self.passages = self.characters = 0
        self.too_large: list[str] = []
        self.unread: list[dict[str, str]] = []
        self.unknown_fields: Counter[str] = Counter()
        self.future_dates: list[str] = []
        self._started = time.monotonic()

    @property
    def seen(self) -> int:
        """How many files have been dealt with."""
        done = self.loaded + self.unchanged + self.superseded + self.deleted
        return done + self.filtered + len(self.refusals)

    def add(self, result: Result) -> None:
        """Count what became of a submission."""
        if result.outcome in ("loaded", "unchanged", "superseded", "deleted"):
            SUBMISSIONS.labels(result.outcome).inc()
        if result.outcome == "loaded":
            self._add_loaded(result.prepared)
        elif result.outcome == "unchanged":
            self.unchanged += 1
        elif result.outcome == "superseded":
            self.superseded += 1
        elif result.outcome == "deleted":
            self.deleted += 1
        else:
            self.refuse(result.prepared.source, result.reason)

    def refuse(self, source: str, reason: str) -> None:
        """Count a file that was refused."""
        SUBMISSIONS.labels("refused").inc()
        self.refusals.append({"source": source, "reason": reason})

    def join(self, other: "Summary") -> None:
        """Add the counts of another load."""
        self.loaded += other.loaded
        self.unchanged += other.unchanged
        self.superseded += other.superseded
        self.deleted += other.deleted
        self.filtered += other.filtered
        self.refusals += other.refusals
        self.documents += other.documents
        self.passages += other.passages
        self.characters += other.characters
        self.too_large += other.too_large
        self.unread += other.unread
        self.unknown_fields.update(other.unknown_fields)
        self.future_dates += other.future_dates

    def as_dict(self, skipped: int) -> dict[str, Any]:
        """The summary; `skipped` are files of folders that are no submissions by their name."""
        return {
            "seen": self.seen,
            "loaded": self.loaded,
            "unchanged": self.unchanged,
            "superseded": self.superseded,
            "deleted": self.deleted,
            "refused": len(self.refusals),
            "filtered": self.filtered,
            "refusals": self.refusals,
            "skipped": skipped,
            "documents": self.documents,
            "passages": self.passages,
            "characters": self.characters,
            "too_large": self.too_large,
            "unread": self.unread,
            "unknown_fields": dict(self.unknown_fields.most_common()),
            **({"future_dates": self.future_dates} if self.future_dates else {}),
            "seconds": round(time.monotonic() - self._started, 2),
        }

    def _add_loaded(self, prepared: PreparedSubmission) -> None:
        self.loaded += 1
        self.documents += len(prepared.parts)
        self.passages += sum(prepared.parts.values())
        self.characters += prepared.characters
        self.too_large += prepared.too_large
        for document_id, reason in prepared.unread.items():
            self.unread.append({"document_id": document_id, "reason": reason})
        self.unknown_fields.update(prepared.unknown_fields)
        number, day = prepared.accession_number, prepared.filing_date
        if day > last_filing_date(datetime.now(UTC)):
            self.future_dates.append(number)
            _log.warning("%s: its filing date, %s, is in the future; it is loaded", number, day)
