"""Counts of a load, printed as JSON on the last line, and its progress."""

import logging
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any, Never, Protocol, Self

from tqdm import tqdm

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.metrics.meters import SUBMISSIONS
from ingest.loading.submission_writer import Result
from ingest.reading.tasks import PreparedSubmission
from ingest.sources.source import SourceList

_log = logging.getLogger(__name__)


class Summary:
    """Counts of one run."""

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
        """The number of files that have a result."""
        written = self.loaded + self.unchanged + self.superseded + self.deleted
        return written + self.filtered + len(self.refusals)

    @property
    def complete(self) -> bool:
        """True if nothing was refused, and no document was left unread."""
        return not (self.refusals or self.unread)

    def log_unread(self) -> None:
        """Warn about each refused file, and each document that could not be read."""
        for refusal in self.refusals:
            _log.warning("refused %s: %s", refusal["source"], refusal["reason"])
        for document in self.unread:
            _log.warning(
                "%s is listed, and not read: %s; it is outdated until an `edgar-ingest update`,"
                " or another load of its file, has read it",
                document["document_id"],
                document["reason"],
            )

    def add(self, result: Result) -> None:
        """Count the result of a submission."""
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
        """Return the summary.

        `skipped` counts files in folders that are not named like submissions.
        """
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


# Seconds between two lines, so that the log of a long load stays short.
LINE_INTERVAL = 5.0
_MINUTE, _HOUR = 60, 3600


class ProgressLine:
    """A line that shows the progress of long work, as a context around it."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = tqdm(bar_format="{desc}", file=sys.stderr)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    @property
    def due(self) -> bool:
        """True if it is time to show a line."""
        return self._bar is not None or time.monotonic() - self._last_line >= LINE_INTERVAL

    def show(self, text: str) -> None:
        """Show a text, if one is due."""
        if self._bar is not None:
            self._bar.set_description_str(text)
        elif self.due:
            self._last_line = time.monotonic()
            _log.info("%s", text)


class ProgressDisplay(Protocol):
    """The display of a load's progress, as a context of the load."""

    def __enter__(self) -> object: ...

    def __exit__(self, *_: object) -> None: ...

    def update(self) -> None:
        """Show the progress of the load."""


class Progress(ProgressLine):
    """Shows on standard error how many files of a load are done.

    Submissions in containers are counted as they are read, so the total keeps rising.
    """

    def __init__(self, sources: SourceList, summary: Summary) -> None:
        super().__init__()
        self._sources = sources
        self._summary = summary
        self._began = time.monotonic()

    def update(self) -> None:
        """Show the progress of the load."""
        if not self.due:
            return
        summary, number = self._summary, len(self._sources)
        counted = getattr(self._sources, "counted", True)
        pace = format_pace(
            summary.seen, number if counted else None, time.monotonic() - self._began, "files"
        )
        self.show(
            f"{summary.seen} of {'' if counted else 'at least '}{max(number, summary.seen)} files:"
            f" {summary.loaded} loaded, {summary.unchanged} unchanged,"
            f" {len(summary.refusals)} refused; {pace}"
        )


def format_pace(done: int, of: int | None, seconds: float, unit: str) -> str:
    """Describe the rate of work, and the remaining time at that rate if `of` is known."""
    rate = done / seconds if seconds > 0 else 0.0
    text = f"{rate:.1f} {unit}/s"
    return (
        f"{text}, {format_duration((of - done) / rate)} left" if of and rate and of > done else text
    )


def format_duration(seconds: float) -> str:
    """Describe a duration in at most two units."""
    rounded = round(seconds)
    if rounded < _MINUTE:
        return f"{rounded} s"
    if rounded < _HOUR:
        return f"{rounded // _MINUTE} min {rounded % _MINUTE} s"
    return f"{rounded // _HOUR} h {rounded % _HOUR // _MINUTE} min"


def format_size(count: int) -> str:
    """Describe a number of bytes."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.2f} GB"
